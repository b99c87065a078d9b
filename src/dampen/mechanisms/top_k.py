"""Ordered top-k."""

from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from dampen import laws
from dampen._validate import whole
from dampen.errors import ParameterError
from dampen.mechanisms.base import ExponentMechanism
from dampen.mechanisms.exponential import Exponential
from dampen.mechanisms.ordered import OrderedMechanism
from dampen.mechanisms.pairwise_dampening import PairwiseDampening
from dampen.mechanisms.permute_and_flip import PermuteAndFlip
from dampen.mechanisms.report_noisy_max import ReportNoisyMax
from dampen.mechanisms.scored import ScoredMechanism
from dampen.privacy import PrivacyLoss
from dampen.problem import Frame, SelectionProblem
from dampen.sampling.buckets import BucketSampler
from dampen.sampling.entropy import Entropy
from dampen.sampling.exponents import DEEPEST, Exponents
from dampen.sampling.race import ExponentialNoise, draw_first
from dampen.vectors import Floats, Integers


@dataclass(frozen=True, init=False, repr=False)
class TopK(OrderedMechanism):
    """The k best candidates, best first.

    Definition
    ----------
    With a base of the exponential type: k picks of the base, each from the candidates not yet picked, which is the same
    as adding Gumbel noise once and naming the k largest. With a base of the permute-and-flip type: add standard
    exponential noise once and name the k largest.

    Guarantee
    ---------
    k times the base's epsilon, which is the price of each pick (docs/proofs/top_k.md). No bounded range is claimed: the
    joint law of k picks does not have it.

    Differs from the paper
    ----------------------
    One-shot exponential noise is not k permute-and-flips in a row, but costs the same and is proved on its own. Its
    exponents are raised to one level below the k-th best, not below the best.

    Numerics
    --------
    As the base's; with exponential noise bits are revealed until the first k places are certain.

    Cost
    ----
    O(k n) with exponential bases, O(n) with permute-and-flip bases. The law has n! / (n - k)! entries and is refused
    beyond a million.

    Example
    -------
    >>> import numpy as np, dampen
    >>> from dampen.mechanisms import Exponential
    >>> frame = dampen.Frame(("tea", "coffee", "milk"), bound=1, adjacency=dampen.Adjacency.ADD_REMOVE, monotone=True)
    >>> problem = dampen.SelectionProblem(frame, [9, 7, 0]).as_public()
    >>> top = TopK(2, Exponential(epsilon=1))
    >>> float(top.privacy(frame).epsilon)
    2.0
    >>> law = dict(zip(top.outcomes(frame), np.exp(top.log_probabilities(problem)).round(3).tolist()))
    >>> law["tea", "coffee"], law["coffee", "tea"]
    (0.88, 0.119)
    >>> top.simulate(problem, np.random.default_rng(0), size=3).shape
    (3, 2)

    References
    ----------
    Durfee and Rogers, Practical differentially private top-k selection with pay-what-you-get composition, NeurIPS 2019.
    """

    base: ExponentMechanism

    largest_law: ClassVar[int] = 10**6

    def __init__(self, k: int, base: ExponentMechanism) -> None:
        if not isinstance(base, ExponentMechanism) or one_shot_noise(base) is None:
            raise ParameterError(f"base must be of the exponential or permute-and-flip type; got {str(base)[:80]}")
        super().__init__(base.epsilon)
        object.__setattr__(self, "k", whole(k=k, least=1))
        object.__setattr__(self, "base", base)

    def privacy(self, frame: Frame) -> PrivacyLoss:
        """K times the base's epsilon."""
        self._require_fitting(frame)
        single = self.base.privacy(frame)
        return replace(single, epsilon=self.k * single.epsilon, bounded_range=None)

    def log_probabilities(self, problem: SelectionProblem) -> Floats:
        """Not private. Ln P of every ordered k-tuple, as ``outcomes`` lists them."""
        self.privacy(problem.frame)
        self._require_plain(problem)
        self._require_writable(len(problem.groups))
        exponents = self._exponents(problem)
        x = exponents.approximate()
        if one_shot_noise(self.base) == "exponential":
            return laws.ordered_exponential(x, self.k)
        return laws.peeled_softmax(x, self.k, float(DEEPEST // exponents.unit * exponents.unit))

    def simulate(self, problem: SelectionProblem, rng: np.random.Generator, size: int) -> Integers:
        """Indices of candidates, one row of k for each of ``size`` draws; seeded, free, for public problems only."""
        problem.require_public("simulate")
        self._require_plain(problem)
        x = self._exponents(problem).approximate()
        shape = (whole(size=size, least=0), len(x))
        noise = rng.gumbel(size=shape) if one_shot_noise(self.base) == "gumbel" else rng.exponential(size=shape)
        return np.argsort(x - noise, axis=1)[:, : self.k].astype(np.int64)

    def _exponents(self, problem: SelectionProblem) -> Exponents:
        return self.base.exponents(problem).keeping(self.k)

    def first(self, problem: SelectionProblem, source: Entropy) -> list[int]:
        """An exact draw: the indices of the k best, in order. Nobody has paid for it here."""
        exponents = self._exponents(problem)
        if one_shot_noise(self.base) == "exponential":
            return draw_first(exponents, ExponentialNoise(), self.k, source)
        units = exponents.units().astype(np.int64)
        left, chosen = np.arange(len(units)), []
        for _ in range(self.k):
            rest = Exponents.of_whole(-units[left], exponents.unit)
            place = BucketSampler(rest).draw(source)[0]
            chosen.append(int(left[place]))
            left = np.delete(left, place)
        return chosen

    def __repr__(self) -> str:
        return f"TopK(k={self.k}, base={self.base!r})"


def one_shot_noise(base: ExponentMechanism, *, clipped: bool = False) -> str | None:
    """The noise whose largest sums are the base's law: Gumbel or exponential; ``None`` where it is neither.

    Pairwise dampening's clipped score is left out unless asked for: its better rate is proved for one pick only.
    """
    law: type[ExponentMechanism] = type(base)
    if isinstance(base, PairwiseDampening) and base.score == "clipped" and not clipped:
        return None
    if isinstance(base, ReportNoisyMax):
        return {"gumbel": "gumbel", "exponential": "exponential"}.get(base.noise)
    if isinstance(base, ScoredMechanism):
        law = base.law
    if law is Exponential:
        return "gumbel"
    return "exponential" if law is PermuteAndFlip else None
