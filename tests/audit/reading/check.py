"""The check of the gate: a counting function, held against all neighbours of one data set.

Three things must hold, and a breach of each has a name:

- :class:`Uncoupled`: one record more moved the vector of true counts by more than one record may, or a replacement by
  more than two;
- :class:`WrongRefusal`: a data set was refused although each of its records, standing alone, is not, or the reverse;
- :class:`AnotherRule`: the counts are not the sum over the records of what the oracle reads in each.

The first two do not know the oracle, which may be wrong itself. And reading must not fail: a refusal that only hides an
error of another library is none (:class:`Crashed`).
"""

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from dampen.errors import DataError

Record = tuple[Any, ...]
Vector = Mapping[Hashable, int | Fraction]
"""Counts by whatever they are counts of; what is not named is 0."""
Answer = Vector | None
"""Counts, or ``None`` for a refusal."""


class Uncoupled(AssertionError):
    """One record moved more than one record may."""


class WrongRefusal(AssertionError):
    """A data set was refused, or taken, for more than its records one by one."""


class AnotherRule(AssertionError):
    """The counts differ from what the oracle reads record by record."""


class Crashed(AssertionError):
    """A value was refused because reading it failed."""


FAILED = "reading them failed"
"""What dampen says of an error that is not its own."""


def ask(question: "Question", data: Any) -> Answer:
    """The answer, or a refusal; but not one for an error that dampen did not mean."""
    try:
        return question.ask(data)
    except DataError as error:
        if FAILED in str(error):
            raise Crashed(f"{question.name}: {error.__context__!r:.200}") from error
        return None


def _differences(one: Vector, two: Vector) -> list[Fraction]:
    """How far apart the counts are that differ. Most are equal, and fractions take their time."""
    pairs = ((one.get(key, 0), two.get(key, 0)) for key in {*one, *two})
    return [abs(Fraction(a) - b) for a, b in pairs if a != b]


def l1(one: Vector, two: Vector) -> Fraction:
    """The sum of all differences."""
    return sum(_differences(one, two), Fraction(0))


def largest(one: Vector, two: Vector) -> Fraction:
    """The largest difference."""
    return max(_differences(one, two), default=Fraction(0))


@dataclass(frozen=True, eq=False)
class Question:
    """A function that turns records into counts, and what is expected of it.

    ``ask`` takes what ``hold`` of a check makes of records. ``expect`` is the oracle's answer, ``...`` where it has no
    opinion. One record more moves the answer by at most ``step``, as ``distance`` measures it. ``sized``: the number of
    records is public, so that only replacements make neighbours. ``nonempty``: there must be a record.
    """

    name: str
    ask: Callable[[Any], Answer]
    expect: Callable[[Sequence[Record]], Any] = lambda records: ...
    distance: Callable[[Vector, Vector], Fraction] = l1
    step: int | Fraction = 1
    sized: bool = False
    nonempty: bool = False


@dataclass(frozen=True, eq=False)
class Change:
    """One record more, at a place; or in place of the one that was there."""

    place: int
    record: Record
    replaces: bool

    def of(self, records: Sequence[Record]) -> list[Record]:
        """The neighbour."""
        return [*records[: self.place], self.record, *records[self.place + self.replaces :]]


def all_changes(records: Sequence[Record], others: Sequence[Record]) -> list[Change]:
    """Every record of ``others`` at the ends and within: added, and instead of what is there."""
    size = len(records)
    added = [Change(place, other, False) for place in sorted({0, size // 2, size}) for other in others]
    return added + [Change(place, other, True) for place in sorted({0, size // 2, size - 1}) for other in others]


def some_changes(records: Sequence[Record], others: Sequence[Record]) -> list[Change]:
    """Two other records before and behind all, and instead of the first: for containers that take their time."""
    return _at_both_ends(records, others[:2])


def fewest_changes(records: Sequence[Record], others: Sequence[Record]) -> list[Change]:
    """The same with one other record."""
    return _at_both_ends(records, others[:1])


def _at_both_ends(records: Sequence[Record], others: Sequence[Record]) -> list[Change]:
    added = [Change(place, other, False) for place in (0, len(records)) for other in others]
    return added + [Change(0, other, True) for other in others]


class Judge:
    """Asks one question of many data sets, and holds the answers against each other and the oracle."""

    def __init__(self, question: Question, hold: Callable[[Sequence[Record]], Any], where: str = "") -> None:
        self._question, self._hold, self._where = question, hold, where
        self._alone: dict[int, Answer] = {}
        self._empty: Answer = None
        self.pairs = 0

    def judge(self, records: Sequence[Record], changes: Sequence[Change]) -> None:
        """Hold all neighbours of a data set, and each record alone beside no record, against the three rules."""
        asked = [*records, *(change.record for change in changes)]
        self._empty = None if self._question.nonempty else self._answer([])
        for record in asked:
            self._require_alone(record)
        base = self._answer(records)
        for change in changes:
            self._compare(records, base, change)

    def _require_alone(self, record: Record) -> None:
        if id(record) in self._alone:
            return
        alone = self._alone[id(record)] = self._answer([record], alone=True)
        if self._question.nonempty:
            return
        if self._empty is None:
            raise WrongRefusal(self._told("an empty data set was refused", []))
        if not self._question.sized:
            self.pairs += 1
            self._require_near([record], self._empty, alone, 1)

    def _compare(self, records: Sequence[Record], base: Answer, change: Change) -> None:
        if self._question.sized and not change.replaces:
            return
        neighbour = change.of(records)
        found = self._answer(neighbour)
        self.pairs += 1
        self._require_near([*records, ("->",), *neighbour], base, found, 2 if change.replaces else 1)

    def _require_near(self, shown: Sequence[Record], one: Answer, two: Answer, records: int) -> None:
        if one is None or two is None:
            return
        moved = self._question.distance(one, two)
        if moved > records * self._question.step:
            raise Uncoupled(self._told(f"moved by {moved}: {dict(one)} -> {dict(two)}", shown))

    def _answer(self, records: Sequence[Record], alone: bool = False) -> Answer:
        found = ask(self._question, self._hold(records))
        if not alone and records:
            refused = any(self._alone[id(record)] is None for record in records)
            if refused != (found is None):
                said = "was refused, its records are not" if found is None else "was taken, one of its records is not"
                raise WrongRefusal(self._told(said, records))
        self._require_rule(records, found)
        return found

    def _require_rule(self, records: Sequence[Record], found: Answer) -> None:
        expected = self._question.expect(records)
        if expected is ... or (found is None) == (expected is None) == True:  # noqa: E712
            return
        if found is None or expected is None or l1(found, expected):
            said = "refused" if found is None else {key: str(count) for key, count in found.items() if count}
            ruled = "refused" if expected is None else {key: str(count) for key, count in expected.items() if count}
            raise AnotherRule(self._told(f"{said}, by the rule {ruled}", records))

    def _told(self, said: str, records: Sequence[Record]) -> str:
        return f"{self._question.name} {self._where}: {said}; records {list(records)!r}"
