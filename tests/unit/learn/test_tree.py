"""The private tree as a user meets it: scikit-learn's interface, one charge, and defined behaviour at the edges."""

import copy
import json
import pickle
import subprocess
import sys
from fractions import Fraction
from pathlib import Path
from typing import Any

import matplotlib.pyplot
import numpy as np
import pytest
from sklearn.base import clone
from sklearn.model_selection import cross_val_score

from dampen import Adjacency, Budget, Category, Number
from dampen.errors import BudgetError, BudgetExceeded, DataError, ParameterError, ReleaseFailed
from dampen.learn import PrivateTreeClassifier, Schema, id3, noise
from dampen.learn.nodes import Node, leaf_shares, paths_of
from dampen.learn.records import as_records
from dampen.learn.split_choice import MECHANISMS, SplitChoice
from dampen.learn.tree import DEEPEST
from dampen.sampling.flips import flip_groups
from dampen.tables import contingency
from dampen.tables.contingency import Layout, count_level
from tests.unit.learn.test_records import FORMS
from tests.unit.learn.test_records import SCHEMA as TABLE_SCHEMA

SCHEMA = Schema({"a": Category(["p", "q", "r"]), "n": Number(0, 10, bins=2)}, classes=["no", "yes"])
SURE = 10**6


def table(rows: int = 300) -> tuple[dict[str, list[Any]], list[str]]:
    """The class is yes exactly if a is q, or a is r and n is at least 5."""
    kinds = [("p", 1, "no"), ("q", 1, "yes"), ("r", 9, "yes"), ("r", 1, "no"), ("p", 9, "no")]
    chosen = [kinds[place % 5] for place in range(rows)]
    return {"a": [a for a, _, _ in chosen], "n": [n for _, n, _ in chosen]}, [y for *_, y in chosen]


def made(depth: int = 2, **parameters: Any) -> PrivateTreeClassifier:
    given: dict[str, Any] = {"epsilon": SURE, "schema": SCHEMA, "budget": Budget(epsilon=10**12)} | parameters
    return PrivateTreeClassifier(max_depth=depth, **given)


def test_bins_that_are_not_given_are_those_of_the_schema() -> None:
    several = Schema({f"x{place}": Number(0, 1) for place in range(8)}, classes=[0, 1])
    assert id3.count_outcomes(several) == (48,) * 8
    assert id3.count_outcomes(Schema({"a": Number(0, 1), "b": Number(0, 1, bins=3)}, classes=[0, 1])) == (64, 3)


def test_features_are_named_by_the_schema() -> None:
    tree = made().fit(*table())
    for known in (tree, PrivateTreeClassifier.from_json(tree.to_json())):
        assert known.feature_names_in_.tolist() == ["a", "n"]
        assert known.n_features_in_ == 2


@pytest.mark.parametrize("criterion", ["max", "information_gain"])
@pytest.mark.parametrize("mechanism", [None, *MECHANISMS])
def test_a_sure_tree_learns_what_there_is(criterion: Any, mechanism: str | None) -> None:
    if criterion == "information_gain" and mechanism in ("pareto", "stable"):
        with pytest.raises(ParameterError, match="needs criterion='max'"):
            made(criterion=criterion, mechanism=mechanism).fit(*table())
        return
    tree = made(criterion=criterion, mechanism=mechanism, max_records=10_000).fit(*table())
    found = tree.predict({"a": ["p", "q", "r", "r"], "n": [9, 1, 9, 1]})
    assert found.tolist() == ["no", "yes", "yes", "no"]
    assert tree.score(*table()) == 1


@pytest.mark.parametrize("adjacency", [Adjacency.ADD_REMOVE, Adjacency.REPLACE], ids=lambda a: a.value)
def test_a_fit_is_one_charge(adjacency: Adjacency) -> None:
    budget = Budget(epsilon=2)
    tree = made(epsilon="1/2", budget=budget, adjacency=adjacency)
    tree.fit(*table()).fit(*table())
    assert budget.spent.epsilon == 1
    assert budget.adjacency is adjacency
    assert json.loads(tree.to_json())["epsilon"] == "1/2"
    tree.fit(*table()).fit(*table())
    with pytest.raises(BudgetExceeded):
        tree.fit(*table())


def test_replace_grows_at_half_of_epsilon(monkeypatch: pytest.MonkeyPatch) -> None:
    seen = []

    def spied(*arguments: Any, epsilon: Fraction, **named: Any) -> Node:
        seen.append(epsilon)
        return Node((1, 0))

    monkeypatch.setattr("dampen.learn.tree.grow_tree", spied)
    for adjacency in (None, Adjacency.ADD_REMOVE, Adjacency.REPLACE):
        made(epsilon=3, adjacency=adjacency).fit(*table())
    assert seen == [3, 3, Fraction(3, 2)]


def test_everything_is_refused_before_the_budget_is_touched() -> None:
    columns, classes = table()
    wrong: list[tuple[dict[str, Any], Any, type[Exception]]] = [
        ({"epsilon": 0}, classes, ParameterError),
        ({"depth": -1}, classes, ParameterError),
        ({"schema": None}, classes, ParameterError),
        ({"criterion": "gini"}, classes, ParameterError),
        ({"mechanism": "magic"}, classes, ParameterError),
        ({"criterion": "information_gain", "mechanism": "exponential"}, classes, ParameterError),
        ({"max_records": 299}, classes, DataError),
        ({"adjacency": Adjacency.EDGE}, classes, ParameterError),
        ({}, classes[:-1], DataError),
        ({}, None, ParameterError),
        ({}, "n", ParameterError),
        ({}, ["no"] * 299 + ["secret"], DataError),
    ]
    for parameters, target, kind in wrong:
        budget = Budget(epsilon=10**12)
        with pytest.raises(kind) as refused:
            made(**{"budget": budget, **parameters}).fit(columns, target)
        assert budget.spent.epsilon == 0
        assert len(str(refused.value)) < 300
        assert "secret" not in str(refused.value)
    with pytest.raises(ParameterError, match="budget must be"):
        made(budget=None).fit(columns, classes)


def test_what_fails_after_payment_is_not_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("dampen.learn.tree.grow_tree", lambda *_, **__: 1 / 0)
    budget = Budget(epsilon=SURE)
    with pytest.raises(ReleaseFailed):
        made(budget=budget).fit(*table())
    assert budget.remaining.epsilon == 0


def test_sample_weights_are_refused() -> None:
    columns, classes = table()
    with pytest.raises(ParameterError, match="no sample weights"):
        made().fit(columns, classes, sample_weight=np.ones(len(classes)))


def test_clones_share_the_budget_and_pickles_of_fitted_trees_drop_it() -> None:
    tree = made()
    assert clone(tree).budget is tree.budget
    assert pickle.loads(pickle.dumps(tree)).budget is tree.budget
    tree.fit(*table())
    kept = pickle.loads(pickle.dumps(tree))
    assert kept.budget is None
    assert tree.budget is not None
    assert kept.predict(table()[0]).tolist() == tree.predict(table()[0]).tolist()
    assert not hasattr(clone(tree), "model_")


def test_cross_validation_spends_from_one_budget() -> None:
    budget = Budget(epsilon=10**12)
    schema = Schema.any(0, 10, bins=2, classes=[0, 1])
    numbers = np.array([[1.0], [9.0]] * 20)
    scores = cross_val_score(made(1, budget=budget, schema=schema), numbers, [0, 1] * 20, cv=4)
    assert scores.tolist() == [1, 1, 1, 1]
    assert budget.spent.epsilon == 4 * SURE


def test_classes_are_those_of_the_schema_whether_seen_or_not() -> None:
    schema = Schema(SCHEMA.attributes, classes=["never", "no", "yes"])
    tree = made(schema=schema).fit(*table())
    assert tree.classes_.tolist() == ["never", "no", "yes"]
    assert tree.predict_proba({"a": ["q"], "n": [1]})[0].tolist() == pytest.approx([0, 0, 1], abs=1e-6)
    mixed = Schema({"a": Category([0, 1])}, classes=[0, "one"])
    assert made(1, schema=mixed).fit({"a": [0, 1]}, np.array([0, "one"], dtype=object)).classes_.tolist() == [0, "one"]


def test_depth_0_is_one_leaf_and_no_path_is_longer_than_there_are_attributes() -> None:
    leaf = made(0).fit(*table()).model_
    assert leaf == Node((180, 120))
    assert made(99).fit(*table()).model_ == made(2).fit(*table()).model_
    assert id3.count_shares(99, 2) == id3.count_shares(2, 2) == 5


def test_attributes_with_one_value_are_never_tested_and_cost_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    rates, real = [], noise.noisy_counts

    def spied(counts: Any, rate: Fraction, source: Any) -> Any:
        rates.append(rate)
        return real(counts, rate, source)

    monkeypatch.setattr(noise, "noisy_counts", spied)
    one: dict[str, Category | Number] = {"only": Category(["x"]), "narrow": Number(0, 1, bins=1)}
    columns, classes = table()
    columns |= {"only": ["x"] * 300, "narrow": [0.5] * 300}
    tree = made(4, schema=Schema({**one, **SCHEMA.attributes}, SCHEMA.classes), epsilon=5000).fit(columns, classes)
    assert set(rates) == {1000}
    assert tree.feature_importances_[:2].tolist() == [0, 0]
    alone = made(3, schema=Schema(one, SCHEMA.classes), epsilon=SURE).fit(columns, classes)
    assert alone.model_ == Node((180, 120))


def test_an_empty_table_makes_a_leaf() -> None:
    tree = made().fit({"a": [], "n": []}, [])
    assert tree.predict_proba({"a": ["p"], "n": [1]}).tolist() == [[0.5, 0.5]]


def test_values_outside_their_domain() -> None:
    """Numbers are clamped; a new category follows the child with the most released records."""
    tree = made().fit(*table())
    assert tree.predict({"a": ["r", "r"], "n": [-1000, 1000]}).tolist() == ["no", "yes"]
    assert tree.predict({"a": ["r", "r"], "n": [4.999, 5]}).tolist() == ["no", "yes"]
    most = Node((5, 5), 0, None, (Node((3, 0)), Node((0, 9)), Node((4, 0))))
    none = Node((5, 5), 0, None, (Node((-3, 1)), Node((0, -9)), Node((-4, 1))))
    read = as_records({"a": ["new"], "n": [1]}, SCHEMA)
    reached = [paths_of(root, read.columns, 1)[0][0][-1] for root in (most, none)]
    assert reached == [most.children[1], none.children[0]]
    with pytest.raises(DataError, match="NaN"):
        tree.predict({"a": ["r"], "n": [float("nan")]})


def test_a_leaf_without_released_records_answers_as_the_node_above() -> None:
    root = Node((1, 3), 0, None, (Node((-1, 0)), Node((4, -2)), Node((0, 0))))
    read = as_records({"a": ["p", "q", "r"], "n": [1, 1, 1]}, SCHEMA)
    assert leaf_shares(root, read, 0).tolist() == [[0.25, 0.75], [1, 0], [0.25, 0.75]]
    assert leaf_shares(Node((-1, -1)), read, 0).tolist() == [[0.5, 0.5]] * 3


def test_shares_are_drawn_towards_those_above() -> None:
    root = Node((1, 3), 0, None, (Node((-1, 0)), Node((4, -2)), Node((0, 2))))
    read = as_records({"a": ["p", "q", "r"], "n": [1, 1, 1]}, SCHEMA)
    above = np.array([1 + 4 * 0.5, 3 + 4 * 0.5]) / 8
    expected = [above, (np.array([4, 0]) + 4 * above) / 8, (np.array([0, 2]) + 4 * above) / 6]
    np.testing.assert_allclose(leaf_shares(root, read, 4), expected)


@pytest.mark.parametrize(("adjacency", "weight"), [(Adjacency.ADD_REMOVE, 5), (Adjacency.REPLACE, 10)])
def test_they_are_drawn_as_the_noise_spreads(adjacency: Adjacency, weight: int) -> None:
    """Two tests, five shares, epsilon 1: counts spread by 5 sqrt(2), or twice that."""
    tree = made(2, epsilon=1, adjacency=adjacency).fit(*table())
    read = as_records(table()[0], SCHEMA)
    np.testing.assert_allclose(tree.predict_proba(table()[0]), leaf_shares(tree.model_, read, weight * 2**0.5))


def test_json_brings_a_tree_back_and_refuses_what_is_none() -> None:
    tree = made(criterion="information_gain").fit(*table())
    back = PrivateTreeClassifier.from_json(tree.to_json())
    assert back.model_ == tree.model_
    assert back.budget is None
    assert back.criterion == "information_gain"
    assert back.predict_proba(table()[0]).tolist() == tree.predict_proba(table()[0]).tolist()
    plain = json.loads(tree.to_json())
    wrong = [
        plain | {"model": "Other"},
        plain | {"released": {"counts": [1]}},
        plain | {"released": {"counts": [1, 2], "attribute": 7, "children": [{"counts": [1, 2]}]}},
        plain | {"released": {"counts": [1, 2], "attribute": 0, "children": [{"counts": [1, 2]}]}},
        plain | {"released": {"counts": [1, 2], "attribute": -1, "children": [{"counts": [1, 2]}]}},
        {},
    ]
    for entry in wrong:
        with pytest.raises(ParameterError):
            PrivateTreeClassifier.from_json(json.dumps(entry))


def test_the_text_shows_tests_classes_and_released_counts() -> None:
    text = made().fit(*table()).export_text().splitlines()
    assert text[0] == "|--- a = p"
    assert "|   |--- n < 5" in text
    assert "|   |   |--- class: no (released counts: 60, 0)" in text
    assert sum("class:" in line for line in text) == 6


def test_importances_add_up_to_one_or_are_nothing() -> None:
    found = made().fit(*table()).feature_importances_
    assert found.sum() == pytest.approx(1)
    assert found[0] > 0
    assert made(0).fit(*table()).feature_importances_.tolist() == [0, 0]


def test_a_drawing_has_every_node() -> None:
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    from matplotlib.figure import Figure

    axes = Figure().add_subplot()
    assert made(1).fit(*table()).plot_tree(axes) is axes
    shown = [text.get_text() for text in axes.texts]
    assert "all records\n300 records" in shown
    assert any(text.startswith("a = q: yes") for text in shown)
    assert len(shown) == 4


def test_growth_stops_where_noise_would_drown_the_cells() -> None:
    """Four cells and rate 1: the bound is 4 sqrt(2), between 5 and 6."""
    layout = Layout((2,), 2)
    counts, free = np.array([[3, 2], [3, 3], [30, 30]]), np.array([[True], [True], [False]])
    assert id3._worth_a_test(counts, free, layout, Fraction(1)).tolist() == [False, True, False]


def test_a_level_is_one_pass_over_the_records_and_one_throw_of_coins(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever its number of nodes: this is what makes a fit fast."""
    calls: list[tuple[str, int]] = []

    def spied(name: str, real: Any) -> Any:
        def call(*arguments: Any) -> Any:
            calls.append((name, len(arguments[1])))
            return real(*arguments)

        return call

    monkeypatch.setattr(contingency, "count_level", spied("pass", count_level))
    monkeypatch.setattr("dampen.mechanisms.selection.permute_and_flip.flip_groups", spied("throw", flip_groups))
    tree = made(2).fit(*table()).model_
    assert sum(bool(child.children) for child in tree.children) > 1
    assert calls == [("pass", 300), ("throw", 1), ("pass", 300), ("throw", len(tree.children))]


def test_levels_counted_in_parts_are_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = made(2).fit(*table()).model_
    monkeypatch.setattr(id3, "LARGEST_LEVEL", 1)
    assert made(2).fit(*table()).model_ == whole


def test_the_private_size_is_no_bound() -> None:
    with pytest.raises(ParameterError, match="public bound"):
        SplitChoice.of("information_gain", "permute_and_flip", None)
    assert SplitChoice.of("information_gain", None, None).mechanism == "pairwise"
    assert SplitChoice.of("max", None, None).mechanism == "permute_and_flip"


def test_without_scikit_learn_one_line_says_what_to_install() -> None:
    code = (
        "import sys; sys.modules['sklearn'] = None; sys.modules['sklearn.base'] = None\n"
        "from dampen.learn import Schema\n"
        "from dampen.errors import MissingExtra\n"
        "try:\n    from dampen.learn import PrivateTreeClassifier\n"
        "except MissingExtra as error:\n    print(error)"
    )
    shown = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert shown == "private classifiers need scikit-learn: pip install 'dampen[learn]'\n"


@pytest.mark.parametrize("form", FORMS)
def test_every_kind_of_table_is_fitted_with_the_name_of_its_target(form: str, tmp_path: Path) -> None:
    given = FORMS[form](tmp_path)
    tree = made(1, schema=TABLE_SCHEMA).fit(given, "y")
    assert tree.model_.counts == (2, 1)
    assert tree.n_features_in_ == 3
    assert tree.predict(given).tolist() == ["no", "yes", "no"]


def test_parameters_changed_after_a_fit_do_not_change_what_it_says_it_cost() -> None:
    schema = Schema({"a": Category(["x", "y"])}, classes=["no", "yes"])
    tree = PrivateTreeClassifier(1, 1, schema=schema, budget=Budget(epsilon=1)).fit({"a": ["x"] * 9}, ["no"] * 9)
    before, shares = tree.to_json(), tree.predict_proba({"a": ["x", "y"]})
    tree.set_params(epsilon=100, max_depth=9, adjacency=Adjacency.REPLACE)
    assert tree.to_json() == before
    assert (tree.predict_proba({"a": ["x", "y"]}) == shares).all()
    with pytest.raises(BudgetError):
        tree.fit({"a": ["x"] * 9}, ["no"] * 9)
    assert tree.to_json() == before


def test_the_deepest_tree_can_be_written_copied_and_drawn() -> None:
    """A tree of the longest path is built by hand: noise rarely grows one."""
    names = [f"a{i}" for i in range(DEEPEST)]
    schema = Schema({name: Category(["x", "y"]) for name in names}, classes=["no", "yes"])
    tree = PrivateTreeClassifier(1, DEEPEST, schema=schema, budget=Budget(epsilon=1))
    tree.fit({name: ["x"] for name in names}, ["no"])
    node = Node((1, 2))
    for place in range(DEEPEST):
        node = Node((1, 2), place, None, (node, Node((0, 3))))
    tree.model_ = node
    again = PrivateTreeClassifier.from_json(tree.to_json())
    assert again.model_ == copy.deepcopy(node) == pickle.loads(pickle.dumps(node))
    assert tree.export_text().count("class: ") == DEEPEST + 1
    assert tree.predict_proba({name: ["x"] for name in names}).shape == (1, 2)
    assert repr(node).count("Node(") == 2 * DEEPEST + 1
    axes = tree.plot_tree()
    assert len(axes.texts) == 2 * DEEPEST + 1
    matplotlib.pyplot.close(axes.figure)


def test_a_deeper_tree_is_refused_before_anything_is_paid() -> None:
    names = [f"a{i}" for i in range(DEEPEST + 1)]
    schema, budget = Schema({name: Category(["x", "y"]) for name in names}, classes=["no", "yes"]), Budget(epsilon=1)
    deeper = PrivateTreeClassifier(1, DEEPEST + 1, schema=schema, budget=budget)
    with pytest.raises(ParameterError, match="at most 100 where more than 100 attributes can be tested; got 101"):
        deeper.fit({name: ["x"] for name in names}, ["no"])
    assert budget.spent.epsilon == 0
    few = Schema({name: Category(["x", "y"]) for name in names[:2]}, classes=["no", "yes"])
    deeper.set_params(schema=few).fit({name: ["x"] for name in names[:2]}, ["no"])
