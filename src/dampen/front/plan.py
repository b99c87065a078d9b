"""Which epsilon? What questions will cost and how far they will be off, before anything is paid."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, TypedDict

from dampen._validate import Number, brief, plain, render
from dampen.accuracy.search import Offer, least_index, least_offer, price_at, split_price
from dampen.accuracy.stand_ins import StandIn, as_stand_ins
from dampen.describe.columns import Number as NumberColumn
from dampen.describe.nearest import unknown
from dampen.errors import ParameterError
from dampen.front.pages import Curve, Picture, figure
from dampen.front.plan_limit import Limit
from dampen.front.planned import Law, Sizes, Wish, as_confidence, as_wish, read_questions
from dampen.front.question_text import WORDS, read_question
from dampen.front.table import Table
from dampen.front.unpaid import UnpaidTable
from dampen.privacy import CONFIDENCE, Amount, BudgetLike, amount_as_json
from dampen.questions.record import Price
from dampen.writing import Error, as_json, html_element, html_page, html_table, percent

CURVES = {
    "epsilon": tuple(map(Fraction, ("0.01", "0.02", "0.05", "0.1", "0.2", "0.5", "1", "2", "5", "10"))),
    "rho": tuple(map(Fraction, ("0.0001", "0.0005", "0.001", "0.005", "0.01", "0.05", "0.1", "0.5", "1", "5"))),
}
"""The prices of each kind at which a trade-off is shown."""
MOST_PEOPLE_INDEX = 900 * 12
"""Numbers of people of three digits, up to 10**12."""
SIZE_UNIT = 10**6
"""The least price is a millionth, the least number of people 1."""


class AskedPrice(TypedDict, total=False):
    """What a question is asked with: an epsilon, or a rho, or nothing that is known yet."""

    epsilon: Fraction
    rho: Fraction


@dataclass(frozen=True)
class PlannedQuestion:
    """One question of a plan. ``price`` is what it is to be asked with, ``**price``; empty where none is known.

    ``size``: the number of people, or of each group, that was counted on; ``curve``: the error at several prices, all
    of them of ``kind``, epsilon or rho.
    """

    question: str
    price: AskedPrice
    error: Error | None
    wished: str | None
    size: int | None
    kind: str
    curve: tuple[tuple[Fraction, Error], ...]

    @property
    def epsilon(self) -> Fraction | None:
        """The epsilon to ask it with; ``None`` where it is a rho, or not known."""
        return self.price.get("epsilon")

    @property
    def rho(self) -> Fraction | None:
        """The rho to ask it with; ``None`` where it is an epsilon, or not known."""
        return self.price.get("rho")

    def as_dict(self) -> dict[str, Any]:
        """All of it, ready for JSON."""
        return {
            "question": self.question,
            "epsilon": None if self.epsilon is None else plain(self.epsilon),
            "rho": None if self.rho is None else plain(self.rho),
            "error": None if self.error is None else self.error.as_dict(),
            "wished": self.wished,
            "size": self.size,
            "curve": [{self.kind: plain(price), "error": as_json(float(error))} for price, error in self.curve],
        }

    def rows(self, mixed: bool) -> list[tuple[str, str, str]]:
        """The question, its price and its error in words; its trade-off, line by line, where it has no price."""
        told: list[tuple[str, Any, Any]] = [(kind, amount, self.error) for kind, amount in self.price.items()]
        told = told or [(self.kind, amount, error) for amount, error in self.curve]
        words = [(f"{kind} {brief(amount)}" if mixed else brief(amount), str(error)) for kind, amount, error in told]
        return [("" if place else self.question, *row) for place, row in enumerate(words)]


@dataclass(frozen=True)
class Plan:
    """What questions will cost and how far they will be off. Nothing was paid or drawn, and no row was read.

    ``total``: of all prices, by the rule of the budget. ``left``: what the budget will have then. ``people_needed``:
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
        """The epsilons that questions are to be asked with."""
        return {each.question: each.epsilon for each in self.questions if each.epsilon is not None}

    @property
    def rhos(self) -> dict[str, Fraction]:
        """The rhos that questions are to be asked with, where the budget counts rho."""
        return {each.question: each.rho for each in self.questions if each.rho is not None}

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
        """A first line of names; then a question, its price and its error in words each, or its trade-off."""
        kinds = {kind for each in self.questions for kind in (each.price or (each.kind,))}
        first = ("question", "price" if len(kinds) > 1 else min(kinds), "error")
        return [first, *(row for each in self.questions for row in each.rows(len(kinds) > 1))]

    def remarks(self) -> list[tuple[str, str]]:
        """What holds for all questions together."""
        told = [] if self.total is None else [("in all", str(self.total))]
        told += [] if self.left is None else [("left in the budget then", str(self.left))]
        return told + ([] if self.people_needed is None else [("people needed", f"{self.people_needed:,}")])

    def __str__(self) -> str:
        rows = self.rows()
        wide = [max(len(row[place]) for row in rows) for place in (0, 1)]
        lines = [f"{row[0]:<{wide[0]}}  {row[1]:<{wide[1]}}  {row[2]}".rstrip() for row in rows]
        return "\n".join([*lines, *(f"{name}: {told}" for name, told in self.remarks())])

    def _repr_html_(self) -> str:
        return html_table([*self.rows(), *self.remarks()])

    def as_html(self) -> str:
        """A whole page that opens without a network: the plan, and what each question costs at which error."""
        sure = percent(self.confidence)
        pictures = (
            Picture(
                f"What {each.question} costs",
                each.kind,
                f"error in {each.curve[0][1].unit or 'the unit of the answer'}",
                f"The error that {each.question} keeps with probability {sure}, for every {each.kind}.",
                [Curve(each.question, [(float(price), float(error)) for price, error in each.curve])],
            )
            for each in self.questions
        )
        said = "Nothing was paid, and no row was read: all of it follows from what was described and said."
        parts = [html_element("p", said), self._repr_html_(), *map(figure, pictures)]
        return html_page("What to ask, and at which price", parts)


def plan(
    table: Table,
    questions: str | Sequence[str],
    *,
    error: Mapping[str, Any] | Number | None = None,
    size: Any = None,
    epsilon: Number | None = None,
    rho: Number | None = None,
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
        The errors that you can live with, ``{"median pay": 50, "count": "2%"}``, or one for all, or ``{"pay": 50}`` for
        all questions about a column: a number in the unit of the answer, for percentiles in people; ``"2%"`` of all
        people; ``"50 people"``. The least prices for them are found: epsilons, or rhos where the budget counts them,
        or whichever takes the smaller part of a budget of epsilon and delta.
    size
        How many rows there are at least, or people, where the table has a person: a number, a released count, or one of
        these for each question. Means, variances and percentages need it. Left out, the fewest for whom all fits into
        the budget are found.
    epsilon, rho
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
    planner = _Planner(
        UnpaidTable(table), table.view.data.data, questions, table.budget, error, size, stand_ins, confidence
    )
    return planner.plan(epsilon, rho)


class _Planner:
    """Everything that a plan is made of, read once."""

    def __init__(
        self, table: UnpaidTable, data: Any, questions: Any, budget: BudgetLike, error: Any, size: Any, stand_ins: Any,
        confidence: Any,
    ) -> None:  # fmt: skip
        self.asked = read_questions(questions, table)
        self.confidence = as_confidence(confidence)
        shapes = {name: each.shape for name, each in table.columns.items() if isinstance(each, NumberColumn)}
        named = {name: StandIn.described(shape) for name, shape in shapes.items() if shape is not None}
        for column, stand_in in as_stand_ins(stand_ins).items():
            table.view.number(column)
            stand_in.require_other_than(data)
            named[column] = stand_in
        self.laws = {told: Law(each, table, named.get(each.column or "")) for told, each in self.asked.items()}

        def spell(text: str) -> str:
            return read_question(text, table.columns).told

        self.wishes = self._read_wishes(error, spell, table.columns)
        self.sizes = Sizes.read(size, self.asked, spell, persons=table.view.person is not None)
        self.limit = Limit.of(budget)

    def _read_wishes(self, error: Any, spell: Callable[[str], str], columns: Mapping[str, Any]) -> dict[str, Wish]:
        """The error of each question: its own, else that of its column."""
        if error is None:
            return {}
        if not isinstance(error, Mapping):
            return self._as_asked({told: as_wish(error, told) for told in self.asked})
        of_columns = {text: each for text, each in error.items() if text in columns and text not in self.asked}
        for column in of_columns:
            if column not in {each.column for each in self.asked.values()}:
                raise ParameterError(f"error must be that of a question that is asked: none is about {render(column)}")
        shared = {told: of_columns[each.column] for told, each in self.asked.items() if each.column in of_columns}
        for text in error:
            if isinstance(text, str) and " " not in text and text not in {*columns, *WORDS}:
                known = unknown(text, [*columns, *self.asked], "There are")
                raise ParameterError(f"error must be that of a column or of a question that is asked, not {known}")
        own = {spell(text): each for text, each in error.items() if text not in of_columns}
        return self._as_asked({told: as_wish(each, told) for told, each in (shared | own).items()})

    def _as_asked(self, wishes: dict[str, Wish]) -> dict[str, Wish]:
        """The same wishes, each of which must fit a question that is asked."""
        for told, wish in wishes.items():
            if told not in self.laws:
                raise ParameterError(f"error must be that of a question that is asked, not {unknown(told, self.asked)}")
            self.laws[told].require(wish)
        return wishes

    def plan(self, epsilon: Number | None, rho: Number | None) -> Plan:
        """The plan; ``epsilon`` or ``rho``: what all questions may cost together."""
        limit = self.limit
        if epsilon is not None or rho is not None:
            [(measure, amount)] = Price(epsilon, rho).words().items()
            limit = limit.at_most(measure, amount)
        people, sizes = None, self.sizes
        if self._depend_on_size() and limit.is_known and not isinstance(sizes.given, dict):
            people = self._people_needed(limit)
            if sizes.given is None:
                if people is None:
                    raise ParameterError("error must be larger: however many people there are, this does not fit")
                sizes = Sizes(people)
        measure, prices = self._least_prices(limit, sizes)
        total = self._total(limit, prices)
        if not limit.fits(total):
            more = "" if people is None else f"; it would be enough for {people:,} people"
            raise ParameterError(f"error must be larger: these need {total}, and {limit} is left{more}")
        if limit.whole is not None:
            prices |= self._shared(limit, measure, sizes, prices)
            total = self._total(limit, prices)
        left = limit.left(total) if self.limit.is_known and prices else None
        rows = tuple(self._row(told, prices.get(told), sizes, measure) for told in self.laws)
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
            raise ParameterError(
                f"size must be given for {render(told)}: how many {law.counts} there are at least{where}"
            )
        return size, chance

    def _least_prices(self, limit: Limit, sizes: Sizes) -> tuple[str, dict[str, Offer]]:
        """The measure that takes the smallest part of what is left, and the least prices of all wishes in it."""
        known = [(measure, self._least_in(limit, measure, sizes)) for measure in limit.measures]
        return min(known, key=lambda each: limit.share(self._total(limit, each[1])))

    def _least_in(self, limit: Limit, measure: str, sizes: Sizes) -> dict[str, Offer]:
        found = {}
        for told, wish in self.wishes.items():
            size, chance = self._terms(told, sizes)
            ways = self.laws[told].ways(limit, measure, size, chance, "own" if wish.kind == "own" else "people")
            found[told] = least_offer(ways, wish.limit(size), render(told))
        return found

    def _people_needed(self, limit: Limit) -> int | None:
        """The fewest people, a number of three digits, for whom all errors fit; ``None`` where none are enough."""

        def fits(index: int) -> bool:
            sizes = Sizes(max(1, int(price_at(index) * SIZE_UNIT)))
            try:
                return limit.fits(self._total(limit, self._least_prices(limit, sizes)[1]))
            except ParameterError:
                return False

        found = least_index(fits, MOST_PEOPLE_INDEX)
        return None if found is None else max(1, int(price_at(found) * SIZE_UNIT))

    def _shared(self, limit: Limit, measure: str, sizes: Sizes, prices: Mapping[str, Offer]) -> dict[str, Offer]:
        """What is left of the whole, split over the questions without an error."""
        rest = [told for told in self.laws if told not in prices]
        assert limit.whole is not None
        left = limit.whole - sum((offer.charge for offer in prices.values()), Fraction(0))
        if not rest:
            return {}
        if left <= 0:
            rule = f"{measure} must be larger: nothing of it is left for {render(rest[0])}"
            raise ParameterError(f"{rule}; got {plain(limit.whole)}")
        ways = [self.laws[told].ways(limit, measure, *self._terms(told, sizes)) for told in rest]
        return dict(zip(rest, split_price(ways, left), strict=True))

    def _total(self, limit: Limit, prices: Mapping[str, Offer]) -> Amount:
        return limit.total(self.laws[told].loss(price_of(offer)) for told, offer in prices.items())

    def _row(self, told: str, offer: Offer | None, sizes: Sizes, measure: str) -> PlannedQuestion:
        law, (size, chance) = self.laws[told], self._terms(told, sizes)
        kind = law.kinds(measure)[0] if offer is None else offer.kind
        curve = tuple((each, law.error(Price(**{kind: each}), size, chance, self.confidence)) for each in CURVES[kind])
        wished = None if told not in self.wishes else self.wishes[told].told
        if offer is None:
            return PlannedQuestion(told, AskedPrice(), None, wished, size, kind, curve)
        error = law.error(price_of(offer), size, chance, self.confidence)
        price = AskedPrice(rho=offer.price) if kind == "rho" else AskedPrice(epsilon=offer.price)
        return PlannedQuestion(told, price, error, wished, size, kind, curve)


def price_of(offer: Offer) -> Price:
    """What a question is asked with."""
    return Price(**{offer.kind: offer.price})
