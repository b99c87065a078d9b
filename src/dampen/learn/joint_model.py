"""A joint model: a decision table's tests and cells, and all attributes, with points that were fitted at once.

The tests are chosen as for a decision table. Then every cell, every test and every value of every attribute has points,
as in a scorecard; no counts are released. Everything here but :func:`grow_joint` reads released and public numbers
alone. Proof: docs/proofs/decision_table.md and docs/proofs/objective_perturbation.md.
"""

from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from dampen.describe.columns import Number
from dampen.entropy import Entropy
from dampen.errors import ParameterError
from dampen.learn.decision_table import BinaryTest, binary_tests, cell_answers, cells_of, possible_cells
from dampen.learn.records import Records
from dampen.learn.schema import Schema
from dampen.learn.scorecard_model import (
    Attributes,
    add_points,
    noise_share,
    places_of,
    shares_of,
    whole_points,
    with_bins,
)
from dampen.learn.table_growth import MORE_PAIRS, PairCounts, choose_pairs, plan
from dampen.learn.training_table import TrainingTable, are_few_cells
from dampen.mechanisms import ObjectivePerturbation
from dampen.privacy import Adjacency
from dampen.problem import LogisticFrame, LogisticProblem
from dampen.problem.logistic import MOST_COEFFICIENTS as MOST_ASKED
from dampen.vectors import Floats, Integers

THRESHOLD = Fraction(1, 50)
"""A joint model is taken where the public noise share rho is at most this."""
MOST_RECORDS, MOST_COEFFICIENTS = 5_000_000, 2**15
"""And where there are at most so many records, by the public number, and coefficients: its rows are held here."""
CHOICE_SHARE = Fraction(3, 10)
"""Of epsilon, for the choice of tests."""
CELL_WEIGHT = Fraction(25, 45)
"""What the cells weigh beside everything else."""


@dataclass(frozen=True)
class JointModel:
    """The released numbers: tests in order, and whole points, drawn at the rate ``epsilon``.

    Points are those of values of attributes with more than two, of cells that a record can be in, of the second of two
    values, of yes to each test (as many less for no), and of everybody; the scores of one side by side. ``records`` is
    the number of records that the plan was made for, declared or noisy.
    """

    tests: tuple[BinaryTest, ...]
    points: tuple[int, ...]
    epsilon: Fraction
    records: int


@dataclass(frozen=True)
class JointLayout:
    """Where the points of attributes, cells and tests stand."""

    attributes: Attributes
    tests: tuple[BinaryTest, ...]
    classes: int

    @classmethod
    def of(cls, schema: Schema, tests: tuple[BinaryTest, ...]) -> "JointLayout":
        """Of a schema, and tests that it allows."""
        return cls(Attributes.of(with_bins(schema)), tests, len(schema.classes))

    @property
    def cells(self) -> int:
        """How many cells a record can be in."""
        return int(possible_cells(self.tests).sum())

    def frame(self, *, unit: str = "", spread: bool = False) -> LogisticFrame:
        """What is known of the coefficients once the tests are."""
        alone = self.attributes.frame(self.classes, unit=unit, spread=spread)
        columns = alone.columns + len(self.tests)
        wide = LogisticFrame(list(alone.groups), columns, alone.classes, Adjacency.ADD_REMOVE)
        return LogisticFrame(
            [*alone.groups, self.cells], columns, alone.classes, Adjacency.ADD_REMOVE,
            weights=[*alone.weights, CELL_WEIGHT * wide.total_weight], column_weight=wide.column_weight,
            unit=unit, spread=spread,
        )  # fmt: skip

    def ranks(self, cells: Integers) -> Integers:
        """Cells by their place among those that a record can be in; negative where a record is in none of them."""
        fits = possible_cells(self.tests)
        found: Integers = np.where(fits, np.cumsum(fits) - 1, -1)[cells]
        return found

    def split(self, points: Floats) -> tuple[list[Floats], Floats, Floats, Floats]:
        """Points of attributes by value, of cells, of tests and of everybody, out of those of all features."""
        groups = sum(self.attributes.sizes[place] for place in self.attributes.groups)
        columns = groups + self.cells
        last = columns + len(self.attributes.columns)
        alone = np.concatenate([points[:groups], points[columns:last], points[-1:]])
        by_value, everybody = self.attributes.by_value(alone)
        return by_value, points[groups:columns], points[last:-1], everybody


def joint_is_better(schema: Schema, epsilon: Fraction, records: int, *, votes: bool = False) -> bool:
    """Whether a joint model is worth its noise: by public numbers alone. ``votes``: of persons, not of rows.

    With more than two classes it is not to be relied on: where a rule and small effects mix, it lost up to 6 % of the
    answers whatever the noise (docs/classifier.md).
    """
    if len(schema.classes) > 2 or records > MOST_RECORDS:
        return False
    if most_coefficients(schema, epsilon, records) > MOST_COEFFICIENTS or (votes and not can_count_votes(schema)):
        return False
    return schema_noise_share(schema, epsilon, records) <= THRESHOLD


def schema_noise_share(schema: Schema, epsilon: Fraction, records: int) -> Fraction:
    """rho: the noise of one coefficient of a scorecard beside the records behind it."""
    return noise_share(Attributes.of(with_bins(schema)), len(schema.classes), epsilon, max(records, 1))


def most_coefficients(schema: Schema, epsilon: Fraction, records: int) -> int:
    """How many coefficients a joint model has at most."""
    tests = len(binary_tests(schema))
    pairs = plan(epsilon, records, len(schema.classes), tests)
    asked = tests if pairs.every else 2 * len(pairs.pairs)
    return (sum(Attributes.of(with_bins(schema)).sizes) + asked + 1 + (1 << asked)) * len(schema.classes)


def require_few_coefficients(schema: Schema) -> None:
    """Refuse a schema with which a joint model of any number of tests may be too large."""
    sizes = sum(Attributes.of(with_bins(schema)).sizes)
    tests = 2 * (1 + len(MORE_PAIRS))
    if (sizes + tests + 1 + (1 << tests)) * len(schema.classes) > MOST_ASKED:
        raise ParameterError("schema must make fewer coefficients for kind='joint': lower bins or merge values")


def edges_of_both(schema: Schema) -> dict[str, Floats]:
    """Where numbers are cut at once for tests and for points."""
    coarse, fine = with_bins(schema).edges(), schema.edges()
    return {name: np.union1d(coarse[name], fine[name]) for name in fine}


def can_count_votes(schema: Schema) -> bool:
    """Whether the votes of persons can be counted by all cells that tests and points together make."""
    edges = edges_of_both(schema)
    sizes = [
        len(edges[name]) + 1 if isinstance(found, Number) else len(found.labels)
        for name, found in schema.attributes.items()
    ]
    return are_few_cells([*sizes, len(schema.classes)])


def require_votes(schema: Schema) -> None:
    """Refuse a schema with which votes of persons would be refused where they are counted, which is after payment."""
    if not can_count_votes(schema):
        rule = "schema must make fewer than 2**62 cells for kind='joint' and a table with a person"
        raise ParameterError(f"{rule}: lower bins, merge values or take kind='table'")


def joint_shares(model: JointModel, records: Records, schema: Schema) -> Floats:
    """The share of each class for each record."""
    layout = JointLayout.of(schema, model.tests)
    points = np.array(model.points, dtype=np.float64).reshape(-1, layout.frame().scores)
    by_value, by_cell, by_test, everybody = layout.split(points)
    found = add_points(by_value, everybody, places_of(records, with_bins(schema)), records.rows)
    cells = cells_of(model.tests, records)
    ranks = layout.ranks(cells)
    found += np.where(ranks[:, None] >= 0, by_cell[ranks], 0.0)
    found += (2.0 * cell_answers(len(model.tests)) - 1.0)[cells] @ by_test
    return shares_of(found, layout.classes)


def grow_joint(table: TrainingTable, *, epsilon: Fraction, records: int, source: Entropy) -> JointModel:
    """A joint model whose release costs ``epsilon`` under ``ADD_REMOVE``. Nobody has paid for it here."""
    counter = PairCounts(table)
    shares = plan(epsilon, records, len(table.schema.classes), len(counter.tests))
    tests, rest = counter.tests, epsilon
    if not shares.every:
        whole = CHOICE_SHARE * epsilon / sum(shares.pairs, Fraction(0)) if shares.pairs else Fraction(0)
        tests = choose_pairs(counter, tuple(whole * share for share in shares.pairs), source)
        rest = epsilon - CHOICE_SHARE * epsilon if shares.pairs else epsilon
    problem = joint_problem(table, tests)
    mechanism = ObjectivePerturbation(rest)
    drawn = mechanism.answer(problem.frame, mechanism.draw(problem, source))
    return JointModel(tests, whole_points(drawn, problem.frame), rest, records)


def joint_problem(table: TrainingTable, tests: tuple[BinaryTest, ...]) -> LogisticProblem:
    """The records, or votes, of a table, with the answers to tests and their cells. Not private."""
    coarse, edges = with_bins(table.schema).edges(), edges_of_both(table.schema)
    both = table.read_with(edges)
    places, weights = both.places()
    columns = dict(zip(table.schema.attributes, places.T, strict=False))
    layout, names = JointLayout.of(table.schema, tests), list(table.schema.attributes)
    cut = {name: _lookup(edges[name], coarse[name])[columns[name]] for name in edges}
    codes = {**columns, **cut}
    answers = [_answers(test, columns[names[test.attribute]], edges.get(names[test.attribute])) for test in tests]
    cells = np.zeros(len(places), dtype=np.int64)
    for answer in answers:
        cells = 2 * cells + answer
    groups = [codes[names[place]] for place in layout.attributes.groups]
    binary = [codes[names[place]] for place in layout.attributes.columns]
    frame = layout.frame(unit=table.person or "", spread=table.person is not None)
    return LogisticProblem(
        frame, np.column_stack([*groups, layout.ranks(cells), *binary, *answers]), places[:, -1], weights, both.vote
    )


def _lookup(fine: Floats, coarse: Floats) -> Integers:
    """For every interval between fine edges how many of the coarse edges, which are among them, are not above it."""
    return np.asarray(np.searchsorted(coarse, np.concatenate([[-np.inf], fine]), side="right"))


def _answers(test: BinaryTest, places: Integers, edges: Floats | None) -> Integers:
    """Whether rows pass a test, by their places."""
    passes = places == test.code if test.edge is None or edges is None else places <= np.searchsorted(edges, test.edge)
    return np.asarray(passes, dtype=np.int64)
