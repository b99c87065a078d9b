"""The objective in floats: what the fast search for its minimum looks at. Whether it was found, others certify."""

from typing import Any

import numpy as np

from dampen.mechanisms.regression import kernels
from dampen.mechanisms.regression.calibration import Calibration
from dampen.mechanisms.regression.layout import Layout
from dampen.problem import LogisticProblem
from dampen.vectors import Floats

LARGEST = 2**900
"""Noise of more steps is cut off in floats, which find no minimum then."""


class Objective:
    """Losses of all records + ridges + <noise, coefficients>. Not private.

    ``noise``: whole numbers of the calibration's step, one for each coefficient.
    """

    def __init__(self, problem: LogisticProblem, numbers: Calibration, noise: list[int]) -> None:
        self.problem, self.numbers, self.noise = problem, numbers, noise
        self.layout, frame = Layout(problem.frame), problem.frame
        self.shape = frame.features, frame.scores
        self.places = self.layout.places(problem)
        self.targets = problem.targets.astype(np.int64)
        sizes = [*frame.groups, frame.columns]
        self.ridges = np.repeat(np.arange(len(sizes)), sizes)
        each = np.array([float(ridge) for ridge in (*numbers.ridges, numbers.column_ridge)])
        self._ridge = each[self.ridges][:, None]
        within = [max(-LARGEST, min(LARGEST, entry)) for entry in noise]
        self._noise = np.array([float(numbers.step * entry) for entry in within]).reshape(self.shape)
        self._weights = problem.weights / problem.vote
        self._signs = 2.0 * self.targets - 1.0

    @property
    def binary(self) -> bool:
        """Whether there is one score for two classes."""
        return self.shape[1] == 1

    def value(self, theta: Floats) -> tuple[float, Floats]:
        """The objective and its gradient, near enough."""
        table, constant = self._points(theta)
        slopes = np.zeros_like(table)
        if self.binary:
            loss, sums = kernels.binary_sums(
                self.places, self._signs, self._weights, table[:, 0], float(constant[0]), slopes[:, 0]
            )
            whole = np.array([sums])
        else:
            whole = np.zeros(self.shape[1])
            loss = kernels.class_sums(self.places, self.targets, self._weights, table, constant, slopes, whole)
        pulled = self._ridge * theta
        gradient = self.layout.double_coefficients(slopes, whole) / 2 + pulled + self._noise
        return float(loss + (theta * (pulled / 2 + self._noise)).sum()), gradient

    def curvatures(self, theta: Floats) -> Floats:
        """Second derivatives as a matrix, for one score."""
        table, constant = self._points(theta)
        curved = np.zeros((self.layout.values, self.layout.values))
        whole = kernels.binary_curvatures(
            self.places, self._signs, self._weights, table[:, 0], float(constant[0]), curved
        )
        return self.layout.curvatures(curved, whole) + np.diag(self._ridge[:, 0])

    def curve_along(self, theta: Floats, way: Floats) -> Floats:
        """Second derivatives times a direction."""
        (table, constant), (along, last) = self._points(theta), self._points(way)
        product = np.zeros_like(table)
        if self.binary:
            whole = np.array([
                kernels.binary_curve_along(
                    self.places, self._signs, self._weights, table[:, 0], float(constant[0]),
                    along[:, 0], float(last[0]), product[:, 0],
                )
            ])  # fmt: skip
        else:
            whole = np.zeros(self.shape[1])
            kernels.class_curve_along(
                self.places, self.targets, self._weights, table, constant, along, last, product, whole
            )
        return self.layout.double_coefficients(product, whole) / 2 + self._ridge * way

    def _points(self, theta: Floats) -> tuple[Floats, Floats]:
        table, constant = self.layout.double_values(theta)
        return table / 2, constant / 2

    def ridge_of(self, feature: int) -> Any:
        """The exact ridge of a feature."""
        return (*self.numbers.ridges, self.numbers.column_ridge)[self.ridges[feature]]
