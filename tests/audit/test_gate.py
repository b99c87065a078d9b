"""The gate: every public mechanism, on every universe it may run on, for every epsilon, holds what it claims."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, partial
from typing import Any

import numpy as np
import pytest

from dampen.mechanisms import LocalDampening, PairwiseDampening, StableArgmax, TopK
from dampen.queries.graph.rank_problems import one_hop_problem, pagerank_problem
from tests.audit.universes import (
    CLASSICAL,
    CORES,
    EGO_BETWEENNESS,
    FEW_MOVERS,
    FEW_MOVERS_IN_PAIRS,
    HITS,
    INDICATOR,
    INDICATOR_IN_FULL,
    INFORMATION_GAIN,
    INSTANCE_BASED,
    LEVEL_SCORES,
    ONE_HOP,
    PAGERANKS,
    QUERIES_IN_FULL,
    UNIVERSES,
    Movements,
    Universe,
    level_plans,
)
from tests.audit.universes.database_graphs import database_graphs
from tests.audit.universes.degrees import degrees
from tests.audit.universes.ego_betweenness import (
    ego_betweenness,
    ego_betweenness_range,
    level_universe,
    node_degrees,
)
from tests.audit.universes.information_gain import information_gain
from tests.audit.universes.percentiles import percentile_labels
from tests.audit.universes.two_stars import two_stars
from tests.every_selection import DRIFT, EVERY, ONE_HOP_L1, PAGERANK_L1, Make

RUNGS_DIFFER_WITHOUT_RUNS = (INFORMATION_GAIN, *INSTANCE_BASED, *INDICATOR)
RUNGS_DIFFER = (*RUNGS_DIFFER_WITHOUT_RUNS, *HITS)
"""Where a mechanism that reads more than the bound is put to the test."""
WITH_GRAPHS = (*RUNGS_DIFFER, *EGO_BETWEENNESS)
"""Ego betweenness too, of all graphs up to six nodes and of some of ten: for every dampening of the top nodes."""
READS_THE_BOUND = tuple(universe for universe in UNIVERSES if universe is not INFORMATION_GAIN)
"""For mechanisms that read utilities and the bound alone; the tables of information gain are for ``long`` runs."""
WITHOUT_RUNS = (*CLASSICAL[:4], *INSTANCE_BASED)
"""TopK takes problems with one utility per candidate."""
EPSILONS = ("0.1", "1", "3")
LEAST_PAIRS = 10_000
LEAST_ON_GRAPHS = 1_000
"""For what is gated on more in another form: pairs of graphs are counted up to the names of their nodes."""
IN_FULL: dict[str, Any] = {"universes": (*READS_THE_BOUND, *QUERIES_IN_FULL, *EGO_BETWEENNESS)}
ON_GRAPHS: dict[str, Any] = {"universes": WITH_GRAPHS, "dampened": True}


@dataclass(frozen=True)
class Gated:
    """A mechanism and where it runs. ``dampened``: the gate demands that its pairs cross signs, rows and winners.

    ``level``: what dampening subtracts from the utilities before their sign counts; ``None`` where it is differences of
    utilities that are dampened, or where the level is infinite. ``least``: how many pairs there must be.
    """

    make: Make
    universes: tuple[Universe, ...] = RUNGS_DIFFER
    dampened: bool = False
    level: float | None = None
    least: int = LEAST_PAIRS


WHERE: dict[str, dict[str, Any]] = {
    "Exponential": IN_FULL,
    "PermuteAndFlip": IN_FULL,
    "ReportNoisyMax, laplace": {"universes": READS_THE_BOUND},
    "ReportNoisyMax, exponential": {"universes": CLASSICAL},
    "ReportNoisyMax, gumbel": {"universes": CLASSICAL},
    "LocalDampening": ON_GRAPHS | {"level": 0},
    "LocalDampening, exponential": ON_GRAPHS | {"level": 0},
    "LocalDampening, shifted by 3": ON_GRAPHS | {"level": 3},
    "LocalDampening, shifted by 3, exponential": ON_GRAPHS | {"level": 3},
    "LocalDampening, shifted by -1": {"dampened": True, "level": -1},
    "ShiftedLocalDampening, up": ON_GRAPHS,
    "ShiftedLocalDampening, up, exponential": ON_GRAPHS,
    "ShiftedLocalDampening, to the end": {"universes": EGO_BETWEENNESS, "least": LEAST_ON_GRAPHS},
    "ShiftedLocalDampening, to the end, exponential": {"universes": EGO_BETWEENNESS, "least": LEAST_ON_GRAPHS},
    "ShiftedLocalDampening, down": {"dampened": True},
    "ShiftedLocalDampening, down, exponential": {"dampened": True},
    "PairwiseDampening, margin": ON_GRAPHS,
    "PairwiseDampening, margin, exponential": ON_GRAPHS,
    "PairwiseDampening, clipped": {"dampened": True},
    "PairwiseDampening, clipped, exponential": {"dampened": True},
    "StableArgmax": {"universes": INDICATOR_IN_FULL},
    "ParetoNoisyMax, indicator": {"universes": INDICATOR_IN_FULL},
    "ParetoNoisyMax, nu 2, indicator": {"universes": INDICATOR_IN_FULL},
    "SmoothExponential, indicator": {"universes": INDICATOR_IN_FULL},
    "LaplaceTopK": {"universes": FEW_MOVERS},
    "LaplaceTopK, pairs": {"universes": FEW_MOVERS_IN_PAIRS, "least": LEAST_ON_GRAPHS - 50},
    "LaplaceTopK, level scores": {"universes": LEVEL_SCORES, "least": 3 * LEAST_ON_GRAPHS},
    "LaplaceTopK, one-hop PageRank": {"universes": ONE_HOP, "least": 600},
    "LaplaceTopK, PageRank": {"universes": PAGERANKS, "least": 600},
    "TopK, Exponential": {"universes": (*WITHOUT_RUNS, *CORES)},
    "TopK, PermuteAndFlip": {"universes": (*WITHOUT_RUNS, *CORES)},
    "TopK, PermuteAndFlip, peeled": {"universes": (*CLASSICAL[:2], *CORES), "least": 500},
    "TopK, LocalDampening, exponential": {"universes": RUNGS_DIFFER_WITHOUT_RUNS},
    "TopK, PairwiseDampening": {"universes": RUNGS_DIFFER_WITHOUT_RUNS},
}
"""What a variant is gated on; a mechanism that is not named here runs where rungs differ between neighbours."""

GATED: dict[str, Gated] = {name: Gated(make, **WHERE.get(name, {})) for name, make in EVERY.items()}


@cache
def movements(universe: Universe, level: float | None) -> Movements:
    return universe.movements(level)


FIRST_OF_ITS_CLASS = {type(gated.make("1")): name for name, gated in reversed(GATED.items())}.values()
"""One variant of each mechanism: in the default run it is gated on more data sets at epsilon 1."""
FEW, MANY = 40, 150
"""So many data sets of each universe stand for all of it in the default run: its first, which are the smallest."""
LEAST_OF_FEW, LEAST_OF_MANY = 80, 500
BRIEFLY = [
    (name, epsilon, MANY if epsilon == "1" and name in FIRST_OF_ITS_CLASS else FEW)
    for name in GATED
    for epsilon in EPSILONS
    if epsilon == "1" or ", " not in name
]


def audited(name: str, epsilon: str, few: int | None = None) -> int:
    """Demand that the claim holds on every universe, or on its first data sets; return how many pairs were tried."""
    gated, pairs = GATED[name], 0
    for universe in gated.universes:
        report = universe.first(few).audit(gated.make(epsilon))
        print(f"{universe.name}\n{report}\n")
        assert report.passed, f"{universe.name}: {report}"
        pairs += report.pairs
    return pairs


@pytest.mark.long
@pytest.mark.parametrize("epsilon", EPSILONS)
@pytest.mark.parametrize("name", GATED)
def test_claims_hold_on_every_pair_of_every_universe(name: str, epsilon: str) -> None:
    assert audited(name, epsilon) >= GATED[name].least


@pytest.mark.parametrize(("name", "epsilon", "few"), BRIEFLY)
def test_claims_hold_on_the_smallest_data_sets_of_every_universe(name: str, epsilon: str, few: int) -> None:
    assert audited(name, epsilon, few) >= (LEAST_OF_FEW if few == FEW else LEAST_OF_MANY)


@pytest.mark.parametrize("name", [name for name, gated in GATED.items() if gated.dampened])
def test_the_pairs_of_a_dampened_mechanism_meet_every_difficulty(name: str) -> None:
    """A universe of constant rows, one sign and one winner would let a false dampening pass."""
    gated = GATED[name]
    met = sum((movements(universe, gated.level) for universe in gated.universes), Movements())
    print(f"{name}: {met}")
    assert met.pairs >= LEAST_PAIRS
    assert met.different_rows > 0
    assert met.sign_crossings > 0
    assert met.another_argmax > 0


@pytest.mark.parametrize("universe", [*WITH_GRAPHS, *INDICATOR_IN_FULL[-4:]], ids=lambda universe: universe.name)
def test_sensitivity_functions_are_admissible(universe: Universe) -> None:
    report = universe.audit_admissibility()
    print(f"{universe.name}\n{report}\n")
    assert report.passed, str(report)


@pytest.mark.parametrize(
    "name",
    [
        "Exponential",
        "PermuteAndFlip",
        "LocalDampening",
        "ShiftedLocalDampening, up",
        "PairwiseDampening, margin",
        "PairwiseDampening, clipped",
        "PairwiseDampening, clipped, exponential",
        "StableArgmax",
        "ParetoNoisyMax",
        "ParetoNoisyMax, indicator",
        "LaplaceTopK",
        "LaplaceTopK, pairs",
    ],
)
def test_the_audit_comes_close_to_the_claim(name: str) -> None:
    """An audit that never gets near epsilon would pass anything."""
    gated = GATED[name]
    worst = 0.0
    for universe in reversed(gated.universes):
        worst = max(worst, universe.audit(gated.make("1")).worst_log_ratio)
        if worst > 0.99:
            return
    pytest.fail(f"the worst loss at epsilon 1 is {worst}")


def test_every_place_is_of_a_mechanism_that_is_found() -> None:
    assert {*WHERE} <= {*EVERY}


def test_level_scores_are_gated_at_the_drift_of_their_plans() -> None:
    assert {plan.drift for plan in level_plans(6)} == {DRIFT}


def test_ranks_are_gated_at_what_is_promised_of_them() -> None:
    offsets = np.zeros(7, dtype=np.int64)
    promised = [ask(offsets, offsets[:0]).l1 for ask in (one_hop_problem, pagerank_problem)]
    assert promised == [ONE_HOP_L1, PAGERANK_L1]


def test_mechanisms_that_demand_indicators_run_on_no_other_universe() -> None:
    for gated in GATED.values():
        mechanism = gated.make("1")
        if isinstance(mechanism, StableArgmax) or getattr(mechanism, "indicator", False):
            assert all(universe.indicator for universe in gated.universes)


@pytest.mark.long
@pytest.mark.parametrize(
    "name", ["Exponential", "PermuteAndFlip", *(name for name in GATED if name.startswith("ReportNoisyMax"))]
)
def test_claims_hold_on_all_graphs_of_seven_nodes_and_on_information_gain(name: str) -> None:
    for universe in (degrees(largest=7), INFORMATION_GAIN):
        report = universe.audit(GATED[name].make("1"))
        assert report.passed, str(report)
        assert report.pairs >= LEAST_PAIRS


SEVEN = {"largest": 7, "smallest": 7}
ON_SEVEN_NODES: dict[str, tuple[str, Callable[[], Universe]]] = {
    **{
        f"{name}, ego betweenness": (name, partial(ego_betweenness, **SEVEN, tight=False))
        for name, gated in GATED.items()
        if EGO_BETWEENNESS[0] in gated.universes
    },
    **{f"{name}, range": (name, partial(ego_betweenness_range, **SEVEN)) for name in ("Exponential", "PermuteAndFlip")},
    **{name: (name, partial(node_degrees, **SEVEN)) for name in ("LaplaceTopK", "LaplaceTopK, pairs")},
    **{
        f"LaplaceTopK, level scores, {number}": ("LaplaceTopK, level scores", partial(level_universe, plan))
        for number, plan in enumerate(level_plans(7))
    },
}


@pytest.mark.long
@pytest.mark.parametrize("case", ON_SEVEN_NODES)
def test_claims_hold_for_every_score_of_all_graphs_of_seven_nodes(case: str) -> None:
    name, make = ON_SEVEN_NODES[case]
    report = make().audit(GATED[name].make("1"))
    print(f"{case}\n{report}\n")
    assert report.passed, str(report)
    assert report.pairs == 6564


@pytest.mark.long
@pytest.mark.parametrize("tight", [False, True], ids=["published", "co-degree"])
def test_sensitivity_functions_are_admissible_on_all_graphs_of_seven_nodes(tight: bool) -> None:
    report = ego_betweenness(**SEVEN, tight=tight).audit_admissibility()
    print(report)
    assert report.passed, str(report)


@pytest.mark.long
@pytest.mark.parametrize("name", [name for name, gated in GATED.items() if INFORMATION_GAIN in gated.universes])
def test_claims_hold_on_larger_universes(name: str) -> None:
    """Constant sensitivities too, more seeds and larger tables; without a bound where the mechanism needs none."""
    mechanism = GATED[name].make("1")
    unbounded = isinstance(mechanism, LocalDampening | PairwiseDampening)
    larger = [
        *(CLASSICAL[:4] if isinstance(mechanism, TopK) else CLASSICAL[:5]),
        information_gain(attributes=2, largest=8, bounded=not unbounded),
        database_graphs(seeds=range(1000, 1200), nodes=20, size=5, monotone=False),
        database_graphs(seeds=range(1200, 1300), nodes=20, size=4, monotone=True),
        percentile_labels(labels=4, top=3, percents=("0", "40", "50", "90")),
        two_stars(6, monotone=True),
        two_stars(6, monotone=False),
    ]
    reports = {universe.name: universe.audit(mechanism) for universe in larger}
    for label, report in reports.items():
        assert report.passed, f"{label}: {report}"
    assert sum(report.pairs for report in reports.values()) >= 50_000
