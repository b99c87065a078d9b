"""Released classifiers: decision tables, scorecards and trees. Everything in them is released."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from dampen.drawing import new_axes, new_figure
from dampen.errors import ParameterError
from dampen.learn import views

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from dampen.learn import PrivateClassifier, PrivateScorecard, PrivateTreeClassifier

ROW = 0.22
"""The height of a bar in inches."""


def table(model: "PrivateClassifier") -> "Figure":
    """The decision table of a fitted ``PrivateClassifier``: a row for each cell, coloured by its class shares.

    Of a joint model: a bar for the points of every value, answer and cell.
    """
    if not hasattr(model, "plot_table"):
        raise ParameterError(f"model must be a fitted PrivateClassifier; got {type(model).__name__}")
    names = model.tests_
    if model.kind_ == "joint":
        return _draw_points("plots.table", f"The private joint model: {len(names)} tests", model, model.plot_table)
    width, height = views.table_size(model.model_)
    caption = (
        "Each row is a pattern of answers that a record can give: dark for yes, light for no; then the shares of the "
        f"classes among its released counts, in brackets, and its class.{_cost(model)}"
    )
    figure = new_figure("plots.table", caption=caption, width=width, height=height + 0.8)
    axes = new_axes(
        figure, f"The private decision table: {len(names)} tests", "class shares (0 to 1)", "pattern of answers"
    )
    axes.grid(visible=False)
    model.plot_table(axes)
    axes.xaxis.labelpad = 22  # below the legend
    return figure


def scorecard(model: "PrivateScorecard") -> "Figure":
    """The points of a fitted ``PrivateScorecard``: a bar for every value of every attribute."""
    if not hasattr(model, "points_"):
        raise ParameterError(f"model must be a fitted PrivateScorecard; got {type(model).__name__}")
    return _draw_points("plots.scorecard", "The private scorecard", model, model.plot)


def _draw_points(name: str, title: str, model: Any, plot: Callable[[Any], Any]) -> "Figure":
    height = ROW * model.export_text().count("\n") + 1.6
    caption = (
        "A bar for the points of each value; a record's points are added up, and their sum tells its class. Points are "
        f"released ones, with noise.{_cost(model)}"
    )
    figure = new_figure(name, caption=caption, width=7.5, height=height)
    axes = new_axes(figure, title, "points", "values")
    axes.grid(visible=False)
    plot(axes)
    return figure


def tree(model: "PrivateTreeClassifier") -> "Figure":
    """The tree of a fitted ``PrivateTreeClassifier``, from left to right, with released counts."""
    if not hasattr(model, "plot_tree"):
        raise ParameterError(f"model must be a fitted PrivateTreeClassifier; got {type(model).__name__}")
    model.export_text()  # refuses where nothing is fitted
    width, height = views.tree_size(model.model_)
    caption = (
        "A box for each group of records that pass the same tests, from left to right; at the ends the class that is "
        f"predicted. Numbers of records are released ones, with noise.{_cost(model)}"
    )
    figure = new_figure("plots.tree", caption=caption, width=width, height=height + 0.8)
    axes = new_axes(figure, "The private decision tree", "number of tests passed", "groups of records")
    model.plot_tree(axes)
    return figure


def _cost(model: Any) -> str:
    paid: dict[str, Any] = model.terms_
    return f" All of it cost epsilon {paid['epsilon']} per {paid.get('unit') or 'row'}."
