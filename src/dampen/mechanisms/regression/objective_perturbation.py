"""Coefficients of a logistic model, made private by noise in the gradient of what is minimised."""

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np

from dampen._validate import Number, positive, whole
from dampen.entropy import Entropy
from dampen.mechanisms.base import Mechanism
from dampen.mechanisms.regression.calibration import Calibration, calibrate
from dampen.privacy import ListRelease, PrivacyLoss, PrivateAccuracy
from dampen.problem import LogisticFrame, LogisticProblem
from dampen.sampling.discrete_laplace import add_within, discrete_laplace_batch
from dampen.sampling.norm_noise import box_point, laplace_steps
from dampen.vectors import Floats, Integers

if TYPE_CHECKING:
    from dampen.mechanisms.regression.certificate import Point

RIDGES = Fraction(3), Fraction(8)
"""How many times u W / (w epsilon) the ridges are, for two and for more classes, where nobody says otherwise."""
FARTHEST = 2**61
"""Coefficients of more steps of the grid count as this."""


@dataclass(frozen=True, init=False, repr=False)
class ObjectivePerturbation(Mechanism[LogisticFrame, LogisticProblem, ListRelease]):
    """The coefficients that minimise a capped logistic loss plus ridges plus a random linear term.

    Definition
    ----------
    theta minimises sum of losses + 1/2 theta' Lambda theta + <b, theta>. The loss of a record is the usual log loss
    while the class has a probability of at least 1/2, and goes on straight beyond, so that slopes are at most u = 1/2
    (two classes) or 1 in sum. The noise b has a density proportional to exp(-e1 N(b)), where N(b) = (sum over groups of
    w |b_g| + 2 w_columns max over columns of |b_j|) / (u W), all 1-norms, is at most 1 for the slopes of any record.

    Guarantee
    ---------
    epsilon-differential privacy (docs/proofs/objective_perturbation.md), for the minimum that a computer finds: a
    hundredth of epsilon hides how far it is from the true one.

    Differs from the paper
    ----------------------
    The loss is capped; the noise is fitted to indicators and columns; neither the minimum nor the noise need be exact.

    Numerics
    --------
    Noise from whole numbers, within a proved distance of its real law. The length of the gradient is certified in whole
    numbers; where floats do not get there, steps of ball arithmetic at growing precision do. Coefficients are on a
    public lattice. How long it takes depends on the data.

    Cost
    ----
    About ten passes over the records, and as many systems of linear equations.

    Example
    -------
    >>> import numpy as np, dampen
    >>> from dampen.problem import LogisticFrame, LogisticProblem
    >>> frame = LogisticFrame([2], columns=1, classes=2, adjacency=dampen.Adjacency.ADD_REMOVE)
    >>> problem = LogisticProblem(frame, [[0]] * 500 + [[1]] * 500, [0] * 500 + [1] * 500).as_public()
    >>> made = ObjectivePerturbation(1).simulate(problem, np.random.default_rng(0), size=3)
    >>> made.shape, bool((made[:, 0] < made[:, 1]).all())
    ((3, 3), True)

    References
    ----------
    Chaudhuri, Monteleoni and Sarwate, Differentially private empirical risk minimization, JMLR 2011. Kifer, Smith and
    Thakurta, Private convex empirical risk minimization, COLT 2012. Hardt and Talwar, On the geometry of differential
    privacy, STOC 2010.
    """

    takes = LogisticProblem
    ridge: Fraction | None

    def __init__(self, epsilon: Number, ridge: Number | None = None) -> None:
        super().__init__(epsilon)
        object.__setattr__(self, "ridge", None if ridge is None else positive(ridge=ridge))

    def calibration(self, frame: LogisticFrame) -> Calibration:
        """All numbers of a release in this frame. Public."""
        return calibrate(frame, self.epsilon, RIDGES[frame.classes > 2] if self.ridge is None else self.ridge)

    def privacy(self, frame: LogisticFrame) -> PrivacyLoss:
        """Epsilon."""
        self.calibration(frame)
        return PrivacyLoss(self.epsilon, adjacency=frame.adjacency, unit=frame.unit)

    def draw(self, problem: LogisticProblem, source: Entropy) -> Integers:
        """Coefficients in steps of the calibration's grid. Nobody has paid for them here."""
        frame, numbers = problem.frame, self.calibration(problem.frame)
        noise = draw_noise(frame, numbers, source)
        found = on_grid(_minimum(problem, numbers, noise), numbers.grid)
        return add_within(found, discrete_laplace_batch(numbers.last_rate, frame.size, source))

    def answer(self, frame: LogisticFrame, drawn: Integers) -> tuple[float, ...]:
        """The coefficients, the scores of one feature side by side."""
        return tuple((drawn * float(self.calibration(frame).grid)).tolist())

    def accuracy(self, frame: LogisticFrame) -> PrivateAccuracy:
        """None: how far coefficients move depends on the records."""
        return PrivateAccuracy("how far noise moves the coefficients depends on the records, and is private")

    def simulate(self, problem: LogisticProblem, rng: np.random.Generator, size: int) -> Floats:
        """Rows of coefficients drawn by a seeded generator: free, for public problems only."""
        problem.require_public("simulate")
        numbers = self.calibration(problem.frame)
        count, made = whole(size=size, least=0), np.zeros((size, problem.frame.size))
        for row in range(count):
            noise = simulate_noise(problem.frame, numbers, rng)
            found = _minimum(problem, numbers, noise)
            made[row] = np.array(found.entries, dtype=np.float64).ravel() * 2.0**-found.bits
        return made


def draw_noise(frame: LogisticFrame, numbers: Calibration, source: Entropy) -> list[int]:
    """The noise of all coefficients in steps, within the calibration's distance of its real law."""
    scale, drawn = frame.reach * frame.total_weight / numbers.rate, list[int]()
    for size, weight in zip(frame.groups, frame.weights, strict=True):
        drawn += laplace_steps(2 * numbers.step * weight / scale, size * frame.scores, source)
    radius, half = scale / (2 * frame.column_weight), numbers.noise_distance / 2
    return drawn + box_point(radius, frame.columns, frame.scores, half, numbers.step, source)


def _minimum(problem: LogisticProblem, numbers: Calibration, noise: list[int]) -> "Point":
    # Loaded here: compiled loops take their time to load, and most releases need none.
    from dampen.mechanisms.regression.minimum import find_minimum
    from dampen.mechanisms.regression.objective import Objective

    return find_minimum(Objective(problem, numbers, noise))


def on_grid(point: "Point", grid: Fraction) -> Integers:
    """Every coefficient at the nearest step of the grid, at most FARTHEST away."""
    unit = Fraction(1, 1 << point.bits) / grid
    flat = [entry for row in point.entries for entry in row]
    nearest = [(2 * entry * unit.numerator + unit.denominator) // (2 * unit.denominator) for entry in flat]
    return np.array([max(-FARTHEST, min(FARTHEST, entry)) for entry in nearest], dtype=np.int64)


def simulate_noise(frame: LogisticFrame, numbers: Calibration, rng: np.random.Generator) -> list[int]:
    """The same law in floats, by a seeded generator."""
    scale, parts = float(frame.reach * frame.total_weight / numbers.rate), list[Any]()
    for size, weight in zip(frame.groups, frame.weights, strict=True):
        parts.append(rng.laplace(scale=scale / float(weight), size=size * frame.scores))
    radius = rng.gamma(frame.columns * frame.scores + 1) * scale / (2 * float(frame.column_weight))
    ends = np.sort(rng.random((frame.columns, frame.scores)), axis=1)
    gaps = np.diff(ends, axis=1, prepend=0.0) * rng.choice([-1.0, 1.0], size=ends.shape)
    noise = np.concatenate([*parts, radius * gaps.ravel()])
    return [int(entry) for entry in np.rint(noise / float(numbers.step))]
