"""Noise that follows a ladder: section 5.3 of Canard, Olivier and Quertier with valid ladders, and long ladders."""

import pytest

from dampen.mechanisms import ExactPairLaplace, Laplace, PolyPlace, SmoothLaplace
from dampen.mechanisms.numeric import AdditiveMechanism
from tests.unit.mechanisms.numeric_judges import problem_of

NODES = 100_000


@pytest.mark.parametrize(
    ("mechanism", "expected"),
    [
        (Laplace(5), 6.0),
        (SmoothLaplace(5, "1/2000"), 5.91),
        (ExactPairLaplace(5, "1/2000"), 2.83),
        (PolyPlace(5), 1.31),
    ],
    ids=str,
)
def test_section_5_3_with_valid_sensitivities(mechanism: AdditiveMechanism, expected: float) -> None:
    """2-triangles of a graph of 6 nodes: local sensitivity 7, ladder 7, 15, 27, 30. PolyPlace: 1.35 unless rounded."""
    problem = problem_of(30, [7, 15, 27, 30])
    assert mechanism.expected_absolute_noise(problem) == pytest.approx(expected, rel=0.01)


def test_section_5_3_before_rounding_to_whole_numbers() -> None:
    problem = problem_of(30, [7, 15, 27, 30])
    assert float(ExactPairLaplace(5, "1/2000").noise(problem).scale) == pytest.approx(2.83, abs=0.005)
    assert float(PolyPlace(5).noise(problem).scale) / 4 == pytest.approx(1.35, abs=0.005)
    assert float(SmoothLaplace(5, "1/2000").noise(problem).scale) == pytest.approx(5.91, abs=0.005)


def rungs_of(shape: str, first: int) -> tuple[int, list[int]]:
    """Triangles (linear) or 2-triangles (quadratic) of 100,000 nodes where two nodes share at most ``first`` others."""
    shared = [min(first + t, NODES - 2) for t in range(8000)]
    if shape == "linear":
        return NODES - 2, shared
    return (NODES - 2) * (5 * NODES - 15) // 2, [(5 * a * a - a) // 2 for a in shared]


@pytest.mark.parametrize(
    ("shape", "first", "epsilon", "smooth", "exact_pair", "poly_place"),
    [
        ("linear", 5, 0.1, 2172, 769, 363),
        ("linear", 5, 1, 25.4, 14.0, 7.1),
        ("linear", 50, 0.1, 2536, 1191, 880),
        ("linear", 50, 1, 100, 57.9, 69),
        ("linear", 500, 1, 1000, 506, 689),
        ("quadratic", 20, 0.1, 2.4e6, 3.6e5, 9.1e4),
        ("quadratic", 20, 1, 4525, 2324, 1383),
        ("quadratic", 200, 1, 2.0e5, 1.08e5, 1.38e5),
    ],
)
def test_long_ladders(
    shape: str, first: int, epsilon: float, smooth: float, exact_pair: float, poly_place: float
) -> None:
    problem = problem_of(*rungs_of(shape, first))
    for mechanism, expected in (
        (SmoothLaplace(epsilon, 1e-6), smooth),
        (ExactPairLaplace(epsilon, 1e-6), exact_pair),
        (PolyPlace(epsilon), poly_place),
    ):
        assert mechanism.expected_absolute_noise(problem) == pytest.approx(expected, rel=0.02)
