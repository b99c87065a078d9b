"""The gate of counts: every mechanism that tells many counts, on every small table, against its claim and its law."""

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import dampen
from dampen import Adjacency, Budget, Category, CountsFrame, CountsProblem, Flag, Number, Table
from dampen.audit import (
    add_remove_neighbours,
    audit_counts,
    audit_draw,
    law_by_enumeration,
    multisets,
    replace_neighbours,
)
from dampen.entropy import Entropy
from dampen.errors import FrameLeak, ParameterError
from dampen.mechanisms import CountsMechanism, GaussianCounts, LaplaceCounts
from dampen.mechanisms.numeric.gaussian_noise import GaussianNoise
from dampen.mechanisms.numeric.noises import Geometric
from dampen.sampling import exact, tables
from dampen.vectors import Integers
from tests.audit.joint import overheard
from tests.every_counts import EVERY

ADD_REMOVE, REPLACE = Adjacency.ADD_REMOVE, Adjacency.REPLACE
KINDS = "abc"
Posed = Callable[[Any], CountsProblem]


def histogram(adjacency: Adjacency, l1: int) -> Posed:
    """How many records of each kind."""
    frame = CountsFrame(len(KINDS), l1, adjacency, largest=1)
    return lambda x: CountsProblem(frame, [x.count(kind) for kind in KINDS])


def two_tables(x: Any) -> CountsProblem:
    """Every record is counted in two tables, as by two trees of a forest: one of it moves two counts."""
    counts = [*(x.count(kind) for kind in KINDS), x.count("a"), x.count("b") + x.count("c")]
    return CountsProblem(CountsFrame(5, 2, ADD_REMOVE, largest=1), counts)


def weighed(x: Any) -> CountsProblem:
    """Records count 1, 2 or 3 times."""
    frame = CountsFrame(2, 3, ADD_REMOVE)
    return CountsProblem(frame, [x.count("a"), 2 * x.count("b") + 3 * x.count("c")])


def asked(adjacency: Adjacency, ask: Callable[[Table], Any]) -> Posed:
    """The counts that a table tells, as they are drawn: a record's kind is its group, and where its number stands."""
    columns: dict[str, Any] = {"kind": Category(*KINDS), "size": Number(0, 20, step=10), "smokes": Flag()}

    def problem_of(x: Any) -> CountsProblem:
        rows = {"kind": list(x), "size": [10 * KINDS.index(kind) for kind in x], "smokes": [kind == "a" for kind in x]}
        with overheard() as draws:
            ask(Table(rows, columns=columns, budget=Budget(epsilon=9), adjacency=adjacency))
        [draw] = draws
        assert isinstance(draw.problem, CountsProblem)
        return draw.problem

    return problem_of


ASKED: dict[str, Callable[[Table], Any]] = {
    "by one column": lambda table: table.by("kind").count(epsilon=1),
    "by two columns": lambda table: table.by("kind", "smokes").count(epsilon=1),
    "histogram of numbers": lambda table: table.histogram("size", epsilon=1),
    "histogram of a category": lambda table: table.histogram("kind", epsilon=1),
    "list of numbers": lambda table: dampen.histogram(
        table.view.source(None).data["size"], bounds=(0, 20), step=10, epsilon=1, budget=Budget(epsilon=1),
        adjacency=table.adjacency,
    ),
}  # fmt: skip
UNIVERSES: dict[str, tuple[Posed, Any]] = {
    "histogram": (histogram(ADD_REMOVE, 1), add_remove_neighbours(KINDS)),
    "histogram, replaced": (histogram(REPLACE, 2), replace_neighbours(KINDS)),
    "two tables": (two_tables, add_remove_neighbours(KINDS)),
    "weighed records": (weighed, add_remove_neighbours(KINDS)),
    **{name: (asked(ADD_REMOVE, ask), add_remove_neighbours(KINDS)) for name, ask in ASKED.items()},
    **{f"{name}, replaced": (asked(REPLACE, ask), replace_neighbours(KINDS)) for name, ask in ASKED.items()},
}


@pytest.mark.parametrize("name", UNIVERSES)
@pytest.mark.parametrize(
    ("kind", "epsilon"),
    [
        pytest.param(kind, price, marks=[pytest.mark.long] if kind is GaussianCounts and price != "1" else [])
        for kind in EVERY.values()
        for price in ("0.1", "1", "5")
    ],
)
def test_claims_hold_on_every_pair_of_tables(kind: type[CountsMechanism], name: str, epsilon: str) -> None:
    """The price is epsilon, or rho where there is none: Renyi divergences take longer to sum up."""
    problem_of, neighbours = UNIVERSES[name]
    report = audit_counts(kind(epsilon), problem_of, multisets(KINDS, largest=5), neighbours)
    assert report.passed, str(report)
    reached = report.worst_log_ratio if report.worst_rho is None else report.worst_rho
    assert reached == pytest.approx(float(Fraction(epsilon)), rel=1e-9), "the claim is reached"
    assert report.worst_delta <= 1e-12
    assert report.pairs > 50


def test_the_sum_of_losses_is_the_loss_of_the_whole() -> None:
    """The worst ratio over a box of whole answers, written out."""
    mechanism, (problem_of, _) = LaplaceCounts("1/2"), UNIVERSES["histogram, replaced"]
    one, other = problem_of("aab"), problem_of("abc")
    box = np.stack(np.meshgrid(*[np.arange(-6, 9)] * 3), axis=-1).reshape(-1, 3)
    whole = np.abs(mechanism.log_probabilities(one, box) - mechanism.log_probabilities(other, box)).max()
    report = audit_counts(mechanism, problem_of, ["aab"], lambda x: ["abc"])
    assert report.worst_log_ratio == pytest.approx(whole, rel=1e-12)


@pytest.mark.parametrize("kind", EVERY.values(), ids=EVERY)
def test_counts_follow_their_law_bit_by_bit(kind: type[CountsMechanism], monkeypatch: pytest.MonkeyPatch) -> None:
    if kind is GaussianCounts:
        pytest.skip("what is drawn to be kept or not takes more bits than can be walked: see the test of its sampler")
    monkeypatch.setattr(tables, "WIDTH", 2)
    monkeypatch.setattr(exact, "MORE_BITS", 1)
    problem = CountsProblem(CountsFrame(1, 1, ADD_REMOVE), [3]).as_public()
    law, undecided = law_by_enumeration(lambda bits: int(kind(2).draw(problem, bits)[0]), depth=12)
    assert undecided < Fraction(1, 8)
    for told, share in law.items():
        p = float(np.exp(kind(2).log_probabilities(problem, [told])))
        assert float(share) - 1e-12 <= p <= float(share + undecided) + 1e-12


@pytest.mark.parametrize("kind", EVERY.values(), ids=EVERY)
def test_counts_follow_their_law(kind: type[CountsMechanism]) -> None:
    report = audit_draw(kind(3), CountsProblem(CountsFrame(2, 1, ADD_REMOVE), [3, 0]).as_public())
    assert report.passed, str(report)
    assert report.draws > 1000


# Planted faults


class Narrow(GaussianCounts):
    """Noise for how far one count moves, whatever moves."""

    def noise(self, frame: CountsFrame) -> GaussianNoise:
        return GaussianNoise.of(self.rho, frame.largest**2)


class Slight(GaussianCounts):
    """A variance 1 % too small."""

    def noise(self, frame: CountsFrame) -> GaussianNoise:
        return GaussianNoise.of(self.rho, frame.l1 * frame.largest * Fraction(99, 100))


class Hasty(LaplaceCounts):
    """Noise for one count that moves, whatever moves."""

    def noise(self, frame: CountsFrame) -> Geometric:
        return Geometric(self.epsilon)


class Shared(LaplaceCounts):
    """One noise for all counts."""

    def draw(self, problem: CountsProblem, source: Entropy) -> Integers:
        drawn = super().draw(problem, source)
        return np.asarray(problem.counts + (drawn - problem.counts)[0])


def test_too_little_noise_is_found() -> None:
    for name in ("histogram, replaced", "two tables", "weighed records", "by two columns, replaced"):
        report = audit_counts(Hasty(1), UNIVERSES[name][0], multisets(KINDS, largest=3), UNIVERSES[name][1])
        assert report.breaches == ("epsilon",)
        assert report.worst_log_ratio > 1.9


@pytest.mark.parametrize(("kind", "excess"), [(Narrow, 2), (Slight, 100 / 99)])
def test_too_small_a_variance_is_found(kind: type[GaussianCounts], excess: float) -> None:
    for name in ("histogram, replaced", "two tables", "by two columns, replaced"):
        report = audit_counts(kind("1/2"), UNIVERSES[name][0], multisets(KINDS, largest=3), UNIVERSES[name][1])
        assert report.breaches == ("rho",)
        assert report.worst_rho == pytest.approx(excess / 2, rel=1e-9)


def test_the_sum_of_divergences_is_the_divergence_of_the_whole() -> None:
    """Of order 2 and 5, over a box of whole answers, written out."""
    mechanism, (problem_of, _) = GaussianCounts("1/2"), UNIVERSES["histogram, replaced"]
    one, other = problem_of("aab"), problem_of("abc")
    box = np.stack(np.meshgrid(*[np.arange(-20, 25)] * 3), axis=-1).reshape(-1, 3)
    p, q = mechanism.log_probabilities(one, box), mechanism.log_probabilities(other, box)
    for order in (2, 5):
        whole = np.log(np.exp(order * p + (1 - order) * q).sum()) / (order - 1) / order
        assert whole == pytest.approx(1 / 2, rel=1e-9)
    report = audit_counts(mechanism, problem_of, ["aab"], lambda x: ["abc"])
    assert report.worst_rho == pytest.approx(1 / 2, rel=1e-12)


def test_too_small_a_bound_is_found() -> None:
    report = audit_counts(
        LaplaceCounts(1), histogram(REPLACE, 1), multisets(KINDS, largest=3), replace_neighbours(KINDS)
    )
    assert report.breaches == ("epsilon",)
    assert report.worst_log_ratio == pytest.approx(2)


def test_noise_that_is_shared_or_smaller_is_found() -> None:
    problem = CountsProblem(CountsFrame(2, 2, ADD_REMOVE), [3, 0]).as_public()
    assert audit_draw(Shared(3), problem).breaches == ("sample",)

    class Smaller(LaplaceCounts):
        def draw(self, problem: CountsProblem, source: Entropy) -> Integers:
            return LaplaceCounts(2 * self.epsilon).draw(problem, source)

    assert audit_draw(Smaller(3), problem).breaches == ("sample",)


def test_a_frame_that_knows_data_leaks() -> None:
    def problem_of(x: str) -> CountsProblem:
        return CountsProblem(CountsFrame(1, 1 + x.count("a"), ADD_REMOVE), [len(x)])

    with pytest.raises(FrameLeak, match="frame must be public"):
        audit_counts(LaplaceCounts(1), problem_of, multisets("ab", largest=2), add_remove_neighbours("ab"))


def test_what_is_no_claim_of_counts_is_refused() -> None:
    with pytest.raises(ParameterError, match="mechanism must be a CountsMechanism"):
        audit_counts("LaplaceCounts", histogram(ADD_REMOVE, 1), [], lambda x: [])  # type: ignore[arg-type]
    with pytest.raises(ParameterError, match="counts must be few"):
        audit_draw(LaplaceCounts("1/100"), CountsProblem(CountsFrame(9, 1, ADD_REMOVE), [0] * 9).as_public())
