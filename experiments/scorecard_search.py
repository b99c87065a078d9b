"""Is anything better than a scorecard or a joint model? Five candidates, as differences on the same hold-outs.

Run ``python -m experiments.scorecard_search`` from the project's root with ``DAMPEN_DATA`` set. Hold-outs and schemas
are those of ``experiments.private_classifier``, and so is what is not private in the schemas. Every candidate is
epsilon-private under ``ADD_REMOVE``: each stage pays its share out of one budget of epsilon before it draws, and reads
the rows through public numbers and earlier releases alone, so that the shares add up.

- ``strata``: a scorecard for 7/10. What it says of a record is public from then on, and puts the record into a stratum.
  A pair of tests is chosen within strata for 1/10, and the class counts of strata by answers are bought for 2/10.
- ``boosted``: a scorecard for 7/10, then two rounds of boosting, each with a pair of attributes chosen by the slopes
  that are left (1/20), and one Newton step for every cell of the pair (1/10).
- ``percentiles``: percentiles as edges of 16 bins of every number for 1/10, in equal parts; a scorecard for the rest.
  ``joint at percentiles``: a joint model for the rest instead.
- ``pairs``: up to two pairs of attributes, chosen by what their cells tell less what noise takes, for 15/100; then a
  scorecard in which the cells of these pairs are further groups.
"""

import argparse
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations
from math import sqrt
from time import process_time
from typing import Any

import numpy as np
from rich.progress import Progress
from scipy.special import expit, softmax

from dampen import Adjacency, Budget, Number, percentiles
from dampen.learn import PrivateClassifier, PrivateScorecard, Schema
from dampen.learn.private_cuts import edges_at
from dampen.learn.records import as_records
from dampen.learn.scorecard_model import UNIT, Attributes, add_points, places_of, shares_of, whole_points, with_bins
from dampen.mechanisms import LaplaceCounts, ObjectivePerturbation, PermuteAndFlip
from dampen.problem import CountsFrame, CountsProblem, Frame, LogisticProblem, SelectionProblem
from dampen.queries.splits.pair import pair_at, pair_problem
from dampen.tables.grid import as_grid
from dampen.vectors import Floats, Integers
from experiments.private_classifier import TASKS, Task, split

DATA = ("adult", "nltcs", "acs", "mushroom", "wall_following")
EPSILONS = ("0.1", "0.3", "1")
RUNS = 5
FIRST_SHARE = Fraction(7, 10)
"""Of epsilon, for the scorecard that others stand on."""
CHOICE_SHARE, COUNT_SHARE = Fraction(1, 10), Fraction(2, 10)
"""For the choice of what stands on it, and for what is released of it."""
ROUNDS = 2
"""So many rounds of boosting, or pairs, share what there is."""
SURE = {2: (0.25, 0.5, 1.0, 2.0), 3: (0.5, 1.5)}
"""Where the lead of the class that a scorecard tells is cut into strata: with two classes, and with more."""
PRIOR = 4
"""So many times the scale of the noise: the records that the scorecard's shares stand for in a stratum's counts."""
CUT_SHARE, CUTS, GRID_POINTS = Fraction(1, 10), 16, 1000
"""For percentiles; how many bins they make; on how many points between public bounds where there is no unit."""
PAIR_SHARE = Fraction(15, 100)
"""For the choice of pairs that enter a scorecard."""
LEVELS = (4, 8, 16)
"""Numbers of a pair are cut as coarsely as this; the choice of a pair is one of levels too."""
FINE = 2**16
"""Slopes are rounded towards 0 to multiples of 1 / FINE, each by itself."""
RIDGE = 3
"""So many times the scale of the noise is added to the curvature of a cell in a Newton step."""


@dataclass(frozen=True, eq=False)
class Rows:
    """Rows of a task, as a table and as codes. ``schema`` says into which bins numbers are cut. Not private."""

    task: Task
    table: Mapping[str, Any]
    schema: Schema
    codes: Integers
    targets: Integers

    @classmethod
    def of(cls, task: Task, chosen: Integers) -> "Rows":
        """Some of the rows of a task, numbers cut as in a scorecard."""
        table, schema = {name: column[chosen] for name, column in task.table.items()}, with_bins(task.schema)
        codes = np.column_stack(places_of(as_records(table, schema), schema))
        told = {label: place for place, label in enumerate(schema.classes)}
        return cls(task, table, schema, codes, np.array([told[label] for label in table[task.target].tolist()]))

    @property
    def classes(self) -> int:
        """How many classes there are."""
        return len(self.schema.classes)

    @property
    def sizes(self) -> tuple[int, ...]:
        """How many values every attribute has."""
        return Attributes.of(self.schema).sizes


Candidate = Callable[[Rows, Rows, Fraction, Budget], Integers]
"""Rows to fit on, rows to tell, epsilon and who pays in; places of the classes out."""


@dataclass(frozen=True)
class Pair:
    """Two attributes and how coarsely their numbers are cut."""

    first: int
    second: int
    levels: int

    def sizes(self, rows: Rows) -> tuple[int, int]:
        """How many values each has."""
        one, two = (self._size(rows, place) for place in (self.first, self.second))
        return one, two

    def cells(self, rows: Rows) -> Integers:
        """The cell of each row; -1 where a value is not declared."""
        one, two = (self._codes(rows, place) for place in (self.first, self.second))
        return np.where((one < 0) | (two < 0), -1, one * self.sizes(rows)[1] + two)

    def _size(self, rows: Rows, place: int) -> int:
        return min(self.levels, rows.sizes[place]) if _is_number(rows, place) else rows.sizes[place]

    def _codes(self, rows: Rows, place: int) -> Integers:
        found = rows.codes[:, place]
        return found * self._size(rows, place) // rows.sizes[place] if _is_number(rows, place) else found


def _is_number(rows: Rows, place: int) -> bool:
    return isinstance(list(rows.schema.attributes.values())[place], Number)


def list_pairs(rows: Rows) -> list[Pair]:
    """All pairs of attributes at all levels; once where neither is a number."""
    found = []
    for first, second in combinations(range(len(rows.sizes)), 2):
        some = _is_number(rows, first) or _is_number(rows, second)
        found += [Pair(first, second, levels) for levels in (LEVELS if some else LEVELS[:1])]
    return found


def scorecard(train: Rows, held: Rows, epsilon: Fraction, budget: Budget) -> Integers:
    """The scorecard alone, A."""
    model = PrivateScorecard(epsilon, train.task.schema, budget).fit(train.table, train.task.target)
    return model.predict_places(as_records(held.table, model.schema_))


def joint(train: Rows, held: Rows, epsilon: Fraction, budget: Budget) -> Integers:
    """The joint model, J."""
    model = PrivateClassifier(epsilon, train.task.schema, budget, len(train.targets), kind="joint")
    return model.fit(train.table, train.task.target).predict_places(as_records(held.table, model.schema_))


def strata(train: Rows, held: Rows, epsilon: Fraction, budget: Budget) -> Integers:
    """Class counts by stratum of what a scorecard says and by the answers to two tests."""
    scores = scorecard_scores(train, epsilon * FIRST_SHARE, budget)
    asked, told = scores(train), scores(held)
    where, answers = stratum_of(asked, train.classes), answers_to_tests(train)
    first, second = choose_tests(train, where, answers, epsilon * CHOICE_SHARE, budget)

    def cells_of(rows: Rows, found: Floats) -> Integers:
        passed = answers_to_tests(rows)
        return 4 * stratum_of(found, rows.classes) + 2 * passed[:, first] + passed[:, second]

    shape = 4 * count_strata(train.classes), train.classes
    counts = np.bincount(cells_of(train, asked) * train.classes + train.targets, minlength=shape[0] * shape[1])
    share = epsilon * COUNT_SHARE
    bought = buy_counts(counts, 1, share, budget).reshape(shape)
    prior = shares_of(UNIT * told, held.classes) * PRIOR / float(share)
    return np.asarray((np.maximum(bought, 0)[cells_of(held, told)] + prior).argmax(axis=1))


def boosted(train: Rows, held: Rows, epsilon: Fraction, budget: Budget) -> Integers:
    """A scorecard, then Newton steps on the cells of pairs of attributes.

    One record more changes the slopes of one cell of every pair, by u in sum, and the curvatures by at most a quarter,
    or three quarters with more than two classes.
    """
    scores = scorecard_scores(train, epsilon * FIRST_SHARE, budget)
    asked, told, pairs = scores(train), scores(held), list_pairs(train)
    reach, curved = (Fraction(1, 2), Fraction(1, 4)) if train.classes == 2 else (Fraction(1), Fraction(3, 4))
    share = epsilon * COUNT_SHARE / ROUNDS
    for _ in range(ROUNDS):
        slopes, curvatures = slopes_of(asked, train.targets)
        scale = (reach + curved) * FINE / share
        useful = [
            int(np.abs(add_by_cell(slopes, pair, train)).sum() - _noise_of(pair, train, slopes.shape[1] * scale))
            for pair in pairs
        ]
        pair = choose(pairs, useful, reach * FINE, epsilon * CHOICE_SHARE / ROUNDS, budget)
        sums = np.stack([add_by_cell(slopes, pair, train), add_by_cell(curvatures, pair, train)])
        bought = buy_counts(sums.ravel(), (reach + curved) * FINE, share, budget).reshape(sums.shape)
        steps = -bought[0] / (np.maximum(bought[1], 0) + RIDGE * float(scale))
        asked, told = asked + _at(steps, pair.cells(train)), told + _at(steps, pair.cells(held))
    return tell(told)


def by_percentiles(train: Rows, held: Rows, epsilon: Fraction, budget: Budget) -> Integers:
    """A scorecard whose numbers are cut at percentiles."""
    schema = cut_at_percentiles(train, epsilon * CUT_SHARE, budget)
    model = PrivateScorecard(epsilon * (1 - CUT_SHARE), schema, budget).fit(train.table, train.task.target)
    return model.predict_places(as_records(held.table, schema))


def joint_by_percentiles(train: Rows, held: Rows, epsilon: Fraction, budget: Budget) -> Integers:
    """A joint model whose numbers are cut there, for tests and for points alike."""
    schema = cut_at_percentiles(train, epsilon * CUT_SHARE, budget)
    model = PrivateClassifier(epsilon * (1 - CUT_SHARE), schema, budget, len(train.targets), kind="joint")
    return model.fit(train.table, train.task.target).predict_places(as_records(held.table, schema))


def with_pairs(train: Rows, held: Rows, epsilon: Fraction, budget: Budget) -> Integers:
    """A scorecard with the cells of up to two pairs of attributes.

    A pair is as useful as the records that majorities of its cells tell right beyond those of either attribute, less
    what noise is expected to take; no pair is worth 0. One record more moves that by at most 1, either way.
    """
    rest, chosen = epsilon * (1 - PAIR_SHARE), list[Pair]()
    frame, names = Attributes.of(train.schema).frame(train.classes), list[Pair | None]([None, *list_pairs(train)])
    # A cell of margin M is told wrong where the noise of its slope exceeds u M: so it loses W / (e rest) at most.
    scale = (frame.total_weight + ROUNDS) / rest / np.e
    for _ in range(ROUNDS):
        useful = [_gain(pair, float(scale), train) if pair else 0 for pair in names]
        drawn = choose(names, useful, Fraction(1), epsilon * PAIR_SHARE / ROUNDS, budget)
        if drawn is not None:
            chosen.append(drawn)
            names.remove(drawn)
    sizes = (*train.sizes, *(int(np.prod(pair.sizes(train))) for pair in chosen))
    codes = [np.column_stack([rows.codes, *(pair.cells(rows) for pair in chosen)]) for rows in (train, held)]
    layout = Attributes(
        sizes,
        tuple(place for place, size in enumerate(sizes) if size > 2),
        tuple(place for place, size in enumerate(sizes) if size == 2),
    )
    problem = LogisticProblem(layout.frame(train.classes), layout.codes(codes[0]), train.targets)
    drawn_points = ObjectivePerturbation(rest).release(problem, budget=budget)
    points = np.array(whole_points(drawn_points, problem.frame), dtype=np.float64).reshape(-1, problem.frame.scores)
    return tell(add_points(*layout.by_value(points), list(codes[1].T), len(held.targets)))


CANDIDATES: dict[str, Candidate] = {
    "strata": strata,
    "boosted": boosted,
    "percentiles": by_percentiles,
    "joint at percentiles": joint_by_percentiles,
    "pairs": with_pairs,
}


def cut_at_percentiles(rows: Rows, epsilon: Fraction, budget: Budget) -> Schema:
    """The schema of a task with numbers cut at percentiles that were paid for, in equal parts."""
    schema, cuts = rows.task.schema, dict[str, list[float]]()
    numbers = {name: found for name, found in schema.attributes.items() if isinstance(found, Number)}
    shares = [Fraction(100 * place, CUTS) for place in range(1, CUTS)]
    units = {name: found.unit or (found.bounds[1] - found.bounds[0]) / GRID_POINTS for name, found in numbers.items()}
    for name, found in numbers.items():
        grid = as_grid(bounds=found.bounds, step=units[name])
        drawn = percentiles(rows.table[name], shares, bounds=grid, epsilon=epsilon / len(numbers), budget=budget)
        cuts[name] = edges_at(drawn, grid)
    free = {name: Number(unit=unit) for name, unit in units.items()}
    return Schema({**schema.attributes, **free}, schema.classes, cuts)


def scorecard_scores(train: Rows, epsilon: Fraction, budget: Budget) -> Callable[[Rows], Floats]:
    """A scorecard that was paid for, as a function from rows to scores: one for two classes, else one for each."""
    model = PrivateScorecard(epsilon, train.task.schema, budget).fit(train.table, train.task.target)
    points, everybody = list(model.points_.values()), model.base_points_
    return lambda rows: add_points(points, everybody, list(rows.codes.T), len(rows.codes)) / UNIT


def tell(scores: Floats) -> Integers:
    """The class with the highest score."""
    return np.asarray(scores.argmax(axis=1) if scores.shape[1] > 1 else (scores[:, 0] > 0).astype(np.int64))


def count_strata(classes: int) -> int:
    """How many strata there are."""
    return classes * (len(SURE[min(classes, 3)]) + 1)


def stratum_of(scores: Floats, classes: int) -> Integers:
    """The class that is told, and by how much it leads."""
    cuts = SURE[min(classes, 3)]
    ranked = np.sort(scores, axis=1)
    lead = np.abs(scores[:, 0]) if classes == 2 else ranked[:, -1] - ranked[:, -2]
    return tell(scores) * (len(cuts) + 1) + np.searchsorted(cuts, lead)


def answers_to_tests(rows: Rows) -> Integers:
    """The answers of rows to all tests: is a number below an edge of a scorecard's, is a category this one?"""
    columns = []
    for place, size in enumerate(rows.sizes):
        codes = rows.codes[:, place]
        if _is_number(rows, place):
            columns += [codes < edge for edge in range(1, size)]
        else:
            columns += [codes == code for code in range(size if size > 2 else 1)]
    return np.column_stack(columns).astype(np.int64)


def choose_tests(rows: Rows, where: Integers, answers: Integers, epsilon: Fraction, budget: Budget) -> tuple[int, int]:
    """The pair of tests that best refines all strata."""
    groups = [[(where == stratum) & (rows.targets == kind) for kind in range(rows.classes)]
              for stratum in range(count_strata(rows.classes))]  # fmt: skip
    totals = np.array([[group.sum() for group in row] for row in groups])
    passed = answers.astype(np.float32)

    def count_joints() -> Iterator[Any]:
        # Sums of fewer than 2^24 ones are exact in floats of 32 bits.
        yield from ((passed[group].T @ passed[group]).astype(np.int32) for row in groups for group in row)

    problem = pair_problem(totals, count_joints(), np.arange(answers.shape[1]), adjacency=Adjacency.ADD_REMOVE)
    return pair_at(int(PermuteAndFlip(epsilon).release(problem, budget=budget).value), answers.shape[1])


def slopes_of(scores: Floats, targets: Integers) -> tuple[Integers, Integers]:
    """The slopes of every record's capped loss in its scores, and its curvatures, in units of 1 / FINE.

    Below a share of 1/2 of its class the loss goes on straight: that class keeps 1/2, the others share the rest.
    """
    both = scores.shape[1] == 1
    shares = np.column_stack([expit(-scores[:, 0]), expit(scores[:, 0])]) if both else softmax(scores, axis=1)
    own = np.arange(shares.shape[1]) == targets[:, None]
    beyond = shares[own][:, None] < 0.5
    others = np.where(own, 0.0, shares)
    others = others / np.maximum(others.sum(axis=1, keepdims=True), np.finfo(float).tiny)
    held = np.where(beyond, np.where(own, 0.5, others / 2), shares)
    curved = np.where(beyond, others * (1 - others) / 2, shares * (1 - shares))
    first = 1 if both else 0
    return tuple(np.trunc(found[:, first:] * FINE).astype(np.int64) for found in (held - own, curved))


def add_by_cell(values: Integers, pair: Pair, rows: Rows) -> Integers:
    """Sums of rows of values by cell of a pair."""
    one, two = pair.sizes(rows)
    cells = pair.cells(rows)
    sums = np.zeros((one * two, values.shape[1]), dtype=np.int64)
    np.add.at(sums, cells[cells >= 0], values[cells >= 0])
    return sums


def _at(steps: Floats, cells: Integers) -> Floats:
    return np.where(cells[:, None] >= 0, steps[cells], 0.0)


def _noise_of(pair: Pair, rows: Rows, scale: Fraction) -> int:
    """What noise of this scale in every cell adds to the sizes of all sums together."""
    one, two = pair.sizes(rows)
    return int(scale * one * two)


def _right(codes: Integers, size: int, rows: Rows) -> int:
    """How many records majorities by value tell right; those without a value are told by nobody."""
    kept = codes >= 0
    counts = np.bincount(codes[kept] * rows.classes + rows.targets[kept], minlength=size * rows.classes)
    return int(counts.reshape(size, rows.classes).max(axis=1).sum())


def _gain(pair: Pair, scale: float, rows: Rows) -> int:
    """What the cells of a pair tell beyond either attribute, cut as coarsely, less what noise takes."""
    one, two = pair.sizes(rows)
    cells = pair.cells(rows)
    alone = (
        _right(np.where(cells < 0, -1, cells // two), one, rows),
        _right(np.where(cells < 0, -1, cells % two), two, rows),
    )
    return _right(cells, one * two, rows) - max(alone) - int(scale * one * two)


def choose(names: list[Any], useful: list[int], bound: Fraction, epsilon: Fraction, budget: Budget) -> Any:
    """The most useful by permute-and-flip, where one record more moves every usefulness by the bound, either way."""
    problem = SelectionProblem(Frame(range(len(names)), bound, Adjacency.ADD_REMOVE), np.array(useful, dtype=np.int64))
    return names[int(PermuteAndFlip(epsilon).release(problem, budget=budget).value)]


def buy_counts(counts: Integers, reach: Fraction | int, epsilon: Fraction, budget: Budget) -> Integers:
    """Sums with noise, all of which one record more moves by ``reach`` together."""
    problem = CountsProblem(CountsFrame(len(counts), reach, Adjacency.ADD_REMOVE), counts)
    return np.array(LaplaceCounts(epsilon).release(problem, budget=budget), dtype=np.int64)


def accuracies(task: Task, epsilon: str, run: int) -> dict[str, float]:
    """The share of right answers on the rows of one hold-out, of everybody who has something to do there."""
    train, held = (Rows.of(task, chosen) for chosen in split(task.table.rows, run))
    found = {}
    for name, candidate in {"A": scorecard, "J": joint, **CANDIDATES}.items():
        if "percentiles" in name and not train.schema.edges():
            continue
        told = candidate(train, held, Fraction(epsilon), Budget(epsilon=epsilon))
        found[name] = float((told == held.targets).mean())
    return found


def describe(found: Floats) -> str:
    """A mean of differences and its standard error."""
    return f"{found.mean():+.4f} ±{found.std(ddof=min(1, len(found) - 1)) / sqrt(len(found)):.4f}"


def main() -> None:
    """Print two rows for every table and epsilon: differences to the scorecard A, and to the joint model J."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--data", nargs="+", default=list(DATA), choices=list(TASKS))
    parser.add_argument("--epsilons", nargs="+", default=list(EPSILONS))
    parser.add_argument("--runs", type=int, default=RUNS)
    chosen = parser.parse_args()
    start = process_time()
    print(f"| data ({chosen.runs} runs) | epsilon | less | mean | {' | '.join(CANDIDATES)} |")
    print("|---" * (4 + len(CANDIDATES)) + "|")
    with Progress(transient=True) as progress:
        bar = progress.add_task("fits", total=len(chosen.data) * len(chosen.epsilons) * chosen.runs)
        for name in chosen.data:
            task = TASKS[name]()
            for epsilon in chosen.epsilons:
                rows = []
                for run in range(chosen.runs):
                    rows.append(accuracies(task, epsilon, run))
                    progress.advance(bar)
                by_name = {each: np.array([row[each] for row in rows]) for each in rows[0]}
                for base in ("A", "J"):
                    told = [
                        describe(by_name[each] - by_name[base]) if each in by_name else "no numbers"
                        for each in CANDIDATES
                    ]
                    mean = by_name[base].mean()
                    print(f"| {name} | {epsilon} | {base} | {mean:.4f} | {' | '.join(told)} |", flush=True)
    print(f"{process_time() - start:.0f} seconds")


if __name__ == "__main__":
    main()
