"""Released classifiers: the decision table and the tree. Everything in them is released."""

from typing import TYPE_CHECKING, Any

from dampen.drawing import new_axes, new_figure
from dampen.errors import ParameterError
from dampen.learn import views

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from dampen.learn import PrivateClassifier, PrivateTreeClassifier


def table(model: "PrivateClassifier") -> "Figure":
    """The decision table of a fitted ``PrivateClassifier``: a row for each cell, coloured by its class shares."""
    if not hasattr(model, "plot_table"):
        raise ParameterError(f"model must be a fitted PrivateClassifier; got {type(model).__name__}")
    names = model.tests_
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
