"""A table with a person, asked: every question by person, none by row."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from dampen._validate import exact, one_of, plain, positive, render, share_of, whole
from dampen.describe.columns import NARROW, Category, Flag
from dampen.errors import ParameterError
from dampen.front.asking import Asking
from dampen.front.view import View
from dampen.privacy import Adjacency
from dampen.problem.caps import LARGEST_CAP
from dampen.queries.units import UnitGrid, unit_grid
from dampen.queries.votes import vote_counts_frame, votes_of
from dampen.questions.histograms import MOST_BARS, pose_counts
from dampen.questions.many_percentiles import as_shares
from dampen.questions.mechanism_choice import choose_mechanism, choose_top_k
from dampen.questions.people.limits import Limit, pose_limited
from dampen.questions.people.means import pose_mean
from dampen.questions.people.neighbours import pose_of_persons
from dampen.questions.people.totals import (
    caps_of_amounts,
    pose_capped_total,
    pose_people,
    pose_total,
    pose_total_between,
)
from dampen.questions.people.votes import (
    BITS,
    bits_for,
    pose_choice,
    pose_percentiles,
    require_even,
    require_votes,
)
from dampen.questions.private_bounds.sums import refuse_unless_private
from dampen.questions.record import Posed
from dampen.tables.engines.base import LARGEST_AMOUNT, Amount, CellColumn, PersonAsk, PersonShares
from dampen.tables.grid import Grid
from dampen.tables.people_counts import person_shares

ROW_CAPS = tuple(1 << power for power in range(LARGEST_CAP.bit_length()))
"""How many rows of a person may count, at most."""
ALL_CAPS = tuple(1 << power for power in range(LARGEST_AMOUNT.bit_length()))
"""Where totals may be cut of which no bounds are known, in units."""
MOST = 2**40
"""Of a cap, in rows or units of a sum."""
OF = ("rows", "persons")
Pose = Callable[[PersonShares], Posed[Any]]
Vote = Callable[[int, Fraction], Posed[Any]]
"""How many votes a person has at most and a price in, a question out."""


def person_words(person: str | None, usual: str | None, **given: Any) -> dict[str, Any]:
    """What is said of persons: what is counted, as ``usual`` where nobody says, and a cap. Nothing without a person.

    ``usual`` is ``None`` where there is one thing alone to count.
    """
    said = {name: value for name, value in given.items() if value is not None}
    if person is None:
        for name, value in said.items():
            raise ParameterError(f"{name} must be left out for a table without a person; got {render(value)}")
        return {}
    return said if usual is None else {"of": one_of(OF, of=said.pop("of", usual)), **said}


@dataclass(frozen=True)
class PersonQuestion:
    """What a table with a person is asked, before anything is counted."""

    view: View
    asked: Asking
    adjacency: Adjacency

    @property
    def person(self) -> str:
        """The column that tells whose a row is."""
        assert self.view.person is not None
        return self.view.person.column

    @property
    def column(self) -> str:
        """The column asked about."""
        assert self.asked.column is not None
        return self.asked.column

    @property
    def price(self) -> dict[str, Any]:
        """What an answer costs, and whose loss it is."""
        return {"epsilon": self.asked.epsilon, "adjacency": self.adjacency, "unit": self.person}

    @property
    def by_rows(self) -> bool:
        """Whether rows are asked about, not persons."""
        return bool(self.asked.options.get("of") == "rows")

    def row_caps(self) -> tuple[int, ...]:
        """The limits of a person's rows: one that somebody says, or those among which one is chosen."""
        cap = self.asked.options.get("cap")
        return ROW_CAPS if cap is None else (as_cap(cap),)

    def vote_caps(self) -> tuple[int, ...]:
        """How many votes a person may have: one, or one for each row up to a limit."""
        if self.by_rows:
            return self.row_caps()
        self.refuse_cap()
        return (1,)

    def under_limit(self, caps: tuple[int, ...], found: PersonShares, pose: Vote) -> Posed[Any]:
        """The question of votes: one for each person, or of rows under a limit."""
        if not self.by_rows:
            return pose(1, positive(epsilon=self.asked.epsilon))
        return pose_limited(Limit(caps, self.adjacency, self.person), found.above, pose, self.asked.epsilon)

    def refuse_cap(self) -> None:
        """Refuse a cap where nobody counts for more than one."""
        if (cap := self.asked.options.get("cap")) is not None:
            raise ParameterError(f"cap must be left out where persons are asked about; got {render(cap)}")

    def cell(self, column: str) -> CellColumn:
        """A column of numbers, days or labels as cells."""
        found = self.view.describe(column)
        if not isinstance(found, Category | Flag):
            return CellColumn(column, self.view.grid(column)["bounds"])
        other = found.other if isinstance(found, Category) else None
        rest = None if other is None else found.labels.index(other)
        return CellColumn(column, found.labels, rest, found.missing == "other")

    def units(self, *, sums: bool = False) -> UnitGrid:
        """The column asked about, which must be a number, read to its unit; without bounds up to 2**40 of them.

        Without a unit ``sums`` are read to whole numbers, unless the column is so narrow that hardly any are left.
        """
        column = self.view.number(self.column)
        if sums and not column.bounded:
            return _all_units(column.sum_unit)
        low, high = column.bounds
        wide = sums and high - low >= NARROW
        return unit_grid((low, high), column.sum_unit if wide else column.unit)

    def total_caps(self, units: UnitGrid) -> tuple[int, ...]:
        """The caps of a sum: around the largest value that there may be, or all where no bounds are known."""
        return caps_of_amounts(units.largest) if self.view.number(self.column).bounded else ALL_CAPS

    def ask(self, *cells: CellColumn, **more: Any) -> PersonAsk:
        """What is counted of persons."""
        return PersonAsk(self.person, cells, **more)

    def tried(self, pose: Pose, ask: PersonAsk) -> Posed[Any]:
        """A question posed on nobody, then on what is counted: no bad argument waits for the data."""
        pose(nobody(ask))
        columns = [each.column for each in ask.cells] + ([] if ask.amount is None else [ask.amount.column])
        assert self.view.person is not None
        return pose(person_shares(self.view.person_source(*columns), ask, missing=self.view.person.missing))

    def ask_percentiles(self, shares: Sequence[Fraction], *, listed: bool) -> Posed[Any]:
        """These percentiles of votes; not ``listed``: one, told by itself."""
        bits, caps = bits_for(shares), self.vote_caps()
        grid: Grid = self.view.answers(self.column, self.asked.options.get("leading_bits"))["bounds"]
        public: dict[str, Any] = {"grid": grid, "adjacency": self.adjacency, "unit": self.person, "listed": listed}

        def pose(found: PersonShares) -> Posed[Any]:
            def under(cap: int, price: Fraction) -> Posed[Any]:
                votes = votes_of(found.cells[:, 0], found.weights[:, caps.index(cap)], cap << bits)
                return pose_percentiles(votes, shares, epsilon=price, limit=cap, **public)

            return self.under_limit(caps, found, under)

        return self.tried(pose, self.ask(CellColumn(self.column, grid), caps=caps, bits=bits))


def _all_units(unit: Fraction) -> UnitGrid:
    """Fewer than 2**40 units in either direction; a unit of which there is no grid so long is refused."""
    units = UnitGrid(unit, 1 - LARGEST_AMOUNT, LARGEST_AMOUNT - 1)
    try:
        _ = units.grid
    except ParameterError:
        rule = "unit must be at most 10**6, of at most three digits and 15 decimals, for totals without bounds"
        raise ParameterError(f"{rule}; got {plain(unit)}") from None
    return units


def nobody(ask: PersonAsk) -> PersonShares:
    """What is counted where there are no persons."""
    rows = 0 if ask.cells else 1
    weights = np.zeros((rows, len(ask.caps)), dtype=object)
    cells = np.zeros((rows, len(ask.cells)), dtype=np.int64)
    none = PersonShares(0, (0,) * len(ask.caps), cells, weights)
    return PersonShares(0, none.above, cells, weights, none) if ask.signed else none


def as_cap(cap: Any, unit: Fraction = Fraction(1)) -> int:
    """A public cap in units, a whole number of them."""
    if unit == 1 and not isinstance(cap, str):
        steps = whole(cap=cap, least=1)
    else:
        found = positive(cap=cap) / unit
        if found.denominator != 1:
            raise ParameterError(f"cap must be a multiple of the unit of the column; got {render(cap)}")
        steps = int(found)
    if steps > MOST:
        raise ParameterError(f"cap must be at most 2**40 units; got {render(cap)}")
    return steps


def pose_by_person(view: View, asked: Asking, adjacency: Adjacency) -> Posed[Any]:
    """A question of a table with a person, everything about it checked."""
    return QUESTIONS[asked.question](PersonQuestion(view, asked, adjacency))


def _count(question: PersonQuestion) -> Posed[Any]:
    if not question.by_rows:
        question.refuse_cap()
        return question.tried(lambda shares: pose_people(shares, **question.price), question.ask(caps=(1,)))
    return _pose_totals(question, question.row_caps(), None, Fraction(1))


def _sum(question: PersonQuestion) -> Posed[Any]:
    options, units = question.asked.options, question.units(sums=True)
    cap, few, ends = (options.get(name) for name in ("cap", "few", "ends"))
    amount = Amount(question.column, units.grid, units.first)
    if question.view.number(question.column).bounded or ends is not None:
        refuse_unless_private(few=few)
    if ends is not None:
        if cap is not None:
            raise ParameterError(f"cap must be left out where ends are given; got {render(cap)}")
        return _pose_between(question, amount, units.unit, [_as_size(end, units.unit) for end in ends])
    if few and cap is not None:
        raise ParameterError(f"few must be left out where a cap is given; got {render(few)}")
    caps = question.total_caps(units) if cap is None else (as_cap(cap, units.unit),)
    return _pose_totals(question, caps, amount, units.unit, bool(few))


def _as_size(end: Any, unit: Fraction) -> int:
    """A released end in units, which it was before it was told."""
    return min(max(round(abs(exact(bounds=end)) / unit), 1), MOST)


def _pose_between(question: PersonQuestion, amount: Amount, unit: Fraction, sizes: list[int]) -> Posed[Any]:
    (low, high), caps = sizes, tuple(sorted(set(sizes)))

    def pose(shares: PersonShares) -> Posed[Any]:
        ends = None if shares.negative is None else low, high
        return pose_total_between(shares, caps, ends, resolution=unit, **question.price)

    return question.tried(pose, question.ask(amount=amount, caps=caps))


def _pose_totals(
    question: PersonQuestion, caps: tuple[int, ...], amount: Amount | None, unit: Fraction, few: bool = False
) -> Posed[Any]:
    def pose(shares: PersonShares) -> Posed[Any]:
        if len(caps) == 1:
            return pose_capped_total(shares, caps[0], resolution=unit, **question.price)
        return pose_total(shares, caps, resolution=unit, few=few, **question.price)

    return question.tried(pose, question.ask(amount=amount, caps=caps))


def _mean(question: PersonQuestion) -> Posed[Any]:
    units, caps = question.units(), question.vote_caps()
    neighbours: dict[str, Any] = {"adjacency": question.adjacency, "unit": question.person}

    def pose(found: PersonShares) -> Posed[Any]:
        def under(cap: int, price: Fraction) -> Posed[Any]:
            known: dict[str, Any] = {"limit": cap, "vote": 1 << BITS, "unit": question.person}
            column = caps.index(cap)
            return pose_of_persons(
                lambda share: pose_mean(units, found, column, epsilon=share, **known), epsilon=price, **neighbours
            )

        return question.under_limit(caps, found, under)

    return question.tried(pose, question.ask(CellColumn(question.column, units.grid), caps=caps, bits=BITS))


def _median(question: PersonQuestion) -> Posed[Any]:
    require_votes(question.asked.options["method"])
    return question.ask_percentiles([Fraction(1, 2)], listed=False)


def _percentile(question: PersonQuestion) -> Posed[Any]:
    require_votes(question.asked.options["method"])
    return question.ask_percentiles([share_of(question.asked.options["p"])], listed=False)


def _several(question: PersonQuestion) -> Posed[Any]:
    require_even(question.asked.options["strategy"])
    return question.ask_percentiles(as_shares(question.asked.options["ps"]), listed=True)


def _votes(question: PersonQuestion, pose: Callable[[Any], Posed[Any]]) -> Posed[Any]:
    """One vote for each person, spread over the cells of the column."""
    ask = question.ask(question.cell(question.column), caps=(1,), bits=BITS)
    return question.tried(lambda found: pose(votes_of(found.cells[:, 0], found.weights[:, 0], 1 << BITS)), ask)


def _most_common(question: PersonQuestion) -> Posed[Any]:
    return _choose(
        question,
        choose_mechanism(
            question.asked.options["mechanism"], question.asked.price, indicators="dampen.queries.winner_problem"
        ),
    )


def _top_categories(question: PersonQuestion) -> Posed[Any]:
    options = question.asked.options
    return _choose(question, choose_top_k(options["k"], options["mechanism"], question.asked.price))


def _choose(question: PersonQuestion, mechanism: Any) -> Posed[Any]:
    labels, whose = question.view.category(question.column).labels, question.person
    return _votes(
        question, lambda votes: pose_choice(votes, labels, mechanism, adjacency=question.adjacency, unit=whose)
    )


def _histogram(question: PersonQuestion) -> Posed[Any]:
    bars = labels_of(question.cell(question.column))
    frame = vote_counts_frame(len(bars), 1 << BITS, question.adjacency, question.person)
    public: dict[str, Any] = {"price": question.asked.price, "adjacency": question.adjacency}
    return _votes(
        question,
        lambda votes: pose_counts(
            votes.at_all(len(bars)), bars, **public, frame=frame, resolution=Fraction(1, 1 << BITS)
        ),
    )


def labels_of(cell: CellColumn) -> Sequence[Any]:
    """The values that places of a column stand for; of a grid its points, not too many."""
    if not isinstance(cell.values, Grid):
        return cell.values
    if len(cell.values) > MOST_BARS:
        raise ParameterError(f"bounds and step must make at most {MOST_BARS} bars; got {len(cell.values)}")
    return [cell.values[place] for place in range(len(cell.values))]


def _variance(question: PersonQuestion) -> Posed[Any]:
    raise ParameterError(
        "variance must be asked of one number for each person: per_person('mean', column).variance(...)"
    )


PERCENTILES: dict[str, Callable[[Any], Posed[Any]]] = {
    "median": _median,
    "percentile": _percentile,
    "percentiles": _several,
}
"""Those of a table and of its groups, each of which has its own ``ask_percentiles``."""
QUESTIONS: dict[str, Callable[[PersonQuestion], Posed[Any]]] = {
    "count": _count,
    "sum": _sum,
    "mean": _mean,
    **PERCENTILES,
    "most_common": _most_common,
    "top_categories": _top_categories,
    "histogram": _histogram,
    "variance": _variance,
}
"""How each question is asked by person."""
