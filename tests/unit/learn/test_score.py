"""The private score as a user meets it: every kind of table, the labels, one charge, and an error that holds."""

import subprocess
import sys
from collections.abc import Mapping
from fractions import Fraction
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.tree import DecisionTreeClassifier

import dampen
from dampen import Adjacency, Budget, Category
from dampen.errors import BudgetExceeded, DataError, ParameterError
from dampen.learn import PrivateForestClassifier, PrivateTreeClassifier, Schema, private_score
from dampen.learn.score import ShareAccuracy, right_answers
from dampen.mechanisms.numeric.noises import Geometric
from dampen.privacy import NumericRelease, PrivacyLoss
from dampen.queries import mean_part_problems
from dampen.tables.engines import Source
from dampen.tables.rows import read_batches
from tests.conftest import Refused
from tests.contracts.engines import SPARK, lying
from tests.unit.learn.test_records import COLUMNS, FORMS
from tests.unit.learn.test_records import SCHEMA as TABLE_SCHEMA

SURE = 10**6
BOTH = [Adjacency.ADD_REMOVE, Adjacency.REPLACE]
SCHEMA = Schema({"rain": Category(["no", "yes"])}, classes=["walk", "bus"])
RAIN = {"rain": ["no", "yes", "no", "yes"]}


def tree(schema: Schema = SCHEMA, table: Any = RAIN, y: Any = ("walk", "bus") * 2) -> PrivateTreeClassifier:
    copies = {name: list(column) * 50 for name, column in table.items()}
    budget = Budget(epsilon=SURE)
    return PrivateTreeClassifier(SURE, 2, schema=schema, budget=budget).fit(copies, list(y) * 50)


def score(model: Any, X: Any, y: Any, adjacency: Adjacency | None = None) -> Any:
    return private_score(model, X, y, epsilon=SURE, budget=Budget(epsilon=SURE), adjacency=adjacency)


class Told:
    """A model that tells what it was told to tell."""

    def __init__(self, answers: Any, classes: Any = None) -> None:
        self._answers = answers
        if classes is not None:
            self.classes_ = classes

    def predict(self, X: Any) -> Any:
        return self._answers


@pytest.mark.parametrize("adjacency", [None, *BOTH])
def test_the_share_of_right_answers(adjacency: Adjacency | None) -> None:
    release = score(tree(), RAIN, ["walk", "bus", "bus", "bus"], adjacency)
    assert float(release) == 0.75
    assert release.error(0.95) == 0
    assert release.loss == PrivacyLoss(SURE, adjacency=adjacency or Adjacency.ADD_REMOVE)
    assert release.note == "private_score"
    assert isinstance(release, NumericRelease)


@pytest.mark.parametrize("adjacency", BOTH)
@pytest.mark.parametrize("form", FORMS)
def test_every_kind_of_table_is_scored_with_the_name_of_its_target(
    form: str, adjacency: Adjacency, tmp_path: Path
) -> None:
    model = tree(TABLE_SCHEMA, COLUMNS, ["no", "no", "yes"])
    expected = np.mean(model.predict(COLUMNS) == np.array(COLUMNS["y"]))
    assert float(score(model, FORMS[form](tmp_path), "y", adjacency)) == pytest.approx(expected)


@pytest.mark.parametrize("form", ["glob", "loaded", "relation", "ibis", SPARK])
def test_rows_that_lie_elsewhere_keep_their_classes(form: str, tmp_path: Path) -> None:
    frame = pl.DataFrame({"rain": ["no", "yes", "no"] * 20, "way": ["walk", "bus", "bus"] * 20})
    assert float(score(tree(), lying(frame, form, tmp_path), "way")) == pytest.approx(2 / 3)


def test_files_are_scored_piece_by_piece(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("dampen.tables.rows.BATCH", 2)
    (tmp_path / "a.csv").write_text("rain,way,city\nno,walk,Rome\nno,bus,Rome\nyes,bus,Oslo\n")
    (tmp_path / "b.csv").write_text("rain,way,city\nyes,walk,Rome\nyes,bus,Rome\n")
    model, files = tree(), str(tmp_path / "*.csv")
    assert right_answers(model, files, "way").tolist() == [True, False, True, False, True]
    assert float(score(model, Source(files, {"city": "Rome"}), "way")) == 0.5
    with pytest.raises(ParameterError, match="under REPLACE"):
        score(model, Source(files, {"city": "Rome"}), "way", Adjacency.REPLACE)
    (tmp_path / "b.csv").write_text("rain,way,city\n")
    assert right_answers(model, str(tmp_path / "b.csv"), "way").tolist() == []


def test_every_classifier_can_be_scored() -> None:
    rows, budget = {"rain": ["no", "yes"] * 200}, Budget(epsilon=SURE)
    forest = PrivateForestClassifier(SURE, 3, schema=SCHEMA, budget=budget).fit(rows, ["walk", "bus"] * 200)
    other = DecisionTreeClassifier().fit([[0.0], [1.0]], ["walk", "bus"])
    assert float(score(forest, RAIN, ["walk", "bus", "walk", "walk"])) == 0.75
    assert float(score(other, np.array([[0.0], [1.0]]), pd.Series(["walk", "walk"]))) == 0.5


# Labels


@pytest.mark.parametrize("adjacency", BOTH)
def test_a_class_that_is_none_of_the_models_is_a_wrong_answer(adjacency: Adjacency) -> None:
    strange = ["walk", "tram", None, float("nan")]
    assert float(score(tree(), RAIN, strange, adjacency)) == 0.25
    assert float(score(tree(), RAIN, ["walk", ["bus"], {}, b"walk"], adjacency)) == 0.25
    assert right_answers(Told(np.array([7, 1, 1]), [0, 1]), [0, 0, 0], [7, 1, 0]).tolist() == [False, True, False]


def test_labels_are_compared_by_the_rule_of_training(tmp_path: Path) -> None:
    """Fields of a CSV file are text, and a column of numbers may hold whole ones as floats."""
    schema = Schema({"rain": Category([False, True])}, classes=[0, 1])
    model = tree(schema, {"rain": [False, True]}, [0, 1])
    (tmp_path / "t.csv").write_text("rain,late\ntrue,1\nfalse,0\nfalse,1\n")
    assert right_answers(model, tmp_path / "t.csv", "late").tolist() == [True, True, False]
    table = {"rain": [True, False, False]}
    for labels in ([1, 0, 1], np.array([1.0, 0.0, 1.0]), pd.Series([1, 0, 1], dtype="category"), ["1", "0", "1"]):
        assert right_answers(model, table, labels).tolist() == [True, True, False]


def test_a_list_of_labels_is_never_given_one_type() -> None:
    """One text among numbers must not make texts of the others: each row is read by itself."""
    model = Told(np.array([1, 1, 1]), [0, 1])
    assert right_answers(model, [0] * 3, [1, "tram", 1]).tolist() == [True, False, True]
    assert right_answers(Told([1, "1"]), [0] * 2, [1, "1"]).tolist() == [True, True]


def test_without_classes_every_row_is_compared_with_its_own_answer() -> None:
    """Neither the other answers nor the other labels decide how a row is read."""
    answers, labels = [1, "1", True, "x", [2]], ["1", "1", "true", None, [2]]
    alone = [
        right_answers(Told([answer]), [0], [label]).tolist()[0] for answer, label in zip(answers, labels, strict=True)
    ]
    assert right_answers(Told(answers), [0] * 5, labels).tolist() == alone
    assert alone == [True, True, True, False, False]


# Price and error


@pytest.mark.parametrize("adjacency", BOTH)
def test_one_charge_with_its_note_and_nothing_beyond_the_limit(adjacency: Adjacency) -> None:
    budget = Budget(epsilon=3, adjacency=adjacency)
    model = tree()
    words: dict[str, Any] = {"epsilon": "3/2", "budget": budget, "adjacency": adjacency}
    release = private_score(model, RAIN, ["walk"] * 4, **words, note="hold-out")
    assert (release.note, budget.spent.epsilon) == ("hold-out", Fraction(3, 2))
    private_score(model, RAIN, ["walk"] * 4, **words)
    with pytest.raises(BudgetExceeded):
        private_score(model, RAIN, ["walk"] * 4, **words)


def test_an_empty_table_of_privately_many_rows_is_answered() -> None:
    assert 0 <= float(private_score(tree(), {"rain": []}, [], epsilon=1, budget=Budget(epsilon=1))) <= 1
    assert float(score(tree(), {"rain": []}, [])) == 0.5
    with pytest.raises(DataError, match="empty"):
        score(tree(), {"rain": []}, [], Adjacency.REPLACE)


def law_of(right: int, wrong: int, rate: Fraction, wide: int) -> list[tuple[NumericRelease, float]]:
    """Every release up to a distance from the true counts, and its probability."""
    noise, steps = Geometric(rate), np.arange(-wide, wide + 1)
    law = np.exp(noise.log_probabilities(steps))
    loss, found = PrivacyLoss(rate, adjacency=Adjacency.ADD_REMOVE), []
    for one, p in zip(steps.tolist(), law.tolist(), strict=True):
        for other, q in zip(steps.tolist(), law.tolist(), strict=True):
            told = max(right + one, 0), max(wrong + other, 0)
            value = told[0] / sum(told) if sum(told) else 0.5
            accuracy = ShareAccuracy(right + one, wrong + other, noise)
            assert accuracy.value == value
            found.append((NumericRelease(value, loss, "", "", accuracy), p * q))
    return found


@pytest.mark.parametrize(("right", "wrong"), [(1, 0), (0, 2), (3, 2), (9, 1), (40, 10)])
@pytest.mark.parametrize("confidence", ["0.5", "0.9", "0.95"])
def test_the_error_holds_with_its_confidence(right: int, wrong: int, confidence: str) -> None:
    """The exact probability that the accuracy is within the error, from released counts of all mass but 1e-8."""
    truth, covered = right / (right + wrong), 0.0
    for release, chance in law_of(right, wrong, Fraction(1), 20):
        assert 0 <= release.error(confidence) <= 1
        covered += chance * (abs(float(release) - truth) <= release.error(confidence) + 1e-12)
    assert covered >= float(confidence)


def test_two_counts_err_half_as_much_as_a_sum_and_a_number() -> None:
    """In squares, at 800 right answers of 1,000: why a score is not bought as a mean is."""
    rng, size = np.random.default_rng(0), 200_000
    values = np.repeat([0, 1], [200, 800])
    half = dampen.mechanisms.Laplace(Fraction(1, 20))
    parts = [half.simulate(part.as_public(), rng, size) for part in mean_part_problems(values, bounds=(0, 1))]
    mean = np.clip(0.5 + parts[0] / np.maximum(parts[1], 1), 0, 1)
    right, wrong = (count + Geometric(Fraction(1, 10)).simulate(rng, size) for count in (800, 200))
    counted = right / np.maximum(right + wrong, 1)
    assert np.square(counted - 0.8).mean() / np.square(mean - 0.8).mean() == pytest.approx(0.5, abs=0.02)


# Refusals, all of them before anything is paid


@pytest.mark.parametrize(
    ("asked", "error", "rule"),
    [
        ({"model": object()}, ParameterError, "model must have a method predict"),
        ({"y": None}, ParameterError, "y must hold the classes"),
        ({"y": "rain"}, ParameterError, "must not be an attribute"),
        ({"y": "way"}, ParameterError, "column must be one of"),
        ({"y": ["walk"] * 3}, DataError, "equally many rows"),
        ({"epsilon": 0}, ParameterError, "epsilon must be"),
        ({"adjacency": Adjacency.EDGE}, ParameterError, "adjacency must be"),
        ({"budget": None}, ParameterError, "budget must be"),
        ({"model": Told(["walk"] * 4), "y": "way"}, ParameterError, "y must hold the classes themselves"),
        ({"model": Told(["walk"] * 3)}, DataError, "equally many rows"),
        ({"model": Told(np.zeros((4, 2)))}, DataError, "one-dimensional"),
        ({"X": "rows.csv"}, ParameterError, "y must be the name of the column"),
        ({"X": "rows.csv", "model": Told(["walk"] * 4), "y": "way"}, ParameterError, "y must hold the classes"),
    ],
)
def test_what_does_not_fit_is_refused_before_anything_is_paid(
    asked: dict[str, Any], error: Any, rule: str, refused: Refused, untouched: Budget
) -> None:
    given: dict[str, Any] = {"model": tree(), "X": RAIN, "y": ["walk"] * 4, "epsilon": 1, "budget": untouched} | asked
    with refused(error, rule):
        private_score(given.pop("model"), given.pop("X"), given.pop("y"), **given)


def test_what_a_model_raises_is_not_told(refused: Refused, untouched: Budget) -> None:
    """Messages of others may quote the rows."""

    class Talkative:
        def predict(self, X: Any) -> Any:
            raise KeyError(f"no such city: {X[0]}")

    with refused(DataError, "it raised KeyError", hidden=("secret",)):
        private_score(Talkative(), ["secret"], [1], epsilon=1, budget=untouched)
    unfitted = PrivateTreeClassifier(1, 2, schema=SCHEMA, budget=untouched)
    with refused(DataError, "it raised NotFittedError"):
        private_score(unfitted, RAIN, ["walk"] * 4, epsilon=1, budget=untouched)


def test_unnamed_columns_are_in_memory(tmp_path: Path, refused: Refused, untouched: Budget) -> None:
    numbers = np.array([[1.0], [9.0]] * 20)
    schema = Schema.any(0, 10, bins=2, classes=[0, 1])
    model = PrivateTreeClassifier(SURE, 1, schema=schema, budget=Budget(epsilon=SURE)).fit(numbers, [0, 1] * 20)
    assert float(score(model, numbers, [0, 1] * 20)) == 1
    pd.DataFrame({"x0": [1.0], "y": [0]}).to_csv(tmp_path / "t.csv", index=False)
    with refused(ParameterError, "schema must name its attributes"):
        private_score(model, tmp_path / "t.csv", "y", epsilon=1, budget=untouched)


def test_a_relation_is_read_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two scans of a table without an order might pair a row with the class of another."""
    reads: list[list[str]] = []

    def spied(data: Any, readings: Mapping[str, Any]) -> Any:
        reads.append([*readings])
        return read_batches(data, readings)

    monkeypatch.setattr("dampen.learn.score.read_batches", spied)
    frame = pd.DataFrame({"rain": ["no", "yes"], "way": ["walk", "bus"]})
    assert float(score(tree(), duckdb.connect().from_df(frame), "way")) == 1
    assert reads == [["rain", "way"]]


def test_models_of_others_need_no_scikit_learn() -> None:
    code = (
        "import sys; sys.modules['sklearn'] = None\n"
        "import dampen\n"
        "class Model:\n    def predict(self, X): return [0] * len(X)\n"
        "budget = dampen.Budget(epsilon=100)\n"
        "print(float(dampen.learn.private_score(Model(), [1, 2], [0, 1], epsilon=100, budget=budget)))"
    )
    shown = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert shown == "0.5\n"
