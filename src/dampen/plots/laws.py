"""The law of an answer: how likely each outcome is, exactly."""

from collections.abc import Iterable, Sequence
from numbers import Real
from typing import TYPE_CHECKING, Any

import numpy as np

from dampen.drawing import colour_of, new_axes, new_figure, style_of
from dampen.errors import ParameterError
from dampen.mechanisms import NumericMechanism, SelectionMechanism
from dampen.problem import NumericProblem, SelectionProblem, count_candidates
from dampen.vectors import Floats

if TYPE_CHECKING:
    from matplotlib.figure import Figure

MOST_BARS, MOST_OUTCOMES, POINTS = 30, 10_000, 400
"""Up to so many outcomes are bars, up to so many a line; a law of numbers is drawn at so many points."""
TAIL = 0.005
"""A law of numbers is drawn up to where at most this much lies beyond."""
LONGEST_LABEL = 24

AnyProblem = SelectionProblem | NumericProblem
AnyMechanism = SelectionMechanism | NumericMechanism


def law(problem: AnyProblem, mechanisms: AnyMechanism | Iterable[AnyMechanism]) -> "Figure":
    """How likely each outcome is under one mechanism or several, for a problem that is marked public.

    >>> import dampen
    >>> frame = dampen.Frame(("tea", "coffee"), bound=1, adjacency=dampen.Adjacency.ADD_REMOVE, monotone=True)
    >>> problem = dampen.SelectionProblem(frame, [7, 5]).as_public()
    >>> dampen.plots.law(problem, dampen.mechanisms.PermuteAndFlip(1)).axes[0].get_title(loc="left")
    'The law of the answer'
    """
    listed = as_mechanisms(problem, mechanisms, "plots.law")
    return _law_of_number(problem, listed) if isinstance(problem, NumericProblem) else _law_of_choice(problem, listed)


def as_mechanisms(problem: AnyProblem, mechanisms: Any, drawing: str) -> list[Any]:
    """The mechanisms, at least one, all of them for such a problem; a problem that is not public is refused first."""
    require_drawable(problem, drawing)
    listed = list(mechanisms) if isinstance(mechanisms, Iterable) else [mechanisms]
    kind = NumericMechanism if isinstance(problem, NumericProblem) else SelectionMechanism
    if not listed or not all(isinstance(each, kind) for each in listed):
        raise ParameterError(f"mechanisms must be one {kind.__name__} or several for a {type(problem).__name__}")
    for each in listed:
        each.require(problem)
    return listed


def require_drawable(problem: Any, drawing: str) -> None:
    """Refuse what is no problem, and private ones."""
    if not isinstance(problem, SelectionProblem | NumericProblem):
        raise ParameterError(f"problem must be a SelectionProblem or a NumericProblem; got {type(problem).__name__}")
    problem.require_public(drawing)


def _law_of_choice(problem: SelectionProblem, mechanisms: Sequence[SelectionMechanism]) -> "Figure":
    size = count_candidates(problem.frame.candidates)
    if size > MOST_OUTCOMES:
        raise ParameterError(f"plots.law draws at most {MOST_OUTCOMES} candidates; this problem has {size}")
    outcomes = mechanisms[0].outcomes(problem.frame)
    if any(len(each.outcomes(problem.frame)) != len(outcomes) for each in mechanisms):
        raise ParameterError("mechanisms must have the same outcomes to be drawn into one picture")
    laws = [np.exp(np.asarray(each.log_probabilities(problem), dtype=np.float64)) for each in mechanisms]
    caption = (
        "The exact probability with which each outcome is released on this public data, per "
        f"{problem.frame.unit} ({problem.frame.adjacency.name}). Each law adds up to 1."
    )
    figure = new_figure("plots.law", caption=caption)
    axes = new_axes(figure, "The law of the answer", "outcome", "probability")
    names = list(map(repr, mechanisms))
    if len(outcomes) <= MOST_BARS:
        draw_bars(axes, [_label(each) for each in outcomes], laws, names)
    else:
        _draw_steps(axes, outcomes, laws, names)
    axes.set_ylim(bottom=0)
    axes.legend(frameon=False, fontsize=8)
    return figure


def draw_bars(axes: Any, labels: Sequence[str], heights: Sequence[Floats], names: Sequence[str]) -> None:
    """Bars side by side: a group for each label, a colour for each name."""
    places, wide = np.arange(len(labels)), 0.8 / len(heights)
    for number, (height, name) in enumerate(zip(heights, names, strict=True)):
        shift = (number - (len(heights) - 1) / 2) * wide
        axes.bar(places + shift, height, wide, color=colour_of(number), label=name)
    long = sum(map(len, labels)) > 60
    axes.set_xticks(places, labels, rotation=35 if long else 0, ha="right" if long else "center", fontsize=8)
    axes.grid(visible=False, axis="x")


def _draw_steps(axes: Any, outcomes: Sequence[Any], laws: Sequence[Floats], names: Sequence[str]) -> None:
    numbers = all(isinstance(each, Real) for each in outcomes)
    places = [float(each) for each in outcomes] if numbers else list(range(len(outcomes)))
    axes.set_xlabel("outcome (its value)" if numbers else "outcome (its place among the candidates)")
    for number, (heights, name) in enumerate(zip(laws, names, strict=True)):
        look = {"color": colour_of(number), "linestyle": style_of(number)}
        axes.step(places, heights, where="mid", label=name, linewidth=1.2, **look)


def _law_of_number(problem: NumericProblem, mechanisms: Sequence[NumericMechanism]) -> "Figure":
    wide = max(_reach(each, problem) for each in mechanisms)
    steps = np.arange(-wide, wide + 1, max(1, 2 * wide // POINTS)) + problem.steps
    frame = problem.frame
    clamped = " Answers are moved into the public range afterwards." if frame.range is not None else ""
    caption = (
        f"The exact probability of each answer on a grid of {float(frame.resolution):g}, on this public data, per "
        f"{frame.unit} ({frame.adjacency.name}); the grey line is the true value.{clamped}"
    )
    figure = new_figure("plots.law", caption=caption)
    axes = new_axes(figure, "The law of the answer", "answer (in units of the value)", "probability")
    values = steps * float(frame.resolution)
    for number, each in enumerate(mechanisms):
        heights = np.exp(each.log_probabilities(problem, steps))
        axes.plot(values, heights, color=colour_of(number), linestyle=style_of(number), label=repr(each))
    axes.axvline(float(problem.value), color="#777777", linewidth=0.8)
    axes.set_ylim(bottom=0)
    axes.legend(frameon=False, fontsize=8)
    return figure


def _reach(mechanism: NumericMechanism, problem: NumericProblem) -> int:
    """So many grid steps from the value that little lies beyond."""
    distance = 1
    while distance < 2**40 and np.exp(mechanism.log_tail(problem, distance)) > TAIL:
        distance *= 2
    return distance


def _label(outcome: Any) -> str:
    words = ", ".join(map(str, outcome)) if isinstance(outcome, tuple) else str(outcome)
    return words if len(words) <= LONGEST_LABEL else f"{words[: LONGEST_LABEL - 3]}..."
