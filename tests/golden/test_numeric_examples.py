"""Noise that follows a ladder: section 5.3 of Canard, Olivier and Quertier with valid ladders, and long ladders."""

from math import exp, log, sinh, tanh

import pytest

from dampen import Graph
from dampen.mechanisms import ExactPairLaplace, LargestLocalSensitivities, PolyPlace, SmoothLaplace
from dampen.queries import k_star_problem
from experiments.lls_example_5_3 import PRINTED, VALID, LlsExample53, example_problem, noisy_local_centre
from experiments.reproduction import number, one, where
from experiments.results import FOLDER, csv_path, read_csv
from tests.unit.mechanisms.numeric.judges import problem_of

NODES = 100_000
KEPT = read_csv(csv_path(FOLDER, LlsExample53())).rows
COARSE = [str(row["name"]) for row in where(KEPT, kind="valid")]
FINE = [str(row["name"]) for row in where(KEPT, kind="valid, fine grid")]
THEORY = {
    "Laplace": (5.97, 6.0),
    "SmoothLaplace": (5.90, 5.91),
    "LargestLocalSensitivities": (6.11, 6.116),
    "Ladder": (3.73, None),
    "ExactPairLaplace": (2.82, 2.833),
    "PolyPlace": (1.31, 1.345),
}
"""numeric.md, section 4: the mean size of the noise in whole numbers, and before it is rounded."""


def test_the_graph_of_section_5_3() -> None:
    problem = example_problem()
    assert problem.value == 3
    assert problem.frame.bound == 30
    assert problem.rungs(5) == (7, 15, 27, 30, 30)


@pytest.mark.parametrize("name", [name for name in COARSE if name in THEORY])
def test_section_5_3_with_valid_sensitivities(name: str) -> None:
    found = VALID[name].expected_absolute_noise(example_problem())
    assert found == pytest.approx(number(one(KEPT, kind="valid", name=name), "found"), rel=1e-5)
    assert found == pytest.approx(THEORY[name][0], abs=0.005)


@pytest.mark.parametrize("name", FINE)
def test_section_5_3_before_rounding_to_whole_numbers(name: str) -> None:
    """On a grid of thousandths rounding hardly matters."""
    found = VALID[name].expected_absolute_noise(example_problem("0.001"))
    assert found == pytest.approx(number(one(KEPT, kind="valid, fine grid", name=name), "found"), rel=1e-5)
    assert found == pytest.approx(THEORY[name][1], rel=0.001)


def discrete_laplace(rate: float, reach: int) -> list[tuple[int, float]]:
    """Whole numbers up to this size with their chances, by definition."""
    return [(k, tanh(rate / 2) * exp(-rate * abs(k))) for k in range(-reach, reach + 1)]


@pytest.mark.parametrize(("clamp", "scale"), [(30, 17.97), (10**9, 69.69)], ids=["clamped", "unclamped"])
def test_noisy_local_sensitivity_in_section_5_3_by_plain_sums(clamp: int, scale: float) -> None:
    """a = 2 of at most 4, LS = 7, one step moves it by 4 a; the public bound of 30 is what brings 70 down to 18."""
    rate, share = 5 / 3, 1 / 4000

    def margin(of: float) -> int:
        return next(c for c in range(10**6) if exp(-of * (c + 1)) / (1 + exp(-of)) <= share)

    mean = 0.0
    for first, likely in discrete_laplace(rate, 30):
        a = max(2 + margin(rate) + first, 0)
        second = max(1, 4 * min(a, 4 if clamp == 30 else a))
        centre = 7 + margin(rate / second)
        for noise, chance in discrete_laplace(rate / second, 20 * second):
            local = min(max(centre + noise, 1), clamp)
            mean += likely * chance / sinh(rate / local)
    assert mean == pytest.approx(scale, rel=1e-3)
    if clamp == 30:
        assert mean == pytest.approx(
            VALID["NoisyLocalSensitivity"].expected_absolute_noise(example_problem()), rel=1e-9
        )
        assert mean == pytest.approx(number(one(KEPT, kind="valid", name="NoisyLocalSensitivity"), "found"), rel=1e-5)


def test_the_centre_of_noisy_local_sensitivity_without_a_bound() -> None:
    """numeric.md, section 4: about 76, where both draws are 0."""
    assert noisy_local_centre(7, log(2000)) == pytest.approx(76.0, abs=0.05)


def test_section_5_3_as_printed() -> None:
    """The printed formulas give the printed amplitudes, but for noisy local sensitivity."""
    assert {name: round(found, 2) for name, (_, found) in PRINTED.items()} == {
        "SS": 3.0,
        "LLS": 3.01,
        "NLS": 94.94,
        "LF, chance of no noise": 0.42,
        "LF, chance of the first rung": 0.52,
    }


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
