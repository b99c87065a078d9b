"""Ordered top-k."""

from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from dampen._validate import flag, render, whole
from dampen.concentrated import rho_of_pure, rho_of_range
from dampen.entropy import Entropy
from dampen.errors import ParameterError
from dampen.mechanisms import laws
from dampen.mechanisms.selection.base import ExponentMechanism, UtilityMechanism
from dampen.mechanisms.selection.exponential import Exponential
from dampen.mechanisms.selection.ordered import OrderedMechanism
from dampen.mechanisms.selection.pairwise_dampening import PairwiseDampening
from dampen.mechanisms.selection.permute_and_flip import PermuteAndFlip
from dampen.mechanisms.selection.report_noisy_max import ReportNoisyMax
from dampen.mechanisms.selection.score import ScoreMechanism
from dampen.mechanisms.selection_errors import Law, SelectionAccuracy
from dampen.privacy import Accuracy, PrivacyLoss
from dampen.problem import Frame, SelectionProblem, count_candidates
from dampen.sampling.buckets import BucketSampler
from dampen.sampling.exponents import DEEPEST, Exponents
from dampen.sampling.flips import draw_by_flips
from dampen.sampling.race import ExponentialNoise, draw_first
from dampen.vectors import Floats, Integers


@dataclass(frozen=True, init=False, repr=False)
class TopK(OrderedMechanism):
    """The k best candidates, best first.

    Definition
    ----------
    With a base of the exponential type: k picks of the base, each from the candidates not yet picked, which is the same
    as adding Gumbel noise once and naming the k largest: the peeled and the one-shot form have one law. With a base of
    the permute-and-flip type there are two: in one shot, the default, add standard exponential noise once and name the
    k largest; ``peeled``, pick k times, with new coins each time.

    Guarantee
    ---------
    k times the base's epsilon, which is the price of each pick (docs/proofs/top_k.md). No bounded range is claimed: the
    joint law of k picks does not have it. k picks of the base also have k times its rho; exponential noise in one shot
    is no k picks and does not, so that there rho follows from k times epsilon alone.

    Differs from the paper
    ----------------------
    The dampening paper peels. One-shot exponential noise is not k permute-and-flips in a row, but costs the same, is
    proved on its own and nearly always finds better lists. Exponents end at 1024 below the k-th best, not below the
    best.

    Numerics
    --------
    As the base's; with exponential noise bits are revealed until the first k places are certain.

    Cost
    ----
    O(k n) with exponential bases and where peeled, O(n) in one shot. The law has n! / (n - k)! entries and is refused
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
    peeled: bool

    largest_law: ClassVar[int] = 10**6

    def __init__(self, k: int, base: ExponentMechanism, *, peeled: bool = False) -> None:
        if not isinstance(base, ExponentMechanism) or one_shot_noise(base) is None:
            raise ParameterError(f"base must be of the exponential or permute-and-flip type; got {render(base)}")
        super().__init__(base.epsilon)
        object.__setattr__(self, "k", whole(k=k, least=1))
        object.__setattr__(self, "base", base)
        object.__setattr__(self, "peeled", flag(peeled=peeled))

    def privacy(self, frame: Frame) -> PrivacyLoss:
        """K times the base's epsilon and, where k picks are what is drawn, k times its rho."""
        self._require_fitting(frame)
        single, rho = self.base.privacy(frame), None
        if not self._in_one_shot:
            eta = single.bounded_range
            rho = self.k * (rho_of_pure(self.epsilon) if eta is None else rho_of_range(eta))
        return replace(single, epsilon=self.k * self.epsilon, bounded_range=None, rho=rho)

    def accuracy(self, frame: Frame) -> Accuracy:
        """That of the worst utilities, where the base scores by them.

        Utilities that are floats are not told apart more than 2^27 bounds below the best: of those it says nothing.
        """
        if not isinstance(self.base, UtilityMechanism):
            return super().accuracy(frame)
        law: Law = "one_shot" if self._in_one_shot else "permute_and_flip" if self._flips else "exponential"
        size = count_candidates(frame.candidates)
        return SelectionAccuracy(law, size, self.base._rate(frame), self.epsilon, places=self.k)

    def log_probabilities(self, problem: SelectionProblem) -> Floats:
        """Not private. Ln P of every ordered k-tuple, as ``outcomes`` lists them."""
        self.privacy(problem.frame)
        self._require_plain(problem)
        self._require_writable(len(problem.groups))
        exponents = self._exponents(problem)
        x = exponents.approximate()
        if self._in_one_shot:
            return laws.ordered_exponential(x, self.k)
        pick = laws.permute_and_flip if self._flips else laws.softmax
        return laws.picks_in_turn(pick, x, self.k, float(DEEPEST // exponents.unit * exponents.unit))

    def simulate(self, problem: SelectionProblem, rng: np.random.Generator, size: int) -> Integers:
        """Indices of candidates, one row of k for each of ``size`` draws; seeded, free, for public problems only."""
        problem.require_public("simulate")
        self._require_plain(problem)
        x = self._exponents(problem).approximate()
        if self._flips and self.peeled:
            return np.array([_peel(x, self.k, rng) for _ in range(whole(size=size, least=0))]).reshape(-1, self.k)
        noise = rng.standard_exponential if self._flips else rng.gumbel
        return self._rows(lambda: x - noise(size=len(x)), size)

    @property
    def _flips(self) -> bool:
        """Whether the base is of the permute-and-flip type, not of the exponential one."""
        return one_shot_noise(self.base) == "exponential"

    @property
    def _in_one_shot(self) -> bool:
        return self._flips and not self.peeled

    def _exponents(self, problem: SelectionProblem) -> Exponents:
        return self.base.exponents(problem).cap_below(self.k)

    def draw(self, problem: SelectionProblem, source: Entropy) -> tuple[int, ...]:
        """An exact draw: the indices of the k best, in order. Nobody has paid for it here."""
        exponents = self._exponents(problem)
        if self._in_one_shot:
            return tuple(draw_first(exponents, ExponentialNoise(), self.k, source))
        units = exponents.units().astype(np.int64)
        left, chosen = np.arange(len(units)), []
        for _ in range(self.k):
            rest = Exponents.of_whole(-units[left], exponents.unit)
            place = draw_by_flips(rest, source) if self._flips else BucketSampler(rest).draw(source)[0]
            chosen.append(int(left[place]))
            left = np.delete(left, place)
        return tuple(chosen)

    def __repr__(self) -> str:
        peeled = ", peeled=True" if self.peeled else ""
        return f"TopK(k={self.k}, base={self.base!r}{peeled})"


def _peel(x: Floats, k: int, rng: np.random.Generator) -> list[int]:
    """K times the largest of exponential noise - x, the noise drawn anew each time."""
    left, chosen = x.copy(), []
    for _ in range(k):
        behind = left - rng.standard_exponential(size=len(x))
        chosen.append(int(behind.argmin()))
        left[chosen[-1]] = np.inf
    return chosen


def one_shot_noise(base: ExponentMechanism, *, clipped: bool = False) -> str | None:
    """The noise whose largest sums are the base's law: Gumbel or exponential; ``None`` where it is neither.

    Pairwise dampening's clipped score is left out unless asked for: its better rate is proved for one pick only.
    """
    law: type[ExponentMechanism] = type(base)
    if isinstance(base, PairwiseDampening) and base.score == "clipped" and not clipped:
        return None
    if isinstance(base, ReportNoisyMax):
        return {"gumbel": "gumbel", "exponential": "exponential"}.get(base.noise)
    if isinstance(base, ScoreMechanism):
        law = base.law
    if law is Exponential:
        return "gumbel"
    return "exponential" if law is PermuteAndFlip else None
