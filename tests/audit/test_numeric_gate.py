"""The gate of numbers: every public numeric mechanism, on every count of small subgraphs, at every budget."""

import pytest

from dampen.audit import AuditReport
from dampen.mechanisms import NumericMechanism
from tests.audit.universes.subgraphs import COUNTS, local_sensitivities, shapes_around, subgraphs
from tests.every_numeric import EVERY, PUBLIC

BUDGETS = (("0.1", "1e-6", 5), ("1", "1e-3", 6), ("3", "1e-6", 6))
"""Epsilon, delta and the largest graphs: at a small epsilon ladders are long and windows wide."""
ALL_BUDGETS = [(epsilon, delta) for epsilon in ("0.1", "1", "3") for delta in ("1e-6", "1e-3")]
PAIRS = {5: 242, 6: 1251}
"""How many pairs of laws occur among neighbouring graphs, over all counts."""
ELSEWHERE = {"NoisyLocalSensitivity": "tests/unit/mechanisms/test_noisy_local_sensitivity.py"}
"""Mechanisms that need more than a ladder, and the test that judges them instead."""
GATED = {name: make for name, make in EVERY.items() if name.split(",")[0] not in ELSEWHERE}


def excess(report: AuditReport) -> float:
    """How much of its claim is used up, on the worst pair; of a concentrated claim the larger part."""
    if report.claim.delta == 0:
        return report.worst_log_ratio / float(report.claim.epsilon)
    rho = 0.0 if report.worst_rho is None else report.worst_rho / float(report.claim.rho or 0)
    return max(rho, report.worst_delta / float(report.claim.delta))


def audited(mechanism: NumericMechanism, *, largest: int) -> int:
    """Demand that the claim holds on every count; how many pairs there were."""
    pairs = 0
    for count in COUNTS:
        report = subgraphs(count, largest=largest).audit(mechanism)
        print(f"{count}: {excess(report):.9f} of {report.claim}")
        assert report.passed, f"{count}: {report}"
        assert excess(report) <= 1 + 1e-9, f"{count}: {report}"
        pairs += report.pairs
    return pairs


@pytest.mark.parametrize(("epsilon", "delta", "largest"), BUDGETS)
@pytest.mark.parametrize("name", [name for name in GATED if name in PUBLIC])
def test_claims_hold_on_every_pair_of_graphs(name: str, epsilon: str, delta: str, largest: int) -> None:
    assert audited(GATED[name](epsilon, delta), largest=largest) == PAIRS[largest]


@pytest.mark.long
@pytest.mark.parametrize(("epsilon", "delta"), ALL_BUDGETS)
@pytest.mark.parametrize("name", GATED)
def test_claims_hold_on_every_pair_of_graphs_of_six_nodes(name: str, epsilon: str, delta: str) -> None:
    assert audited(GATED[name](epsilon, delta), largest=6) == PAIRS[6]


def test_every_public_numeric_mechanism_is_gated() -> None:
    assert {name.split(",")[0] for name in GATED} | set(ELSEWHERE) == set(PUBLIC)


@pytest.mark.parametrize("count", COUNTS)
def test_the_bound_is_the_largest_change_of_any_graph(count: str) -> None:
    """And every edge of every graph was tried: 2^15 graphs of six nodes have 156 shapes."""
    function, least, bound_of = COUNTS[count]
    for nodes in range(least, 7):
        shapes = shapes_around(nodes)
        rungs = local_sensitivities({x: function(x) for x in shapes}, shapes)
        assert max(row[-1] for row in rungs.values()) == bound_of(nodes)
        assert {len(row) for row in rungs.values()} == {max(len(row) for row in rungs.values())}
    assert len(shapes_around(6)) == 156


@pytest.mark.parametrize("count", [count for count in COUNTS if count != "edges"])
def test_neighbours_have_different_ladders(count: str) -> None:
    """A universe of one ladder would let every scale pass."""
    universe = subgraphs(count, largest=6)
    different = sum(x[2] != y[2] for x in universe.data_sets for y in universe.neighbours(x)) // 2
    assert different >= 100
