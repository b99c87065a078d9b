"""What a problem's sensitivity function says: rungs, and the dampening that is read off them."""

from typing import TYPE_CHECKING, Any

import numpy as np

from dampen._validate import render
from dampen.drawing import GREY, PALETTE, STYLES, colour_of, new_axes, new_figure
from dampen.errors import ParameterError
from dampen.plots.laws import AnyProblem, require_drawable
from dampen.problem import NumericProblem, SelectionProblem
from dampen.vectors import Floats

if TYPE_CHECKING:
    from matplotlib.figure import Figure

MOST_RUNGS, MOST_LADDERS, MOST_GROUPS, POINTS = 60, 6, 10_000, 120
"""So many rungs are drawn, of so many candidates, of problems up to so many; a curve has so many points."""


def dampening(problem: SelectionProblem, candidate: Any = None) -> "Figure":
    """The rungs of one candidate, and how many steps of the data they make of a utility: the dampened score.

    ``candidate``: the best one, if left out. The problem must be marked public.
    """
    require_drawable(problem, "plots.dampening")
    if not isinstance(problem, SelectionProblem):
        raise ParameterError(f"problem must be a SelectionProblem; got {type(problem).__name__}")
    place = _place_of(problem, candidate)
    name, unit = problem.frame.candidates[place], problem.frame.unit
    caption = (
        f"Left: how far one more step moves the utility of {name!r} at most, where t steps were made already. Right: "
        "so many steps it takes to move a utility to 0, which is its dampened score; the dots are all candidates, each "
        "by its own rungs."
    )
    figure = new_figure("plots.dampening", caption=caption, width=9)
    rungs = _rungs(problem)[:, place]
    left = new_axes(
        figure, f"Rungs of {name}", f"steps t already made ({unit}s)", "next step moves the utility by (at most)",
        place=(1, 2, 1),
    )  # fmt: skip
    left.step(range(len(rungs)), rungs, where="post", color=PALETTE[0])
    left.set_ylim(bottom=0)
    left.xaxis.get_major_locator().set_params(integer=True)
    right = new_axes(
        figure, f"Dampening of {name}", "utility (its own units)", f"dampened score (steps, {unit}s)",
        place=(1, 2, 2),
    )  # fmt: skip
    utilities = np.asarray(problem.utilities, dtype=np.float64)
    ends = min(0.0, float(utilities.min())), max(0.0, float(utilities.max()))
    points = np.linspace(*(ends if ends[0] < ends[1] else (-1.0, 1.0)), POINTS)
    scores = [float(_inverse(problem, np.full(len(utilities), point))[place]) for point in points]
    right.plot(points, scores, color=PALETTE[0])
    right.plot(utilities, _inverse(problem, utilities), ".", color=PALETTE[1])
    return figure


def ladder(problem: AnyProblem) -> "Figure":
    """How far one step can move a value, if t steps were made already; of a choice, for the best candidates.

    The problem must be marked public.
    """
    require_drawable(problem, "plots.ladder")
    unit, number = problem.frame.unit, isinstance(problem, NumericProblem)
    what = "value" if number else "utility"
    caption = (
        f"How far one step ({problem.frame.adjacency.name}: one {unit}) moves the {what} at most, in any data that are "
        "t steps away from these public ones. The grey line is the worst case over all data."
    )
    figure = new_figure("plots.ladder", caption=caption)
    axes = new_axes(figure, "The ladder", f"steps t from the data at hand ({unit}s)", f"moves the {what} by (at most)")
    rungs = _rungs(problem)
    best = (
        [0]
        if isinstance(problem, NumericProblem)
        else np.argsort(-np.asarray(problem.groups, dtype=np.float64), kind="stable")[:MOST_LADDERS]
    )
    for drawn, place in enumerate(best):
        label = "the value" if isinstance(problem, NumericProblem) else str(problem.frame.candidates[int(place)])
        look = {"color": colour_of(drawn), "linestyle": STYLES[drawn % len(STYLES)]}  # lines may lie on one another
        axes.step(range(len(rungs)), rungs[:, int(place)], where="post", label=label, **look)
    if problem.frame.bound is not None:
        axes.axhline(float(problem.frame.bound), color=GREY, linewidth=1, linestyle=":", label="worst case")
    axes.set_ylim(bottom=0)
    axes.xaxis.get_major_locator().set_params(integer=True)
    axes.legend(frameon=False, fontsize=8)
    return figure


def _rungs(problem: AnyProblem) -> Floats:
    """The first rungs: one step beyond where nothing changes any more, and no more than fit on a picture."""
    known = problem.sensitivity.saturation
    count = MOST_RUNGS if known is None else min(MOST_RUNGS, known + 2)
    return problem.sensitivity.ladder(max(count, 2))


def _inverse(problem: SelectionProblem, utilities: Floats) -> Floats:
    return problem.sensitivity.inverse(utilities)


def _place_of(problem: SelectionProblem, candidate: Any) -> int:
    if problem.sizes is not None or len(problem.groups) > MOST_GROUPS:
        raise ParameterError(f"plots.dampening draws problems of at most {MOST_GROUPS} candidates, without runs")
    if candidate is None:
        return int(np.argmax(problem.groups))
    places = [place for place, each in enumerate(problem.frame.candidates) if each == candidate]
    if not places:
        raise ParameterError(f"candidate must be one of those of the frame; got {render(candidate)}")
    return places[0]
