"""Every picture says what it shows, and shows what the law, the release or the ledger says."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import dampen
from dampen import plots
from dampen.accuracy import expected_error
from dampen.errors import MissingExtra, NotPublic, ParameterError
from dampen.mechanisms import Laplace, PairwiseDampening, PermuteAndFlip
from tests.unit.plots import pictures
from tests.unit.plots.pictures import CITIES, FIGURES, LAWS, choice, number

if TYPE_CHECKING:
    from tests.conftest import Refused


draw: Any = plots
"""For what a type checker would refuse."""


def bar_heights(axes: Any) -> list[float]:
    return [patch.get_height() for patch in axes.patches]


@pytest.mark.parametrize("name", FIGURES)
def test_a_picture_has_a_title_labels_and_a_caption(name: str, tmp_path: Path) -> None:
    figure = FIGURES[name](tmp_path)
    kept = pictures.keep(figure, name, tmp_path)
    assert kept.read_bytes().startswith(b"\x89PNG")
    for axes in figure.axes:
        assert axes.get_title(loc="left")
        assert axes.get_xlabel()
        assert axes.get_ylabel()
    assert len(figure.get_supxlabel()) > 80
    assert figure.get_supxlabel().endswith((".", ")"))


def test_no_letter_leaves_the_picture(tmp_path: Path) -> None:
    """What is written at the edge ends within it, the caption too."""
    for name, draw in FIGURES.items():
        figure = draw(tmp_path / name) if name != "budget" else draw(tmp_path)
        figure.canvas.draw()
        box, whole = figure._supxlabel.get_window_extent(), figure.bbox
        assert box.x1 <= whole.x1 + 1, name
        assert box.y0 >= whole.y0 - 1, name


def test_bars_are_the_exact_law() -> None:
    problem = choice().as_public()
    axes = draw.law(problem, LAWS).axes[0]
    drawn = np.array(bar_heights(axes)).reshape(len(LAWS), len(CITIES))
    laws = [np.exp(np.asarray(mechanism.log_probabilities(problem))) for mechanism in LAWS]
    assert drawn == pytest.approx(np.array(laws), abs=1e-15)
    assert [label.get_text() for label in axes.get_xticklabels()] == list(CITIES)


def test_a_law_of_a_number_is_drawn_around_its_value() -> None:
    problem = number().as_public()
    line = draw.law(problem, Laplace(1)).axes[0].lines[0]
    values, heights = np.asarray(line.get_xdata()), np.asarray(line.get_ydata())
    assert heights == pytest.approx(np.exp(Laplace(1).log_probabilities(problem, values.astype(int))))
    assert values[heights.argmax()] == 700


def test_many_candidates_are_a_line() -> None:
    frame = dampen.Frame(range(100), bound=1, adjacency=dampen.Adjacency.ADD_REMOVE)
    problem = dampen.SelectionProblem(frame, list(range(100))).as_public()
    line = draw.law(problem, PermuteAndFlip(1)).axes[0].lines[0]
    assert np.asarray(line.get_ydata()).sum() == pytest.approx(1)


def test_a_trade_off_is_the_expected_error() -> None:
    problem = choice().as_public()
    epsilons = ["0.1", "1", "3"]
    axes = draw.tradeoff(problem, {"mine": PairwiseDampening}, epsilons=epsilons).axes[0]
    expected = [expected_error(PairwiseDampening(epsilon), problem) for epsilon in epsilons]
    assert list(axes.lines[0].get_ydata()) == pytest.approx(expected)
    assert axes.get_legend().get_texts()[0].get_text() == "mine"


def test_dampening_shows_the_rungs_and_the_scores_of_a_candidate() -> None:
    problem = choice().as_public()
    left, right = draw.dampening(problem, "Brook").axes
    assert list(left.lines[0].get_ydata())[:3] == [25, 45, 300]
    assert list(right.lines[1].get_ydata()) == pytest.approx(
        problem.sensitivity.inverse(np.asarray(problem.utilities, dtype=np.float64))
    )
    curve = right.lines[0]
    assert np.interp(4900, curve.get_xdata(), curve.get_ydata()) == pytest.approx(
        right.lines[1].get_ydata()[1], rel=0.01
    )


def test_a_ladder_shows_the_rungs_of_the_best() -> None:
    lines = draw.ladder(choice().as_public()).axes[0].lines
    assert [line.get_label() for line in lines] == [*CITIES, "worst case"]
    assert list(lines[0].get_ydata())[:3] == [20, 40, 90]
    assert list(draw.ladder(number().as_public()).axes[0].lines[0].get_ydata())[:4] == [3, 5, 9, 20]


def test_an_audit_is_a_share_of_its_claim() -> None:
    report = pictures.report()
    axes = draw.audit(report).axes[0]
    widths = [patch.get_width() for patch in axes.patches]
    assert widths == pytest.approx(
        [report.worst_log_ratio / 0.25, report.worst_range / float(report.claim.bounded_range)]
    )
    assert "holds" in axes.get_title(loc="left")


def test_a_budget_shows_who_spent_what(tmp_path: Path) -> None:
    ledger = pictures.ledger(tmp_path)
    axes = draw.budget(ledger).axes[0]
    drawn = {line.get_label(): list(line.get_ydata()) for line in axes.lines}
    assert drawn["all together"] == [0, 0.5, 0.75, 1.75, 2]
    assert drawn["analyst=ann"] == [0, 0.5, 0.5, 1.5, 1.5]
    assert drawn["analyst=bob"][-1] == 0.5
    assert set(drawn["limit"]) == {3}


def test_a_histogram_shows_the_release_and_its_errors() -> None:
    release = pictures.bars()
    axes = draw.histogram(release).axes[0]
    assert bar_heights(axes) == [float(value) for value in release.value.values()]
    [ends] = [each.lines[2][0] for each in axes.containers if hasattr(each, "has_yerr")]
    low, high = ends.get_segments()[0][:, 1]
    first = next(iter(release.values()))
    assert high - low == pytest.approx(2 * float(first.error()))


def test_counts_that_tell_no_error_have_no_error_bars() -> None:
    table = dampen.Table(
        {"c": ["a", "b"] * 9}, columns={"c": dampen.Category("a", "b")}, budget=dampen.Budget(epsilon=1)
    )
    counts = table.by("c").count(epsilon=1, non_negative=True)
    figure = draw.histogram(counts)
    assert not [each for each in figure.axes[0].containers if hasattr(each, "has_yerr")]
    assert "tells no errors" in figure.get_supxlabel()


def test_models_are_drawn_by_their_own_pictures() -> None:
    axes = draw.table(pictures.classifier()).axes[0]
    assert [label.get_text() for label in axes.get_xticklabels()] == list(pictures.classifier().tests_)
    shown = [text.get_text() for text in draw.tree(pictures.tree()).axes[0].texts]
    assert any(text.startswith("all records") for text in shown)


PRIVATE = {
    "law": lambda: draw.law(choice(), LAWS),
    "law of a number": lambda: draw.law(number(), Laplace(1)),
    "tradeoff": lambda: draw.tradeoff(choice(), [PermuteAndFlip]),
    "dampening": lambda: draw.dampening(choice()),
    "ladder": lambda: draw.ladder(choice()),
    "ladder of a number": lambda: draw.ladder(number()),
}


@pytest.mark.parametrize("name", PRIVATE)
def test_a_private_problem_is_refused(name: str, refused: "Refused") -> None:
    with refused(NotPublic, f"plots.{name.split()[0]} shows the data itself", "as_public()", hidden=("5200", "700")):
        PRIVATE[name]()


def test_what_cannot_be_drawn_is_refused_in_one_line(refused: "Refused") -> None:
    public, many = choice().as_public(), dampen.Frame(range(20_000), 1, dampen.Adjacency.ADD_REMOVE)
    wrong: list[tuple[Any, str]] = [
        (lambda: draw.law([1, 2], LAWS), "problem must be"),
        (lambda: draw.law(public, Laplace(1)), "mechanisms must be"),
        (lambda: draw.law(public, []), "mechanisms must be"),
        (lambda: draw.law(dampen.SelectionProblem(many, [0] * 20_000).as_public(), PermuteAndFlip(1)), "10000"),
        (lambda: draw.tradeoff(public, [PermuteAndFlip(1)]), "classes such as"),
        (lambda: draw.tradeoff(public, PermuteAndFlip, epsilons=[]), "epsilons"),
        (lambda: draw.tradeoff(public, PermuteAndFlip, epsilons=[-1]), "epsilons must be positive"),
        (lambda: draw.dampening(number().as_public()), "SelectionProblem"),
        (lambda: draw.dampening(public, "Nowhere"), "candidate must be one of"),
        (lambda: draw.audit("fine"), "AuditReport"),
        (lambda: draw.budget(dampen.Budget(epsilon=1)), "keeps no history"),
        (lambda: draw.histogram({"a": 1}), "release must be one of groups"),
        (lambda: draw.table(pictures.tree()), "PrivateClassifier"),
        (lambda: draw.tree(pictures.classifier()), "PrivateTreeClassifier"),
        (lambda: draw.scorecard(pictures.classifier()), "PrivateScorecard"),
    ]
    for attempt, words in wrong:
        with refused(ParameterError, words):
            attempt()


def test_missing_matplotlib_is_told_in_one_line(monkeypatch: pytest.MonkeyPatch, refused: "Refused") -> None:
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    with refused(MissingExtra, "plots.ladder needs matplotlib: pip install 'dampen[plots]'"):
        draw.ladder(choice().as_public())
