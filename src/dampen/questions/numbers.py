"""How many records, what sum, what mean, what variance? Numbers whose noise is public."""

from dataclasses import replace
from fractions import Fraction
from typing import Any, Literal

from dampen._validate import Number, flag
from dampen.accounting import composed
from dampen.accuracy.before import MeanBefore, PublicMeanBefore, VarianceBefore
from dampen.entropy import Entropy
from dampen.mechanisms import Gaussian, Laplace
from dampen.mechanisms.noise_errors import NoiseAccuracy, Noisy, RatioAccuracy, VarianceAccuracy
from dampen.privacy import Adjacency, BudgetLike, NumericRelease, PrivacyLoss, record_adjacency
from dampen.problem import NumericProblem
from dampen.queries.sums import (
    mean_part_problems,
    mean_problem,
    row_count_problem,
    sum_problem,
    variance_part_problems,
)
from dampen.questions.private_bounds.ends import BetweenEnds
from dampen.questions.private_bounds.means import PrivateMean
from dampen.questions.private_bounds.sums import is_private, pose_private_sum, private_units, refuse_unless_private
from dampen.questions.record import NO_BOUNDS, RECORD, Composite, Posed, Price, Single, no_records, question, zeros
from dampen.tables.counts import as_bounds

Bounds = tuple[Number, Number] | Literal["private"]


@question(no_records, proof="laplace")
def count(
    values: Any,
    *,
    epsilon: Number | None = None,
    rho: Number | None = None,
    budget: BudgetLike,
    adjacency: Adjacency = Adjacency.ADD_REMOVE,
    note: str = "count",
) -> Posed[NumericRelease]:
    """How many values there are, privately.

    Parameters
    ----------
    values
        A list, array, Series or data frame: its rows are counted. Tables are asked by :class:`dampen.Table`, which also
        counts those rows alone that a filter leaves.
    adjacency
        ``ADD_REMOVE``: one row more or less. ``REPLACE``: one row has other values.
    rho
        In place of epsilon: the noise is Gaussian, and a budget pays that counts rho.
    note
        What the answer is for; a ledger remembers it.

    The release tells its error: ``release.error(0.95)``.

    >>> import dampen
    >>> release = dampen.count(["tea"] * 70, epsilon=1, budget=dampen.Budget(epsilon=1))
    >>> isinstance(release.value, int), release.error(0.95) == 3
    (True, True)
    """
    return Single(Price(epsilon, rho).number_noise(), row_count_problem(values, adjacency=adjacency))


@question(zeros, proof="laplace")
def sum(
    values: Any,
    *,
    bounds: Bounds,
    unit: Number | None = None,
    few: bool = False,
    epsilon: Number | None = None,
    rho: Number | None = None,
    budget: BudgetLike,
    adjacency: Adjacency = Adjacency.ADD_REMOVE,
    note: str = "sum",
) -> Posed[NumericRelease]:
    """The sum of the values, privately.

    Parameters
    ----------
    values
        Numbers in a list, array or Series. Tables are asked by :class:`dampen.Table`.
    bounds
        Lowest and highest value, public: a value outside counts as the nearer bound, silently. ``"private"`` where
        nobody knows them: a quarter of epsilon finds two ends, which are told, ``release.ends``.
    unit
        Answers are multiples of it; of 1, if left out. The sum is exact before it is rounded. With private bounds it
        must be said, and values are read to it.
    few
        With private bounds, of a few hundred values in a fine unit: finds the ends by a scan, which needs fewer values
        and goes astray now and then.
    rho
        In place of epsilon, where bounds are known: the noise is Gaussian, and a budget pays that counts rho.

    The release tells its error: ``release.error(0.95)``.

    >>> import dampen
    >>> pay = [1200, 3100, 2500]
    >>> release = dampen.sum(pay, bounds=(0, 10_000), epsilon=1, budget=dampen.Budget(epsilon=1))
    >>> isinstance(release.value, int), release.error(0.5) == 6931.5
    (True, True)
    """
    price = Price(epsilon, rho)
    if is_private(bounds):
        return pose_private_sum(values, unit, few=few, epsilon=price.require_epsilon(NO_BOUNDS), adjacency=adjacency)
    refuse_unless_private(few=flag(few=few) or None)
    mechanism = price.number_noise()
    problem = sum_problem(values, bounds=as_bounds(bounds), adjacency=adjacency, resolution=1 if unit is None else unit)
    return Single(mechanism, problem, _with_rounding(mechanism, problem))


@question(zeros, proof="laplace")
def mean(
    values: Any,
    *,
    bounds: Bounds,
    unit: Number | None = None,
    centre: Number | None = None,
    epsilon: Number | None = None,
    rho: Number | None = None,
    budget: BudgetLike,
    adjacency: Adjacency = Adjacency.ADD_REMOVE,
    note: str = "mean",
) -> Posed[NumericRelease]:
    """The mean of the values, privately: between the bounds.

    Under ``REPLACE`` the number of values is public, and the noise is that of their sum divided by it. Under
    ``ADD_REMOVE`` half of the price buys the sum of the differences from the middle of the bounds, half the number of
    values, in one reservation; the answer is the quotient, clamped to the bounds.

    Parameters
    ----------
    values
        Numbers in a list, array or Series. Tables are asked by :class:`dampen.Table`.
    bounds
        Lowest and highest value, public: a value outside counts as the nearer bound, silently. ``"private"`` where
        nobody knows them: a centre and two ends around it are found, and told, ``release.ends``.
    unit
        With private bounds: what values are read to.
    centre
        With private bounds: ``"private"``, if left out, a median for an eighth of epsilon; ``"twice"``, one more around
        it, for values far from 0 such as time stamps; or a public number.
    rho
        In place of epsilon, where bounds are known: the noise is Gaussian, and a budget pays that counts rho.

    The release tells its error, worked out from the noisy sum and the noisy number.

    >>> import dampen
    >>> ages = [23, 31, 45, 38] * 50
    >>> release = dampen.mean(ages, bounds=(0, 120), epsilon=1, budget=dampen.Budget(epsilon=1))
    >>> 0 <= float(release) <= 120
    True
    """
    price = Price(epsilon, rho)
    if is_private(bounds):
        share, units = price.require_epsilon(NO_BOUNDS), private_units(unit)
        where = "private" if centre is None else centre
        return PrivateMean(values, units, where, epsilon=share, adjacency=record_adjacency(adjacency))
    refuse_unless_private(unit=unit, centre=centre)
    if record_adjacency(adjacency) is Adjacency.REPLACE:
        mechanism, problem = price.number_noise(), mean_problem(values, bounds=as_bounds(bounds))
        known = _with_rounding(mechanism, problem)
        return Single(mechanism, problem, known, PublicMeanBefore(_of_one(known, problem)))
    parts, (low, high) = mean_part_problems(values, bounds=as_bounds(bounds)), as_bounds(bounds)

    def build(drawn: tuple[Noisy, ...], loss: PrivacyLoss, note: str) -> NumericRelease:
        off, number = drawn
        known = RatioAccuracy(low, high, off, number)
        return NumericRelease(known.value, loss, f"{half!r} of a sum and of a number", note, known)

    half, frames = price.part(2).number_noise(), tuple(part.frame for part in parts)
    loss = composed([half.privacy(frame) for frame in frames])
    top, many = undrawn_parts(half, parts)
    before = MeanBefore((high - low) / 2, top, many)
    return Composite(frames, loss, lambda source: draw_parts(half, parts, source), build, before)


@question(zeros, proof="variance")
def variance(
    values: Any,
    *,
    bounds: Bounds,
    unit: Number | None = None,
    epsilon: Number | None = None,
    rho: Number | None = None,
    budget: BudgetLike,
    adjacency: Adjacency = Adjacency.ADD_REMOVE,
    note: str = "variance",
) -> Posed[NumericRelease]:
    """The variance of the values, privately: the mean squared distance from their mean.

    A third of the price each buys the sum of the differences from the middle of the bounds, the sum of their squares,
    and the number of values; under ``REPLACE`` the number is public, and each sum takes half. The answer lies between 0
    and a quarter of the squared distance of the bounds.

    Parameters
    ----------
    values
        Numbers in a list, array or Series. Tables are asked by :class:`dampen.Table`.
    bounds
        Lowest and highest value, public: a value outside counts as the nearer bound, silently. ``"private"`` where
        nobody knows them: a quarter of epsilon finds two ends, which are told, ``release.ends``.
    unit
        Values are rounded to multiples of it, counted from the lowest; the answer is the variance of those. Without it
        to whole numbers, or to the decimals that make 1000 steps between the bounds.
    rho
        In place of epsilon, where bounds are known: the noise is Gaussian, and a budget pays that counts rho.

    The release tells its error, worked out from what was drawn.

    >>> import dampen
    >>> ages = [23, 31, 45, 38] * 50
    >>> release = dampen.variance(ages, bounds=(0, 120), epsilon=1, budget=dampen.Budget(epsilon=1))
    >>> 0 <= float(release) <= 3600
    True
    """
    price = Price(epsilon, rho)
    if is_private(bounds):
        whole, units = price.require_epsilon(NO_BOUNDS), private_units(unit)

        def between(ends: tuple[Number, Number], share: Number) -> Posed[NumericRelease]:
            known: dict[str, Any] = {"bounds": ends, "unit": units.unit, "adjacency": adjacency}
            return RECORD["variance"].pose(values, epsilon=share, **known)

        return BetweenEnds(values, units, between, epsilon=whole, adjacency=adjacency)
    parts, number = variance_part_problems(
        values, bounds=as_bounds(bounds), unit=unit, adjacency=record_adjacency(adjacency)
    )
    share, (low, high) = price.part(len(parts)).number_noise(), as_bounds(bounds)

    def build(drawn: tuple[Noisy, ...], loss: PrivacyLoss, note: str) -> NumericRelease:
        first, second, *rest = drawn
        known = VarianceAccuracy(low, high, first, second, rest[0] if rest else Noisy(Fraction(number or 0), None))
        return NumericRelease(known.value, loss, f"{share!r} of sums and of a number", note, known)

    frames = tuple(part.frame for part in parts)
    loss = composed([share.privacy(frame) for frame in frames])
    top, squares, *rest = undrawn_parts(share, parts)
    many = rest[0] if rest else Noisy(Fraction(0), None)
    before = VarianceBefore(MeanBefore((high - low) / 2, top, many), MeanBefore((high - low) ** 2 / 8, squares, many))
    return Composite(frames, loss, lambda source: draw_parts(share, parts, source), build, before)


def _with_rounding(mechanism: Laplace | Gaussian, problem: NumericProblem) -> NoiseAccuracy:
    """The error of a number that is rounded to the grid before noise is added: half a step more."""
    return replace(mechanism.accuracy(problem.frame), rounding=problem.frame.resolution / 2)


def _of_one(known: NoiseAccuracy, problem: NumericProblem) -> NoiseAccuracy:
    """The error of a mean, times the public number of its records: a replaced record moves it by their part of all."""
    low, high = problem.frame.range or (Fraction(0), problem.frame.bound)
    count = (high - low) / problem.frame.bound
    return replace(known, resolution=known.resolution * count, rounding=known.rounding * count)


def undrawn_parts(mechanism: Laplace | Gaussian, parts: tuple[NumericProblem, ...]) -> tuple[Noisy, ...]:
    """The noise that each part will have."""
    return tuple(Noisy(Fraction(0), mechanism.noise(part), part.frame.resolution) for part in parts)


def draw_parts(mechanism: Laplace | Gaussian, parts: tuple[NumericProblem, ...], source: Entropy) -> tuple[Noisy, ...]:
    """What each part is answered with, and the noise that is in it. Nobody has paid for it here."""
    drawn = (mechanism.answer(part.frame, mechanism.draw(part, source)) for part in parts)
    return tuple(
        Noisy(Fraction(value), mechanism.noise(part), part.frame.resolution)
        for value, part in zip(drawn, parts, strict=True)
    )
