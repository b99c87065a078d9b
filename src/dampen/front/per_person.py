"""One number for each person, made of the own rows, and the questions that are asked of it."""

from collections.abc import Callable, Iterable
from fractions import Fraction
from typing import TYPE_CHECKING, Any, TypeVar

from dampen._validate import Number, one_of, positive, render
from dampen.describe.columns import Date
from dampen.describe.columns import Number as NumberColumn
from dampen.errors import ParameterError
from dampen.front.asking import Asking, as_tuple
from dampen.mechanisms import Laplace
from dampen.privacy import Adjacency, GroupRelease, ListRelease, NumericRelease, Release
from dampen.problem import NumericFrame, NumericProblem
from dampen.queries.units import UnitGrid, unit_grid
from dampen.questions.one_percentile import Method
from dampen.questions.people.neighbours import pose_of_persons
from dampen.questions.record import RECORD, Posed, Price, Single
from dampen.tables.counts import GridCounts, Total
from dampen.tables.described import grid_of
from dampen.tables.engines.base import Amount, PlaceCounts
from dampen.tables.grid import Grid, as_grid
from dampen.tables.people_counts import OF_PERSONS, person_values

if TYPE_CHECKING:
    from dampen.front.table import Table

Answer = TypeVar("Answer", bound=Release)
OWN_RANGE = ("count", "sum")
"""What may be larger than a value of the column, so that its bounds must be said."""
Values = tuple[list[Fraction], list[int]]
"""One number for each of some people, and how many these are."""
Pose = Callable[[Values, Fraction], Posed[Any]]
"""Values and a price in; the question under ``ADD_REMOVE`` out."""


class PerPerson:
    """What ``table.per_person(...)`` returns: its rows are persons, each with one number."""

    def __init__(self, table: "Table", how: str, column: str | None, bounds: Any, step: Number | None) -> None:
        if table.view.person is None:
            raise ParameterError("per_person must be asked of a table with a person: Table(..., person=...)")
        if table.view.person.pair is not None:
            raise ParameterError("per_person must be asked of a table with one person in each row, not with two")
        self._table, self._view, self._whose = table, table.view, table.view.person
        self._how, self._column = one_of(OF_PERSONS, how=how), column
        own, given = how in OWN_RANGE, bounds is not None
        if own != given:
            rule = f"bounds must be {'given' if own else 'left out'} for {how!r}"
            raise ParameterError(f"{rule}{', the lowest and highest number' if own else ': those of the column hold'}")
        if not own and step is not None:
            raise ParameterError(f"step must be left out for {how!r}: that of the column holds; got {render(step)}")
        if (column is None) != (how == "count"):
            rule = "must be left out for 'count'" if how == "count" else f"must be named for {how!r}"
            raise ParameterError(f"column {rule}; got {render(column)}")
        self._said = {"how": how, **({"bounds": as_tuple(bounds), "step": step} if own else {})}
        self._described, self._units = self._describe(bounds, step)

    def _describe(self, bounds: Any, step: Number | None) -> tuple[NumberColumn | Date, UnitGrid | None]:
        """What is publicly known of the numbers, and how amounts are read; days are read as they are."""
        if self._column is None:
            return _number(bounds, step, Fraction(1)), None
        found = self._view.describe(self._column)
        if isinstance(found, Date) and self._how in ("min", "max"):
            return found, None
        known = self._view.number(self._column)
        units = unit_grid(known.bounds, known.unit)
        return (_number(bounds, step, units.unit) if self._how == "sum" else known), units

    def __repr__(self) -> str:
        return f"{self._table!r}.per_person({self._how!r}{'' if self._column is None else f', {self._column!r}'})"

    def count(self, *, epsilon: Number, note: str | None = None) -> NumericRelease:
        """How many persons have a number."""
        frame = NumericFrame(1, Adjacency.ADD_REMOVE)

        def pose(values: Values, price: Fraction) -> Posed[Any]:
            return Single(Laplace(price), NumericProblem(frame, sum(values[1])))

        return self._ask(NumericRelease, "count", pose, epsilon, note)

    def sum(self, *, epsilon: Number, note: str | None = None) -> NumericRelease:
        """The sum of the numbers."""
        known = self._numbers()
        return self._ask_sum("sum", epsilon, note, unit=known.sum_unit)

    def mean(self, *, epsilon: Number, note: str | None = None) -> NumericRelease:
        """The mean of the numbers."""
        return self._ask_sum("mean", epsilon, note)

    def variance(self, *, epsilon: Number, note: str | None = None) -> NumericRelease:
        """The variance of the numbers."""
        (low, high), unit = self._numbers().bounds, Fraction(1) if self._units is None else self._units.unit
        grid = as_grid(bounds=(low - unit / 2, high - unit / 2), step=unit)

        def pose(values: Values, price: Fraction) -> Posed[Any]:
            known: dict[str, Any] = {"bounds": (low, high), "unit": unit, "adjacency": Adjacency.ADD_REMOVE}
            return RECORD["variance"].pose(_on_grid(values, grid, low - unit / 2, unit), epsilon=price, **known)

        return self._ask(NumericRelease, "variance", pose, epsilon, note)

    def median(self, *, epsilon: Number, method: Method = "distance", note: str | None = None) -> Release:
        """The median of the numbers."""
        return self._ask_grid(Release, "median", epsilon, note, method=method)

    def percentile(
        self, p: Number, *, epsilon: Number, method: Method = "distance", note: str | None = None
    ) -> Release:
        """The p-th percentile of the numbers."""
        return self._ask_grid(Release, "percentile", epsilon, note, p=p, method=method)

    def percentiles(
        self, ps: Iterable[Number], *, epsilon: Number, strategy: str = "auto", note: str | None = None
    ) -> ListRelease:
        """Several percentiles of the numbers."""
        return self._ask_grid(ListRelease, "percentiles", epsilon, note, ps=as_tuple(ps), strategy=strategy)

    def histogram(self, *, epsilon: Number, note: str | None = None) -> GroupRelease:
        """How many persons have a number at each step."""
        return self._ask_grid(GroupRelease, "histogram", epsilon, note)

    def _numbers(self) -> NumberColumn:
        if isinstance(self._described, Date):
            raise ParameterError(f"column must be a number; {render(self._column)} is described as a date")
        return self._described

    def _ask_sum(self, question: str, epsilon: Number, note: str | None, **public: Any) -> NumericRelease:
        low, high = self._numbers().bounds

        def pose(values: Values, price: Fraction) -> Posed[Any]:
            clipped = (min(max(value, low), high) * people for value, people in zip(*values, strict=True))
            total = Total(sum(values[1]), sum(clipped, Fraction(0)))
            known: dict[str, Any] = {"bounds": (low, high), "adjacency": Adjacency.ADD_REMOVE, **public}
            return RECORD[question].pose(total, epsilon=price, **known)

        return self._ask(NumericRelease, question, pose, epsilon, note)

    def _ask_grid(self, kind: type[Answer], question: str, epsilon: Number, note: str | None, **options: Any) -> Answer:
        grid = grid_of(self._described)
        if not isinstance(options.get("method", "distance"), str) or options.get("method") in ("number", "label"):
            raise ParameterError(f"method must choose a value of the grid here; got {render(options['method'])}")

        def pose(values: Values, price: Fraction) -> Posed[Any]:
            counted = self._counted(values, grid)
            known: dict[str, Any] = {"bounds": grid, "adjacency": Adjacency.ADD_REMOVE, **options}
            return RECORD[question].pose(counted, epsilon=price, **known)

        return self._ask(kind, question, pose, epsilon, note, direct=self._how in ("min", "max"), **options)

    def _counted(self, values: Values, grid: Grid) -> GridCounts:
        """The numbers on the grid; those that were read on it are their places already."""
        if self._how in ("min", "max"):
            return GridCounts(grid, [int(value) for value in values[0]], values[1])
        known = self._numbers()
        return _on_grid(values, grid, known.bounds[0], known.grid_step)

    def _ask(
        self,
        kind: type[Answer],
        question: str,
        pose: Pose,
        epsilon: Number,
        note: str | None,
        direct: bool = False,
        **options: Any,
    ) -> Answer:
        """``direct``: values are read on the grid of the column, and counted as places."""
        asked = Asking(question, self._column, {**self._said, **options}, (), Price(positive(epsilon=epsilon)), note)
        public: dict[str, Any] = {"epsilon": epsilon, "adjacency": self._table.adjacency, "unit": self._whose.column}

        def pose_all() -> Posed[Any]:
            pose_of_persons(lambda price: pose(([], []), price), **public)
            values = self._read(direct)
            return pose_of_persons(lambda price: pose(values, price), **public)

        return self._table.answer(kind, asked, pose_all)

    def _read(self, direct: bool) -> Values:
        columns = () if self._column is None else (self._column,)
        amount, unit = None, Fraction(1)
        if self._column is not None and (direct or self._units is None):
            amount = Amount(self._column, grid_of(self._described))
        elif self._column is not None and self._units is not None:
            amount, unit = Amount(self._column, self._units.grid, self._units.first), self._units.unit
        found: PlaceCounts = person_values(
            self._view.person_source(*columns), self._whose.column, amount, how=self._how, missing=self._whose.missing
        )
        return [unit * value for value in found[0].tolist()], found[1].tolist()


def _on_grid(values: Values, grid: Grid, low: Fraction, step: Fraction) -> GridCounts:
    """Numbers rounded down to an even grid, and how many people stand at each place."""
    last, counts = len(grid) - 1, dict[int, int]()
    for value, people in zip(*values, strict=True):
        place = int(min(max((value - low) // step, 0), last))
        counts[place] = counts.get(place, 0) + people
    return GridCounts(grid, sorted(counts), [counts[each] for each in sorted(counts)])


def _number(bounds: Any, step: Number | None, unit: Fraction) -> NumberColumn:
    """The public description of numbers that are made of several rows."""
    ends = as_tuple(bounds)
    if not isinstance(ends, tuple) or len(ends) != 2:
        raise ParameterError(f"bounds must be two numbers (lo, hi); got {render(bounds)}")
    return NumberColumn(*ends, step=step, unit=unit)
