"""A chi-square test of a sample against a law, with a stated power.

Places of a law are gathered into cells of enough probability, and every cell's count is compared with what it should
be. *Power*: let the true chance of an event, made of cells, be off by a share ``DEVIATION`` of the p >= ``EVENT`` that
the law gives it, either way. By Cauchy and Schwarz the distance between the two laws is then at least
(DEVIATION p)^2 (1 / p + 1 / (1 - p)), however the rest lies, and least at p = ``EVENT``. The statistic has nearly the
noncentral chi-square law with so many times the distance, which tells how often it exceeds its critical value.
"""

from dataclasses import dataclass

import numpy as np

from dampen.vectors import Floats, Integers

ALPHA = 1e-6
"""How often a draw that follows its law is refused, nearly."""
DEVIATION = 0.3
EVENT = 0.25
LEAST_POWER = 0.999
"""An event of probability EVENT or more that is off by a share DEVIATION of it is found this often at least ..."""
NOMINAL_POWER = 0.9998
"""... if the noncentral law promises this much: what is drawn too often also varies more, which that law leaves out."""
CELL = 1 / 16
"""Places of this probability have a cell of their own, and others share cells of this probability."""
LEAST_WEIGHT = 100.0
"""A smaller expected count is weighed as if it were this: where few are expected the chi-square law would promise too
much, and the heavier weight makes up for it."""
STEP = 50
"""Numbers of draws are rounded up to a multiple of this."""


@dataclass(frozen=True)
class Cells:
    """``of``: the cell of each place; ``shares``: the probability of each cell."""

    of: Integers
    shares: Floats

    def p_value(self, counts: Integers) -> float:
        """How likely such counts of places, or worse ones, are under the law."""
        from scipy.special import chdtrc

        draws, drawn = int(counts.sum()), np.bincount(self.of, weights=counts, minlength=len(self.shares))
        expected = self.shares * draws
        statistic = float(((drawn - expected) ** 2 / np.maximum(expected, LEAST_WEIGHT)).sum())
        return float(chdtrc(len(self.shares) - 1, statistic)) if len(self.shares) > 1 else 1.0


def gather(law: Floats) -> Cells:
    """Likely places alone, the others in turn; what is left at the end has a cell of its own, however small.

    An impossible place is in any cell: a draw of it needs no test.
    """
    alone = law >= CELL
    cells = np.maximum(np.cumsum(alone) - 1, 0)
    cell, rest = int(alone.sum()), np.flatnonzero(~alone & (law > 0))
    sums, start, taken = np.cumsum(law[rest]), 0, 0.0
    while start < len(rest):
        end = min(int(np.searchsorted(sums, taken + CELL)) + 1, len(rest))
        cells[rest[start:end]] = cell
        start, taken, cell = end, float(sums[end - 1]), cell + 1
    shares: Floats = np.bincount(cells, weights=law, minlength=cell).astype(np.float64)
    return Cells(cells, shares)


def nominal_power(draws: int, cells: int) -> float:
    """How often a deviation as described above is found at least, by the noncentral law; for two cells or more."""
    from scipy.special import chdtri, chndtr

    weights = 1 / EVENT + 1 / (1 - EVENT + LEAST_WEIGHT / draws)
    distance = (DEVIATION * EVENT) ** 2 * weights
    return float(1 - chndtr(chdtri(cells - 1, ALPHA), cells - 1, draws * distance))


def draws_needed(cells: int) -> int:
    """The least number of draws with that power. With one cell any deviation is an impossible outcome, and shows."""
    draws = 2000
    while nominal_power(draws, max(cells, 2)) < NOMINAL_POWER:
        draws += STEP
    return draws
