"""Noise that follows a ladder: section 5.3 of Canard, Olivier and Quertier with valid ladders, and long ladders."""

import pytest

import dampen
from dampen import Graph, NumericProblem
from dampen.mechanisms import (
    ExactPairLaplace,
    Ladder,
    Laplace,
    LargestLocalSensitivities,
    NumericMechanism,
    PolyPlace,
    SmoothLaplace,
)
from dampen.queries import k_star_problem, k_triangle_problem
from tests.unit.mechanisms.numeric_judges import problem_of

NODES = 100_000
EDGES = ("01", "02", "03", "04", "05", "13", "15", "23", "24")
"""A graph of section 5.3: three edges with two triangles each, and none with more."""


def section_5_3() -> NumericProblem:
    """2-triangles of a graph of 6 nodes."""
    first, second = ([int(edge[end]) for edge in EDGES] for end in (0, 1))
    return k_triangle_problem(dampen.Graph.from_edges(first, second, nodes=6)).as_public()


def test_the_graph_of_section_5_3() -> None:
    problem = section_5_3()
    assert problem.value == 3
    assert problem.frame.bound == 30
    assert problem.rungs(5) == (7, 15, 27, 30, 30)


SECTION_5_3 = [
    (Laplace(5), 5.97, 6.0),
    (SmoothLaplace(5, "1/2000"), 5.90, 5.91),
    (LargestLocalSensitivities(5, "1/2000"), 6.11, 6.116),
    (Ladder(5), 3.73, None),
    (ExactPairLaplace(5, "1/2000"), 2.82, 2.833),
    (PolyPlace(5), 1.31, 1.345),
]
"""The mean size of the noise in whole numbers, and before it is rounded: the ladder's is whole from the start."""


@pytest.mark.parametrize(
    ("mechanism", "expected"),
    [(mechanism, whole) for mechanism, whole, _ in SECTION_5_3],
    ids=lambda value: str(value).split("(")[0],
)
def test_section_5_3_with_valid_sensitivities(mechanism: NumericMechanism, expected: float) -> None:
    assert mechanism.expected_absolute_noise(section_5_3()) == pytest.approx(expected, abs=0.005)


@pytest.mark.parametrize(
    ("mechanism", "expected"),
    [(mechanism, real) for mechanism, _, real in SECTION_5_3 if real is not None],
    ids=lambda value: str(value).split("(")[0],
)
def test_section_5_3_before_rounding_to_whole_numbers(mechanism: NumericMechanism, expected: float) -> None:
    """On a grid of thousandths rounding hardly matters."""
    coarse = section_5_3()
    frame = dampen.NumericFrame(coarse.frame.bound, coarse.frame.adjacency, resolution="0.001")
    fine = NumericProblem(frame, coarse.value, coarse.sensitivity).as_public()
    assert mechanism.expected_absolute_noise(fine) == pytest.approx(expected, rel=0.001)


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


def test_a_huge_bound_is_forgotten_by_every_mechanism() -> None:
    """6-stars of a path of a million nodes: one edge moves none there, and up to 2e27 somewhere."""
    ladder = k_star_problem(Graph.from_edges(range(999), range(1, 1000), nodes=10**6), 6)
    problem = ladder.as_public()
    exact = ExactPairLaplace(10, "1e-6").expected_absolute_noise(problem)
    assert exact < 1
    assert exact <= LargestLocalSensitivities(10, "1e-6").expected_absolute_noise(problem)
    assert exact <= SmoothLaplace(10, "1e-6").expected_absolute_noise(problem) < 100
    assert PolyPlace(10).expected_absolute_noise(problem) < 1
