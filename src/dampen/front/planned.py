"""What one question will cost and how far it will be off, before it is asked: law, wished error, size."""

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from inspect import signature
from math import floor
from typing import Any

from dampen._validate import exact, positive, render, whole
from dampen.accuracy.before import at_size, needs_size
from dampen.accuracy.search import Way
from dampen.accuracy.stand_ins import StandIn, in_values
from dampen.describe.columns import Date
from dampen.describe.nearest import unknown
from dampen.errors import ParameterError
from dampen.front.plan_limit import Limit
from dampen.front.question_text import Asked, read_question
from dampen.front.unpaid import UnpaidTable
from dampen.privacy import Accuracy, GroupRelease, NumericRelease, PrivacyLoss, PrivateAccuracy, Release, miss_chance
from dampen.questions.record import Posed, Price
from dampen.writing import Error, percent

SHARE_OF_SIZE = Fraction(1, 10)
"""Of the chance of a miss, where the number of people is a private answer itself, which may be off."""
IN_PEOPLE = ("people", "ranks", "records", "rows")
TOLD_LATER = "how far this is off depends on what is drawn, and is told with the answer"
FIRST_PRICE = Price(epsilon=1)
ONE_PERSON_EACH = "count(of='persons') of the same table"


@dataclass(frozen=True)
class Wish:
    """An error that somebody wishes for: an amount in the answer's unit, a share of all people, or a number of them."""

    amount: Fraction
    kind: str = "own"
    told: str = ""

    def limit(self, size: int | None) -> float:
        """The error in the unit that is meant."""
        if self.kind != "share":
            return float(self.amount)
        if size is None:
            raise ParameterError(f"size must be given where an error is a percentage; got {render(self.told)}")
        return float(self.amount * size)


def as_wish(error: Any, question: str) -> Wish:
    """An error as it was written: ``50``, ``"2%"`` of all people, ``"50 people"``."""
    told = error.strip() if isinstance(error, str) else error
    if isinstance(told, str) and told.endswith("%"):
        return Wish(positive(error=told[:-1].strip()) / 100, "share", told)
    if isinstance(told, str) and told.partition(" ")[2].strip() in IN_PEOPLE:
        return Wish(positive(error=told.partition(" ")[0]), "people", told)
    try:
        return Wish(positive(error=told), "own", str(told))
    except ParameterError:
        rule = f"error of {render(question)} must be a number above 0, '2%' or '50 people'"
        raise ParameterError(f"{rule}; got {render(error)}") from None


class Sizes:
    """How many people there are at least: a number, a released count, or one of these for each question.

    Of groups without sizes of their own equal parts are taken: what is told then holds for every group so large.
    """

    def __init__(self, given: Any) -> None:
        self.given = given

    @classmethod
    def read(cls, size: Any, questions: Mapping[str, Asked], spell: Any, *, persons: bool) -> "Sizes":
        """What was said; sizes of questions that nobody asks are refused. ``persons``: they are what is counted."""
        if not isinstance(size, Mapping) or isinstance(size, Release):
            return cls(None if size is None else _as_size(size, persons))
        named = {spell(text): _as_size(each, persons) for text, each in size.items()}
        for text in named:
            if text not in questions:
                raise ParameterError(f"size must be that of a question that is asked, not {unknown(text, questions)}")
        return cls(named)

    def of(self, asked: Asked, groups: int, chance: Fraction) -> tuple[int | None, Fraction]:
        """The size of a question's rows, or of its groups, and what is left of the chance of a miss."""
        own = isinstance(self.given, dict)
        known = self.given.get(asked.told) if own else self.given
        if known is None or (asked.conditions and not own):
            return None, chance
        if isinstance(known, int):
            return (known if own else max(known // groups, 1)), chance
        spent = chance * SHARE_OF_SIZE
        if isinstance(known, GroupRelease):
            least = min(_lower_end(each, 1 - spent / len(known)) for each in known.values())
            return least, chance - spent
        least = _lower_end(known, 1 - spent)
        return (least if own else max(least // groups, 1)), chance - spent


def _as_size(size: Any, persons: bool) -> Any:
    if isinstance(size, NumericRelease | GroupRelease):
        if size.accuracy is None or isinstance(size.accuracy, PrivateAccuracy):
            raise ParameterError("size must be a released count that tells its error")
        if persons and size.cap is not None:
            raise ParameterError(f"size must be a number of people, {ONE_PERSON_EACH}, not one of rows under a cap")
        return size
    return whole(size=int(size) if isinstance(size, str) and size.isdecimal() else size, least=1)


def _lower_end(count: Release, confidence: Fraction) -> int:
    """The least number that a released count may stand for; 1 at least."""
    return max(floor(float(count.value) - float(count.error(confidence))), 1)


class Law:
    """Price and error of one question at every price, from its description alone."""

    def __init__(self, asked: Asked, table: UnpaidTable, stand_in: StandIn | None) -> None:
        self.asked, self._rows = asked, asked.of(table)
        self.posed = cache(self._pose)
        self.bound = cache(self._bound)
        self._grid = None
        if asked.shares and stand_in is not None and asked.column is not None:
            if isinstance(table.columns[asked.column], Date):
                raise ParameterError(f"stand_ins must be of numbers; {render(asked.column)} is described as a date")
            self._grid = table.view.grid(asked.column)["bounds"]
        self._stand_in = stand_in
        self._usual_cap: Fraction | int = 10
        if asked.name == "sum" and asked.column is not None and (number := table.view.number(asked.column)).bounded:
            self._usual_cap = max(map(abs, number.bounds))
        self.groups = len(self._rows._labels) if asked.by else 1
        self.counts = "rows" if table.view.person is None else "votes" if asked.by else "people"
        self.needs_size = needs_size(self.accuracy(FIRST_PRICE))

    def kinds(self, measure: str) -> tuple[str, ...]:
        """By what it may be paid where ``measure`` is counted: what has a rho may have no epsilon."""
        if measure == "epsilon" or self.counts != "rows":
            return ("epsilon",)
        return ("rho", "epsilon") if "rho" in signature(self.asked.method(self._rows)).parameters else ("epsilon",)

    def ways(self, limit: Limit, measure: str, size: int | None, chance: Fraction, unit: str = "own") -> list[Way]:
        """Error and charge for each kind of price. ``unit``: in people, or in the answer's own unit."""

        def way(kind: str) -> Way:
            return Way(
                kind,
                lambda amount: self.bound(Price(**{kind: amount}), size, chance, unit),
                lambda amount: limit.charge(self.loss(Price(**{kind: amount})), measure),
            )

        return [way(kind) for kind in self.kinds(measure)]

    def _pose(self, price: Price) -> Posed[Any]:
        posed: Posed[Any] = self.asked.ask(self._rows, **price.words())
        return posed

    def loss(self, price: Price) -> PrivacyLoss:
        """What the answer costs."""
        return self.posed(price).loss

    def accuracy(self, price: Price, unit: str = "own") -> Accuracy:
        """What will be told of the answer; ``unit``: in people, where its own unit would be that of a stand-in."""
        known = self.posed(price).accuracy_before
        if known is None or isinstance(known, PrivateAccuracy):
            why = TOLD_LATER if known is None else known.reason
            raise ParameterError(f"{render(self.asked.told)} cannot be planned: {why}{self._way_out()}")
        if unit != "own" or self._grid is None or self._stand_in is None:
            return known
        return in_values(known, self.asked.shares, self._grid, self._stand_in)

    def _way_out(self) -> str:
        """That a public cap would make it plannable, where one can be said."""
        if self.counts == "rows" or "cap" not in signature(self.asked.method(self._rows)).parameters:
            return ""
        return f"; with a public cap it can be: {render(self.asked.with_cap(self._usual_cap).told)}"

    def _bound(self, price: Price, size: int | None, chance: Fraction, unit: str) -> float:
        return at_size(self.accuracy(price, unit), size).bound(1 - chance)

    def error(self, price: Price, size: int | None, chance: Fraction, confidence: Fraction) -> Error:
        """The error, and what it means. ``chance``: of a miss, less than what is left where the size may be off too."""
        known = at_size(self.accuracy(price), size)
        words = known.statement(1 - chance).replace(percent(1 - chance), percent(confidence))
        if self.needs_size and size is not None:
            words += f", where there are at least {size:,} {self.counts}"
        return Error(self.bound(price, size, chance, "own"), known.unit, confidence, words)

    def require(self, wish: Wish) -> None:
        """Refuse a wish in people for an answer that is not counted in them."""
        if wish.kind == "own":
            return
        unit = self.accuracy(FIRST_PRICE, "people").unit
        counted = self.asked.name in ("count", "histogram", "most_common", "top_categories")
        if not counted and unit not in IN_PEOPLE:
            rule = f"error of {render(self.asked.told)} must be a number in the unit of its answer"
            raise ParameterError(f"{rule}; got {render(wish.told)}")


def read_questions(texts: Any, table: UnpaidTable) -> dict[str, Asked]:
    """The questions that are asked, by their one spelling; each once."""
    listed = [texts] if isinstance(texts, str) else texts
    if not isinstance(listed, list | tuple) or not listed:
        raise ParameterError(f"questions must be a list of texts, such as ['median pay', 'count']; got {render(texts)}")
    asked = [read_question(text, table.columns) for text in listed]
    found = {each.told: each for each in asked}
    if len(found) < len(asked):
        raise ParameterError("questions must be different: one of them is asked twice")
    return found


def as_confidence(confidence: Any) -> Fraction:
    """A confidence above 0 and below 1."""
    exact(confidence=confidence)
    chance = miss_chance(confidence)
    if chance >= 1:
        raise ParameterError(f"confidence must lie between 0 and 1; got {render(confidence)}")
    return 1 - chance
