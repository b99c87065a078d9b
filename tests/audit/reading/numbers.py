"""Questions about numbers: grids, sums, means, percentiles."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import cache
from math import floor
from typing import Any

import dampen
from dampen.queries import (
    mean_part_problems,
    mean_problem,
    order_statistic_problem,
    percentile_hit_problem,
    percentile_rank_problem,
    percentile_value_problem,
    sum_problem,
)
from dampen.tables import GridCounts, as_grid, count_on_grid
from dampen.tables.counts import total
from tests.audit.reading.check import Answer, Question, Record, Vector, largest
from tests.audit.reading.entries import (
    BOUNDS,
    Entry,
    Public,
    counts,
    in_both,
    in_tables,
    joined,
    numbers_of,
    place_on,
    posed,
    source_of,
    utilities,
)
from tests.audit.reading.forms import Held
from tests.audit.reading.labels import mode
from tests.audit.reading.oracle import No, day

ADD_REMOVE, REPLACE = dampen.Adjacency.ADD_REMOVE, dampen.Adjacency.REPLACE
FINE = Fraction(1, 2**70)
"""A resolution at which sums of small floats are hardly rounded."""
QUARTER = Fraction(1, 4)
PART = Fraction(1, 1024)
"""Parts of means and variances are rounded to so much of what one record may move them by."""


def places_on(public: Public, values: Sequence[Any], missing: str) -> list[int] | None:
    """Where the numbers of a column stand on the grid."""
    found = numbers_of(values, missing)
    return None if found is None else [place_on(public.grid, value) for value in found]


def counted_before(public: Public, places: Sequence[int]) -> GridCounts:
    """Places as dampen takes them when they are counted already."""
    taken = sorted(set(places))
    return GridCounts(public.grid, taken, [places.count(place) for place in taken])


def ends_of(public: Public) -> tuple[Fraction, Fraction]:
    """The bounds."""
    return Fraction(public.bounds[0]), Fraction(public.bounds[1])


def clipped(public: Public, values: Sequence[Any], missing: str) -> list[Fraction] | None:
    """Numbers moved to the nearer bound."""
    low, high = ends_of(public)
    found = numbers_of(values, missing)
    return None if found is None else [Fraction(min(max(value, low), high)) for value in found]


def _on_grid(public: Public) -> Question:
    def ask(held: Held) -> Answer:
        data, column = held.named("v")
        found = count_on_grid(data, public.grid, column=column, missing=mode(public))
        return dict(zip(found.places.tolist(), found.counts.tolist(), strict=True))

    def expect(records: Sequence[Record]) -> Answer:
        places = places_on(public, [value for (value,) in records], mode(public))
        return None if places is None else counts(places)

    return Question("", ask, expect)


def _on_days(public: Public) -> Question:
    def ask(held: Held) -> Answer:
        data, column = held.named("v")
        found = count_on_grid(data, public.day_grid, column=column, missing=mode(public))
        return dict(zip(found.places.tolist(), found.counts.tolist(), strict=True))

    def expect(records: Sequence[Record]) -> Answer:
        days = [day(value) for (value,) in records]
        if No.DAY in days or (No.MISSING in days and mode(public) == "refuse"):
            return None
        points = public.day_grid.points().tolist()
        return counts([place_on(points, each) for each in days if not isinstance(each, No)])

    return Question("", ask, expect)


Pose = Callable[..., Any]


def _percentile(pose: Pose, step: int = 1) -> Callable[[Public], Question]:
    """A question whose utilities follow from the counts on the grid: the same function says how."""

    def question(public: Public) -> Question:
        def ask(held: Held) -> Answer:
            data, column = held.named("v")
            return utilities(pose(data, grid=public.grid, column=column, missing=mode(public)))

        @cache
        def known(places: tuple[int, ...]) -> Answer:
            return utilities(pose(counted_before(public, places), grid=public.grid))

        def expect(records: Sequence[Record]) -> Answer:
            places = places_on(public, [value for (value,) in records], mode(public))
            return None if places is None else known(tuple(sorted(places)))

        return Question("", ask, expect, largest, step)

    return question


def _asked_percentile(ask_one: Callable[..., Any], *ps: int) -> Callable[[Public], Question]:
    """A question of the record about percentiles, each of which is one problem."""

    def question(public: Public) -> Question:
        grid = as_grid(public.grid)

        def ask(held: Held) -> Answer:
            values = source_of(held, "v", mode(public))
            found = posed(lambda till: ask_one(values, bounds=grid, epsilon=1, budget=till))
            return joined(found[-len(ps) :])

        @cache
        def known(places: tuple[int, ...]) -> Answer:
            counted = counted_before(public, places)
            return joined([percentile_value_problem(counted, p, grid=grid, adjacency=ADD_REMOVE) for p in ps])

        def expect(records: Sequence[Record]) -> Answer:
            places = places_on(public, [value for (value,) in records], mode(public))
            return None if places is None else known(tuple(sorted(places)))

        return Question("", ask, expect, largest)

    return question


def _upper(values: Any, **named: Any) -> Any:
    return dampen.percentile(values, 75, **named)


def _two(values: Any, **named: Any) -> Any:
    return dampen.percentiles(values, (10, 90), strategy="even", **named)


def _where_percentile(public: Public) -> Question:
    grid = as_grid(public.grid)

    def ask(held: Held) -> Answer:
        values = source_of(held, "v", mode(public), {"f": public.wanted})
        *_, found = posed(lambda till: dampen.percentile(values, 25, bounds=grid, epsilon=1, budget=till))
        return utilities(found)

    def expect(records: Sequence[Record]) -> Answer:
        kept = [value for value, wanted in records if public.filter_rule.place(wanted) == 0]
        places = places_on(public, kept, mode(public))
        if places is None:
            return None
        counted = counted_before(public, places)
        return utilities(percentile_value_problem(counted, 25, grid=grid, adjacency=ADD_REMOVE))

    return Question("", ask, expect, largest)


def _histogram(public: Public) -> Question:
    def ask(held: Held) -> Answer:
        values = source_of(held, "v", mode(public))
        found = posed(lambda till: dampen.histogram(values, bounds=as_grid(public.grid), epsilon=1, budget=till))
        return utilities(found[-1])

    def expect(records: Sequence[Record]) -> Answer:
        places = places_on(public, [value for (value,) in records], mode(public))
        return None if places is None else counts(places)

    return Question("", ask, expect)


def _summed(
    ask_one: Callable[..., Vector], rule: Callable[..., Vector], step: Any = 1, *, asked: bool = False, **more: Any
) -> Any:
    """About the clipped numbers of a column; ``asked``: a question of the record, to which the source says all."""

    def question(public: Public) -> Question:
        missing = "refuse" if more.get("sized") else mode(public)

        def ask(held: Held) -> Answer:
            data, column = held.named("v")
            if asked:
                return ask_one(source_of(held, "v", missing), bounds=public.bounds)
            return ask_one(data, bounds=public.bounds, column=column, missing=missing)

        def expect(records: Sequence[Record]) -> Answer:
            found = clipped(public, [value for (value,) in records], missing)
            return None if found is None else rule(found, *ends_of(public))

        moved = step(*ends_of(public)) if callable(step) else step
        return Question("", ask, expect, largest, moved, **more)

    return question


def rounded(value: Fraction, step: Fraction) -> Fraction:
    """The nearest multiple of a step."""
    return floor(value / step + Fraction(1, 2)) * step


def _total(data: Any, *, bounds: Any, **named: Any) -> Vector:
    found = total(data, bounds, **named)
    reach = max(abs(Fraction(end)) for end in bounds)
    return {"count": found.count, "sum": found.sum / reach}


def _total_rule(values: list[Fraction], low: Fraction, high: Fraction) -> Vector:
    return {"count": len(values), "sum": sum(values, Fraction(0)) / max(abs(low), abs(high))}


def _sum_problem(data: Any, **named: Any) -> Vector:
    return utilities(sum_problem(data, adjacency=ADD_REMOVE, resolution=FINE, **named))


def _sum_answer(values: Any, *, bounds: Any) -> Vector:
    *_, found = posed(lambda till: dampen.sum(values, bounds=bounds, unit=FINE, epsilon=1, budget=till))
    return utilities(found)


def _sum_rule(values: list[Fraction], low: Fraction, high: Fraction) -> Vector:
    return {"value": rounded(sum(values, Fraction(0)), FINE)}


def _mean_parts(data: Any, **named: Any) -> Vector:
    return joined(mean_part_problems(data, resolution=FINE, **named))


def shares(parts: Sequence[Any]) -> Vector:
    """What problems know of the data, each in terms of how far one record may move it."""
    return {place: part.value / part.frame.bound for place, part in enumerate(parts)}


def _mean_answer(values: Any, *, bounds: Any) -> Vector:
    return shares(posed(lambda till: dampen.mean(values, bounds=bounds, epsilon=1, budget=till))[-2:])


def mean_shares(values: list[Fraction], low: Fraction, high: Fraction) -> Vector:
    """The two parts of a mean, the sum rounded to a 1024th of what a record may move."""
    half = (high - low) / 2
    return {0: rounded(sum(values, Fraction(0)) / half - len(values) * (low + high) / 2 / half, PART), 1: len(values)}


def _variance_answer(values: Any, *, bounds: Any) -> Vector:
    asked = posed(lambda till: dampen.variance(values, bounds=bounds, unit=QUARTER, epsilon=1, budget=till))
    return shares(asked[-3:])


def _variance_shares(values: list[Fraction], low: Fraction, high: Fraction) -> Vector:
    """The three parts of a variance of values to the nearest quarter, of bounds that are so many quarters apart."""
    off = [low + rounded(value - low, QUARTER) - (low + high) / 2 for value in values]
    half, eighth = (high - low) / 2, (high - low) ** 2 / 8
    sums = sum(off, Fraction(0)) / half, sum((each**2 / eighth - 1 for each in off), Fraction(0))
    return {0: rounded(sums[0], PART), 1: rounded(sums[1], PART), 2: len(values)}


def _mean_rule(values: list[Fraction], low: Fraction, high: Fraction) -> Vector:
    centred = sum(values, Fraction(0)) - len(values) * (low + high) / 2
    return {(0, "value"): rounded(centred, FINE), (1, "value"): len(values)}


def _mean_problem(data: Any, *, missing: str, **named: Any) -> Vector:
    return utilities(mean_problem(data, resolution=FINE, **named))


def _plain_mean(values: list[Fraction], low: Fraction, high: Fraction) -> Vector:
    return {"value": rounded(sum(values, Fraction(0)) / len(values), FINE)}


def _order_statistic(data: Any, **named: Any) -> Vector:
    return utilities(order_statistic_problem(data, 50, adjacency=ADD_REMOVE, resolution=QUARTER, **named))


def _percentile_number(values: Any, *, bounds: Any) -> Vector:
    named: dict[str, Any] = {"bounds": bounds, "step": QUARTER, "method": "number"}
    *_, found = posed(lambda till: dampen.percentile(values, 50, epsilon=1, budget=till, **named))
    return utilities(found)


def _middle(values: list[Fraction], low: Fraction, high: Fraction) -> Vector:
    steps = sorted(floor((value - low) * 4) for value in values)
    place = steps[min(len(steps) - 1, len(steps) // 2)] if steps else 0
    return {"value": low + Fraction(place, 4)}


def _reach(low: Fraction, high: Fraction) -> Fraction:
    return max(abs(low), abs(high)) + FINE


def _half(low: Fraction, high: Fraction) -> Fraction:
    return max((high - low) / 2, Fraction(1)) + FINE


def _width(low: Fraction, high: Fraction) -> Fraction:
    return high - low + FINE


def _adds(pose: Pose, *given: Any) -> Pose:
    return lambda data, **named: pose(data, *given, adjacency=ADD_REMOVE, **named)


def near(public: Public) -> Public:
    """Bounds that a grid of quarters may have."""
    return public if ends_of(public)[1] < 2**20 else replace(public, bounds=BOUNDS[0])


NUMBER = {"v": "number"}
ENTRIES: tuple[Entry, ...] = (
    Entry("count_on_grid", NUMBER, _on_grid, ("tables.count_on_grid",)),
    Entry("count_on_grid of days", {"v": "day"}, _on_days),
    Entry(
        "percentile_value_problem",
        NUMBER,
        _percentile(_adds(percentile_value_problem, 50)),
        ("queries.percentile_value_problem",),
    ),
    Entry(
        "percentile_rank_problem",
        NUMBER,
        _percentile(_adds(percentile_rank_problem, 25), 3),
        ("queries.percentile_rank_problem",),
    ),
    Entry(
        "percentile_hit_problem",
        NUMBER,
        _percentile(_adds(percentile_hit_problem, 50)),
        ("queries.percentile_hit_problem",),
    ),
    *in_both("percentile", NUMBER, _asked_percentile(_upper, 75), ("questions.percentile",)),
    *in_both("median", NUMBER, _asked_percentile(dampen.median, 50), ("questions.median",)),
    Entry("percentile where", {"v": "number", "f": "filter"}, _where_percentile, takes=in_tables),
    *in_both("percentiles", NUMBER, _asked_percentile(_two, 10, 90), ("questions.percentiles",)),
    *in_both("histogram", NUMBER, _histogram, ("questions.histogram",)),
    Entry("total of statistics", NUMBER, _summed(_total, _total_rule), ("tables.total",)),
    Entry("sum_problem", NUMBER, _summed(_sum_problem, _sum_rule, _reach), ("queries.sum_problem",)),
    *in_both("sum", NUMBER, _summed(_sum_answer, _sum_rule, _reach, asked=True), ("questions.sum",)),
    Entry("mean_part_problems", NUMBER, _summed(_mean_parts, _mean_rule, _half), ("queries.mean_part_problems",)),
    *in_both("mean", NUMBER, _summed(_mean_answer, mean_shares, 1 + PART, asked=True), ("questions.mean",)),
    *in_both(
        "variance",
        NUMBER,
        _summed(_variance_answer, _variance_shares, 1 + PART, asked=True),
        ("questions.variance",),
        near,
    ),
    Entry(
        "mean_problem",
        NUMBER,
        _summed(_mean_problem, _plain_mean, _width, sized=True, nonempty=True),
        ("queries.mean_problem",),
    ),
    Entry(
        "order_statistic_problem",
        NUMBER,
        _summed(_order_statistic, _middle, _width),
        ("queries.order_statistic_problem",),
        settles=near,
    ),
    *in_both(
        "percentile as a number",
        NUMBER,
        _summed(_percentile_number, _middle, _width, asked=True),
        ("questions.percentile",),
        near,
    ),
)
