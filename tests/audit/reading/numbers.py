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
from dampen.tables import GridCounts, count_on_grid
from dampen.tables.counts import total
from tests.audit.reading.check import Answer, Question, Record, Vector, largest
from tests.audit.reading.entries import (
    BOUNDS,
    Entry,
    Public,
    counts,
    in_tables,
    joined,
    numbers_of,
    place_on,
    posed,
    utilities,
)
from tests.audit.reading.forms import Held
from tests.audit.reading.labels import mode

ADD_REMOVE, REPLACE = dampen.Adjacency.ADD_REMOVE, dampen.Adjacency.REPLACE
FINE = Fraction(1, 2**70)
"""A resolution at which sums of small floats are hardly rounded."""


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


def _where_percentile(public: Public) -> Question:
    def ask(held: Held) -> Answer:
        *_, found = posed(
            lambda till: dampen.percentile(
                held.table,
                25,
                grid=public.grid,
                column="v",
                where={"f": public.wanted},
                missing=mode(public),
                epsilon=1,
                budget=till,
            )
        )
        return utilities(found)

    def expect(records: Sequence[Record]) -> Answer:
        kept = [value for value, wanted in records if public.filter_rule.place(wanted) == 0]
        places = places_on(public, kept, mode(public))
        if places is None:
            return None
        counted = counted_before(public, places)
        return utilities(percentile_value_problem(counted, 25, grid=public.grid, adjacency=ADD_REMOVE))

    return Question("", ask, expect, largest)


def _quantiles(data: Any, **named: Any) -> Any:
    if isinstance(data, GridCounts):
        return [percentile_value_problem(data, p, grid=named["grid"], adjacency=ADD_REMOVE) for p in (10, 90)]
    return posed(lambda till: dampen.quantiles(data, (10, 90), strategy="even", epsilon=1, budget=till, **named))


def _many(public: Public) -> Question:
    def ask(held: Held) -> Answer:
        data, column = held.named("v")
        return joined(_quantiles(data, grid=public.grid, column=column, missing=mode(public)))

    def expect(records: Sequence[Record]) -> Answer:
        places = places_on(public, [value for (value,) in records], mode(public))
        return None if places is None else joined(_quantiles(counted_before(public, places), grid=public.grid))

    return Question("", ask, expect, largest)


def _summed(ask_one: Callable[..., Vector], rule: Callable[..., Vector], step: Any = 1, **more: Any) -> Any:
    """A question about the clipped numbers of a column."""

    def question(public: Public) -> Question:
        missing = "refuse" if more.get("sized") else mode(public)

        def ask(held: Held) -> Answer:
            data, column = held.named("v")
            return ask_one(data, bounds=public.bounds, column=column, missing=missing)

        def expect(records: Sequence[Record]) -> Answer:
            found = clipped(public, [value for (value,) in records], missing)
            return None if found is None else rule(found, *ends_of(public))

        moved = step(*ends_of(public)) if callable(step) else step
        return Question("", ask, expect, largest, moved, **more)

    return question


def _rounded(value: Fraction, step: Fraction) -> Fraction:
    return floor(value / step + Fraction(1, 2)) * step


def _total(data: Any, *, bounds: Any, **named: Any) -> Vector:
    found = total(data, bounds, **named)
    reach = max(abs(Fraction(end)) for end in bounds)
    return {"count": found.count, "sum": found.sum / reach}


def _total_rule(values: list[Fraction], low: Fraction, high: Fraction) -> Vector:
    return {"count": len(values), "sum": sum(values, Fraction(0)) / max(abs(low), abs(high))}


def _sum_problem(data: Any, **named: Any) -> Vector:
    return utilities(sum_problem(data, adjacency=ADD_REMOVE, resolution=FINE, **named))


def _total_answer(data: Any, **named: Any) -> Vector:
    *_, found = posed(lambda till: dampen.total(data, resolution=FINE, epsilon=1, budget=till, **named))
    return utilities(found)


def _sum_rule(values: list[Fraction], low: Fraction, high: Fraction) -> Vector:
    return {"value": _rounded(sum(values, Fraction(0)), FINE)}


def _mean_parts(data: Any, **named: Any) -> Vector:
    return joined(mean_part_problems(data, resolution=FINE, **named))


def _mean_answer(data: Any, **named: Any) -> Vector:
    return joined(posed(lambda till: dampen.mean(data, resolution=FINE, epsilon=1, budget=till, **named))[-2:])


def _mean_rule(values: list[Fraction], low: Fraction, high: Fraction) -> Vector:
    centred = sum(values, Fraction(0)) - len(values) * (low + high) / 2
    return {(0, "value"): _rounded(centred, FINE), (1, "value"): len(values)}


def _mean_problem(data: Any, *, missing: str, **named: Any) -> Vector:
    return utilities(mean_problem(data, resolution=FINE, **named))


def _plain_mean(values: list[Fraction], low: Fraction, high: Fraction) -> Vector:
    return {"value": _rounded(sum(values, Fraction(0)) / len(values), FINE)}


def _order_statistic(data: Any, **named: Any) -> Vector:
    return utilities(order_statistic_problem(data, 50, adjacency=ADD_REMOVE, resolution=Fraction(1, 4), **named))


def _quantile_number(data: Any, **named: Any) -> Vector:
    *_, found = posed(
        lambda till: dampen.quantile_number(data, 50, resolution=Fraction(1, 4), epsilon=1, budget=till, **named)
    )
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


def _posed_percentile(data: Any, **named: Any) -> Any:
    if isinstance(data, GridCounts):
        return percentile_value_problem(data, 75, adjacency=ADD_REMOVE, **named)
    return posed(lambda till: dampen.percentile(data, 75, epsilon=1, budget=till, **named))[-1]


def _posed_median(data: Any, **named: Any) -> Any:
    if isinstance(data, GridCounts):
        return percentile_value_problem(data, 50, adjacency=ADD_REMOVE, **named)
    return posed(lambda till: dampen.median(data, epsilon=1, budget=till, **named))[-1]


def _near(public: Public) -> Public:
    """Bounds that a grid of quarters may have."""
    return public if ends_of(public)[1] < 2**20 else replace(public, bounds=BOUNDS[0])


NUMBER = {"v": "number"}
ENTRIES: tuple[Entry, ...] = (
    Entry("count_on_grid", NUMBER, _on_grid, ("tables.count_on_grid",)),
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
    Entry("percentile", NUMBER, _percentile(_posed_percentile), ("questions.percentile",)),
    Entry("median", NUMBER, _percentile(_posed_median), ("questions.median",)),
    Entry("percentile where", {"v": "number", "f": "filter"}, _where_percentile, takes=in_tables),
    Entry("quantiles", NUMBER, _many, ("questions.quantiles",)),
    Entry("total of statistics", NUMBER, _summed(_total, _total_rule), ("tables.total",)),
    Entry("sum_problem", NUMBER, _summed(_sum_problem, _sum_rule, _reach), ("queries.sum_problem",)),
    Entry("total", NUMBER, _summed(_total_answer, _sum_rule, _reach), ("questions.total",)),
    Entry("mean_part_problems", NUMBER, _summed(_mean_parts, _mean_rule, _half), ("queries.mean_part_problems",)),
    Entry("mean", NUMBER, _summed(_mean_answer, _mean_rule, _half), ("questions.mean",)),
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
        settles=_near,
    ),
    Entry(
        "quantile_number",
        NUMBER,
        _summed(_quantile_number, _middle, _width),
        ("questions.quantile_number",),
        settles=_near,
    ),
)
