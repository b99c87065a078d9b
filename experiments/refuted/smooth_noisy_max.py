"""Smooth noisy max exactly as published: two-sided noise, scaled by smooth sensitivity, claimed private.

The proof keeps the noise of the other candidates fixed while the data set changes, but all noises are rescaled at once.
With the parameters as printed the claim fails by a factor of three for two candidates already; with right
one-dimensional parameters it still fails for many candidates. ``dampen.mechanisms.ParetoNoisyMax`` is the repair.
"""

from abc import abstractmethod
from math import exp, sqrt

import numpy as np
from scipy import stats

from dampen import SelectionProblem
from dampen.vectors import Floats
from experiments.refuted.base import Evidence, Kind, RefutedMechanism
from experiments.refuted.exponential_smooth_sensitivity import winner_problem

NODES = 32
"""Gauss' nodes per panel."""
PANEL_STEPS = np.concatenate([[0.0], 2.0 ** np.arange(-16, 41)])
"""Where panels end on either side of a kink: they double, up to where even a cubic tail is below rounding."""


class SmoothNoisyMax(RefutedMechanism):
    """argmax of u_r + (2 S / alpha) Z_r with independent Z_r and the beta-smooth sensitivity S of the data."""

    alpha: float
    beta: float

    def __init__(self, epsilon: float) -> None:
        self.epsilon = epsilon

    @abstractmethod
    def density(self, z: Floats) -> Floats:
        """The density of the noise."""

    @abstractmethod
    def below(self, z: Floats) -> Floats:
        """The chance that the noise is below z."""

    def log_probabilities(self, problem: SelectionProblem) -> Floats:
        """P_r = integral of f(z) prod over s != r of F(z + v_r - v_s), v in units of the noise, by quadrature."""
        problem.require_public("log_probabilities")
        smooth = float(problem.sensitivity.smooth(self.beta).max())
        v = self.alpha * np.asarray(problem.utilities, dtype=np.float64) / (2 * smooth)
        _, firsts, places = np.unique(v, return_index=True, return_inverse=True)
        chances = np.log([self._chance(v[r] - np.delete(v, r)) for r in firsts])
        return np.asarray(chances[places])

    def _chance(self, leads: Floats) -> float:
        ends = [kink + side * PANEL_STEPS for kink in (0.0, *-leads) for side in (-1, 1)]
        z, weights = panels(np.unique(ends))
        return float((weights * self.density(z) * np.prod([self.below(z + lead) for lead in leads], axis=0)).sum())


def panels(ends: Floats) -> tuple[Floats, Floats]:
    """Gauss-Legendre nodes and weights on consecutive panels."""
    nodes, weights = np.polynomial.legendre.leggauss(NODES)
    half, middle = np.diff(ends)[:, None] / 2, ((ends[1:] + ends[:-1]) / 2)[:, None]
    return (middle + half * nodes).ravel(), (half * weights).ravel()


class SmoothNoisyMaxStudent(SmoothNoisyMax):
    """Student's t with nu degrees of freedom; alpha as printed does not contain epsilon at all."""

    evidence = Evidence(
        kind=Kind.LOSS,
        claim="epsilon-differentially private with alpha = 2 sqrt(nu) / (nu + 1) and beta = epsilon",
        source="Chaves 2024, Theorems 2.22 and 4.2, nu = 3: a winner that 4 or 5 votes would unseat",
        claimed_epsilon=1,
        problem_of=winner_problem,
        pair=((3, 0), (4, 0)),
    )

    def __init__(self, epsilon: float, nu: int = 3) -> None:
        super().__init__(epsilon)
        self.nu, self.alpha, self.beta = nu, 2 * sqrt(nu) / (nu + 1), epsilon

    @classmethod
    def as_claimed(cls) -> "SmoothNoisyMaxStudent":
        """With epsilon = 1 and nu = 3."""
        return cls(1)

    def density(self, z: Floats) -> Floats:
        """Of Student's t."""
        return np.asarray(stats.t.pdf(z, self.nu))

    def below(self, z: Floats) -> Floats:
        """Of Student's t."""
        return np.asarray(stats.t.cdf(z, self.nu))


class SmoothNoisyMaxLaplace(SmoothNoisyMax):
    """Laplace noise, whose dilation has no finite loss: a delta is needed, and a far larger one than is claimed."""

    evidence = Evidence(
        kind=Kind.LOSS,
        claim="(epsilon, 1e-6)-differentially private with alpha = epsilon / 2 and S = exp(-epsilon t0)",
        source="Chaves 2024, Theorem 4.2, with the sensitivity of its experiments: 3 or 4 votes unseat the winner",
        claimed_epsilon=1,
        claimed_delta=1e-6,
        problem_of=winner_problem,
        pair=((2, 0), (3, 0)),
    )

    def __init__(self, epsilon: float) -> None:
        super().__init__(epsilon)
        self.alpha, self.beta = epsilon / 2, epsilon

    @classmethod
    def as_claimed(cls) -> "SmoothNoisyMaxLaplace":
        """With epsilon = 1."""
        return cls(1)

    def density(self, z: Floats) -> Floats:
        """Of Laplace's law."""
        return np.asarray(np.exp(-np.abs(z)) / 2)

    def below(self, z: Floats) -> Floats:
        """Of Laplace's law."""
        tail = np.exp(-np.abs(z)) / 2
        return np.where(z < 0, tail, 1 - tail)


class SmoothNoisyMaxLaplaceLogNormal(SmoothNoisyMax):
    """Laplace noise times exp(sigma Y), Y normal: calibrated for concentrated privacy, claimed at face value."""

    evidence = Evidence(
        kind=Kind.LOSS,
        claim="(epsilon, 1e-6)-differentially private with alpha = exp(-3 sigma^2 / 2) (epsilon - beta / sigma)",
        source="Chaves 2024, Theorem 2.21 and Corollary 4.5, beta = epsilon: a winner that 7 or 8 votes would unseat",
        claimed_epsilon=1,
        claimed_delta=1e-6,
        problem_of=winner_problem,
        pair=((6, 0), (7, 0)),
    )

    def __init__(self, epsilon: float, sigma: float = 1.151) -> None:
        super().__init__(epsilon)
        self.alpha, self.beta = exp(-1.5 * sigma**2) * (epsilon - epsilon / sigma), epsilon
        y, weights = panels(np.arange(-10.0, 11.0, 2.0))
        self._shares, self._rates = weights * stats.norm.pdf(y), np.exp(-sigma * y)

    @classmethod
    def as_claimed(cls) -> "SmoothNoisyMaxLaplaceLogNormal":
        """With epsilon = 1 and sigma = 1.151; alpha is positive only for sigma above 1."""
        return cls(1)

    def density(self, z: Floats) -> Floats:
        """Laplace's density, averaged over the scale."""
        return np.asarray((self._rates * self._shares) @ np.exp(-np.abs(np.multiply.outer(self._rates, z))) / 2)

    def below(self, z: Floats) -> Floats:
        """Laplace's law, averaged over the scale."""
        tail = self._shares @ np.exp(-np.abs(np.multiply.outer(self._rates, z))) / 2
        return np.where(z < 0, tail, 1 - tail)
