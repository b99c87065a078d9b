"""Which epsilon? What questions will cost and how far they will be off, before anything is paid."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from dampen._validate import Number, brief, plain, positive, render
from dampen.accounting.composition import Composition, converted, difference
from dampen.accounting.rules import BASIC, COMPOSITIONS
from dampen.accuracy.search import Bound, least_index, least_price, price_at, split_price
from dampen.accuracy.stand_ins import StandIn, as_stand_ins
from dampen.describe.nearest import unknown
from dampen.errors import ParameterError
from dampen.front.pages import Curve, Picture, figure
from dampen.front.planned import Law, Sizes, Wish, as_confidence, as_wish, read_questions
from dampen.front.question_text import read_question
from dampen.front.table import Table
from dampen.front.unpaid import UnpaidTable
from dampen.privacy import CONFIDENCE, Amount, BudgetLike, PrivacyLoss, amount_as_json
from dampen.writing import Error, as_json, html_element, html_page, html_table, percent

CURVE = tuple(map(Fraction, ("0.01", "0.02", "0.05", "0.1", "0.2", "0.5", "1", "2", "5", "10")))
"""The prices at which a trade-off is shown."""
MOST_PEOPLE_INDEX = 900 * 12
"""Numbers of people of three digits, up to 10**12."""
SIZE_UNIT = 10**6
"""The least price is a millionth, the least number of people 1."""


@dataclass(frozen=True)
class PlannedQuestion:
    """One question of a plan. ``epsilon`` and ``error`` are ``None`` where only its trade-off is known.

    ``size``: the number of people, or of each group, that was counted on; ``curve``: the error at several epsilons.
    """

    question: str
    epsilon: Fraction | None
    error: Error | None
    wished: str | None
    size: int | None
    curve: tuple[tuple[Fraction, Error], ...]

    def as_dict(self) -> dict[str, Any]:
        """All of it, ready for JSON."""
        return {
            "question": self.question,
            "epsilon": None if self.epsilon is None else plain(self.epsilon),
            "error": None if self.error is None else self.error.as_dict(),
            "wished": self.wished,
            "size": self.size,
            "curve": [{"epsilon": plain(price), "error": as_json(float(error))} for price, error in self.curve],
        }


@dataclass(frozen=True)
class Plan:
    """What questions will cost and how far they will be off. Nothing was paid or drawn, and no row was read.

    ``total``: of all epsilons, by the rule of the budget. ``left``: what the budget will have then. ``people_needed``:
    the fewest people for whom all errors that were wished for fit into what is left; both ``None`` where nobody says
    how much that is.
    """

    questions: tuple[PlannedQuestion, ...]
    total: Amount | None
    left: Amount | None
    people_needed: int | None
    confidence: Fraction

    def __getitem__(self, question: str) -> PlannedQuestion:
        found = {each.question: each for each in self.questions}
        if question not in found:
            raise KeyError(f"the plan has no question {unknown(question, found)}")
        return found[question]

    @property
    def epsilons(self) -> dict[str, Fraction]:
        """What each question is to be asked with."""
        return {each.question: each.epsilon for each in self.questions if each.epsilon is not None}

    def as_dict(self) -> dict[str, Any]:
        """All of it, ready for JSON: exact numbers as text."""
        return {
            "questions": [each.as_dict() for each in self.questions],
            "total": None if self.total is None else amount_as_json(self.total),
            "left": None if self.left is None else amount_as_json(self.left),
            "people_needed": self.people_needed,
            "confidence": plain(self.confidence),
        }

    def rows(self) -> list[tuple[str, str, str]]:
        """A question, its epsilon and its error in words each; of one without a price its trade-off, line by line."""
        found: list[tuple[str, str, str]] = []
        for each in self.questions:
            if each.epsilon is not None:
                found.append((each.question, brief(each.epsilon), str(each.error)))
            else:
                curve = ((brief(price), str(error)) for price, error in each.curve)
                found += [(each.question if not place else "", *row) for place, row in enumerate(curve)]
        return found

    def remarks(self) -> list[tuple[str, str]]:
        """What holds for all questions together."""
        told = [] if self.total is None else [("in all", str(self.total))]
        told += [] if self.left is None else [("left in the budget then", str(self.left))]
        return told + ([] if self.people_needed is None else [("people needed", f"{self.people_needed:,}")])

    def __str__(self) -> str:
        rows = [("question", "epsilon", "error"), *self.rows()]
        wide = [max(len(row[place]) for row in rows) for place in (0, 1)]
        lines = [f"{row[0]:<{wide[0]}}  {row[1]:<{wide[1]}}  {row[2]}".rstrip() for row in rows]
        return "\n".join([*lines, *(f"{name}: {told}" for name, told in self.remarks())])

    def _repr_html_(self) -> str:
        return html_table([("question", "epsilon", "error"), *self.rows(), *self.remarks()])

    def as_html(self) -> str:
        """A whole page that opens without a network: the plan, and what each question costs at which error."""
        sure = percent(self.confidence)
        pictures = (
            Picture(
                f"What {each.question} costs",
                "epsilon",
                f"error in {each.curve[0][1].unit or 'the unit of the answer'}",
                f"The error that {each.question} keeps with probability {sure}, for every epsilon.",
                [Curve(each.question, [(float(price), float(error)) for price, error in each.curve])],
            )
            for each in self.questions
        )
        said = "Nothing was paid, and no row was read: all this follows from the description."
        parts = [html_element("p", said), self._repr_html_(), *map(figure, pictures)]
        return html_page("What to ask, and at which price", parts)


def plan(
    table: Table,
    questions: str | Sequence[str],
    *,
    error: Mapping[str, Any] | Number | None = None,
    size: Any = None,
    epsilon: Number | None = None,
    stand_ins: Mapping[str, StandIn] | None = None,
    confidence: Number = CONFIDENCE,
) -> Plan:
    """What questions to a table will cost and how far they will be off. It spends nothing and reads no row.

    Parameters
    ----------
    table
        A :class:`dampen.Table`: its description, its adjacency and what is left of its budget are read.
    questions
        As they would be asked: ``"median pay"``, ``"percentile 90 of pay where team=lab"``, ``"count by team"``.
    error
        The errors that you can live with, ``{"median pay": 50, "count": "2%"}``, or one for all: a number in the unit
        of the answer, for percentiles in people; ``"2%"`` of all people; ``"50 people"``. The least epsilons for them
        are found.
    size
        How many rows there are at least: a number, a released count, or one of these for each question. Means,
        variances and percentages need it. Left out, the fewest for whom all fits into the budget are found.
    epsilon
        What questions without an error share, with all others; left out, their trade-off is shown.
    stand_ins
        ``{"pay": StandIn.uniform()}``: how values lie, so that errors of percentiles are told in their unit.
    confidence
        Each error by itself is kept with this probability.

    >>> import dampen
    >>> staff = dampen.Table(
    ...     "staff.csv", columns={"pay": dampen.Number(0, 10_000, step=50)}, budget=dampen.Budget(epsilon=2)
    ... )
    >>> print(plan(staff, ["median pay", "count"], error={"median pay": 50, "count": 10}))
    question    epsilon  error
    median pay  0.297    at most 50 people more or fewer would make this exact, with probability 95 %
    count       0.285    off by at most 10 with probability 95 %
    in all: epsilon 0.582
    left in the budget then: epsilon 1.418
    """
    if not isinstance(table, Table):
        raise ParameterError(f"table must be a dampen.Table, which is described; got {type(table).__name__}")
    return _Planner(UnpaidTable(table), questions, table.budget, error, size, stand_ins, confidence).plan(epsilon)


class _Planner:
    """Everything that a plan is made of, read once."""

    def __init__(
        self, table: UnpaidTable, questions: Any, budget: BudgetLike, error: Any, size: Any, stand_ins: Any,
        confidence: Any,
    ) -> None:  # fmt: skip
        self.asked = read_questions(questions, table)
        self.confidence = as_confidence(confidence)
        named = as_stand_ins(stand_ins)
        for column in named:
            table.view.number(column)
        self.laws = {told: Law(each, table, named.get(each.column or "")) for told, each in self.asked.items()}
        self.wishes = self._read_wishes(error, lambda text: read_question(text, table.columns).told)
        self.sizes = Sizes.read(size, self.asked, lambda text: read_question(text, table.columns).told)
        self.limit = Limit.of(budget)

    def _read_wishes(self, error: Any, spell: Any) -> dict[str, Wish]:
        if error is None:
            return {}
        if not isinstance(error, Mapping):
            wishes = {told: as_wish(error, told) for told in self.asked}
        else:
            wishes = {spell(text): as_wish(each, str(text)) for text, each in error.items()}
        for told, wish in wishes.items():
            if told not in self.laws:
                raise ParameterError(f"error must be that of a question that is asked, not {unknown(told, self.asked)}")
            self.laws[told].require(wish)
        return wishes

    def plan(self, epsilon: Number | None) -> Plan:
        """The plan; ``epsilon``: what all questions may cost together."""
        whole = None if epsilon is None else positive(epsilon=epsilon)
        limit = self.limit if whole is None else self.limit.at_most(whole)
        people, sizes = None, self.sizes
        if self._depend_on_size() and limit.is_known and not isinstance(sizes.given, dict):
            people = self._people_needed(limit)
            if sizes.given is None:
                if people is None:
                    raise ParameterError("error must be larger: however many people there are, this does not fit")
                sizes = Sizes(people)
        prices = self._least_prices(sizes)
        total = limit.total(self._losses(prices))
        if not limit.fits(total):
            there = str(limit.amount) if limit.epsilon is None else f"epsilon {brief(limit.epsilon)}"
            more = "" if people is None else f"; it would be enough for {people:,} people"
            raise ParameterError(f"error must be larger: these need {total}, and {there} is left{more}")
        if whole is not None:
            prices |= self._shared(sizes, prices, whole)
            total = limit.total(self._losses(prices))
        left = limit.left(total) if self.limit.is_known and prices else None
        rows = tuple(self._row(told, prices.get(told), sizes) for told in self.laws)
        return Plan(rows, total if prices else None, left, people, self.confidence)

    def _depend_on_size(self) -> bool:
        """Whether an error that is wished for depends on how many people there are."""
        return any(
            not self.asked[told].conditions
            and (wish.kind == "share" or (wish.kind == "own" and self.laws[told].needs_size))
            for told, wish in self.wishes.items()
        )

    def _terms(self, told: str, sizes: Sizes) -> tuple[int | None, Fraction]:
        law = self.laws[told]
        size, chance = sizes.of(law.asked, law.groups, 1 - self.confidence)
        if size is None and law.needs_size:
            where = ", by itself, as size={'mean pay where team=lab': 300}" if law.asked.conditions else ""
            raise ParameterError(f"size must be given for {render(told)}: how many rows there are at least{where}")
        return size, chance

    def _least_prices(self, sizes: Sizes) -> dict[str, Fraction]:
        found = {}
        for told, wish in self.wishes.items():
            size, chance = self._terms(told, sizes)
            kind = "own" if wish.kind == "own" else "people"
            found[told] = least_price(self._bound(told, size, chance, kind), wish.limit(size), render(told))
        return found

    def _bound(self, told: str, size: int | None, chance: Fraction, kind: str = "own") -> Bound:
        """The error of a question as a function of its price."""
        return lambda price: self.laws[told].bound(price, size, chance, kind)

    def _people_needed(self, limit: "Limit") -> int | None:
        """The fewest people, a number of three digits, for whom all errors fit; ``None`` where none are enough."""

        def fits(index: int) -> bool:
            sizes = Sizes(max(1, int(price_at(index) * SIZE_UNIT)))
            try:
                return limit.fits(limit.total(self._losses(self._least_prices(sizes))))
            except ParameterError:
                return False

        found = least_index(fits, MOST_PEOPLE_INDEX)
        return None if found is None else max(1, int(price_at(found) * SIZE_UNIT))

    def _shared(self, sizes: Sizes, prices: Mapping[str, Fraction], whole: Fraction) -> dict[str, Fraction]:
        """What is left of ``whole``, split over the questions without an error."""
        rest = [told for told in self.laws if told not in prices]
        left = whole - sum(prices.values(), Fraction(0))
        if not rest:
            return {}
        if left <= 0:
            raise ParameterError(
                f"epsilon must be larger: nothing of it is left for {render(rest[0])}; got {plain(whole)}"
            )
        bounds = [self._bound(told, *self._terms(told, sizes)) for told in rest]
        return dict(zip(rest, split_price(bounds, left), strict=True))

    def _losses(self, prices: Mapping[str, Fraction]) -> list[PrivacyLoss]:
        return [self.laws[told].loss(price) for told, price in prices.items()]

    def _row(self, told: str, price: Fraction | None, sizes: Sizes) -> PlannedQuestion:
        law, (size, chance) = self.laws[told], self._terms(told, sizes)
        curve = tuple((each, law.error(each, size, chance, self.confidence)) for each in CURVE)
        error = None if price is None else law.error(price, size, chance, self.confidence)
        wish = self.wishes.get(told)
        return PlannedQuestion(told, price, error, None if wish is None else wish.told, size, curve)


@dataclass(frozen=True)
class Limit:
    """What is left of a budget, and the rule by which losses add up; no epsilon and no rho where nobody knows."""

    amount: Amount
    rule: Composition
    adjacency: Any = None
    unit: str | None = None
    epsilon: Fraction | None = None

    @classmethod
    def of(cls, budget: BudgetLike) -> "Limit":
        """What a budget says of itself."""
        found: Any = budget
        if not hasattr(found, "remaining"):
            rule = COMPOSITIONS.get(getattr(found, "composition", None) or BASIC.name, BASIC)
            return cls(Amount(None, Fraction(0)), rule)
        return cls(found.remaining, COMPOSITIONS[found.composition], found.adjacency, found.unit)

    @property
    def is_known(self) -> bool:
        """Whether anybody says how much there is."""
        return self.epsilon is not None or self.amount.epsilon is not None or self.amount.rho is not None

    def at_most(self, epsilon: Fraction) -> "Limit":
        """No more than so much epsilon of it."""
        limited = Limit(self.amount, self.rule, self.adjacency, self.unit, epsilon)
        if self.amount.epsilon is not None and self.amount.rho is None and epsilon > self.amount.epsilon:
            raise ParameterError(f"epsilon must be at most what is left, {self.amount}; got {render(plain(epsilon))}")
        return limited

    def total(self, losses: Iterable[PrivacyLoss]) -> Amount:
        """What losses add up to here."""
        spent = self.rule.start
        for loss in losses:
            charge = converted(loss, self.adjacency or loss.adjacency, self.unit or loss.unit)
            spent = self.rule.add(spent, self.rule.price(charge))
        return spent

    def left(self, total: Amount) -> Amount:
        """What is left after so much; 0 of what does not count any more."""
        less, zero = difference(self.amount, total), Fraction(0)
        epsilon, rho = (None if part is None else max(part, zero) for part in (less.epsilon, less.rho))
        return Amount(epsilon, less.delta, rho)

    def fits(self, total: Amount) -> bool:
        """Whether so much is left."""
        if self.epsilon is not None and (total.epsilon is None or total.epsilon > self.epsilon):
            return False
        known = self.amount.epsilon is not None or self.amount.rho is not None
        return not known or self.rule.fits(total, self.amount)
