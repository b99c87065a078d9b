"""Ordered top-k where one step moves few scores much."""

from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from dampen._validate import Number, non_negative, positive, whole
from dampen.entropy import Entropy
from dampen.errors import ParameterError
from dampen.mechanisms.laws import ordered_laplace
from dampen.mechanisms.selection.ordered import OrderedMechanism
from dampen.mechanisms.selection_errors import SelectionAccuracy
from dampen.privacy import PrivacyLoss
from dampen.problem import Frame, SelectionProblem, count_candidates
from dampen.sampling.exponents import Exponents
from dampen.sampling.race import LaplaceNoise, draw_first
from dampen.vectors import Floats, Integers


@dataclass(frozen=True, init=False, repr=False)
class LaplaceTopK(OrderedMechanism):
    """The k best candidates, best first, at a price that hardly grows with k: for steps that move few scores much.

    Definition
    ----------
    The k largest of u_r + Laplace(w / epsilon), in order. Without a promise w is k times the range in which one step
    moves the utilities: the bound in a monotone frame, twice the bound in any other. With one it is
    movers * bound + k * drift, or l1, where that is less.

    Guarantee
    ---------
    epsilon-differential privacy for the whole ordered list (docs/proofs/laplace_top_k.md). ``movers`` and ``drift`` are
    a promise about the query, never made by default: one step moves at most ``movers`` utilities by up to the bound in
    any direction, and all others within one interval of length ``drift`` that holds 0, which lies below 0 for one order
    of two neighbours if it lies above for the other. One edge moves two degrees and nothing else: ``movers=2``. ``l1``
    is another such promise: one step moves all utilities together by at most so much, in sum.

    Differs from the paper
    ----------------------
    One-shot Laplace noise is published with a scale that grows with k, for utilities that may all move. The promise
    and its price are ours. Utilities must be whole numbers.

    Numerics
    --------
    No noise is ever a float: uniform numbers are revealed bit by bit until the first k places are certain. No
    exponent is cut: a level below the k-th best would move many scores at once. The law is computed by Gauss' rule to
    within 1e-12.

    Cost
    ----
    O(n). The law has n! / (n - k)! entries and is refused beyond 1e5.

    Example
    -------
    >>> import numpy as np, dampen
    >>> frame = dampen.Frame(("a", "b", "c", "d"), bound=1, adjacency=dampen.Adjacency.EDGE, monotone=True)
    >>> problem = dampen.SelectionProblem(frame, [99, 93, 80, 80]).as_public()
    >>> top = LaplaceTopK(2, epsilon=1, movers=2)
    >>> float(top.privacy(frame).epsilon), float(top.width(frame))
    (1.0, 2.0)
    >>> law = dict(zip(top.outcomes(frame), np.exp(top.log_probabilities(problem)).round(3).tolist()))
    >>> law["a", "b"], law["b", "a"]
    (0.932, 0.062)
    >>> top.simulate(problem, np.random.default_rng(0), size=3).shape
    (3, 2)

    References
    ----------
    Qiao, Su and Zhang, Oneshot differentially private top-k selection, ICML 2021. Dwork and Roth, The algorithmic
    foundations of differential privacy, 2014, section 3.3.
    """

    movers: int | None
    drift: Fraction
    l1: Fraction | None

    def __init__(
        self, k: int, epsilon: Number, movers: int | None = None, drift: Number = 0, l1: Number | None = None
    ) -> None:
        super().__init__(epsilon)
        object.__setattr__(self, "k", whole(k=k, least=1))
        object.__setattr__(self, "movers", None if movers is None else whole(movers=movers, least=1))
        object.__setattr__(self, "drift", non_negative(drift=drift))
        object.__setattr__(self, "l1", None if l1 is None else positive(l1=l1))

    def privacy(self, frame: Frame) -> PrivacyLoss:
        """Epsilon, for every frame with a finite bound."""
        self._require_fitting(frame)
        self.width(frame)
        return PrivacyLoss(self.epsilon, adjacency=frame.adjacency, unit=frame.unit)

    def width(self, frame: Frame) -> Fraction:
        """w: the noise has scale w / epsilon."""
        if frame.bound is None:
            raise ParameterError("LaplaceTopK needs a frame with a finite bound; this one has bound=None")
        widths = [self.k * (frame.bound if frame.monotone else 2 * frame.bound)]
        if self.movers is not None:
            widths.append(self.movers * frame.bound + self.k * self.drift)
        return min(widths if self.l1 is None else [*widths, self.l1])

    def accuracy(self, frame: Frame) -> SelectionAccuracy:
        """That of the worst utilities, which are whole numbers."""
        rate, size = self.epsilon / self.width(frame), count_candidates(frame.candidates)
        return SelectionAccuracy("laplace", size, rate, self.epsilon, step=Fraction(1), places=self.k)

    def log_probabilities(self, problem: SelectionProblem) -> Floats:
        """Not private. Ln P of every ordered k-tuple, as ``outcomes`` lists them."""
        self._require_writable(len(problem.groups))
        return ordered_laplace(self.exponents(problem).approximate(), self.k)

    def simulate(self, problem: SelectionProblem, rng: np.random.Generator, size: int) -> Integers:
        """Indices of candidates, one row of k for each of ``size`` draws; seeded, free, for public problems only."""
        problem.require_public("simulate")
        x = self.exponents(problem).approximate()
        return self._rows(lambda: x - rng.laplace(size=len(x)), size)

    def exponents(self, problem: SelectionProblem) -> Exponents:
        """Not private. Whole utilities times the rate, exactly, however far below the best."""
        self.privacy(problem.frame)
        self._require_plain(problem)
        rate = self.epsilon / self.width(problem.frame)
        return Exponents(problem.groups, rate, units_per_score=None, sizes=None, capped=False)

    def draw(self, problem: SelectionProblem, source: Entropy) -> tuple[int, ...]:
        """An exact draw: the indices of the k best, in order. Nobody has paid for it here."""
        return tuple(draw_first(self.exponents(problem), LaplaceNoise(), self.k, source))

    def _require_plain(self, problem: SelectionProblem) -> None:
        super()._require_plain(problem)
        if not problem.integral:
            raise ParameterError("LaplaceTopK needs whole utilities: multiply and round them on a public grid first")
