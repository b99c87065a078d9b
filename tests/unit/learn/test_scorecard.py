"""The scorecard: points by value, how they add up, what it is fitted to, and what is refused."""

import json
from typing import Any

import numpy as np
import pytest
from scipy.optimize import minimize_scalar

import dampen
from dampen import Adjacency, Budget, Category, Flag, Number
from dampen.errors import ParameterError
from dampen.learn import PrivateScorecard, Schema
from dampen.learn.scorecard_model import Attributes, shares_of, with_bins
from tests.audit import objective_densities as judge

SCHEMA = Schema(
    {"age": Number(0, 100), "job": Category("a", "b", "c"), "sick": Flag(), "one": Category("x")}, classes=["no", "yes"]
)
ROWS = 3000


def table(seed: int = 0) -> tuple[dict[str, list[object]], list[str]]:
    rng = np.random.default_rng(seed)
    age, job, sick = rng.integers(0, 100, ROWS), rng.integers(3, size=ROWS), rng.integers(2, size=ROWS)
    score = (age - 50) / 12 + np.array([-1.0, 0.0, 1.0])[job] + 1.5 * (sick - 0.5)
    leaves = np.where(score + rng.logistic(size=ROWS) > 0, "yes", "no")
    columns: dict[str, list[object]] = {"age": age.tolist(), "job": np.array(list("abc"))[job].tolist()}
    return {**columns, "sick": (sick == 1).tolist(), "one": ["x"] * ROWS}, leaves.tolist()


def made(epsilon: object = 2, **given: object) -> PrivateScorecard:
    return PrivateScorecard(epsilon, **{"schema": SCHEMA, "budget": Budget(epsilon=10**6), **given})  # type: ignore[arg-type]


def test_points_follow_the_effects_and_add_up_by_hand() -> None:
    data, leaves = table()
    model = made(expected_records=ROWS).fit(data, leaves)
    points = model.points_
    assert [len(each) for each in points.values()] == [20, 3, 2, 1]
    assert points["age"][-4:].mean() > 100 > -100 > points["age"][:4].mean()
    assert (np.diff(points["job"][:, 0]) > 0).all()
    assert points["sick"][1] == -points["sick"][0] > 0
    assert points["one"][0] == 0
    rows = 50
    bins = np.searchsorted(model.schema_.edges()["age"], np.array(data["age"][:rows], dtype=float), side="right")
    jobs, sick = (
        ["abc".index(str(job)) for job in data["job"][:rows]],
        [int(bool(each)) for each in data["sick"][:rows]],
    )
    by_hand = model.base_points_[0] + points["age"][bins, 0] + points["job"][jobs, 0] + points["sick"][sick, 0]
    told = model.predict({name: column[:rows] for name, column in data.items()})
    assert told.tolist() == ["yes" if each > 0 else "no" for each in by_hand.tolist()]
    assert (model.predict(data) == np.array(leaves)).mean() > 0.75
    assert 0 < model.noise_share_ < 0.1


def test_the_text_tells_every_value_and_how_to_read_it() -> None:
    data, leaves = table()
    model = made().fit(data, leaves)
    lines = model.export_text().splitlines()
    assert len(lines) == 1 + 1 + 20 + 3 + 2 + 1
    assert lines[0].split() == ["points", "for", "yes"]
    assert lines[-1] == "Add up the points: above 0 the class is yes, else no."
    [told] = [line for line in lines if "= c" in line]
    assert int(told.split()[-1]) == model.points_["job"][2][0]


def test_the_picture_has_a_bar_for_every_value() -> None:
    pytest.importorskip("matplotlib")
    data, leaves = table()
    assert len(made().fit(data, leaves).plot().patches) == 1 + 20 + 3 + 2


def test_more_classes_have_a_column_of_points_each() -> None:
    rng = np.random.default_rng(3)
    kinds = rng.integers(3, size=3000)
    schema = Schema({"job": Category(0, 1, 2), "size": Number(0, 1)}, classes=["p", "q", "r"])
    data = {"job": kinds.tolist(), "size": rng.random(3000).tolist()}
    model = made(schema=schema).fit(data, np.array(["p", "q", "r"])[kinds])
    assert model.points_["job"].shape == (3, 3)
    assert model.points_["job"].argmax(axis=1).tolist() == [0, 1, 2]
    assert model.predict({"job": [0, 1, 2], "size": [0.5] * 3}).tolist() == ["p", "q", "r"]
    np.testing.assert_allclose(model.predict_proba(data).sum(axis=1), 1)
    assert "most" in model.export_text().splitlines()[-1]


def test_shares_are_those_that_make_the_scores_optimal() -> None:
    """The scores that minimise the mean capped loss of known class shares lead back to these shares."""
    for share in (0.02, 0.3, 0.5, 0.8, 0.97):

        def mean_loss(z: float, q: float = share) -> float:
            return q * judge.loss(np.array([0, z]), 1) + (1 - q) * judge.loss(np.array([0, z]), 0)

        best = minimize_scalar(mean_loss)
        assert shares_of(np.array([[100 * best.x]]), 2)[0, 1] == pytest.approx(share, abs=1e-4)
    scores = np.array([0.4, -1.0, 1.7])
    told = shares_of(100 * scores[None, :], 3)[0]
    slopes = sum(q * judge.capped(scores, kind)[0] for kind, q in enumerate(told.tolist()))
    np.testing.assert_allclose(slopes, 0, atol=1e-12)


def test_a_model_is_written_and_read() -> None:
    data, leaves = table()
    model = made().fit(data, leaves)
    again = PrivateScorecard.from_json(model.to_json())
    np.testing.assert_array_equal(again.predict_proba(data), model.predict_proba(data))
    assert again.schema_.attributes["age"] == Number(0, 100, bins=20)


@pytest.mark.parametrize("change", [
    lambda told: told["released"].update(points=told["released"]["points"][1:]),
    lambda told: told["released"].update(points=[0.5] * len(told["released"]["points"])),
    lambda told: told["released"].update(points=[2**80] * len(told["released"]["points"])),
    lambda told: told["released"].update(points="many"),
    lambda told: told["released"].update(epsilon="-1"),
    lambda told: told["released"].pop("points"),
    lambda told: told.update(model="PrivateClassifier"),
])  # fmt: skip
def test_absurd_models_are_refused_in_one_sentence(change: object) -> None:
    data, leaves = table()
    told = json.loads(made().fit(data, leaves).to_json())
    change(told)  # type: ignore[operator]
    with pytest.raises(ParameterError) as refused:
        PrivateScorecard.from_json(json.dumps(told))
    assert "\n" not in str(refused.value)


def test_a_described_table_with_a_person_has_one_vote_each() -> None:
    rng = np.random.default_rng(1)
    who, job = rng.integers(400, size=2000), rng.integers(3, size=2000)
    columns: dict[str, Any] = {"who": dampen.Text(), "job": Category(0, 1, 2), "y": Flag()}
    data = {"who": [f"p{each}" for each in who], "job": job.tolist(), "y": (job > 0).tolist()}
    budget = Budget(epsilon=4, unit="who")
    model = PrivateScorecard(4).fit(dampen.Table(data, columns=columns, budget=budget, person="who"), "y")
    assert budget.remaining.epsilon == 0
    assert model.predict({"job": [0, 2]}).tolist() == [False, True]
    seen: list[Any] = []

    class Seen(PrivateScorecard):
        def _prepare(self, table: Any) -> Any:
            seen.append(super()._prepare(table))
            return seen[-1]

    table = dampen.Table(data, columns=columns, budget=Budget(epsilon=4, unit="who"), person="who")
    Seen(4).fit(table, "y")
    [problem] = seen
    assert problem.frame.spread
    assert problem.weights.sum() == len(set(who.tolist())) * problem.vote


def test_a_replaced_record_halves_the_rate() -> None:
    data, leaves = table()
    budget = Budget(epsilon=2, adjacency=Adjacency.REPLACE)
    model = made(2, budget=budget, adjacency=Adjacency.REPLACE).fit(data, leaves)
    assert model.model_.epsilon == 1
    assert budget.remaining.epsilon == 0


def test_bins_are_twenty_or_eight_or_as_declared() -> None:
    few = Schema({"a": Number(0, 1), "b": Number(0, 1, bins=5)}, classes=[*range(4)])
    many = few.with_classes([*range(5)])
    assert Attributes.of(with_bins(few)).sizes == (20, 5)
    assert Attributes.of(with_bins(many)).sizes == (8, 5)


def test_what_cannot_be_is_refused_before_anything_is_paid() -> None:
    data, leaves = table()
    budget = Budget(epsilon=1)
    wide = Schema({"a": Number(0, 1, bins=60_000)}, classes=[*range(40)])
    with pytest.raises(ParameterError, match="coefficients"):
        made(1, schema=wide, budget=budget).fit({"a": [0.5]}, [0])
    with pytest.raises(ParameterError, match="expected_records"):
        made(1, budget=budget, expected_records=0).fit(data, leaves)
    assert budget.remaining.epsilon == 1
    with pytest.raises(ParameterError, match="expected_records must be given"):
        _ = made(1).fit(data, leaves).noise_share_
