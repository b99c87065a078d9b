"""Real noise vectors whose density falls with a norm, within a proved distance, in whole numbers.

A real number with the density of a Laplace law is a sign and an exponential size; the size in steps, rounded down, is
geometric, and the middle of its step is half a step away at most. A vector with a density proportional to
exp(-radius / scale), where the radius is the largest of the 1-norms of its d = columns * scores entries by column, is a
radius with a Gamma(d + 1) law times a uniform point of a product of 1-balls (Hardt and Talwar, On the geometry of
differential privacy, STOC 2010). Such a radius is a sum of d + 1 exponential numbers. A uniform point of a 1-ball is
the gaps of sorted uniform numbers with fair signs.

So the vector drawn is *always* within a known distance of one that has exactly the law, which nobody has to compute. A
radius can be of any size, hence the bits of the point are chosen after it.
"""

from fractions import Fraction
from math import isqrt

from dampen.entropy import Entropy
from dampen.sampling.discrete_laplace import geometric, geometric_batch

LAST = 2**63 - 1
"""What sizes of a batch end at."""


def geometric_sizes(rate: Fraction, count: int, entropy: Entropy) -> list[int]:
    """Whole numbers n >= 0 with probability proportional to exp(-rate n), of any size.

    A number that reached the end of a batch goes on as a new one does: the law has no memory.
    """
    sizes = geometric_batch(rate, count, entropy).tolist()
    return [size if size < LAST else size + geometric(rate, entropy) for size in sizes]


def laplace_steps(rate: Fraction, count: int, entropy: Entropy) -> list[int]:
    """Odd whole numbers of half steps: each within one of a real with density proportional to exp(-rate |x| / 2)."""
    sizes = geometric_sizes(rate, count, entropy)
    negative = entropy.words(count, 1).tolist()
    return [-(2 * size + 1) if sign else 2 * size + 1 for size, sign in zip(sizes, negative, strict=True)]


def box_point(
    scale: Fraction, columns: int, scores: int, distance: Fraction, step: Fraction, entropy: Entropy
) -> list[int]:
    """Whole numbers of ``step``, the scores of one column side by side, within ``distance`` of a vector of the law.

    The density is proportional to exp(-max over columns of the 1-norm / scale); distances are Euclidean. ``distance``
    is more than sqrt(columns * scores) * step / 2, which rounding takes; half of the rest goes to the radius.
    """
    entries, root, wide = columns * scores, _root_up(columns * scores), _root_up(columns)
    free = distance - root * step / 2
    # d + 1 sizes are each off by half a step, and the point is at most sqrt(columns) long.
    radius_step = free / ((entries + 1) * wide)
    sizes = geometric_sizes(radius_step / scale, entries + 1, entropy)
    radius = (2 * sum(sizes) + entries + 1) * radius_step / 2
    # Gaps of numbers that are within 2^-(bits + 1) of uniform ones are within 2^-bits of theirs.
    bits = max(1, int(2 * radius * root / free).bit_length())
    return [_nearest(radius * gap / step) for _ in range(columns) for gap in _ball_point(scores, bits, entropy)]


def _ball_point(scores: int, bits: int, entropy: Entropy) -> list[Fraction]:
    """Gaps of as many sorted numbers, each in the middle of 2**bits equal parts of [0, 1], with fair signs."""
    ends = sorted(2 * entropy.bits(bits) + 1 for _ in range(scores))
    gaps = [last - first for first, last in zip([0, *ends], ends, strict=False)]
    return [Fraction(-gap if entropy.bits(1) else gap, 2 << bits) for gap in gaps]


def _nearest(number: Fraction) -> int:
    return (2 * number.numerator + number.denominator) // (2 * number.denominator)


def _root_up(number: int) -> int:
    return isqrt(number - 1) + 1
