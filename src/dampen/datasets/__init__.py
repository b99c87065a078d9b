"""Public data sets of the literature, read from the user's own folder. Nothing is downloaded or shipped.

A table is a :class:`Dataset`, a mapping of columns. A histogram is one array and needs no column name, so
:func:`load_dpbench` returns it bare; ``CATALOGUE["HEPTH"]`` describes it.

``verify=False`` reads a file that was rebuilt from its source, whose bytes and so whose checksum differ. Its rows,
columns and kinds are checked all the same.
"""

from dampen._validate import flag, one_of
from dampen.datasets.catalogue import CATALOGUE, Description
from dampen.datasets.loading import Dataset, load_histogram, load_table
from dampen.vectors import Integers

__all__ = [
    "CATALOGUE",
    "Dataset",
    "Description",
    "load_acs",
    "load_adult",
    "load_compas",
    "load_dpbench",
    "load_mushroom",
    "load_nltcs",
    "load_pendigits",
    "load_sf_salaries",
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
