"""What is known of every data set, without the data."""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

WHOLE, REAL, CATEGORY = "whole", "real", "category"


@dataclass(frozen=True)
class Description:
    """One file of a public data set.

    ``columns`` maps each column to its kind: ``"whole"`` or ``"real"`` numbers, or ``"category"`` for labels. ``file``
    is where the file stands inside the data folder, ``sha256`` its checksum. ``source`` says where the data come from.
    The rows of a graph are its edges, and ``nodes`` is how many nodes it has.
    """

    name: str
    file: str
    rows: int
    columns: Mapping[str, str]
    source: str
    licence: str
    sha256: str
    nodes: int | None = None


_SHA256 = {
    "PATENT": "0dac5363cfc1e15189cf00ef3a817dcfeb39678d986b1951ba4f451b1cc6f864",
    "HEPTH": "a39f1283608ac1eae6d1d5bc289e6eb7a42687b765f5f80af1b40566ff853884",
    "INCOME": "2bdb4bb9625d836ad923b280d303860dd12034ef3ae0cf9658e834cb95d8a0c5",
    "nltcs": "a07c0c1b68924bd89d9135814a5b37350c198d23ec071d55a7058c53c8f40cc4",
    "acs": "ec43af3e03dfbe1848e2719bee8f0ce8b88f208176be61c5cb3103a23d6e2ae8",
    "adult": "10504292ef1906b48610915b817da4ec753c0d171c7c7f798a83fb653b87c144",
    "adult_clean": "0f1eb29546e18e0a4f1b92504617349497e3419ba8b1e482f13905f35db8f614",
    "compas": "3c0d68e9a4d545404a18114010daace44a0e224adfa449e6f22983a9bbc86377",
    "wine_white": "ee5006d07307a52bb06e3db528e0eb5700424e0e565326a06d20a16f6945120a",
    "mushroom": "bbedcf3e734e50d456154b6170b6c96ecb9121653dbe340a515ec785d5730f3b",
    "pendigits": "4a9f9d35b5fd335803d380a33f282af3202359b3fc75c477c94710dcd4816435",
    "wall_following": "62851c27ca78b9eba5075a0e0ed5289c6585da5d9fb191e111167bd4d73847f0",
    "sf_salaries": "ae33017f9f6b5a58294d5eb8fc624170c98ee627330caba4d5144cffb3c8b8af",
    "enron": "9a793b9b1580a44dcfee17204ca9cfbb5162b8c4484bce9bca85652a0f507b8a",
    "dblp": "b5db085a7a562f5a2e3339fbc46049c996418d69d3deeb02ccd77ac4a8f72e2c",
    "github": "dfcdb561fe9ace3ddcda6dea78c9bce341392a73cb6286f7e8f76d6c81272ff5",
    "gowalla": "fbdd28ff1754d404ea3e629f52db1e1e55281aef0c1c051ff69ff5358dec78d1",
    "amazon": "8f0138ae6dc58c61239bd8915dc3d9bcabde212d5a2020f9c536b39c4ed6a92f",
    "stanford": "34f0cf618e5a5ea328c944313975112973008fc06ad793e0678a383f2b542655",
    "facebook": "514929868540fea7f94fcfde1e2fe710affcc95426d8bac88daf0b62df2cbfe9",
    "ca_grqc": "f50a90bb9d452e93d8b55351fd8e08c8acdd4f3903f061a3749a36a7959584bc",
    "ca_hepth": "9776d0fb28ea9dc6f94b13de873eb9f0f7e6bff86ad183a5a13121ef52b07202",
}
_DPBENCH = "DPBench 1-D histograms (Hay et al., SIGMOD 2016; dpcomp-org/dpcomp_core, datafiles/1D)"
_SURVEYS = "the code of Differentially Private Selection using Smooth Sensitivity"
_NONE, _ATTRIBUTION, _CITED = "none stated", "CC BY 4.0", "none stated (cite SNAP)"


def _columns(names: str, kind: str, **others: str) -> Mapping[str, str]:
    """Columns in order, of one kind, but for those that are named for another."""
    columns = dict.fromkeys(names.split(), kind)
    for other, these in others.items():
        columns |= dict.fromkeys(these.split(), other)
    return MappingProxyType(columns)


def _table(name: str, file: str, rows: int, columns: Mapping[str, str], source: str, licence: str) -> Description:
    return Description(name, file, rows, columns, source, licence, _SHA256[name])


def _histogram(name: str) -> Description:
    return _table(name, f"dpbench_1d/{name}.n4096.npy", 4096, _columns("count", WHOLE), _DPBENCH, _NONE)


def _graph(name: str, folder: str, edges: int, nodes: int, source: str, licence: str = _CITED) -> Description:
    columns = _columns("src dst", WHOLE)
    return Description(name, f"{folder}/edges.parquet", edges, columns, source, licence, _SHA256[name], nodes=nodes)


_DESCRIPTIONS = (
    _histogram("PATENT"),
    _histogram("HEPTH"),
    _histogram("INCOME"),
    _table(
        "nltcs", "nltcs/nltcs.parquet", 21_574, _columns(" ".join(map(str, range(16))), WHOLE),
        f"National Long Term Care Survey, StatLib, as in {_SURVEYS}", _NONE,
    ),
    _table(
        "acs", "acs/acs.parquet", 47_461, _columns(" ".join(map(str, range(23))), WHOLE),
        f"American Community Survey, IPUMS USA, as in {_SURVEYS}", "IPUMS terms of use (cite IPUMS USA)",
    ),
    _table(
        "adult", "adult/adult_full.parquet", 48_842,
        _columns(
            "age workclass fnlwgt education educational-num marital-status occupation relationship race gender "
            "capital-gain capital-loss hours-per-week native-country income", CATEGORY,
            whole="age fnlwgt educational-num capital-gain capital-loss hours-per-week",
        ),
        "UCI Adult, doi 10.24432/C5XW20", _ATTRIBUTION,
    ),
    _table(
        "adult_clean", "adult/adult_clean.parquet", 45_222,
        _columns(
            "age workclass educational-num marital-status occupation relationship race gender capital-gain "
            "capital-loss hours-per-week native-country income", CATEGORY,
            whole="age educational-num capital-gain capital-loss hours-per-week",
        ),
        "UCI Adult, doi 10.24432/C5XW20", _ATTRIBUTION,
    ),
    _table(
        "compas", "compas/compas.parquet", 4732,
        _columns(
            "sex age race juv_fel_count decile_score juv_misd_count juv_other_count priors_count "
            "c_days_from_compas c_charge_degree type_of_assessment start end event", WHOLE,
            category="sex race c_charge_degree type_of_assessment",
        ),
        "ProPublica's two-year violent recidivism file, propublica/compas-analysis", _NONE,
    ),
    _table(
        "wine_white", "wine_white/wine_white.parquet", 4898,
        _columns(
            "fixed_acidity volatile_acidity citric_acid residual_sugar chlorides free_sulfur_dioxide "
            "total_sulfur_dioxide density pH sulphates alcohol quality", REAL, whole="quality",
        ),
        "UCI Wine Quality, white wines, doi 10.24432/C56S3T", _ATTRIBUTION,
    ),
    _table(
        "mushroom", "mushroom/mushroom.parquet", 8124,
        _columns(
            "class cap_shape cap_surface cap_color bruises odor gill_attachment gill_spacing gill_size "
            "gill_color stalk_shape stalk_root stalk_surface_above_ring stalk_surface_below_ring "
            "stalk_color_above_ring stalk_color_below_ring veil_type veil_color ring_number ring_type "
            "spore_print_color population habitat", CATEGORY,
        ),
        "UCI Mushroom, doi 10.24432/C5959T", _ATTRIBUTION,
    ),
    _table(
        "pendigits", "pendigits/pendigits.parquet", 10_992,
        _columns(" ".join(f"input{place}" for place in range(1, 17)) + " class", WHOLE),
        "UCI Pen-Based Recognition of Handwritten Digits, doi 10.24432/C5MG6K", _ATTRIBUTION,
    ),
    _table(
        "wall_following", "wall_following/wall_following_4.parquet", 5456,
        _columns("SD_front SD_left SD_right SD_back class", REAL, category="class"),
        "UCI Wall-Following Robot Navigation, 4 sensors, doi 10.24432/C57C8W", _ATTRIBUTION,
    ),
    _table(
        "sf_salaries", "sf_salaries/sf_salaries.parquet", 148_654,
        _columns("Year TotalPay TotalPayBenefits", REAL, whole="Year"),
        "Kaggle kaggle/sf-salaries, from Transparent California", "CC0",
    ),
    _graph("enron", "email_enron", 183_831, 36_692, "SNAP Email-Enron"),
    _graph("dblp", "com_dblp", 1_049_866, 317_080, "SNAP com-DBLP"),
    _graph("github", "musae_github", 289_003, 37_700, "MUSAE GitHub (Rozemberczki, Allen, Sarkar 2019)", "GPL-3.0"),
    _graph("gowalla", "gowalla", 950_327, 196_591, "SNAP loc-Gowalla"),
    _graph("amazon", "com_amazon", 925_872, 334_863, "SNAP com-Amazon"),
    _graph("stanford", "web_stanford", 1_992_636, 281_903, "SNAP web-Stanford"),
    _graph("facebook", "ego_facebook", 88_234, 4_039, "SNAP ego-Facebook"),
    _graph("ca_grqc", "ca_grqc", 14_484, 5_242, "SNAP ca-GrQc"),
    _graph("ca_hepth", "ca_hepth", 25_973, 9_877, "SNAP ca-HepTh"),
)  # fmt: skip

CATALOGUE: Mapping[str, Description] = MappingProxyType({known.name: known for known in _DESCRIPTIONS})
"""Every table, histogram and graph by its name."""
