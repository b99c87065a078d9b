"""Public data sets of the literature, read from the user's own folder. Nothing is downloaded or shipped.

A table is a :class:`Dataset`, a mapping of columns. A histogram is one array and needs no column name, so
:func:`load_dpbench` returns it bare; ``CATALOGUE["HEPTH"]`` describes it. A graph is a :class:`dampen.Graph`, its nodes
numbered from 0.

``verify=False`` reads a file that was rebuilt from its source, whose bytes and so whose checksum differ. Its rows,
columns and kinds are checked all the same.
"""

from dampen._validate import flag, one_of
from dampen.datasets.catalogue import CATALOGUE, Description
from dampen.datasets.loading import Dataset, load_graph, load_histogram, load_table
from dampen.front.graph import Graph
from dampen.vectors import Integers

__all__ = [
    "CATALOGUE",
    "Dataset",
    "Description",
    "load_acs",
    "load_adult",
    "load_amazon",
    "load_ca_grqc",
    "load_ca_hepth",
    "load_compas",
    "load_dblp",
    "load_dpbench",
    "load_enron",
    "load_facebook",
    "load_github",
    "load_gowalla",
    "load_mushroom",
    "load_nltcs",
    "load_pendigits",
    "load_sf_salaries",
    "load_stanford",
    "load_wall_following",
    "load_wine_white",
]

HISTOGRAMS = ("PATENT", "HEPTH", "INCOME")


def load_dpbench(name: str, *, verify: bool = True) -> Integers:
    """A DPBench histogram, "PATENT", "HEPTH" or "INCOME": 4096 counts."""
    return load_histogram(CATALOGUE[one_of(HISTOGRAMS, name=name)], verify)


def load_nltcs(*, verify: bool = True) -> Dataset:
    """National Long Term Care Survey: 16 binary disability indicators, "0" to "15"."""
    return load_table(CATALOGUE["nltcs"], verify)


def load_acs(*, verify: bool = True) -> Dataset:
    """American Community Survey extract: 23 binary attributes, "0" to "22"."""
    return load_table(CATALOGUE["acs"], verify)


def load_adult(*, clean: bool = False, verify: bool = True) -> Dataset:
    """UCI Adult, training and test parts together; "?" marks a missing value.

    ``clean`` leaves out the rows with a "?" and the columns fnlwgt and education, and reduces marital-status to
    married or not married, as the literature on private decision trees does.
    """
    return load_table(CATALOGUE["adult_clean" if flag(clean=clean) else "adult"], verify)


def load_compas(*, verify: bool = True) -> Dataset:
    """COMPAS risk scores and violent recidivism within two years; decile_score -1 means not scored."""
    return load_table(CATALOGUE["compas"], verify)


def load_wine_white(*, verify: bool = True) -> Dataset:
    """UCI Wine Quality, white wines: 11 measurements and a quality from 3 to 9."""
    return load_table(CATALOGUE["wine_white"], verify)


def load_mushroom(*, verify: bool = True) -> Dataset:
    """UCI Mushroom: 22 attributes in single letters and the class e (edible) or p (poisonous)."""
    return load_table(CATALOGUE["mushroom"], verify)


def load_pendigits(*, verify: bool = True) -> Dataset:
    """UCI Pen-Based Recognition of Handwritten Digits: 16 pen positions from 0 to 100 and the digit."""
    return load_table(CATALOGUE["pendigits"], verify)


def load_wall_following(*, verify: bool = True) -> Dataset:
    """UCI Wall-Following Robot Navigation: 4 sonar distances and the move."""
    return load_table(CATALOGUE["wall_following"], verify)


def load_sf_salaries(*, verify: bool = True) -> Dataset:
    """Pay of San Francisco city employees, 2011 to 2014: Year, TotalPay and TotalPayBenefits in US dollars."""
    return load_table(CATALOGUE["sf_salaries"], verify)


def load_enron(*, verify: bool = True) -> Graph:
    """E-mails at Enron: an edge where one address wrote to another. 36,692 nodes, 183,831 edges."""
    return load_graph(CATALOGUE["enron"], verify)


def load_dblp(*, verify: bool = True) -> Graph:
    """DBLP: an edge between authors of a common paper. 317,080 nodes, 1,049,866 edges."""
    return load_graph(CATALOGUE["dblp"], verify)


def load_github(*, verify: bool = True) -> Graph:
    """GitHub developers who follow each other. 37,700 nodes, 289,003 edges."""
    return load_graph(CATALOGUE["github"], verify)


def load_gowalla(*, verify: bool = True) -> Graph:
    """Friendships on Gowalla. 196,591 nodes, 950,327 edges."""
    return load_graph(CATALOGUE["gowalla"], verify)


def load_amazon(*, verify: bool = True) -> Graph:
    """Amazon: an edge between products often bought together. 334,863 nodes, 925,872 edges."""
    return load_graph(CATALOGUE["amazon"], verify)


def load_stanford(*, verify: bool = True) -> Graph:
    """Pages of stanford.edu: an edge where one links to the other. 281,903 nodes, 1,992,636 edges."""
    return load_graph(CATALOGUE["stanford"], verify)


def load_facebook(*, verify: bool = True) -> Graph:
    """Friendships in ten ego networks on Facebook, combined. 4,039 nodes, 88,234 edges."""
    return load_graph(CATALOGUE["facebook"], verify)


def load_ca_grqc(*, verify: bool = True) -> Graph:
    """arXiv, general relativity: an edge between authors of a common paper. 5,242 nodes, 14,484 edges."""
    return load_graph(CATALOGUE["ca_grqc"], verify)


def load_ca_hepth(*, verify: bool = True) -> Graph:
    """arXiv, theory of high-energy physics: an edge between authors of a common paper. 9,877 nodes, 25,973 edges."""
    return load_graph(CATALOGUE["ca_hepth"], verify)
