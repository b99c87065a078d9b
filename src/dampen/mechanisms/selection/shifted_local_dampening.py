"""Shifted local dampening."""

from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

import numpy as np

from dampen._validate import Number, one_of, whole
from dampen.errors import ParameterError
from dampen.mechanisms.selection.permute_and_flip import PermuteAndFlip
from dampen.mechanisms.selection.score import Law, ScoreMechanism
from dampen.problem import Frame, SelectionProblem
from dampen.sensitivity.base import LARGEST_GAP
from dampen.vectors import Floats

Direction = Literal["up", "down"]


@dataclass(frozen=True, init=False, repr=False)
class ShiftedLocalDampening(ScoreMechanism):
    """Dampening as the level goes to infinity: the utility, corrected by how far the rungs stay below the bound.

    Definition
    ----------
    With T = ``horizon`` and G the bound, the score is u + sum over t < T of (s(t) - G) for ``direction="up"``, and
    u - that sum for ``"down"``, less the best u; it is drawn by ``law`` with exponents epsilon * score / (2 G). "up"
    favours candidates of large sensitivity, "down" those of small; with T = 0 it is the classical law.

    Guarantee
    ---------
    epsilon-differential privacy for every admissible sensitivity function and every public T
    (docs/proofs/shifted_local_dampening.md); with the exponential law also bounded range epsilon. ``monotone`` is
    ignored.

    Differs from the paper
    ----------------------
    The limit is computed in closed form. Beyond T the bound holds for every candidate: with each candidate's own bound
    the limit does not exist. The direction is a public choice. Permute-and-flip is the default law; exponents are
    rounded to the lattice, which a share of 2^-20 of epsilon pays for.

    Numerics
    --------
    Sums stop where the sensitivity function is saturated, so nothing large cancels.

    Cost
    ----
    O(n T) for a table of T rows; O(n) for closed forms.

    Example
    -------
    >>> import numpy as np, dampen
    >>> from dampen.sensitivity import RungTable
    >>> frame = dampen.Frame(("tea", "coffee"), bound=10, adjacency=dampen.Adjacency.ADD_REMOVE)
    >>> problem = dampen.SelectionProblem(frame, [7, 5], RungTable([[4, 1], [8, 3]], bound=10)).as_public()
    >>> ShiftedLocalDampening(epsilon=1, horizon=2).scores(problem).tolist()
    [-8.0, -18.0]
    >>> picks = ShiftedLocalDampening(epsilon=1, horizon=2).simulate(problem, np.random.default_rng(0), size=1000)
    >>> int((picks == 0).sum()) > 600
    True

    References
    ----------
    Farias, Brito, Flynn, Machado, Majumdar and Srivastava, Local dampening: differential privacy for non-numeric
    queries via local sensitivity, VLDB Journal 2023.
    """

    horizon: int
    direction: Direction

    def __init__(self, epsilon: Number, horizon: int, direction: Direction = "up", law: Law = PermuteAndFlip) -> None:
        super().__init__(epsilon, law)
        object.__setattr__(self, "horizon", whole(horizon=horizon, least=0))
        object.__setattr__(self, "direction", one_of(("up", "down"), direction=direction))

    def _rate(self, frame: Frame) -> Fraction:
        if frame.bound is None:
            raise ParameterError("ShiftedLocalDampening needs a frame with a finite bound; this one has bound=None")
        return self.epsilon / (2 * frame.bound)

    def _group_scores(self, problem: SelectionProblem) -> Floats:
        sensitivity = problem.sensitivity
        saturation = self.horizon if sensitivity.saturation is None else sensitivity.saturation
        steps = min(self.horizon, saturation)
        below = sensitivity.cumulative(steps) - float(steps * (sensitivity.bound or 0))
        with np.errstate(over="ignore"):
            behind = np.asarray(problem.groups - problem.groups.max(), dtype=np.float64)
        behind = np.maximum(behind, -LARGEST_GAP)
        return behind + below if self.direction == "up" else behind - below
