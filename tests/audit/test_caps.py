"""The gate of caps: the joint law of cap and answer, on all small worlds of people, against claim and definition."""

from collections.abc import Callable, Iterable
from fractions import Fraction
from functools import partial
from math import inf
from typing import Any

import flint
import numpy as np
import pytest

from dampen import Adjacency
from dampen.audit import AuditReport, add_remove_neighbours, audit_caps, multisets, replace_neighbours
from dampen.audit.pair_audit import public_facts
from dampen.errors import FrameLeak, ParameterError
from dampen.mechanisms import (
    CapMechanism,
    CapRace,
    CapScan,
    EdgeRace,
    LimitRace,
    SignedCapRace,
    SignedCapScan,
)
from dampen.mechanisms.caps.laws import Balls, scan_law
from dampen.mechanisms.numeric.staircase import StaircaseNoise
from dampen.problem import CapFrame, CapProblem
from dampen.vectors import Floats
from tests.audit import cap_judges as judges
from tests.audit.cap_judges import Joint, Totals, people, signed_people
from tests.audit.universes.two_people import KeptRows, edge_problem, public_orders, scores
from tests.every_caps import EVERY

ADD_REMOVE, REPLACE = Adjacency.ADD_REMOVE, Adjacency.REPLACE
BOTH = (ADD_REMOVE, REPLACE)
LARGE, SMALL = (range(6), (1, 2, 4, 8)), (range(5), (1, 2, 4))
"""Which totals there are, and which caps."""
PAIRS = {(6, ADD_REMOVE): 504, (6, REPLACE): 1260, (5, ADD_REMOVE): 280, (5, REPLACE): 560}
"""How many pairs of neighbours of at most four people there are."""
World = tuple[range, tuple[int, ...]]
Pairs = tuple[list[Totals], Callable[[Any], Iterable[Any]]]


def at_most(count: int, totals: range, adjacency: Adjacency) -> Pairs:
    """All multisets of at most so many people, and their neighbours."""
    if adjacency is ADD_REMOVE:
        return multisets(totals, largest=count - 1), add_remove_neighbours(totals)
    return multisets(totals, largest=count), replace_neighbours(totals)


def audited(mechanism: CapMechanism, world: World, adjacency: Adjacency) -> AuditReport:
    totals, caps = world
    return audit_caps(mechanism, people(caps, adjacency), *at_most(4, totals, adjacency))


def require_tight(mechanism: CapMechanism, world: World, adjacency: Adjacency) -> None:
    report = audited(mechanism, world, adjacency)
    assert report.passed, str(report)
    assert report.worst_log_ratio == pytest.approx(float(mechanism.epsilon), rel=1e-9), "the claim is reached"
    assert report.worst_delta <= 1e-12
    assert report.pairs == PAIRS[len(world[0]), adjacency]


# Claims


@pytest.mark.parametrize("adjacency", BOTH, ids=lambda each: each.name)
@pytest.mark.parametrize("threshold", [0, 2])
@pytest.mark.parametrize("epsilon", ["0.1", "3"])
def test_the_race_loses_exactly_epsilon(epsilon: str, threshold: int, adjacency: Adjacency) -> None:
    require_tight(CapRace(epsilon, threshold=threshold), SMALL, adjacency)


@pytest.mark.parametrize("adjacency", BOTH, ids=lambda each: each.name)
@pytest.mark.parametrize(("epsilon", "threshold"), [("0.5", 1), ("3", 3)])
def test_the_scan_loses_exactly_epsilon(epsilon: str, threshold: int, adjacency: Adjacency) -> None:
    require_tight(CapScan(epsilon, threshold), SMALL, adjacency)


@pytest.mark.long
@pytest.mark.parametrize("adjacency", BOTH, ids=lambda each: each.name)
@pytest.mark.parametrize("world", [LARGE, SMALL], ids=["0..5", "0..4"])
def test_race_and_scan_lose_exactly_epsilon_in_full(world: World, adjacency: Adjacency) -> None:
    for threshold in (0, 1, 2):
        for epsilon in ("0.1", "1", "3"):
            require_tight(CapRace(epsilon, threshold=threshold), world, adjacency)
        for epsilon in ("0.5", "1", "3"):
            require_tight(CapScan(epsilon, threshold + 1), world, adjacency)


@pytest.mark.parametrize(
    ("epsilon", "share"), [("1", 0.9013348766), pytest.param("3", 0.9311972135, marks=pytest.mark.long)]
)
def test_signed_totals(epsilon: str, share: float) -> None:
    totals, caps = range(-3, 4), (1, 2, 4)
    added = audit_caps(SignedCapRace(epsilon), signed_people(caps, ADD_REMOVE), *at_most(3, totals, ADD_REMOVE))
    assert added.passed, str(added)
    assert added.worst_log_ratio == pytest.approx(float(epsilon), rel=1e-9)
    assert added.pairs == 252
    replaced = audit_caps(SignedCapRace(epsilon), signed_people(caps, REPLACE), *at_most(3, totals, REPLACE))
    assert replaced.passed, str(replaced)
    assert replaced.worst_log_ratio == pytest.approx(share * float(epsilon), rel=1e-9)
    assert replaced.pairs == 756


@pytest.mark.parametrize(
    ("epsilon", "threshold", "share"),
    [("1", 1, 0.9), pytest.param("3", 2, 0.9, marks=pytest.mark.long)],
)
def test_signed_scans(epsilon: str, threshold: int, share: float) -> None:
    totals, caps, scan = range(-3, 4), (1, 2, 4), SignedCapScan(epsilon, threshold)
    added = audit_caps(scan, signed_people(caps, ADD_REMOVE), *at_most(3, totals, ADD_REMOVE))
    assert added.passed, str(added)
    assert added.worst_log_ratio == pytest.approx(float(epsilon), rel=1e-9)
    assert added.pairs == 252
    replaced = audit_caps(scan, signed_people(caps, REPLACE), *at_most(3, totals, REPLACE))
    assert replaced.passed, str(replaced)
    assert replaced.worst_log_ratio == pytest.approx(share * float(epsilon), rel=1e-6)
    assert replaced.pairs == 756


class NarrowStep(SignedCapRace):
    """Noise for the smaller of two ends."""

    def noise(self, frame: CapFrame, cap: Any) -> Any:
        low, high = cap
        return StaircaseNoise.of(self.epsilon * (1 - self.share), min(high, -low))


class AsIfAdded(SignedCapRace):
    """The constants of added people, for replaced ones."""

    def race(self, frame: CapFrame) -> LimitRace:
        return LimitRace(self.epsilon * self.share, self.kappa, self.threshold)

    def noise(self, frame: CapFrame, cap: Any) -> Any:
        low, high = cap
        return StaircaseNoise.of(self.epsilon * (1 - self.share), max(high, -low))


@pytest.mark.parametrize(("wrong", "adjacency"), [(NarrowStep, ADD_REMOVE), (AsIfAdded, REPLACE)])
def test_ends_that_are_mixed_up_are_found(wrong: type[SignedCapRace], adjacency: Adjacency) -> None:
    report = audit_caps(wrong(1), signed_people((1, 2, 4), adjacency), *at_most(2, range(-3, 4), adjacency))
    assert report.breaches == ("epsilon",)
    assert report.worst_log_ratio == pytest.approx(2.5 if wrong is NarrowStep else 1.8, abs=0.05)


CAPS = (1, 2, 4)


@pytest.mark.parametrize(("epsilon", "left", "rewired"), [("1", 0.8521237, 0.8594141), ("3", 0.8467860, 0.8569670)])
def test_the_edge_race_on_all_graphs_of_five_people(epsilon: str, left: float, rewired: float) -> None:
    world = KeptRows(5, public_orders(5, 1)[0], CAPS)
    assert world.removals() == 4800
    for adjacency, neighbours, worst in (
        (ADD_REMOVE, world.after_leaving, left),
        (REPLACE, world.after_rewiring, rewired),
    ):
        pose = partial(edge_problem, caps=CAPS, adjacency=adjacency)
        report = audit_caps(EdgeRace(epsilon), pose, world.universe, neighbours)
        assert report.passed, str(report)
        assert report.worst_log_ratio / float(epsilon) == pytest.approx(worst, abs=1e-6)


@pytest.mark.parametrize("order", range(7))
def test_the_public_order_moves_kept_rows_and_scores_as_far_as_it_may(order: int) -> None:
    world = KeptRows(5, public_orders(5, 7)[order], CAPS)
    leaving = [(one, other) for one in world.universe for other in world.after_leaving(one)]
    for place, cap in enumerate(CAPS):
        moves = [one[place] - other[place] for one, other in leaving]
        assert (min(moves), max(moves)) == (0, cap)
    changes = [
        [now - then for now, then in zip(scores(one, CAPS), scores(other, CAPS), strict=True)] for one, other in leaving
    ]
    assert min(map(min, changes)) == -1
    assert max(map(max, changes)) == 2
    assert max(max(change) - min(change) for change in changes) == 3, "the spread of the frame is attained"


def test_every_mechanism_of_caps_is_gated() -> None:
    assert {CapRace, CapScan, SignedCapRace, SignedCapScan, EdgeRace} == set(EVERY.values())


# Laws by their definitions, to 30 digits


def race_by_definition(problem: CapProblem, epsilon: Fraction, threshold: int) -> Joint:
    exponents = tuple(
        epsilon / 4 * max(Fraction(0), a - threshold) + Fraction(3, 2) * j for j, a in enumerate(problem.above)
    )
    return joint(problem, judges.flip_law(exponents))


def scan_by_definition(problem: CapProblem, epsilon: Fraction, threshold: int) -> Joint:
    distances = tuple(int(a) - threshold for a in problem.above[:-1])
    return joint(problem, judges.scan_law(distances, epsilon / 5, 3 * epsilon / 20))


def joint(problem: CapProblem, law: tuple[Any, ...]) -> Joint:
    assert problem.sums is not None
    with flint.ctx.workprec(judges.BITS):
        return {cap: (p.log(), total, cap) for cap, p, total in zip(problem.frame.caps, law, problem.sums, strict=True)}


Definition = Callable[[CapProblem, Fraction, int], Joint]


def compared(mechanism: Any, definition: Definition, rate: Fraction, world: World) -> None:
    """The library's law is the definition's, and the definition loses epsilon to 30 digits and no more."""
    totals, caps = world
    pose = people(caps, ADD_REMOVE)
    universe, neighbours = at_most(4, totals, ADD_REMOVE)
    known = {x: definition(pose(x), mechanism.epsilon, mechanism.threshold) for x in multisets(totals, largest=4)}
    for x in universe:
        law = mechanism.log_cap_probabilities(pose(x))
        assert law == pytest.approx([float(log_p) for log_p, *_ in known[x].values()], abs=1e-12)
    losses = [judges.joint_loss(known[x], known[y], rate) for x in universe for y in neighbours(x)]
    worst = max(losses, key=float)
    with flint.ctx.workprec(judges.BITS):
        assert abs(worst - judges.ball(mechanism.epsilon)) < judges.ball(judges.DIGITS)
        assert all(loss < judges.ball(mechanism.epsilon + judges.DIGITS) for loss in losses)


def test_the_race_by_its_definition() -> None:
    compared(CapRace(1, threshold=1), race_by_definition, Fraction(3, 4), (range(4), (1, 2, 4)))


def test_the_scan_by_its_definition() -> None:
    compared(CapScan(3, 2), scan_by_definition, Fraction(39, 20), (range(4), (1, 2, 4)))


@pytest.mark.long
@pytest.mark.parametrize("world", [LARGE, SMALL], ids=["0..5", "0..4"])
def test_race_and_scan_by_their_definitions_in_full(world: World) -> None:
    for threshold in (0, 1, 2):
        for epsilon in (Fraction(1, 10), Fraction(1), Fraction(3)):
            compared(CapRace(epsilon, threshold=threshold), race_by_definition, 3 * epsilon / 4, world)
        for epsilon in (Fraction(1, 2), Fraction(1), Fraction(3)):
            compared(CapScan(epsilon, threshold + 1), scan_by_definition, 13 * epsilon / 20, world)


def test_no_cap_is_likelier_than_its_exponent_allows() -> None:
    """P(j) <= exp(-(x_j - x_i)): what the errors of releases rest on."""
    race, pose = LimitRace("1/2", threshold=1), people((1, 2, 4, 8), ADD_REMOVE)
    for x in multisets(range(6), largest=4):
        behind = np.array(race.exponents(pose(x)), dtype=np.float64)
        assert (race.log_probabilities(pose(x)) <= -(behind - behind.min()) + 1e-12).all()


# Planted faults


class NearFew(LimitRace):
    """A score that rises and falls again, at the rate of one that only falls."""

    def exponents(self, problem: CapProblem) -> list[Fraction]:
        return [self.epsilon * abs(a - 1) for a in problem.above]


class NearRace(CapRace):
    def race(self, frame: CapFrame) -> LimitRace:
        return NearFew(self.epsilon * self.share)


class Overspent(CapRace):
    """Chooses with twice the share that is charged."""

    def race(self, frame: CapFrame) -> LimitRace:
        return LimitRace(2 * self.epsilon * self.share, self.kappa)


class SharpStart(CapScan):
    """Its start is drawn at all of epsilon, and charged a fifth."""

    def cap_law(self, problem: CapProblem, flint: Any) -> Balls:
        distances = [a - self.threshold for a in problem.above[:-1]]
        return scan_law(flint, distances, self.epsilon, 3 * self.epsilon / 20)


class NoStart(CapScan):
    """There is no start, and the charge for it is spent on nothing."""

    def log_cap_probabilities(self, problem: CapProblem) -> Floats:
        heads = np.exp(
            [-3 / 20 * float(self.epsilon * max(Fraction(0), a - self.threshold)) for a in problem.above[:-1]]
        )
        reached = np.cumprod([1.0, *(1 - heads)])
        with np.errstate(divide="ignore"):
            return np.asarray(np.log(reached * np.append(heads, 1.0)))


class HalfStep(CapRace):
    """Noise for half a cap."""

    def noise(self, frame: CapFrame, cap: int) -> Any:
        return super().noise(frame, max(1, cap // 2))


@pytest.mark.parametrize(("epsilon", "worst"), [("0.1", 1.1273), ("1", 1.1451), ("3", 1.1720)])
def test_a_score_that_is_not_monotone_is_found(epsilon: str, worst: float) -> None:
    report = audited(NearRace(epsilon), SMALL, ADD_REMOVE)
    assert report.breaches == ("epsilon",)
    assert report.worst_log_ratio / float(epsilon) == pytest.approx(worst, abs=1e-4)


UNCHARGED = {
    "a race at twice its share": (Overspent(1), 1.25),
    "a start at all of epsilon": (SharpStart(1, 1), 1.8),
    "no start at all": (NoStart(1, 1), inf),
    "noise for half a cap": (HalfStep(1), 1.75),
}


@pytest.mark.parametrize("name", UNCHARGED)
def test_a_share_that_is_not_charged_is_found(name: str) -> None:
    mechanism, worst = UNCHARGED[name]
    report = audited(mechanism, SMALL, ADD_REMOVE)
    assert report.breaches == ("epsilon",)
    assert report.worst_log_ratio == pytest.approx(worst, rel=1e-6)


def test_without_a_start_even_possible_answers_tell_too_much() -> None:
    """Caps that only one of two neighbours can have are left out; with 0.65 for the noise that is 1.89 epsilon."""
    pose, scan = people((1, 2, 4), ADD_REMOVE), NoStart(1, 1)
    universe, neighbours = at_most(4, range(5), ADD_REMOVE)
    worst = 0.0
    for x in universe:
        for y in neighbours(x):
            one, other = scan.log_cap_probabilities(pose(x)), scan.log_cap_probabilities(pose(y))
            both = np.isfinite(one) & np.isfinite(other)
            worst = max(worst, float(np.abs(one[both] - other[both]).max(initial=0)))
    assert worst == pytest.approx(1.242, abs=1e-3)


def test_a_spread_that_is_too_small_is_found_and_refused() -> None:
    world = KeptRows(5, public_orders(5, 1)[0], CAPS)
    narrow = CapFrame(ADD_REMOVE, CAPS)

    def pose(kept: tuple[int, ...]) -> CapProblem:
        return CapProblem(narrow, scores(kept, CAPS), kept[:-1])

    assert audit_caps(CapRace(1, "2/5", 1), pose, world.universe, world.after_leaving).breaches == ("epsilon",)
    with pytest.raises(ParameterError, match="EdgeRace needs a frame of spread 3 under ADD_REMOVE"):
        audit_caps(EdgeRace(1), pose, world.universe, world.after_leaving)


def test_a_largest_cap_from_the_data_leaks() -> None:
    def pose(x: Totals) -> CapProblem:
        caps = tuple(range(1, max(1, *x, 1) + 1))
        return CapProblem(CapFrame(ADD_REMOVE, caps), judges.above(x, caps), judges.sums(x, caps))

    with pytest.raises(FrameLeak, match="frame must be public"):
        audit_caps(CapRace(1), pose, *at_most(2, range(4), ADD_REMOVE))
    assert public_facts(pose((1, 2))).keys() == {"frame"}


def test_what_is_no_claim_of_caps_is_refused() -> None:
    with pytest.raises(ParameterError, match="mechanism must be a CapMechanism"):
        audit_caps(LimitRace(1), people(CAPS, ADD_REMOVE), [], lambda x: [])  # type: ignore[arg-type]
    with pytest.raises(ParameterError, match="problem_of must return a SignedCapProblem"):
        audit_caps(SignedCapRace(1), people(CAPS, ADD_REMOVE), [(1,)], lambda x: [()])
