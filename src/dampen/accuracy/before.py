"""How far means and variances will be off, told before anything is drawn: for so many records, whatever they are.

After a release the error is told from the released sum and number; before it nothing but the number of records makes it
smaller. Proof: docs/proofs/errors.md, "Before anything is drawn".
"""

from abc import abstractmethod
from dataclasses import dataclass, replace
from fractions import Fraction
from math import exp

from dampen._validate import Number, whole
from dampen.errors import ParameterError
from dampen.mechanisms.noise_errors import MARGIN, NoiseAccuracy, Noisy, noise_exceeded_with
from dampen.privacy import CONFIDENCE, Accuracy, GroupAccuracy, miss_chance

NO_SIZE = "size must be given: how far this will be off depends on how many records there are at least"


class SizedAccuracy(Accuracy):
    """What will be told of an answer, for a number of records that is yet to be said."""

    @abstractmethod
    def of_size(self, size: int) -> Accuracy:
        """For so many records at least."""

    def bound(self, confidence: Number = CONFIDENCE) -> float:
        """None without a number of records."""
        raise ParameterError(NO_SIZE)


@dataclass(frozen=True)
class PublicMeanBefore(SizedAccuracy):
    """A mean whose number of records is public: ``of_one`` is the error of one record, of n it is an n-th of that."""

    of_one: NoiseAccuracy

    def of_size(self, size: int) -> Accuracy:
        """The noise of the sum, divided by the number of records; no answer leaves the bounds."""
        count = whole(size=size, least=1)
        return replace(self.of_one, resolution=self.of_one.resolution / count, rounding=self.of_one.rounding / count)


@dataclass(frozen=True)
class MeanBefore(SizedAccuracy):
    """A quotient of a sum and a number of records, both noisy: the sum of n terms of at most ``half`` in size each.

    The values of ``top`` and ``number`` are not read: they are not drawn yet. Votes of persons are counted in parts,
    ``vote`` of which make one record; ``rounding``: of the values before they were added up.
    """

    half: Fraction
    top: Noisy
    number: Noisy
    size: int | None = None
    unit: str = ""
    vote: int = 1
    rounding: Fraction = Fraction(0)

    def of_size(self, size: int) -> Accuracy:
        """For so many records at least."""
        return replace(self, size=whole(size=size, least=1))

    def bound(self, confidence: Number = CONFIDENCE) -> float:
        """(t + r / 2) / (n v): v parts make a vote, and a quotient's noise exceeds t with the chance that is left."""
        if self.size is None:
            raise ParameterError(NO_SIZE)
        chance = miss_chance(confidence) - self._chance_of_nobody(self.size)
        if chance <= 0:
            return float(2 * self.half)
        reach = noise_exceeded_with(self.top, self.number, self.half, chance) + self.top.resolution / 2
        return float(min(reach / (self.size * self.vote) + self.rounding, 2 * self.half))

    def _chance_of_nobody(self, size: int) -> Fraction:
        """At least the chance that the noisy number is below one vote, where it counts as one."""
        if self.number.noise is None:
            return Fraction(0)
        return Fraction(exp(self.number.noise.log_tail((size - 1) * self.vote + 1)) / 2 * MARGIN)


@dataclass(frozen=True)
class VarianceBefore(SizedAccuracy):
    """A mean square less the square of a mean, both quotients; ``mean`` is about the middle of the bounds."""

    mean: MeanBefore
    square: MeanBefore
    size: int | None = None
    unit: str = ""

    def of_size(self, size: int) -> Accuracy:
        """For so many records at least."""
        return replace(self, size=whole(size=size, least=1))

    def bound(self, confidence: Number = CONFIDENCE) -> float:
        """That of the mean square, and twice the largest mean times that of the mean; each with half of the chance."""
        if self.size is None:
            raise ParameterError(NO_SIZE)
        each = 1 - miss_chance(confidence) / 2
        off, square = (part.of_size(self.size).bound(each) for part in (self.mean, self.square))
        return min(square + 2 * float(self.mean.half) * off, float(2 * self.square.half))


def at_size(known: Accuracy, size: int | None) -> Accuracy:
    """The same accuracy for so many records, in every group, where it depends on them."""
    if isinstance(known, GroupAccuracy):
        return GroupAccuracy({label: at_size(each, size) for label, each in known.groups.items()})
    if not isinstance(known, SizedAccuracy):
        return known
    if size is None:
        raise ParameterError(NO_SIZE)
    return known.of_size(size)


def needs_size(known: Accuracy) -> bool:
    """Whether it depends on the number of records."""
    if isinstance(known, GroupAccuracy):
        return any(map(needs_size, known.groups.values()))
    return isinstance(known, SizedAccuracy)
