"""Few choices by exact coins of probability exp(-x) for fractions x: permute-and-flip, and the first head of a row.

Every coin is flipped, whatever the others show, and bits are revealed also for one that is certain: how many coins
there are and how many bits they take tells nothing, but for more bits with probability 2^-64 each.
"""

from collections.abc import Sequence
from fractions import Fraction

from dampen.entropy import Entropy
from dampen.sampling import exact


def draw_by_coins(exponents: Sequence[Fraction], entropy: Entropy) -> int:
    """The place that permute-and-flip returns: a uniform one of those whose coins exp(-(x - least x)) show heads."""
    least = min(exponents)
    heads = [place for place, x in enumerate(exponents) if flip(x - least, entropy)]
    return heads[exact.uniform_below(len(heads), entropy)]


def first_head(exponents: Sequence[Fraction], entropy: Entropy) -> int:
    """The place of the first head of coins exp(-x), x >= 0; their number where all show tails."""
    shown = [flip(x, entropy) for x in exponents]
    return shown.index(True) if True in shown else len(shown)


def flip(x: Fraction, entropy: Entropy) -> bool:
    """Heads with probability exactly exp(-x)."""
    prefix, width = exact.reveal(0, 0, entropy)
    return exact.coin(x, entropy, prefix=prefix, width=width)
