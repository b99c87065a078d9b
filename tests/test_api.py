"""The public names. A change here is a decision, to be recorded in CHANGELOG.md."""

import importlib
import subprocess
import sys
from collections.abc import Mapping

import pytest

import dampen

PUBLIC = {
    "dampen": {
        "Adjacency",
        "Budget",
        "CapFrame",
        "CapProblem",
        "Category",
        "CountsFrame",
        "CountsProblem",
        "Database",
        "Date",
        "FileReading",
        "Flag",
        "Frame",
        "Graph",
        "GrowthLaw",
        "Number",
        "NumericFrame",
        "NumericProblem",
        "PrivacyLoss",
        "Release",
        "Runs",
        "SelectionProblem",
        "SignedCapProblem",
        "StandIn",
        "Table",
        "Text",
        "UnknownGroupsFrame",
        "UnknownGroupsProblem",
        "accounting",
        "accuracy",
        "audit",
        "between",
        "compare",
        "count",
        "count_subgraphs",
        "datasets",
        "errors",
        "explain",
        "histogram",
        "learn",
        "mean",
        "mechanisms",
        "median",
        "most_common",
        "open",
        "percentile",
        "percentiles",
        "plan",
        "plots",
        "queries",
        "release_group_members",
        "select",
        "sensitivity",
        "sum",
        "top_categories",
        "top_k",
        "top_nodes",
        "unbounded_grid",
        "variance",
    },
    "dampen.accounting": {"Budget", "Ledger", "LossDistribution", "composed", "converted", "loss_distribution"},
    "dampen.accuracy": {"error_bound", "expected_error", "tail_bound"},
    "dampen.audit": {
        "AdmissibilityReport",
        "AuditReport",
        "BlackBoxReport",
        "Classification",
        "ContractReport",
        "DrawReport",
        "LaplacePair",
        "Pair",
        "ProbeReport",
        "ScriptedEntropy",
        "SearchReport",
        "add_remove_neighbours",
        "assert_private",
        "audit_admissibility",
        "audit_caps",
        "audit_counts",
        "audit_draw",
        "audit_numeric",
        "audit_selection",
        "audit_unknown_groups",
        "black_box",
        "check_mechanism",
        "classify",
        "dominates",
        "edge_neighbours",
        "graphs",
        "laplace_pair",
        "law_by_enumeration",
        "multisets",
        "pairs",
        "probe",
        "replace_neighbours",
        "search",
    },
    "dampen.datasets": {
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
    },
    "dampen.learn": {
        "PrivateClassifier",
        "PrivateForestClassifier",
        "PrivateScorecard",
        "PrivateTreeClassifier",
        "Schema",
        "private_score",
    },
    "dampen.plots": {
        "audit",
        "budget",
        "dampening",
        "histogram",
        "ladder",
        "law",
        "scorecard",
        "table",
        "tradeoff",
        "tree",
    },
    "dampen.mechanisms": {
        "CapMechanism",
        "CapRace",
        "CapScan",
        "CountsMechanism",
        "EdgeRace",
        "ExactPairLaplace",
        "Exponential",
        "Gaussian",
        "GaussianCounts",
        "Ladder",
        "LadderWalk",
        "Laplace",
        "LaplaceCounts",
        "LaplaceLogNormal",
        "LaplaceTopK",
        "LargestLocalSensitivities",
        "LimitRace",
        "LocalDampening",
        "NoisyLocalSensitivity",
        "NumericMechanism",
        "ObjectivePerturbation",
        "PairwiseDampening",
        "ParetoNoisyMax",
        "PermuteAndFlip",
        "PiecewiseLaplace",
        "PolyPlace",
        "ReportNoisyMax",
        "SelectionMechanism",
        "ShiftedLocalDampening",
        "SignedCapRace",
        "SignedCapScan",
        "SmoothCauchy",
        "SmoothExponential",
        "SmoothLaplace",
        "SmoothStudentT",
        "StableArgmax",
        "Staircase",
        "TopK",
        "TruncatedGeometricCounts",
    },
    "dampen.queries": {
        "approval_problem",
        "count_problem",
        "degree_problem",
        "dice_problem",
        "edge_count_problem",
        "ego_betweenness_problem",
        "ego_betweenness_range_problem",
        "fragment_problem",
        "group_size_problem",
        "information_gain_problem",
        "k_clique_problem",
        "k_star_problem",
        "k_triangle_problem",
        "kept_edges_problem",
        "level_problem",
        "max_operator_problem",
        "max_operator_winner_problem",
        "mean_part_problems",
        "mean_problem",
        "order_statistic_problem",
        "percentile_hit_problem",
        "percentile_label_problem",
        "percentile_rank_problem",
        "percentile_value_problem",
        "row_count_problem",
        "sum_problem",
        "triangle_problem",
        "winner_problem",
    },
    "dampen.sensitivity": {
        "Constant",
        "DegreeLike",
        "PairFunction",
        "PairTable",
        "SecondOrder",
        "SensitivityFunction",
        "Step",
        "RungTable",
        "capped",
        "floored",
        "max_over_candidates",
        "running_max",
        "saturate_at",
        "sum_of",
    },
}


@pytest.mark.parametrize("module", PUBLIC)
def test_all_is_the_public_api(module: str) -> None:
    loaded = importlib.import_module(module)
    assert set(loaded.__all__) == PUBLIC[module]
    for name in PUBLIC[module]:
        assert getattr(loaded, name) is not None
        assert name in dir(loaded)


def test_unknown_names_are_attribute_errors() -> None:
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        dampen.nothing  # noqa: B018


def test_every_public_thing_is_documented() -> None:
    for module, names in PUBLIC.items():
        for name in names:
            thing = getattr(importlib.import_module(module), name)
            assert isinstance(thing, Mapping) or (thing.__doc__ or "").strip(), f"{module}.{name}"


def test_import_is_lazy() -> None:
    """The cause of a quick import: none of the heavy modules is loaded."""
    heavy = ["numba", "duckdb", "narwhals", "flint", "typer", "rich", "scipy", "sklearn"]
    code = f"import sys, dampen; print([name for name in {heavy!r} if name in sys.modules])"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert loaded.strip() == "[]"


def test_a_release_loads_no_heavy_module_it_does_not_need() -> None:
    heavy = ["numba", "duckdb", "narwhals", "typer", "rich", "scipy"]
    code = (
        "import sys, dampen\n"
        "dampen.select({'a': 1, 'b': 0}, sensitivity=1, epsilon=1, budget=dampen.Budget(epsilon=1))\n"
        "dampen.median([1, 2], bounds=(0, 9), epsilon=1, budget=dampen.Budget(epsilon=1))\n"
        "dampen.most_common(['a'], categories=['a', 'b'], epsilon=1, budget=dampen.Budget(epsilon=1))\n"
        "dampen.mean([1, 2], bounds=(0, 9), epsilon=1, budget=dampen.Budget(epsilon=1))\n"
        "dampen.histogram([1, 2], bounds=(0, 9), epsilon=1, budget=dampen.Budget(epsilon=1))\n"
        f"print([name for name in {heavy!r} if name in sys.modules])"
    )
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert loaded.strip() == "[]"
