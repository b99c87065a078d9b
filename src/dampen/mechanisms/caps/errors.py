"""What may be told of totals that were cut at a chosen cap: the noise, and how many people may have more.

P(cap = t_j) <= exp(-(x_j - x_i)) for all i (docs/proofs/limit_race.md): with i the last cap, all caps that leave more
people between themselves and the last one than is said here are chosen with probability at most 1 - confidence, all
together.
"""

from dataclasses import dataclass, replace
from fractions import Fraction
from math import floor, inf, log

from dampen._validate import Number
from dampen.mechanisms.noise_errors import MARGIN
from dampen.mechanisms.numeric.noises import PublicNoise
from dampen.privacy import CONFIDENCE, Accuracy, miss_chance
from dampen.writing import percent, round_up

SHORT = 2**15
"""Powers of two from here on are written as powers."""


@dataclass(frozen=True)
class Beyond:
    """A chosen cap, and how many people may have more.

    A cap that leaves m people between it and ``last``, the last of all, is chosen with probability at most exp(lead -
    ``rate`` (m - ``threshold``)). ``caps``: how many such caps there are. Both ends in the units of the answer.
    """

    cap: Fraction
    last: Fraction
    caps: int
    lead: Fraction
    rate: Fraction
    threshold: int
    step: Fraction | None = None

    def near(self, confidence: Number = CONFIDENCE) -> int:
        """At most so many have more than the cap and no more than the next one, where caps cost ``step`` each."""
        return self.people(confidence) if self.step is None else replace(self, lead=self.step).people(confidence)

    def people(self, confidence: Number = CONFIDENCE) -> int:
        """At most so many people have more than the cap and no more than the last one."""
        return floor(self.most(confidence))

    def most(self, confidence: Number = CONFIDENCE) -> float:
        """The same before it is rounded to whole people."""
        chance = miss_chance(confidence)
        if self.cap == self.last:
            return 0.0
        return float(self.threshold + (float(self.lead) + log(self.caps / chance)) / float(self.rate) * MARGIN)


@dataclass(frozen=True)
class LimitAccuracy(Accuracy):
    """A limit that was chosen: the people who have more."""

    beyond: Beyond

    @property
    def unit(self) -> str:
        """People, whatever the data call them."""
        return "people"

    def bound(self, confidence: Number = CONFIDENCE) -> float:
        """At most so many people lie between the limit and the last one, with this confidence."""
        return float(self.beyond.people(confidence))

    def statement(self, confidence: Number = CONFIDENCE) -> str:
        """The same in words."""
        between = f"lie between the limit and {in_words(self.beyond.last)}"
        return f"at most {self.amount(confidence)} {between}, with probability {percent(confidence)}"


@dataclass(frozen=True)
class CapAccuracy(Accuracy):
    """A sum of totals that were cut: its error is that of the noise. What was cut off is not known.

    ``sides``: the caps above 0 and, for signed totals, below. ``what`` was cut, and ``whose`` it is, in words.
    """

    noise: PublicNoise
    resolution: Fraction
    sides: tuple[Beyond, ...]
    what: str = "totals"
    whose: str = "people"

    def bound(self, confidence: Number = CONFIDENCE) -> float:
        """How far the answer is from the sum of the totals that were cut."""
        return float(self.noise.size_exceeded_with(miss_chance(confidence)) * self.resolution)

    def at_stake(self) -> float:
        """The people who may have more than a cap, at 95 %, times the cap.

        Of rows without bounds there are so many caps that those up to the next one alone count.
        """
        rows = self.whose == "rows"
        return float(sum((side.near() if rows else side.people()) * side.cap for side in self.sides))

    def statement(self, confidence: Number = CONFIDENCE) -> str:
        """What was cut, the noise, and the people who may have more."""
        ends = [in_words(side.cap) for side in self.sides]
        cut = f"above {ends[0]}" + "".join(f" and below -{end}" for end in ends[1:])
        return (
            f"{self.what} {cut} were cut; "
            f"the noise is at most {self.amount(confidence)}, and {self._people(confidence)}, "
            f"each with probability {percent(confidence)}; what was cut off is not known"
        )

    def _people(self, confidence: Number) -> str:
        counts = [round_up(float(side.people(confidence))) for side in self.sides]
        lasts = [in_words(side.last) for side in self.sides]
        if len(counts) == 1:
            return f"at most {counts[0]} {self.whose} lie between the cap and {lasts[0]}"
        ends = [in_words(side.cap) for side in self.sides]
        above = f"at most {counts[0]} {self.whose} lie between {ends[0]} and {lasts[0]}"
        return f"{above} and {counts[1]} between -{ends[1]} and -{lasts[1]}"


@dataclass(frozen=True)
class MovedAccuracy(Accuracy):
    """An answer about values that were first moved between two ends: its error is that of the moved ones.

    ``ends``: low and high, as told. ``sides``: what either tells of the values beyond. ``number``: how many there are,
    as released.
    """

    moved: Accuracy
    ends: tuple[float, float]
    sides: tuple[Beyond, ...]
    number: Fraction

    @property
    def unit(self) -> str:
        """That of the answer about the moved values."""
        return self.moved.unit

    def bound(self, confidence: Number = CONFIDENCE) -> float:
        """How far off the answer about the moved values is."""
        return self.moved.bound(confidence)

    def at_stake(self) -> float:
        """Everything, where more than half of the values may lie beyond the ends, at 95 %; else nothing."""
        return inf if 2 * sum(side.people() for side in self.sides) > self.number else 0.0

    def statement(self, confidence: Number = CONFIDENCE) -> str:
        """The ends, the error of the moved values, and how many may lie beyond."""
        low, high = (f"{end:,.6g}" for end in self.ends)
        beyond = round_up(float(sum(side.people(confidence) for side in self.sides)))
        return (
            f"values were moved between {low} and {high}, and of those it is {self.moved.statement(confidence)}; "
            f"at most {beyond} values lie beyond, with probability {percent(confidence)} for either end; "
            "what was cut off is not known"
        )


@dataclass(frozen=True)
class EdgeAccuracy(CapAccuracy):
    """Rows of two people, of which nobody has more than the cap among those kept. ``person``: what one is called."""

    person: str = "person"

    def rows(self, confidence: Number = CONFIDENCE) -> int:
        """So many rows more, at most, twice the cap would have kept."""
        [side] = self.sides
        return floor(side.most(confidence) * float(side.cap))

    def at_stake(self) -> float:
        """Those rows, at 95 %."""
        return float(self.rows())

    def statement(self, confidence: Number = CONFIDENCE) -> str:
        """What was left out, the noise, and what twice the cap would have kept."""
        [side] = self.sides
        more = f"twice the cap would keep at most {round_up(float(self.rows(confidence)))} rows more"
        return (
            f"at most {in_words(side.cap)} rows of a {self.person} were kept; "
            f"the noise is at most {self.amount(confidence)}, "
            f"and {more} if nobody has more than {in_words(side.last)}, each with probability {percent(confidence)}; "
            "what was left out is not known"
        )


def in_words(amount: Fraction) -> str:
    """A cap as people write it."""
    power = amount.numerator.bit_length() - 1
    if amount.denominator == 1 and amount >= SHORT and amount == 2**power:
        return f"2^{power}"
    return round_up(float(amount))
