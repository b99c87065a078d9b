"""The ladder mechanism: an exponential mechanism on the integers whose score counts rungs."""

from bisect import bisect_left
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import ceil, exp, expm1, fsum, log
from typing import Any

import numpy as np

from dampen._validate import plain
from dampen.certified import ball
from dampen.entropy import Entropy
from dampen.errors import ParameterError
from dampen.mechanisms.numeric.base import AdditiveMechanism
from dampen.mechanisms.numeric.noises import LARGEST_SIMULATED, NoiseOnRungs
from dampen.mechanisms.numeric.rungs import MOST_RUNGS
from dampen.privacy import PrivacyLoss
from dampen.problem import NumericFrame, NumericProblem
from dampen.sampling.discrete_laplace import geometric
from dampen.sampling.exact import draw_weighted, uniform_below
from dampen.vectors import Floats, Integers

FAR_BITS = 40
"""Rungs are read until what lies beyond them weighs about 2^-40, unless there are too many."""
LARGEST_EPSILON = 600
"""Beyond this the weights of the law would underflow, and nobody asks."""


class LadderNoise(NoiseOnRungs):
    """A whole number K with P(K = k) proportional to exp(-rate * ring(|k|)).

    Ring 0 is {0}. Ring t holds the next ``rungs[t - 1]`` distances, and ``reach`` of them for every t beyond the rungs.
    """

    def draw(self, entropy: Entropy) -> int:
        """A ring by its exact weight, a place in it by a fair die, and a fair sign."""
        ring = draw_weighted(self._weights, entropy)
        if ring == 0:
            return 0
        if ring <= len(self.rungs):
            before, width = self.ends[ring - 1], self.rungs[ring - 1]
        else:
            before, width = self.ends[-1] + self.reach * geometric(self.rate, entropy), self.reach
        size = before + 1 + uniform_below(width, entropy)
        return -size if entropy.bits(1) else size

    def _weights(self, flint: Any) -> list[Any]:
        """The weights of ring 0, of rings 1, 2, ..., and of all rings beyond the rungs together."""
        # Far rings are a geometric series with one sum, so that no ring is cut off.
        rate, power = ball(flint, self.rate), flint.arb(1)
        ratio, weights = (-rate).exp(), [power]
        for rung in self.rungs:
            power *= ratio
            weights.append(2 * rung * power)
        return [*weights, -2 * self.reach * power * ratio / (-rate).expm1()]

    @cached_property
    def _shares(self) -> Floats:
        """The same weights in floats, divided by their sum."""
        rate, count = float(self.rate), len(self.rungs)
        widths = 2 * np.array(self.rungs, dtype=np.float64)
        far = -2 * float(self.reach) * exp(-rate * (count + 1)) / expm1(-rate)
        weights = np.concatenate([[1.0], widths * np.exp(-rate * np.arange(1, count + 1)), [far]])
        return np.asarray(weights / fsum(weights))

    def _rings(self, sizes: Any) -> Any:
        """The ring of each distance."""
        small = self.ends[-1] < 2**62 and sizes.dtype != object
        # Empty rings repeat an end: searching from the left finds the first ring that reaches the distance.
        near = np.searchsorted(np.array(self.ends, dtype=np.int64 if small else object), sizes)
        beyond = (sizes - self.ends[-1] + self.reach - 1) // self.reach
        return np.where(near <= len(self.rungs), near, len(self.rungs) + beyond)

    def log_probabilities(self, k: Any) -> Floats:
        """-rate * ring, less the logarithm of the sum of all weights."""
        rings = self._rings(np.abs(np.asarray(k))).astype(np.float64)
        return np.asarray(log(self._shares[0]) - float(self.rate) * rings)

    def log_tail(self, k: Any) -> Floats:
        """The rest of the ring of k, and all rings beyond."""
        sizes = np.asarray(k)
        return np.array([self._log_tail(int(size)) for size in sizes.ravel()]).reshape(sizes.shape)

    def _log_tail(self, size: int) -> float:
        """Ln P(|K| >= size): logarithms are taken relatively to the first ring that counts, which cannot underflow."""
        rate, last = float(self.rate), len(self.rungs)
        ring = bisect_left(self.ends, size)
        if ring > last:
            ring += (size - self.ends[-1] - 1) // self.reach
            rest = self.ends[-1] + (ring - last) * self.reach - size + 1
        else:
            rest = self.ends[ring] - size + 1
        following = np.array(self.rungs[ring:], dtype=np.float64)
        near = following @ np.exp(-rate * np.arange(1, len(following) + 1))
        far = -self.reach * exp(-rate * (max(last - ring, 0) + 1)) / expm1(-rate)
        return float(log(self._shares[0]) + log(2) - rate * ring + log(rest + near + far))

    def mean_size(self) -> float:
        """The middle of each ring times its share; rings beyond the rungs lie 1 / (exp(rate) - 1) rings further."""
        ends, rungs = np.array(self.ends, dtype=np.float64), np.array(self.rungs, dtype=np.float64)
        near = self._shares[1:-1] @ (ends[:-1] + (rungs + 1) / 2)
        far = ends[-1] + (self.reach + 1) / 2 + self.reach / float(np.expm1(float(self.rate)))
        return float(near + self._shares[-1] * far)

    def simulate(self, rng: np.random.Generator, size: int) -> Integers:
        """As the exact draw, in floats."""
        rings = rng.choice(len(self._shares), size, p=self._shares)
        beyond = np.floor(rng.exponential(1 / float(self.rate), size))
        before = np.array([0, *self.ends], dtype=np.float64)[rings]
        widths = np.array([0, *self.rungs, self.reach], dtype=np.float64)[rings]
        before += np.where(rings == len(self._shares) - 1, beyond * self.reach, 0.0)
        sizes = np.where(rings == 0, 0.0, before + 1 + np.floor(rng.random(size) * widths))
        signed = np.where(rng.random(size) < 0.5, -sizes, sizes)
        return np.asarray(np.clip(signed, -LARGEST_SIMULATED, LARGEST_SIMULATED), dtype=np.int64)


@dataclass(frozen=True, init=False, repr=False)
class Ladder(AdditiveMechanism):
    """An exponential mechanism on the grid that scores an answer by how many rungs away it is.

    Definition
    ----------
    With rungs I_0 <= I_1 <= ... of the data set, in grid steps, and end_t = I_0 + ... + I_(t-1), an answer at distance
    d of the value lies on ring t, the smallest t with d <= end_t. Every answer of ring t has probability proportional
    to exp(-epsilon t / 2). Rungs beyond a public number of them are taken to be the frame's reach.

    Guarantee
    ---------
    epsilon-differential privacy, with a bounded range of epsilon (docs/proofs/ladder.md): the ring of an answer moves
    by at most 1 between neighbours.

    Differs from the paper
    ----------------------
    Rungs may be 0: their rings are empty. The number of rungs read follows from reach and epsilon. The loss is of
    bounded range, which the paper does not say.

    Numerics
    --------
    The weights of rings are compared with random bits in certified arithmetic, places in a ring are fair dice, and the
    far rings are counted with coins of probability exp(-x). The law is the exact one at the full epsilon.

    Cost
    ----
    O(M) for M rungs, M about (4 ln reach + 28) / epsilon + (4 / epsilon) ln(1 / epsilon) and at most 2^16.

    Example
    -------
    >>> import numpy as np, dampen
    >>> frame = dampen.NumericFrame(bound=30, adjacency=dampen.Adjacency.EDGE)
    >>> ladder = dampen.sensitivity.RungTable([[7], [15], [27], [30]], bound=30)
    >>> problem = dampen.NumericProblem(frame, 3, ladder).as_public()
    >>> round(Ladder(5).expected_absolute_noise(problem), 2)
    3.73
    >>> bool(abs(Ladder(5).simulate(problem, np.random.default_rng(0), size=10_000).mean() - 3) < 0.3)
    True

    References
    ----------
    Zhang, Cormode, Procopiuc, Srivastava and Xiao, Private release of graph statistics using ladder functions, SIGMOD
    2015.
    """

    def privacy(self, frame: NumericFrame) -> PrivacyLoss:
        """Epsilon, of bounded range."""
        if self.epsilon > LARGEST_EPSILON:
            raise ParameterError(f"epsilon must be at most {LARGEST_EPSILON} for Ladder; got {plain(self.epsilon)}")
        return PrivacyLoss(self.epsilon, adjacency=frame.adjacency, unit=frame.unit, bounded_range=self.epsilon)

    def noise(self, problem: NumericProblem) -> LadderNoise:
        """Not private. The rings of this data set."""
        rungs = problem.rungs(self.rungs_read(problem.frame))
        return LadderNoise(rungs, problem.frame.reach, self.epsilon / 2)

    def rungs_read(self, frame: NumericFrame) -> int:
        """How many rungs are read: public.

        With q = exp(-epsilon / 2) the rings beyond M rungs weigh at most 2 reach q^M / (1 - q) and add at most about
        reach^2 M q^M / (1 - q)^2 to the mean distance; M makes that small, in whole numbers throughout.
        """
        bits = 2 * frame.reach.bit_length() + 2 * ceil(1 / self.epsilon).bit_length() + FAR_BITS
        return min(MOST_RUNGS, ceil(Fraction(7, 5) * bits / self.epsilon))
