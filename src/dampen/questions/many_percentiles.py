"""Several percentiles of the same values at one price."""

from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction
from functools import partial
from typing import Any

from dampen._validate import Number, one_of, positive, render, share_of
from dampen.accounting import composed
from dampen.entropy import Entropy
from dampen.errors import ParameterError
from dampen.mechanisms import PermuteAndFlip
from dampen.mechanisms.selection_errors import PercentilesAccuracy
from dampen.privacy import Accuracy, Adjacency, BudgetLike, ListRelease, PrivacyLoss, record_adjacency
from dampen.problem import Frame, SelectionProblem
from dampen.queries import percentile_value_problem
from dampen.queries.order.halving import ask_by_halving, count_levels
from dampen.questions.halving_errors import HalvedAccuracy
from dampen.questions.one_percentile import Bounds, grid_of
from dampen.questions.record import Composite, Posed, question, zeros
from dampen.sampling.scatter import scatter
from dampen.tables.counts import GridCounts, count_on_grid, require_public_number

FINENESS = 12
"""Before halving, every record takes one of 2**FINENESS finer cells of its grid point, so that ties can be cut."""
FEWEST_HALVED = 3
"""Fewer distinct percentiles than this are asked one by one: halving two takes two levels and gains nothing."""


STRATEGIES = ("auto", "even", "halving")


@question(zeros, proof="quantiles")
def percentiles(
    values: Any,
    ps: Iterable[Number],
    *,
    bounds: Bounds,
    step: Number | None = None,
    epsilon: Number,
    budget: BudgetLike,
    adjacency: Adjacency = Adjacency.ADD_REMOVE,
    strategy: str = "auto",
    note: str = "percentiles",
) -> Posed[ListRelease]:
    """The percentiles ``ps`` of the values, privately, in the order of ``ps``. ``epsilon`` is the price of them all.

    The answers never cross: a larger p has no smaller answer. The other arguments are those of :func:`percentile`.

    Parameters
    ----------
    strategy
        ``"even"`` asks for each percentile on all records with an equal share of epsilon. ``"halving"`` asks for the
        middle one, cuts the records there and goes on in both halves, so that q percentiles share epsilon among
        floor(log2 q) + 1 levels. ``"auto"`` decides by the number of distinct percentiles and the size of the grid.

    >>> import dampen
    >>> budget = dampen.Budget(epsilon=1)
    >>> low, high = dampen.percentiles(range(100), (25, 75), bounds=(0, 120), epsilon=1, budget=budget)
    >>> low <= high
    True
    """
    price, asked = positive(epsilon=epsilon), as_shares(ps)
    shares = sorted(set(asked))
    public = grid_of(bounds, step)
    way = choose_strategy(strategy, len(shares), len(public))
    record_adjacency(adjacency)
    require_public_number(values, adjacency)
    counted = count_on_grid(values, public)
    draw: Callable[[Entropy], list[Any]]
    known: Accuracy
    if way == "even":
        problems = [percentile_value_problem(counted, 100 * q, grid=counted.grid, adjacency=adjacency) for q in shares]
        rounds = len(shares)
        each = price / rounds
        draw = partial(draw_evenly, problems, PermuteAndFlip(each))
        known = PercentilesAccuracy(each, len(public), tuple(100 * share for share in shares), adjacency)
    else:
        rounds = count_levels(len(shares))
        each = price / (rounds * (2 if adjacency is Adjacency.REPLACE else 1))
        draw = partial(draw_by_halving, counted, shares, PermuteAndFlip(each))
        known = HalvedAccuracy(each, len(public), fineness(len(public)), tuple(shares))

    loss = composed([PrivacyLoss(price / rounds, adjacency=adjacency)] * rounds)

    def build(answers: list[Any], loss: PrivacyLoss, note: str) -> ListRelease:
        by_share = dict(zip(shares, sorted(answers), strict=True))
        told = tuple(by_share[share] for share in asked)
        return ListRelease(told, loss, f"{len(shares)} percentiles, {way}", note, known)

    return Composite(Frame(counted.grid, bound=1, adjacency=adjacency), loss, draw, build, known)


def choose_strategy(strategy: str, count: int, size: int) -> str:
    """How so many distinct percentiles on a grid of this size are asked for: public, whatever the data."""
    named = one_of(STRATEGIES, strategy=strategy)
    if named != "auto":
        return named
    return "even" if count < FEWEST_HALVED or fineness(size) < FINENESS else "halving"


def fineness(size: int) -> int:
    """Into how many finer cells, as a power of 2, each point of a grid of this size is split."""
    return max(0, min(FINENESS, 62 - size.bit_length()))


def draw_evenly(problems: Sequence[SelectionProblem], mechanism: PermuteAndFlip, source: Entropy) -> list[Any]:
    """One draw per percentile. Nobody has paid for them here."""
    return [each.frame.candidates[mechanism.draw(each, source)] for each in problems]


def draw_by_halving(
    counted: GridCounts, shares: Sequence[Fraction], mechanism: PermuteAndFlip, source: Entropy
) -> list[Any]:
    """One draw per part. Nobody has paid for them here; what a level costs in all is in docs/proofs/quantiles.md."""
    bits = fineness(len(counted.grid))
    places, counts = scatter(counted.places, counted.counts, bits, source)
    steps = ask_by_halving(places, counts, len(counted.grid) << bits, shares)
    problem = next(steps)
    while True:
        try:
            problem = steps.send(problem.frame.candidates[mechanism.draw(problem, source)])
        except StopIteration as end:
            return [counted.grid[place >> bits] for place in end.value.values()]


def as_shares(ps: Iterable[Number]) -> tuple[Fraction, ...]:
    """A caller's percentages, at least one, as shares."""
    try:
        listed = None if isinstance(ps, str | bytes) else list(ps)
    except Exception:  # an object of the caller's own may raise anything
        listed = None
    if listed is None:
        raise ParameterError(f"ps must be a list of percentages, such as (25, 50, 75); got {render(ps)}")
    if not listed:
        raise ParameterError("ps must not be empty")
    try:
        shares = tuple(share_of(p) for p in listed)
    except ParameterError:  # it shows one of them, and they may be data
        shares = ()
    if not shares:
        raise ParameterError(f"ps must be numbers between 0 and 100, such as (25, 50, 75); got {render(ps)}")
    if max(shares) <= Fraction(1, 100) and any(0 < share < Fraction(1, 100) for share in shares):
        raise ParameterError(
            "ps must be percentages: these look like fractions; write (25, 50, 75), not (0.25, 0.5, 0.75)"
        )
    return shares
