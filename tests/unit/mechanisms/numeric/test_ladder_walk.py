"""LadderWalk: the judge first, then Theorem 3, then whole data spaces, then draws."""

from fractions import Fraction
from functools import cache
from math import log
from pathlib import Path

import numpy as np
import pytest

from dampen import Adjacency, Budget, GrowthLaw, NumericFrame, NumericProblem
from dampen.audit import ScriptedEntropy, law_by_enumeration
from dampen.errors import ParameterError
from dampen.mechanisms import LadderWalk
from dampen.mechanisms.numeric import ladder_walk
from dampen.mechanisms.numeric.ladder_walk import (
    GRID,
    RoundedWalk,
    growth_in_steps,
    largest_place,
    level,
    rungs_that_matter,
)
from dampen.mechanisms.numeric.ladder_walk import _root as root
from dampen.sampling import exact
from dampen.sensitivity import RungTable
from tests.conftest import Refused
from tests.every_numeric import EVERY
from tests.unit.mechanisms.numeric.judges import World, graph_world, random_ladders, random_world, world
from tests.unit.mechanisms.numeric.walk_judges import (
    level_by_search,
    loss_by_formula,
    loss_by_search,
    shapes_world,
    values_of,
    worst_loss,
)

TRIANGLES, STARS, TWO_TRIANGLES = GrowthLaw(2, 1), GrowthLaw(3, "1/2"), GrowthLaw(3, 4)
PATTERNS = {"triangle": TRIANGLES, "3-star": STARS, "2-triangle": TWO_TRIANGLES, "4-clique": TWO_TRIANGLES}
PROBLEM = NumericProblem(
    NumericFrame(30, Adjacency.EDGE, growth=TWO_TRIANGLES), 100, RungTable([[7], [15], [27], [30]], bound=30)
).as_public()


def posed(reach: int, rungs: list[int], growth: GrowthLaw) -> NumericProblem:
    frame = NumericFrame(reach, Adjacency.EDGE, growth=growth)
    return NumericProblem(frame, 0, RungTable([[rung] for rung in rungs], bound=reach)).as_public()


def place_of(mechanism: LadderWalk, problem: NumericProblem) -> float:
    """The m of this data set."""
    return float(mechanism.noise(problem).rate / mechanism.epsilon)


# The judge


def test_the_closed_form_of_the_loss_is_the_largest_ratio_of_densities() -> None:
    rng = np.random.default_rng(0)
    for _ in range(60):
        growth = GrowthLaw(int(rng.integers(2, 7)), float(10 ** rng.uniform(-1, 1)))
        place, other = 10 ** rng.uniform(-0.5, 1.5, 2)
        case = float(place), float(10 ** rng.uniform(-1, 3)), float(other), float(10 ** rng.uniform(-1, 1)), growth
        searched = loss_by_search(*case)
        assert searched <= loss_by_formula(*case) * (1 + 1e-9)
        assert searched == pytest.approx(loss_by_formula(*case), rel=2e-3)


# Theorem 3


def worst_share(
    start_of_walk: Fraction | None, epsilon: float, growth: GrowthLaw, place: float, step: float, part: float = 1.0
) -> float:
    """The loss at level ``place``, beside a level higher by ``step``, as a share of epsilon; b as it is, or another.

    ``part``: how far apart the values are, of what the level allows.
    """
    b = float(LadderWalk(epsilon).least_place(growth.power) if start_of_walk is None else start_of_walk)
    distance = part * float(growth.alpha) * place ** (growth.power - 1)
    return loss_by_formula(place + b, distance, place + step + b, epsilon, growth) / epsilon


@pytest.mark.parametrize("cases", [500, pytest.param(20_000, marks=pytest.mark.long)])
def test_walks_from_random_levels_keep_epsilon(cases: int) -> None:
    rng, worst = np.random.default_rng(3), 0.0
    for _ in range(cases):
        growth = GrowthLaw(int(rng.integers(2, 7)), float(10 ** rng.uniform(-2, 2)))
        epsilon, place = float(10 ** rng.uniform(-2.5, 1.2)), float(10 ** rng.uniform(-3, 6))
        step = float(rng.choice([0.0, 1.0, rng.random()]))
        part = float(rng.choice([1.0, rng.random()]))
        worst = max(worst, worst_share(None, epsilon, growth, place, step, part))
    assert 0.99 < worst <= 1 + 1e-9


@pytest.mark.parametrize(("share", "loss"), [(1, 1.18), ("1/2", 1.88)])
def test_a_walk_that_starts_too_low_is_caught(share: int | str, loss: float) -> None:
    """At d = 2 and epsilon 1/10 b is 19; these are 10 and 5."""
    start = Fraction(share) * 10
    places = 10 ** np.linspace(-3, 6, 300)
    found = max(worst_share(start, 0.1, TRIANGLES, float(place), 1.0) for place in places)
    assert found == pytest.approx(loss, abs=0.01)


# Whole data spaces


@cache
def space(pattern: str, nodes: int) -> World:
    """All graphs on so many nodes; of six, where there are 2^15, one of each shape."""
    if nodes == 6:
        return shapes_world(f"{pattern}s", nodes)
    if pattern in ("triangle", "2-triangle"):
        return graph_world(pattern, nodes)
    return world(*values_of(pattern, nodes))


def places_in(mechanism: LadderWalk, given: World, growth: GrowthLaw) -> list[float]:
    """The m of every data set; equal ladders share one."""
    known: dict[tuple[int, ...], float] = {}
    for ladder in map(tuple, given.rows.T.tolist()):
        if ladder not in known:
            known[ladder] = place_of(mechanism, posed(given.bound, list(ladder), growth))
    return [known[tuple(ladder)] for ladder in given.rows.T.tolist()]


@pytest.mark.parametrize("epsilon", ["1/10", "1", "4"])
@pytest.mark.parametrize("pattern", PATTERNS)
@pytest.mark.parametrize("nodes", [4, 5, 6])
def test_all_small_graphs_keep_epsilon(pattern: str, nodes: int, epsilon: str) -> None:
    """Among them those where the bound ends the walk; there the loss is all of epsilon, but for levels rounded up."""
    given, mechanism = space(pattern, nodes), LadderWalk(epsilon)
    places = places_in(mechanism, given, PATTERNS[pattern])
    worst = worst_loss(given, places, float(mechanism.epsilon), PATTERNS[pattern]) / mechanism.epsilon
    assert 0.99999 < worst <= 1 + 1e-9


def worst_where_the_bound_ends_no_walk(
    monkeypatch: pytest.MonkeyPatch, pattern: str, nodes: int, epsilon: str, part: Fraction = Fraction(1)
) -> float:
    """The loss by Lemma 2 as a share of epsilon, all walks from l + ``part`` of b."""
    given, mechanism, least = space(pattern, nodes), LadderWalk(epsilon), LadderWalk.least_place
    with monkeypatch.context() as patched:
        patched.setattr(ladder_walk, "largest_place", lambda *_: Fraction(10**9))
        patched.setattr(LadderWalk, "least_place", lambda *asked: part * least(*asked))
        places = places_in(mechanism, given, PATTERNS[pattern])
    return worst_loss(given, places, float(mechanism.epsilon), PATTERNS[pattern]) / float(mechanism.epsilon)


@pytest.mark.parametrize("epsilon", ["1/10", "1", "4"])
@pytest.mark.parametrize("pattern", PATTERNS)
@pytest.mark.parametrize("nodes", [4, 5, 6])
def test_all_small_graphs_keep_epsilon_where_the_bound_ends_no_walk(
    monkeypatch: pytest.MonkeyPatch, pattern: str, nodes: int, epsilon: str
) -> None:
    """Theorem 3 itself: the bounds of graphs this small end all walks of epsilon 1/10, and some of the others."""
    assert worst_where_the_bound_ends_no_walk(monkeypatch, pattern, nodes, epsilon) <= 1 + 1e-9


@pytest.mark.parametrize(
    ("epsilon", "percents"), [("1/10", (59, 95, 72, 48)), ("1", (58, 53, 54, 38)), ("4", (7, 14, 22, 15))]
)
def test_a_start_that_is_too_low_is_caught_on_small_graphs(
    monkeypatch: pytest.MonkeyPatch, epsilon: str, percents: tuple[int, ...]
) -> None:
    """So many percent of b lose too much on six nodes, one percent more does not.

    Five percent less than b are noticed by 3-stars at epsilon 1/10 alone. Elsewhere b is for levels that no graph this
    small has: they are tried above, at random.
    """
    for pattern, percent in zip(PATTERNS, percents, strict=True):
        caught, kept = (
            worst_where_the_bound_ends_no_walk(monkeypatch, pattern, 6, epsilon, Fraction(part, 100))
            for part in (percent, percent + 1)
        )
        assert kept <= 1 + 1e-9 < caught


def test_shapes_stand_for_all_graphs() -> None:
    """On five nodes both are known: the same pairs of values and ladders."""
    for pattern in PATTERNS:
        whole, shapes = space(pattern, 5), shapes_world(f"{pattern}s", 5)
        assert pairs_of(whole) == pairs_of(shapes)


def pairs_of(given: World) -> set[tuple[tuple[int, ...], ...]]:
    """The values and ladders of all neighbours."""
    read = [(int(value), *ladder) for value, ladder in zip(given.values, given.rows.T.tolist(), strict=True)]
    return {(read[x], read[y]) for x, y in given.pairs}


@pytest.mark.parametrize("spaces", [15, pytest.param(400, marks=pytest.mark.long)])
def test_random_data_spaces_keep_epsilon_with_any_growth_law(spaces: int) -> None:
    """Also where the law says nothing true about the ladder."""
    rng, worst = np.random.default_rng(11), 0.0
    for _ in range(spaces):
        given, epsilon = random_world(rng), float(10 ** rng.uniform(-1.3, 1.1))
        growth = GrowthLaw(int(rng.integers(2, 6)), float(10 ** rng.uniform(-1, 2)))
        places = places_in(LadderWalk(epsilon), given, growth)
        worst = max(worst, worst_loss(given, places, epsilon, growth) / epsilon)
    assert 0.99 < worst <= 1 + 1e-9


def test_a_level_that_forgets_the_later_rungs_is_caught() -> None:
    given = space("2-triangle", 5)
    growth = GrowthLaw(3, "1/10")
    first = [level_by_search([int(row)], growth) + 2 for row in given.rows[0]]
    assert worst_loss(given, first, 1.0, growth) > 1.01


# Levels, and where they end


def test_levels_are_rounded_up_to_the_grid_and_miss_no_rung() -> None:
    rng = np.random.default_rng(2)
    for reach, rungs in random_ladders(rng, 40):
        growth = GrowthLaw(int(rng.integers(2, 6)), Fraction(int(rng.integers(1, 40)), int(rng.integers(1, 40))))
        problem = posed(reach, rungs, growth)
        highest = rungs_that_matter(problem.frame) + 1
        if highest > 2000:
            continue
        exact_level = level_by_search(list(problem.rungs(highest)), growth)
        found = float(level(problem, growth))
        assert exact_level - 1e-9 * (1 + exact_level) <= found <= exact_level + 2.0**-20 + 1e-9 * exact_level


def test_floats_leave_out_no_rung_that_decides_a_level(monkeypatch: pytest.MonkeyPatch) -> None:
    """To the bit the level by exact roots of all rungs, on any grid; and roots of few are taken."""
    rng = np.random.default_rng(3)
    taken, read = list[int](), 0

    def counted_root(rung: int, growth: GrowthLaw) -> int:
        taken.append(rung)
        return root(rung, growth)

    monkeypatch.setattr(ladder_walk, "_root", counted_root)
    monkeypatch.setattr(ladder_walk, "RUNGS_AT_ONCE", 70)
    for reach, rungs in random_ladders(rng, 60):
        law = GrowthLaw(int(rng.integers(2, 6)), Fraction(int(rng.integers(1, 40)), int(rng.integers(1, 40))))
        resolution = Fraction(int(rng.integers(1, 9)), int(rng.integers(1, 9)))
        frame = NumericFrame(reach, Adjacency.EDGE, growth=law, resolution=resolution)
        problem = NumericProblem(frame, 0, RungTable([[rung] for rung in rungs], bound=reach))
        growth, count = growth_in_steps(frame), min(rungs_that_matter(frame) + 1, 2000)
        monkeypatch.setattr(problem.sensitivity, "most_rungs", count)
        terms = [root(rung, growth) - (t << GRID) for t, rung in enumerate(problem.rungs(count))]
        beyond = root(frame.reach, growth) - (count << GRID)
        assert level(problem, growth) == Fraction(max(*terms, beyond), 1 << GRID)
        read += count
    assert len(taken) < read / 5


@pytest.mark.parametrize(("alpha", "resolution"), [("1e-150", 1), ("1e150", 1), (1, "1e-150"), ("1e-150", "1e-150")])
def test_a_walk_starts_somewhere_whatever_the_size_of_numbers(
    monkeypatch: pytest.MonkeyPatch, alpha: str | int, resolution: str | int
) -> None:
    """Where it ends was searched for ever where a place has more digits than the arithmetic had."""
    frame = NumericFrame(10**150, Adjacency.EDGE, growth=GrowthLaw(2, alpha), resolution=resolution)
    problem = NumericProblem(frame, 0, RungTable([[0.0], [3.0], [1e149]], bound=10**150))
    monkeypatch.setattr(problem.sensitivity, "most_rungs", 100)
    steps = float(frame.reach / growth_in_steps(frame).alpha)
    assert float(LadderWalk(1).noise(problem).rate) == pytest.approx(max(steps, 1.0), rel=1e-3)


def test_rungs_that_are_not_read_count_as_the_reach(monkeypatch: pytest.MonkeyPatch) -> None:
    problem = posed(1000, [3] * 1000, TRIANGLES)
    assert level(problem, TRIANGLES) == 3
    monkeypatch.setattr(problem.sensitivity, "most_rungs", 10)
    assert level(problem, TRIANGLES) == 990


def test_a_steady_ladder_is_read_by_its_first_rung_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    ladder = RungTable([[5 + t] for t in range(50)], bound=54)
    problem = NumericProblem(NumericFrame(54, Adjacency.EDGE, growth=TRIANGLES), 0, ladder)
    assert level(problem, TRIANGLES) == 5
    monkeypatch.setattr(ladder, "largest_rise", 1)
    monkeypatch.setattr(ladder, "exact_ladder", {1: [5]}.__getitem__)
    assert level(problem, TRIANGLES) == 5


@pytest.mark.parametrize("growth", [TRIANGLES, STARS, GrowthLaw(5, "1/24")])
@pytest.mark.parametrize("epsilon", ["1/10", "1", "10"])
def test_the_bound_ends_the_walk_where_two_equal_laws_may_be_so_far_apart(growth: GrowthLaw, epsilon: str) -> None:
    place = float(largest_place(Fraction(epsilon), growth, 1000))
    loss = loss_by_formula(place, 1000, place, float(Fraction(epsilon)), growth) / float(Fraction(epsilon))
    assert 0.9999 < loss <= 1 + 1e-12
    flat = NumericProblem(NumericFrame(1000, Adjacency.EDGE, growth=growth), 0)
    assert place_of(LadderWalk(epsilon), flat) == pytest.approx(place)


# The law


@pytest.mark.parametrize("power", [2, 3, 5])
@pytest.mark.parametrize(("scale", "rate"), [("1/3", 1), (40, 2), (10**6, 30)])
def test_the_mean_and_the_quantiles_are_those_of_the_law(power: int, scale: str | int, rate: int) -> None:
    noise = RoundedWalk(Fraction(scale), power, Fraction(rate))
    tails = np.array([0.9, 0.5, 1e-3, 1e-9])
    assert np.exp(noise.log_survival(noise.quantile(tails))) == pytest.approx(tails)
    nodes, weights = np.polynomial.laguerre.laggauss(20)
    climbed = noise.quantile(np.exp(-nodes)) @ weights
    assert float(noise.mean_length()) == pytest.approx(climbed * float(noise.scale), rel=1e-9)
    sizes = np.unique(np.concatenate([np.arange(1, 20_000), np.rint(2 ** np.arange(14, 60, 2**-9))]))
    summed = (np.diff(sizes, prepend=0) * np.exp(noise.log_tail(sizes))).sum()
    assert noise.mean_size() == pytest.approx(summed, rel=2e-3)
    if noise.scale > 1000:
        assert noise.mean_size() == pytest.approx(float(noise.mean_length()), rel=1e-6)


def test_the_noise_of_a_steady_ladder_is_that_of_the_formula() -> None:
    """(L_0 + 3 / epsilon - 1) / epsilon for d = 2 and alpha = 1."""
    problem = posed(10**6, [5000 + t for t in range(10)], TRIANGLES)
    walk = LadderWalk("1/10").walk_from(5000 + LadderWalk("1/10").least_place(2), TRIANGLES)
    assert walk.mean_length() == (5000 + 30 - 1) * 10
    assert LadderWalk("1/10").least_mean_length(problem.frame) == 290
    assert walk.mean_size() == pytest.approx(50290, rel=1e-6)


@pytest.mark.parametrize(("place", "epsilon", "alpha"), [(19, "1/3", 1), (40, 1, 4), (300, 2, "1/2")])
@pytest.mark.parametrize("power", [2, 3])
def test_the_second_moment_is_that_of_the_law(power: int, place: int, epsilon: str | int, alpha: str | int) -> None:
    """E Z^2 by the formula, from the quantiles, and summed up over whole numbers, to which rounding adds 1/12."""
    m, rate = Fraction(place), Fraction(epsilon)
    terms = {2: (2 * m**2, 6 * m, 6), 3: (2 * m**4, 12 * m**3, 40 * m**2, 80 * m, 80)}[power]
    told = float(Fraction(alpha) ** 2 * sum(term / rate**j for j, term in enumerate(terms, start=2)))
    noise = LadderWalk(rate).walk_from(m, GrowthLaw(power, alpha))
    nodes, weights = np.polynomial.laguerre.laggauss(20)
    assert (noise.quantile(np.exp(-nodes)) * float(noise.scale)) ** 2 @ weights == pytest.approx(told, rel=1e-9)
    sizes = np.arange(1, int(noise.quantile(np.array(1e-18)) * float(noise.scale)), dtype=np.float64)
    assert ((2 * sizes - 1) * np.exp(noise.log_tail(sizes))).sum() == pytest.approx(told + 1 / 12, rel=1e-6)


# How far the scale moves


@pytest.mark.parametrize("epsilon", ["1/10", "1", "4"])
@pytest.mark.parametrize("power", [2, 3, 5])
def test_the_scale_moves_most_from_level_0_to_level_1(power: int, epsilon: str) -> None:
    """Two ladders of which each lies below the other one rung up, at these levels, move it by all of the step said."""
    growth, mechanism = GrowthLaw(power, 3), LadderWalk(epsilon)
    rungs = [3 * t ** (power - 1) for t in range(200)]
    pair = [posed(rungs[-1], part, growth) for part in (rungs[:-1], rungs[1:])]
    lengths = [mechanism.noise(problem).mean_length() for problem in pair]
    step = mechanism.scale_step(pair[0].frame)
    assert log(lengths[1] / lengths[0]) == pytest.approx(step, rel=1e-9)


@pytest.mark.parametrize("epsilon", ["1/10", "1", "4"])
@pytest.mark.parametrize("pattern", PATTERNS)
@pytest.mark.parametrize("nodes", [4, 5, 6])
def test_the_scale_moves_by_no_more_than_said_on_small_graphs(
    monkeypatch: pytest.MonkeyPatch, pattern: str, nodes: int, epsilon: str
) -> None:
    """Whether the bound ends walks or not. The second edge at a node takes triangles from level 0 to 1: all of it."""
    given, mechanism, growth = space(pattern, nodes), LadderWalk(epsilon), PATTERNS[pattern]
    step = mechanism.scale_step(NumericFrame(given.bound, Adjacency.EDGE, growth=growth))
    assert step is not None

    def moved() -> float:
        places = places_in(mechanism, given, growth)
        found = [log(mechanism.walk_from(Fraction(m), growth).mean_length()) for m in places]
        return max(abs(found[x] - found[y]) for x, y in given.pairs)

    assert moved() <= step * (1 + 1e-9)
    monkeypatch.setattr(ladder_walk, "largest_place", lambda *_: Fraction(10**9))
    assert (0.999999 if pattern == "triangle" else 0.5) * step < moved() <= step * (1 + 1e-9)


def test_what_bits_draw_is_the_law_at_the_very_level(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(exact, "MORE_BITS", 1)
    mechanism = LadderWalk(5)
    law, undecided = law_by_enumeration(lambda bits: mechanism.draw(PROBLEM, bits), depth=10)
    assert undecided < Fraction(1, 8)
    stated = np.exp(mechanism.log_probabilities(PROBLEM, range(95, 106)))
    for answer, probability in zip(range(95, 106), stated, strict=True):
        assert law.get(answer, 0) <= probability <= law.get(answer, 0) + undecided


def test_a_release_pays_epsilon_alone_and_shows_no_level() -> None:
    budget = Budget(epsilon=5)
    release = LadderWalk(5).release(PROBLEM, budget=budget)
    assert isinstance(release.value, int)
    assert budget.spent.epsilon == 5
    assert budget.spent.delta == 0
    assert release.mechanism == "LadderWalk(epsilon=5)"
    assert repr(LadderWalk(5).noise(PROBLEM)) == "RoundedWalk(...)"


def test_zeros_and_huge_bounds_are_no_special_cases() -> None:
    frame = NumericFrame(2**500, Adjacency.EDGE, resolution=Fraction(1, 2**500), growth=GrowthLaw(64, 3))
    huge = NumericProblem(frame, 3, RungTable([[0.0], [1.0]], bound=2**500))
    assert isinstance(LadderWalk(1).draw(huge, ScriptedEntropy([0, 1] * 2000)), int)
    assert LadderWalk(200).draw(posed(5, [0] * 30, TRIANGLES), ScriptedEntropy([0, 1] * 200)) == 0


def test_a_problem_without_a_growth_law_is_refused_before_anything_is_paid(refused: Refused, untouched: Budget) -> None:
    plain = NumericProblem(NumericFrame(30, Adjacency.EDGE), 1)
    with refused(ParameterError, "growth law", "LadderWalk"):
        LadderWalk(1).release(plain, budget=untouched)


@pytest.mark.parametrize("epsilon", [0, 301, "1/2000000"])
def test_an_epsilon_that_no_law_in_floats_is_tested_for_is_refused(epsilon: int | str, refused: Refused) -> None:
    with refused(ParameterError, "epsilon"):
        LadderWalk(epsilon)


# The table of docs/numbers.md


def test_the_table_of_the_numbers_page_is_that_of_the_laws() -> None:
    """Triangles of 10,000 nodes of which no two have more than 500 common neighbours, in units of 500 / epsilon."""
    problem = posed(9998, [500 + t for t in range(9499)], TRIANGLES)
    page = (Path(__file__).parents[4] / "docs" / "numbers.md").read_text()
    for name in ("LadderWalk", "ExactPairLaplace", "PolyPlace", "Ladder", "Laplace"):
        cells = []
        for epsilon in ("1/10", "1", "4"):
            noise = EVERY[name](epsilon, "1e-6").expected_absolute_noise(problem)
            cells.append(f"{noise * float(Fraction(epsilon)) / 500:.2f}")
        row = next(line for line in page.splitlines() if line.startswith(f"| `{name}`"))
        assert [cell.strip() for cell in row.split("|")[2:5]] == cells
