"""First a limit that few persons exceed, chosen privately; then a question of weights under it.

Everything is counted for all limits before anything is paid, so that the limit only picks what is asked then.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction
from math import ceil
from typing import Any

from dampen._validate import Number, positive
from dampen.accounting import composed
from dampen.accuracy.before import SizedAccuracy
from dampen.entropy import Entropy
from dampen.mechanisms import LimitRace
from dampen.mechanisms.caps.base import in_units
from dampen.mechanisms.caps.errors import Beyond, in_words
from dampen.privacy import CONFIDENCE, Accuracy, Adjacency, GroupAccuracy, PrivacyLoss, PrivateAccuracy, Release
from dampen.problem import CapFrame, CapProblem
from dampen.questions.record import Posed
from dampen.writing import percent

SHARE = Fraction(1, 10)
"""Of epsilon, for the limit."""
RANKS = 60
"""So many persons over epsilon may have more rows than the limit of a percentile: they cost a share of a rank each."""
Pose = Callable[[int, Fraction], Posed[Any]]
"""A limit and a price in; the question of weights under it out. It must be total, and refuse nothing after others."""


@dataclass(frozen=True)
class LimitedAccuracy(Accuracy):
    """What is told of an answer under a limit, and of those who have more, where the limit tells it.

    ``what``: what a total counts, in a word, if it has one.
    """

    answer: Accuracy
    cap: Fraction
    what: str
    beyond: Beyond | None = None

    @property
    def unit(self) -> str:
        """That of the answer."""
        return self.answer.unit

    def bound(self, confidence: Number = CONFIDENCE) -> float:
        """That of the answer, where all who have more count for the limit."""
        return self.answer.bound(confidence)

    def statement(self, confidence: Number = CONFIDENCE) -> str:
        """Both in words."""
        what = self.what.removesuffix("s") if self.cap == 1 else self.what
        limit = f"nobody counts for more than {in_words(self.cap)} {what}".rstrip()
        told = f"{self.answer.statement(confidence)}; {limit}"
        if self.beyond is None:
            return told
        people, last = self.beyond.people(confidence), in_words(self.beyond.last)
        most = "1 person has" if people == 1 else f"{people} people have"
        return f"{told}, and at most {most} more, up to {last}, with probability {percent(confidence)}"


@dataclass(frozen=True)
class LimitedBefore(SizedAccuracy):
    """What will be told of an answer under a limit that somebody said, for a number of records that is yet to be said.

    Nobody counts for less than one, so there are no fewer votes than people.
    """

    answer: SizedAccuracy
    cap: Fraction
    what: str
    unit: str = ""

    def of_size(self, size: int) -> Accuracy:
        """For so many records at least."""
        return LimitedAccuracy(self.answer.of_size(size), self.cap, self.what)


@dataclass(frozen=True)
class Limit:
    """What limits there are, in units of ``resolution``, and whose.

    ``people``: so many over epsilon above a limit cost nothing. ``what``: what a total counts, in a word. ``stakes``:
    whether what those above the limit have may be missing from the answer, a sum.
    """

    caps: tuple[int, ...]
    adjacency: Adjacency
    unit: str
    people: int = RANKS
    resolution: Fraction = Fraction(1)
    what: str = "rows"
    stakes: bool = False

    @property
    def frame(self) -> CapFrame:
        """What is known before the data is seen."""
        return CapFrame(self.adjacency, self.caps, resolution=self.resolution, unit=self.unit)


def pose_limited(limit: Limit, above: tuple[int, ...], pose: Pose, epsilon: Number) -> Posed[Any]:
    """The question under a limit: the only one, which somebody said, or one that is drawn first."""
    price = positive(epsilon=epsilon)
    if len(limit.caps) == 1:
        return UnderLimit(limit, limit.caps[0], pose(limit.caps[0], price))
    return Limited(limit, above, pose, price)


class UnderLimit(Posed[Any]):
    """A question under one limit, which is told. ``beyond``: what is known of those who have more."""

    def __init__(self, limit: Limit, cap: int, posed: Posed[Any], beyond: Beyond | None = None) -> None:
        self._limit, self._cap, self._posed, self._beyond = limit, cap, posed, beyond
        self.frame, self.loss = posed.frame, posed.loss
        told = posed.accuracy_before
        self.accuracy_before = None if told is None else self._told(told)

    def draw(self, source: Entropy) -> Any:
        """The answer."""
        return self._posed.draw(source)

    def build(self, drawn: Any, loss: PrivacyLoss, note: str) -> Release:
        """The answer, and the limit."""
        release: Release = self._posed.build(drawn, loss, note)
        known = None if release.accuracy is None else self._told(release.accuracy)
        return replace(release, accuracy=known, cap=in_units(self._limit.frame, self._cap), at_stake=self._at_stake())

    def _at_stake(self) -> float:
        beyond = self._beyond if self._limit.stakes else None
        return 0.0 if beyond is None else float(beyond.people() * beyond.cap)

    def _told(self, known: Accuracy) -> Accuracy:
        if isinstance(known, PrivateAccuracy):
            return known
        if isinstance(known, GroupAccuracy):
            return GroupAccuracy({label: self._told(each) for label, each in known.groups.items()})
        cap = self._cap * self._limit.resolution
        if isinstance(known, SizedAccuracy):
            return LimitedBefore(known, cap, self._limit.what)
        return LimitedAccuracy(known, cap, self._limit.what, self._beyond)


class Limited(Posed[Any]):
    """A limit that is drawn, then the question under it. ``above``: how many people have more than each."""

    def __init__(self, limit: Limit, above: tuple[int, ...], pose: Pose, epsilon: Fraction) -> None:
        self._limit, self._rest = limit, epsilon * (1 - SHARE)
        self._race = LimitRace(epsilon * SHARE, threshold=ceil(limit.people / epsilon))
        self._problem = CapProblem(limit.frame, above)
        self._pose = pose
        last = pose(limit.caps[-1], self._rest)  # the largest weights: what does not fit is refused before all is paid
        self.frame = self._problem.frame, last.frame
        self.loss = composed([self._race.privacy(self._problem.frame), last.loss])

    def draw(self, source: Entropy) -> tuple[int, Any]:
        """The limit, then the answer under it."""
        cap = self._race.draw(self._problem, source)
        return cap, self._under(cap).draw(source)

    def build(self, drawn: tuple[int, Any], loss: PrivacyLoss, note: str) -> Release:
        """The answer, the limit, and what is known of those who have more."""
        cap, answer = drawn
        release = self._under(cap).build(answer, loss, note)
        return replace(release, mechanism=f"{self._race!r}, then {release.mechanism}")

    def _under(self, cap: int) -> UnderLimit:
        beyond = self._race.beyond(self._problem.frame, cap)
        return UnderLimit(self._limit, cap, self._pose(cap, self._rest), beyond)
