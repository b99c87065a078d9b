"""The gate: every public mechanism, on every universe, for every epsilon, holds what it claims."""

import inspect
from collections.abc import Callable

import pytest

import dampen.mechanisms
from dampen.mechanisms import Exponential, PermuteAndFlip, ReportNoisyMax, SelectionMechanism
from tests.audit.universes import UNIVERSES, Universe
from tests.audit.universes.degrees import degrees

GATED: dict[str, Callable[[str], SelectionMechanism]] = {
    "Exponential": Exponential,
    "PermuteAndFlip": PermuteAndFlip,
    "ReportNoisyMax, laplace": lambda epsilon: ReportNoisyMax(epsilon, "laplace"),
    "ReportNoisyMax, exponential": lambda epsilon: ReportNoisyMax(epsilon, "exponential"),
    "ReportNoisyMax, gumbel": lambda epsilon: ReportNoisyMax(epsilon, "gumbel"),
}
EPSILONS = ("0.1", "1", "3")
LEAST_PAIRS = 10_000


@pytest.mark.parametrize("epsilon", EPSILONS)
@pytest.mark.parametrize("name", GATED)
def test_claims_hold_on_every_pair_of_every_universe(name: str, epsilon: str) -> None:
    mechanism = GATED[name](epsilon)
    reports = [universe.audit(mechanism) for universe in UNIVERSES]
    for universe, report in zip(UNIVERSES, reports, strict=True):
        print(f"{universe.name}\n{report}\n")
        assert report.passed, f"{universe.name}: {report}"
        assert report.worst_log_ratio <= float(epsilon) * (1 + 1e-9)
    assert sum(report.pairs for report in reports) >= LEAST_PAIRS


@pytest.mark.parametrize("name", ["Exponential", "PermuteAndFlip"])
def test_the_audit_comes_close_to_the_claim(name: str) -> None:
    """An audit that never gets near epsilon would pass anything."""
    worst = max(universe.audit(GATED[name]("1")).worst_log_ratio for universe in UNIVERSES)
    assert worst > 0.99


def test_every_public_mechanism_is_gated() -> None:
    public = {name for name in dampen.mechanisms.__all__ if not inspect.isabstract(getattr(dampen.mechanisms, name))}
    assert public == {type(make("1")).__name__ for make in GATED.values()}


@pytest.mark.long
@pytest.mark.parametrize("name", GATED)
def test_claims_hold_on_all_graphs_of_seven_nodes(name: str) -> None:
    seven: Universe = degrees(largest=7)
    report = seven.audit(GATED[name]("1"))
    assert report.passed, str(report)
    assert report.pairs > 20_000
