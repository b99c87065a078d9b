"""Local dampening."""

from dataclasses import dataclass
from fractions import Fraction

from dampen._validate import Number, exact
from dampen.mechanisms.selection.permute_and_flip import PermuteAndFlip
from dampen.mechanisms.selection.score import Law, ScoreMechanism
from dampen.problem import Frame, SelectionProblem
from dampen.vectors import Floats


@dataclass(frozen=True, init=False, repr=False)
class LocalDampening(ScoreMechanism):
    """Score a candidate by how many people would have to change to move its utility to a public level.

    Definition
    ----------
    The score is D(u - shift), the inverse of the summed rungs of the sensitivity function, odd and 0 at 0; it is drawn
    by ``law`` with exponents epsilon * D / 2.

    Guarantee
    ---------
    epsilon-differential privacy for every admissible sensitivity function, with or without a finite bound
    (docs/proofs/local_dampening.md); with the exponential law also bounded range epsilon. The frame's ``monotone`` is
    ignored: dampened scores of a monotone utility need not move in one direction.

    Differs from the paper
    ----------------------
    Admissibility is required between neighbours, not along one data set. Rungs are never read below a public positive
    floor, so plateaus have one answer, D(0) = 0. Permute-and-flip is the default law. D is clipped to 2^28 in size,
    and exponents are rounded to the lattice, which a share of 2^-20 of epsilon pays for.

    Numerics
    --------
    D is within 2^-25 of exact: in floats where that is certain, else in fractions.

    Cost
    ----
    O(n T) for a table of T rows; O(n log T) for closed forms.

    Example
    -------
    >>> import numpy as np, dampen
    >>> from dampen.sensitivity import RungTable
    >>> frame = dampen.Frame(("tea", "coffee"), bound=10, adjacency=dampen.Adjacency.ADD_REMOVE)
    >>> rungs = RungTable([[1, 2], [2, 3]], bound=10)
    >>> problem = dampen.SelectionProblem(frame, [7, 5], rungs).as_public()
    >>> LocalDampening(epsilon=1).scores(problem).tolist()
    [2.4, 2.0]
    >>> picks = LocalDampening(epsilon=1).simulate(problem, np.random.default_rng(0), size=1000)
    >>> int((picks == 0).sum()) > 450
    True

    References
    ----------
    Farias, Brito, Flynn, Machado, Majumdar and Srivastava, Local dampening: differential privacy for non-numeric
    queries via local sensitivity, VLDB Journal 2023.
    """

    shift: Fraction

    def __init__(self, epsilon: Number, law: Law = PermuteAndFlip, shift: Number = 0) -> None:
        super().__init__(epsilon, law)
        object.__setattr__(self, "shift", exact(shift=shift))

    def _rate(self, frame: Frame) -> Fraction:
        return self.epsilon / 2

    def _group_scores(self, problem: SelectionProblem) -> Floats:
        return problem.sensitivity.inverse(problem.groups, self.shift)
