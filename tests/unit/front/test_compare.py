"""Which mechanism: the least mean error, where they cross, and public data alone."""

import json
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest

import dampen
from dampen import (
    Adjacency,
    Budget,
    CountsFrame,
    CountsProblem,
    Frame,
    Graph,
    Number,
    NumericFrame,
    NumericProblem,
    SelectionProblem,
    StandIn,
    Table,
)
from dampen.errors import DataError, NotPublic, ParameterError
from dampen.front import compare as module

PAY = np.sort(np.random.default_rng(3).integers(1000, 4000, 200)).tolist()
ASKED: dict[str, Any] = {"bounds": (0, 5000), "step": 50, "epsilons": ("0.1", 1, 10)}


def pay() -> StandIn:
    return StandIn(PAY).as_public()


def test_percentiles_are_compared_in_all_ways() -> None:
    found = dampen.compare(pay(), "median", **ASKED)
    names = {each.name for each in found.contenders}
    assert {"distance: PermuteAndFlip", "rank: Exponential", "number: Laplace", "hit: StableArgmax"} <= names
    assert found.best("0.1").startswith(("distance", "rank"))
    for each in found.contenders:
        means = [errors.mean for errors in each.errors if errors is not None]
        assert means == sorted(means, reverse=True)


def test_the_best_changes_where_the_errors_cross() -> None:
    spread = StandIn(range(1000, 4000, 10)).as_public()
    found = dampen.compare(spread, "median", bounds=(0, 10_000), epsilons=(1, 4))
    assert [name for _, name in found.crossings] == ["distance: PermuteAndFlip", "number: PolyPlace"]
    start, name = found.crossings[-1]
    below, above = (
        {each.name: each.errors[0].mean for each in at.contenders if each.errors[0] is not None}
        for at in (
            dampen.compare(spread, "median", bounds=(0, 10_000), epsilons=(float(start) * share,))
            for share in (0.9, 1.1)
        )
    )
    former = found.crossings[-2][1]
    assert above[name] <= above[former]
    assert below[name] >= below[former]
    assert f"{name} from" in found.sentence


def test_the_classical_mechanism_wins_where_noise_need_not_follow_the_data() -> None:
    found = dampen.compare(pay(), "sum", bounds=(0, 5000), epsilons=("0.1", 1))
    assert found.best(1) in ("Laplace", "Staircase")
    votes = StandIn(["a"] * 30 + ["b"] * 28).as_public()
    assert dampen.compare(votes, "most_common", categories=("a", "b", "c"), epsilons=(1,)).best(1) == "PermuteAndFlip"
    assert dampen.compare(pay(), "count", epsilons=(1,)).unit == "records"


@pytest.mark.parametrize("adjacency", [Adjacency.ADD_REMOVE, Adjacency.REPLACE])
@pytest.mark.parametrize("question", ["mean", "variance"])
def test_means_and_variances_are_compared_and_the_classical_noise_wins(question: str, adjacency: Adjacency) -> None:
    found = dampen.compare(pay(), question, bounds=(0, 5000), epsilons=(1, 5), delta="1e-6", adjacency=adjacency)
    means = {each.name: [errors.mean for errors in each.errors if errors] for each in found.contenders}
    assert {"Laplace", "Staircase", "Gaussian", "PolyPlace", "SmoothLaplace"} <= set(means)
    assert found.best(1) in ("Laplace", "Staircase")
    assert all(later < former for former, later in means.values())
    assert means["Staircase"][1] < means["Laplace"][1] < min(means["Gaussian"][1], means["SmoothLaplace"][1])


def test_a_mean_errs_as_the_question_does() -> None:
    """Of the very answers that ``dampen.mean`` gives, at the price that it splits by itself."""
    found = dampen.compare(pay(), "mean", bounds=(0, 5000), epsilons=(1,))
    exact = next(each for each in found.contenders if each.name == "Laplace").errors[0]
    budget, truth = Budget(epsilon=10**6), float(np.mean(PAY))
    off = [abs(float(dampen.mean(PAY, bounds=(0, 5000), epsilon=1, budget=budget)) - truth) for _ in range(2_000)]
    assert exact is not None
    assert exact.mean == pytest.approx(np.mean(off), rel=0.12)
    assert np.mean(np.array(off) > exact.rare) == pytest.approx(0.05, abs=0.025)


def test_histograms_are_compared_by_what_a_record_moves() -> None:
    bars = dampen.compare(pay(), "histogram", bounds=(0, 5000), step=500, epsilons=(1,), delta="1e-6")
    assert bars.best(1) == "LaplaceCounts"
    assert {each.name for each in bars.contenders} == {"LaplaceCounts", "GaussianCounts"}
    votes = StandIn(["a", "b"]).as_public()
    moved = dampen.compare(votes, "histogram", categories=("a", "b"), epsilons=(1,), adjacency=Adjacency.REPLACE)
    one, two = (
        next(each.errors[0] for each in found.contenders if each.name == "LaplaceCounts") for found in (bars, moved)
    )
    assert one is not None
    assert two is not None
    assert two.mean > 2 * one.mean
    many = CountsProblem(CountsFrame(1000, 1000, Adjacency.ADD_REMOVE, largest=1), [0] * 1000).as_public()
    assert dampen.compare(many, epsilons=(1,), delta="1e-6").best(1) == "GaussianCounts"


def test_lists_and_patterns_are_compared() -> None:
    votes = StandIn(["a"] * 30 + ["b"] * 28 + ["c"] * 5).as_public()
    found = dampen.compare(votes, "top_categories", k=2, categories=tuple("abcd"), epsilons=(1,))
    assert found.best(1) == "TopK of PermuteAndFlip"
    assert found.unit == "records, for each place"
    graph = Graph.from_edges([0, 0, 1, 1, 2], [1, 2, 2, 3, 3], nodes=30)
    patterns = dampen.compare(StandIn(graph).as_public(), "count_subgraphs", pattern="triangle", epsilons=(1,))
    means = {each.name: each.errors[0].mean for each in patterns.contenders if each.errors[0]}
    assert means["LadderWalk"] < means["Laplace"]
    frame = Frame(tuple("abc"), bound=1, adjacency=Adjacency.ADD_REMOVE, monotone=True)
    problem = SelectionProblem(frame, [9, 7, 0]).as_public()
    assert dampen.compare(problem, k=2, epsilons=(1,)).best(1).startswith("TopK")
    with pytest.raises(ParameterError, match="k must be left out"):
        dampen.compare(NumericProblem(NumericFrame(1, Adjacency.EDGE), 3).as_public(), k=2)


def test_problems_are_compared_as_they_are() -> None:
    frame = Frame(("tea", "milk"), bound=1, adjacency=Adjacency.ADD_REMOVE, monotone=True)
    found = dampen.compare(SelectionProblem(frame, [7, 5]).as_public(), epsilons=(1,))
    exact = next(each for each in found.contenders if each.name == "PermuteAndFlip").errors[0]
    assert exact is not None
    assert exact.mean == pytest.approx(0.1353, abs=1e-4)
    number = NumericProblem(NumericFrame(1, Adjacency.ADD_REMOVE), 17).as_public()
    assert dampen.compare(number, epsilons=(1,)).best(1) in ("Laplace", "Staircase")


PRIVATE: list[Any] = [
    PAY,
    np.array(PAY),
    {"pay": PAY},
    "staff.csv",
    Table({"pay": PAY}, columns={"pay": Number(0, 5000)}, budget=Budget(epsilon=1)),
    StandIn.uniform(),
]


@pytest.mark.parametrize("data", PRIVATE, ids=lambda data: type(data).__name__)
def test_data_that_are_not_marked_public_are_refused(data: Any) -> None:
    with pytest.raises(ParameterError, match="data must be public values"):
        dampen.compare(data, "median", **ASKED)


def test_what_is_marked_by_nobody_is_refused() -> None:
    frame = Frame(("tea", "milk"), bound=1, adjacency=Adjacency.ADD_REMOVE)
    number = NumericProblem(NumericFrame(1, Adjacency.ADD_REMOVE), 17)
    for data, asked in ((StandIn(PAY), "median"), (SelectionProblem(frame, [7, 5]), None), (number, None)):
        with pytest.raises(NotPublic, match="as_public"):
            dampen.compare(data, asked, **(ASKED if asked else {}))


@pytest.mark.parametrize(
    ("question", "public", "why"),
    [
        ("medain", {"bounds": (0, 5)}, "did you mean"),
        ("percentiles", {"bounds": (0, 5)}, "can be compared"),
        ("mean", {"bounds": (0, 5), "unit": 1}, "unit must be left out"),
        ("sum", {}, "bounds must be given"),
        ("histogram", {}, "bounds must be given for a histogram of numbers, or categories"),
        ("histogram", {"bounds": (0, 5), "categories": ("a",)}, "bounds must be given for a histogram of numbers"),
        ("percentile", {"bounds": (0, 5)}, "p must be given"),
        ("median", {"bounds": (0, 5), "p": 3}, "p must be left out"),
        ("median", {"bounds": (0, 5), "epsilons": ()}, "epsilons must not be empty"),
        ("median", {"bounds": (0, 5), "epsilons": (-1,)}, "epsilons must be"),
    ],
)
def test_what_cannot_be_compared_is_refused(question: str, public: dict[str, Any], why: str) -> None:
    with pytest.raises(ParameterError, match=why):
        dampen.compare(pay(), question, **public)


@pytest.mark.parametrize("adjacency", [Adjacency.ADD_REMOVE, Adjacency.REPLACE])
def test_of_nobody_there_is_no_mean_to_be_off(adjacency: Adjacency) -> None:
    nobody = StandIn([]).as_public()
    for question in ("mean", "variance", "median"):
        with pytest.raises((ParameterError, DataError), match=r"must have a value|must not be empty"):
            dampen.compare(nobody, question, bounds=(0, 5), epsilons=(1,), adjacency=adjacency)


def test_laws_that_cannot_be_written_out_are_refused_in_a_sentence() -> None:
    letters = tuple("abcdefghijklmnopqrst")
    with pytest.raises(ParameterError, match=r"nothing can be compared at epsilon 1: .* so many different values or"):
        dampen.compare(StandIn(letters * 3).as_public(), "top_categories", categories=letters, k=5, epsilons=(1,))


def test_who_is_left_out_has_a_reason() -> None:
    asked = {**ASKED, "epsilons": (1,)}
    found = dampen.compare(pay(), "median", **asked)
    assert found.left_out["number: Gaussian"] == "needs delta: of Gaussian noise epsilon and delta follow from a rho"
    assert found.left_out["distance: SmoothExponential"] == "needs delta"
    with_delta = dampen.compare(pay(), "median", delta="1e-6", **asked)
    assert "number: SmoothLaplace" in {each.name for each in with_delta.contenders}


def test_laws_are_computed_once_for_each_mechanism_and_price(monkeypatch: pytest.MonkeyPatch) -> None:
    measured: list[Any] = []
    measure = module._measured

    def counted(contest: Any, make: Any, price: Any) -> Any:
        measured.append((make, price))
        return measure(contest, make, price)

    monkeypatch.setattr(module, "_measured", counted)
    found = dampen.compare(pay(), "median", **ASKED)
    most = 3 * (len(found.contenders) + len(found.left_out)) + 2 * 10 * len(found.crossings)
    assert len(measured) <= most
    assert len(set(measured)) == len(measured)


def test_a_comparison_is_ready_for_json_and_for_a_page() -> None:
    found = dampen.compare(pay(), "median", **ASKED)
    told = json.loads(json.dumps(found.as_dict()))
    assert told["sentence"] == found.sentence
    assert {each["mechanism"] for each in told["errors"]} == {each.name for each in found.contenders}
    assert found.sentence in str(found)
    page = found.as_html()
    assert "http" not in page.replace("http://www.w3.org/2000/svg", "")
    assert f"</table><p>{found.sentence}</p>" in page
    picture = page.split("<figure>")[1]
    ElementTree.fromstring(picture.split("<figcaption>")[0])
    assert "mean error in the unit of the answer" in picture
    with pytest.raises(ParameterError, match="one that was compared"):
        found.best(3)
