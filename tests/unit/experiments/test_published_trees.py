"""The published trees: choices at nodes against this library's laws, budgets, rules, and tables in codes."""

from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from dampen import Adjacency
from dampen.datasets import CATALOGUE
from dampen.learn import PrivateTreeClassifier
from dampen.mechanisms import Exponential, LocalDampening, PermuteAndFlip, ShiftedLocalDampening
from dampen.problem import Frame, SelectionProblem
from dampen.queries.splits.attribute import (
    InformationGainRungs,
    information_gain_problem,
    information_gains,
    majority_records,
)
from dampen.tables.contingency import Layout
from experiments import coded_tables as tables
from experiments import tree_choices as choices
from experiments.diff_pid3 import Level, accuracy
from experiments.refuted import SmoothNoisyMaxStudent
from experiments.refuted.sensitivity_of_the_whole import lead, winner_with_lead
from experiments.seeded_entropy import SeededEntropy

LAYOUT = Layout((3, 2, 4), 2)
COPIES = 10_000


def level_of(joints: Any) -> Level:
    """Nodes from joint counts (node, first, second, third, class)."""
    counts = [np.concatenate([j.sum(axis=(1, 2)), j.sum(axis=(0, 2)), j.sum(axis=(0, 1))]) for j in joints]
    return Level(np.stack(counts), np.ones((len(counts), 3), dtype=bool), LAYOUT)


def tables_of(counts: Any) -> list[Any]:
    starts = LAYOUT.starts
    return [counts[starts[k] : starts[k + 1]] for k in range(3)]


LEVEL = level_of(np.random.default_rng(0).integers(0, 9, size=(6, 3, 2, 4, 2)))


def bounded(counts: Any, bound: float) -> SelectionProblem:
    frame = Frame(range(3), Fraction(bound), Adjacency.ADD_REMOVE)
    rungs = InformationGainRungs(tables_of(counts), Fraction(bound))
    return SelectionProblem(frame, information_gains(tables_of(counts)), rungs).as_public()


def test_scores_of_a_level_are_those_of_the_library_node_by_node() -> None:
    dampened, missing, gains = choices.dampened_gains(LEVEL), choices.missing_rungs(LEVEL), choices.gains
    bounds = choices.sizes_bound(LEVEL)[:, 0]
    for node, counts in enumerate(LEVEL.counts):
        problem = information_gain_problem(tables_of(counts), adjacency=Adjacency.ADD_REMOVE)
        own = gains(LEVEL, LEVEL.counts)[node]
        assert own == pytest.approx(problem.utilities, abs=1e-9)
        assert dampened[node] == pytest.approx(LocalDampening(1).scores(problem), abs=1e-6)
        shifted = ShiftedLocalDampening(1, horizon=10**5).scores(bounded(counts, bounds[node]))
        assert own - own.max() + missing[node] == pytest.approx(shifted, abs=1e-6)
        assert choices.max_operators(LEVEL)[node].tolist() == majority_records(tables_of(counts)).tolist()


def test_scores_with_an_empty_node_and_with_tests_used_above() -> None:
    free = np.array([[True, True, True], [True, False, True]])
    level = Level(np.stack([LEVEL.counts[0] * 0, LEVEL.counts[1]]), free, LAYOUT)
    assert choices.dampened_gains(level)[0].tolist() == [0, 0, 0]
    assert np.isfinite(choices.missing_rungs(level)).all()
    assert choices.dampened_gains(level)[1, [0, 2]] == pytest.approx(choices.dampened_gains(LEVEL)[1, [0, 2]])
    for choice in (choices.exponential, choices.local_dampening, choices.noisy_counts):
        assert choice(level, 1e-9, np.random.default_rng(0))[1] != 1


@pytest.mark.parametrize(
    ("name", "built"),
    [
        ("exponential", Exponential),
        ("permute_and_flip", PermuteAndFlip),
        ("local_dampening", lambda epsilon: LocalDampening(epsilon, law=Exponential)),
        ("shifted_dampening", lambda epsilon: ShiftedLocalDampening(epsilon, 10**5, law=Exponential)),
    ],
    ids=["exponential", "permute_and_flip", "local_dampening", "shifted_dampening"],
)
def test_choices_follow_the_laws_of_the_library(name: str, built: Any) -> None:
    """One node in 10,000 copies; six standard errors. The law at twice the epsilon is further away than that."""
    counts, slack = LEVEL.counts[5], 6 * 0.5 / COPIES**0.5
    many = Level(np.tile(counts, (COPIES, 1, 1)), np.ones((COPIES, 3), dtype=bool), LAYOUT)
    problem = bounded(counts, float(choices.sizes_bound(LEVEL)[5, 0]))
    once, twice = (np.exp(built(epsilon).log_probabilities(problem)) for epsilon in (EPSILON[name], 2 * EPSILON[name]))
    drawn = getattr(choices, name)(many, EPSILON[name], np.random.default_rng(1))
    assert np.bincount(drawn, minlength=3) / COPIES == pytest.approx(once, abs=slack)
    assert np.abs(once - twice).max() > 2 * slack


EPSILON = {"exponential": 6.0, "permute_and_flip": 3.0, "local_dampening": 0.5, "shifted_dampening": 0.5}


def test_smooth_noisy_max_follows_the_refuted_law() -> None:
    counts = LEVEL.counts[0]
    many = Level(np.tile(counts, (COPIES, 1, 1)), np.ones((COPIES, 3), dtype=bool), LAYOUT)
    scores = majority_records(tables_of(counts))
    drawn = choices.smooth_noisy_max("student")(many, 0.7, np.random.default_rng(1))
    expected = np.exp(SmoothNoisyMaxStudent(0.7).log_probabilities(winner_with_lead(scores, lead(scores)).as_public()))
    assert np.bincount(drawn, minlength=3) / COPIES == pytest.approx(expected, abs=6 * 0.5 / COPIES**0.5)
    assert lead(scores) > 0


class Ones:
    """In place of random numbers: every noise is as large as its scale."""

    def __init__(self) -> None:
        self.scales = list[float]()

    def laplace(self, *, size: Any, scale: float = 1.0) -> Any:
        self.scales.append(scale)
        return np.full(size, scale)


def test_noisy_counts_share_a_budget_among_the_free_attributes() -> None:
    """Each free attribute pays a third, or a half, of epsilon' for all of its disjoint cells."""
    free = np.array([[True, True, True], [True, False, True]])
    level = Level(LEVEL.counts[:2], free, LAYOUT)
    rng: Any = Ones()
    chosen = choices.noisy_counts(level, 0.5, rng)
    for node, asked in enumerate((3, 2)):
        noisy = [table + asked / 0.5 for table in tables_of(level.counts[node])]
        cells = [(choices.entropy_of(t).sum() - choices.entropy_of(t.sum(axis=1)).sum()) for t in noisy]
        assert chosen[node] == max(np.flatnonzero(free[node]), key=lambda k: cells[k])


@pytest.mark.parametrize("depth", [0, 2])
def test_a_path_spends_epsilon(depth: int) -> None:
    """2 (d + 1) shares: two counts on every level, and a choice on all but the last."""
    rng: Any = Ones()
    table = small("nltcs", 400)
    spent: list[float] = []

    def choice(level: Level, share: float, rng: Any) -> Any:
        spent.append(share)
        return level.best(choices.gains(level, level.counts))

    rows = np.arange(400)
    accuracy(table, rows[:300], rows[300:], depth=depth, epsilon=6, choice=choice, rng=rng)
    sizes, classes = rng.scales[::2], rng.scales[1::2]
    assert len(sizes) == len(classes) == depth + 1
    assert sum(1 / scale for scale in sizes) + sum(spent) + 1 / classes[-1] <= 6 + 1e-9
    assert len(spent) == depth


def small(name: str, rows: int) -> tables.Coded:
    return tables.Coded.of(tables.synthetic(name, rows))


def test_a_tree_learns_an_easy_table_and_the_rules_stop_it() -> None:
    table = small("acs", 3000)
    easy = tables.Coded(
        table.schema, table.records, table.codes, table.codes[:, 4].astype(np.int32), table.layout, table.numeric
    )
    train, test = tables.folds(3000, 10, 0)[3]
    rng = np.random.default_rng(0)
    for stop in ("printed", "meant"):
        found = accuracy(easy, train, test, depth=1, epsilon=40, choice=choices.exponential, rng=rng, stop=stop)
        assert found == 1

    grown: list[int] = []

    def choice(level: Level, share: float, rng: Any) -> Any:
        grown.append(len(level.counts))
        return level.best(choices.gains(level, level.counts))

    accuracy(easy, train, test, depth=3, epsilon=0.01, choice=choice, rng=rng, stop="printed")
    printed = len(grown)
    accuracy(easy, train, test, depth=3, epsilon=0.01, choice=choice, rng=rng, stop="meant")
    assert printed > 0
    assert len(grown) == printed


def test_the_whole_lead_counts_every_row() -> None:
    table = small("adult", 500)
    columns = [np.bincount(table.codes[:, k] * 2 + table.labels).reshape(-1) for k in range(table.codes.shape[1])]
    padded = [np.append(c, [0] * (len(c) % 2)).reshape(-1, 2) for c in columns]
    assert choices.whole_lead(table) == lead(majority_records(padded))


@pytest.mark.parametrize("name", tables.SHAPES)
def test_made_up_tables_have_the_shape_of_the_real_ones(name: str) -> None:
    real = CATALOGUE[{"adult": "adult_clean", "adult_full": "adult"}.get(name, name)]
    rows, numbers, categories, classes = tables.SHAPES[name]
    assert (rows, numbers + len(categories) + 1) == (real.rows, len(real.columns))
    table = small(name, 200)
    assert table.layout == Layout((tables.BINS,) * numbers + categories, classes)
    assert table.codes.shape == (200, numbers + len(categories))
    assert (table.codes.max(axis=0) < table.layout.sizes).all()
    assert table.numeric.sum() == numbers


def test_folds_leave_nobody_out() -> None:
    parts = tables.folds(103, 10, seed=4)
    assert sorted(np.concatenate([test for _, test in parts])) == list(range(103))
    for train, test in parts:
        assert sorted([*train, *test]) == list(range(103))


def test_our_trees_grow_the_same_again_from_the_same_key() -> None:
    table, rows = small("nltcs", 2000), np.arange(2000)

    def found(key: int) -> float:
        model = PrivateTreeClassifier("0.02", 2)
        return tables.accuracy_of(model, table, rows[:1500], rows[1500:], "0.02", [key])

    assert found(1) == found(1)
    assert len({found(key) for key in range(8)}) > 1


def test_seeded_bits_are_fair_and_fit() -> None:
    source = SeededEntropy([1, 2])
    assert max(source.bits(5) for _ in range(300)) == 31
    words = source.words(4000, 3)
    assert words.max() == 7
    assert np.bincount(words) / 4000 == pytest.approx([1 / 8] * 8, abs=6 * (7 / 64 / 4000) ** 0.5)
    assert SeededEntropy([3]).bits(64) == SeededEntropy([3]).bits(64) != SeededEntropy([4]).bits(64)
