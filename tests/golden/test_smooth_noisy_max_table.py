"""The table of smooth_noisy_max.md, section 6, for the mechanisms that are shipped; and its calibrations.

Exact chances of the right answer on 0/1 utilities. The winner has the lowest index and leads all others by j votes, so
its distance is k = j + 1 and every step starts at t0 = j. ``ParG``, ``Par01``: Pareto noise, general and indicator
calibration, nu = 1. ``GumD``: smooth exponential, indicator, delta = 1e-6. ``EMD``, ``PFD``: dampened scores k * 1[w].
``StAr``: StableArgmax.
"""

import numpy as np
import pytest

from dampen import Adjacency, Frame, SelectionProblem
from dampen.mechanisms import (
    Exponential,
    LocalDampening,
    ParetoNoisyMax,
    PermuteAndFlip,
    SelectionMechanism,
    SmoothExponential,
    StableArgmax,
)
from dampen.sensitivity import Step

ROWS = [  # epsilon, R, j, ParG, Par01, GumD, EMD, PFD, StAr
    ("0.1", 2, 1, 0.5090, 0.5186, 0.5252, 0.5250, 0.5476, 0.5702),
    ("0.1", 2, 5, 0.5121, 0.5271, 0.5259, 0.5744, 0.6296, 0.7119),
    ("0.1", 2, 20, 0.5352, 0.6007, 0.5286, 0.7408, 0.8250, 0.9357),
    ("0.1", 2, 100, 0.9800, 0.9991, 0.5495, 0.9936, 0.9968, 1.0000),
    ("0.1", 10, 1, 0.1005, 0.1010, 0.1094, 0.1094, 0.1105, 0.1209),
    ("0.1", 10, 5, 0.1005, 0.1012, 0.1097, 0.1304, 0.1350, 0.1803),
    ("0.1", 10, 20, 0.1007, 0.1024, 0.1107, 0.2410, 0.2819, 0.6908),
    ("0.1", 10, 100, 0.1044, 0.2892, 0.1180, 0.9455, 0.9716, 0.9999),
    ("0.1", 100, 1, 0.0100, 0.0100, 0.0110, 0.0110, 0.0111, 0.0122),
    ("0.1", 100, 5, 0.0100, 0.0100, 0.0111, 0.0135, 0.0135, 0.0182),
    ("0.1", 100, 20, 0.0100, 0.0100, 0.0112, 0.0281, 0.0286, 0.0816),
    ("0.1", 100, 100, 0.0100, 0.0101, 0.0119, 0.6118, 0.7400, 0.9990),
    ("1", 2, 1, 0.6959, 0.7927, 0.7444, 0.7311, 0.8161, 0.9011),
    ("1", 2, 5, 0.9834, 0.9925, 0.8015, 0.9526, 0.9751, 0.9982),
    ("1", 2, 20, 1.0000, 1.0000, 0.9780, 1.0000, 1.0000, 1.0000),
    ("1", 10, 1, 0.1084, 0.1437, 0.2432, 0.2320, 0.2691, 0.6306),
    ("1", 10, 5, 0.1280, 0.6051, 0.3003, 0.6906, 0.8033, 0.9932),
    ("1", 10, 20, 0.8261, 0.9999, 0.7569, 0.9998, 0.9999, 1.0000),
    ("1", 100, 1, 0.0101, 0.0102, 0.0282, 0.0267, 0.0272, 0.0726),
    ("1", 100, 5, 0.0101, 0.0106, 0.0358, 0.1687, 0.1996, 0.9373),
    ("1", 100, 20, 0.0107, 0.4377, 0.1523, 0.9973, 0.9986, 1.0000),
    ("1", 100, 100, 0.9969, 1.0000, 1.0000, 1.0000, 1.0000, 1.0000),
]
PRINTED = 6.5e-5
"""Four printed digits, and the 2^-20 of epsilon that rounding costs."""


def chance(mechanism: SelectionMechanism, size: int, lead: int, floor: str | None = None) -> float:
    frame = Frame(range(size), bound=1, adjacency=Adjacency.ADD_REMOVE)
    rungs = Step([lead] * size, bound=1, floor=floor)
    problem = SelectionProblem(frame, [1, *[0] * (size - 1)], rungs)
    return float(np.exp(np.asarray(mechanism.log_probabilities(problem))[0]))


@pytest.mark.parametrize(("epsilon", "size", "lead", "general", "indicator", "smooth", "_em", "_pf", "stable"), ROWS)
def test_noise_by_smooth_sensitivity_and_stable_argmax(
    epsilon: str,
    size: int,
    lead: int,
    general: float,
    indicator: float,
    smooth: float,
    _em: float,
    _pf: float,
    stable: float,
) -> None:
    tiny = "1e-60"
    assert chance(ParetoNoisyMax(epsilon), size, lead, tiny) == pytest.approx(general, abs=PRINTED)
    assert chance(ParetoNoisyMax(epsilon, indicator=True), size, lead, tiny) == pytest.approx(indicator, abs=PRINTED)
    assert chance(SmoothExponential(epsilon, "1e-6", indicator=True), size, lead, tiny) == pytest.approx(
        smooth, abs=PRINTED
    )
    assert chance(StableArgmax(epsilon), size, lead) == pytest.approx(stable, abs=PRINTED)


@pytest.mark.parametrize(("epsilon", "size", "lead", "em", "pf"), [(*row[:3], row[6], row[7]) for row in ROWS])
def test_dampened_scores(epsilon: str, size: int, lead: int, em: float, pf: float) -> None:
    """A rung floor of 1e-9 makes j floors plus one bound worth j + (1 - j 1e-9) steps: the table's k = j + 1."""
    for kind, printed in ((Exponential, em), (PermuteAndFlip, pf)):
        assert chance(LocalDampening(epsilon, law=kind), size, lead, "1e-9") == pytest.approx(printed, abs=PRINTED)


@pytest.mark.parametrize(
    ("size", "indicator", "alpha", "beta"),
    [
        (2, False, 0.754, 1.0),
        (10, False, 0.649, 0.245),
        (100, False, 0.649, 0.115),
        (2, True, 1.718, 1.0),
        (10, True, 1.718, 0.570),
        (100, True, 1.718, 0.245),
    ],
)
def test_the_printed_calibrations_of_pareto_noise(size: int, indicator: bool, alpha: float, beta: float) -> None:
    """smooth_noisy_max.md, Theorem P: nu = 1, epsilon = 1."""
    frame = Frame(range(size), bound=1, adjacency=Adjacency.ADD_REMOVE)
    mechanism = ParetoNoisyMax(1, indicator=indicator)
    assert float(mechanism.alpha(frame)) == pytest.approx(alpha, abs=0.00051)
    assert float(mechanism.beta(frame)) == pytest.approx(beta, abs=0.00051)
