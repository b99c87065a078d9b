"""What an epsilon buys: the expected error of mechanisms against epsilon."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from dampen._validate import Number, positive
from dampen.accuracy import expected_error
from dampen.drawing import colour_of, new_axes, new_figure, style_of
from dampen.errors import ParameterError
from dampen.plots.laws import AnyMechanism, AnyProblem, as_mechanisms, require_drawable
from dampen.problem import NumericProblem

if TYPE_CHECKING:
    from matplotlib.figure import Figure

EPSILONS = tuple(f"{10**power:.3g}" for power in np.linspace(-2, 1, 25))
"""Where nobody says others: from 0.01 to 10, evenly by their logarithms."""
DECADES = 1e-6
"""Errors below this share of the largest are cut off."""

Maker = Callable[[Any], AnyMechanism]


def tradeoff(
    problem: AnyProblem,
    mechanisms: Maker | Iterable[Maker] | Mapping[str, Maker],
    *,
    epsilons: Sequence[Number] = EPSILONS,
) -> "Figure":
    """The expected error of each mechanism against epsilon, from exact laws, for a problem that is marked public.

    ``mechanisms``: classes such as ``PermuteAndFlip``, or functions from epsilon to a mechanism by their names.

    >>> import dampen
    >>> from dampen.mechanisms import Exponential, PermuteAndFlip
    >>> frame = dampen.Frame(("tea", "coffee"), bound=1, adjacency=dampen.Adjacency.ADD_REMOVE, monotone=True)
    >>> problem = dampen.SelectionProblem(frame, [7, 5]).as_public()
    >>> len(dampen.plots.tradeoff(problem, [Exponential, PermuteAndFlip], epsilons=[0.1, 1]).axes[0].lines)
    2
    """
    require_drawable(problem, "plots.tradeoff")
    makers = _named(mechanisms)
    paid = [positive(epsilons=epsilon) for epsilon in epsilons]
    if not paid:
        raise ParameterError("epsilons must be positive numbers, at least one; got none")
    number = isinstance(problem, NumericProblem)
    frame = problem.frame
    what = "mean distance between answer and value" if number else "mean of how far the choice lies below the best"
    caption = f"The {what}, from exact laws on this public data; epsilon per {frame.unit} ({frame.adjacency.name})."
    figure = new_figure("plots.tradeoff", caption=caption)
    unit = "units of the value" if number else "units of the utility"
    axes = new_axes(figure, "What an epsilon buys", "epsilon (privacy loss)", f"expected error ({unit})")
    largest = 0.0
    for place, (name, make) in enumerate(makers.items()):
        errors = [_error(problem, make(epsilon)) for epsilon in paid]
        look = {"color": colour_of(place), "linestyle": style_of(place)}
        axes.plot([float(epsilon) for epsilon in paid], errors, marker=".", label=name, **look)
        largest = max([largest, *errors])
    axes.set_xscale("log")
    if largest > 0:
        axes.set_yscale("log")
        low, high = axes.get_ylim()
        axes.set_ylim(max(low, largest * DECADES), high)
    axes.legend(frameon=False, fontsize=8)
    return figure


def _named(mechanisms: Any) -> dict[str, Maker]:
    if isinstance(mechanisms, Mapping):
        named = {str(name): make for name, make in mechanisms.items()}
    else:
        listed = list(mechanisms) if isinstance(mechanisms, Iterable) else [mechanisms]
        named = {getattr(make, "__name__", type(make).__name__): make for make in listed}
    if not named or not all(map(callable, named.values())):
        raise ParameterError(
            "mechanisms must be classes such as PermuteAndFlip, or functions of epsilon by their names"
        )
    return named


def _error(problem: AnyProblem, mechanism: AnyMechanism) -> float:
    [checked] = as_mechanisms(problem, mechanism, "plots.tradeoff")
    if isinstance(problem, NumericProblem):
        return float(checked.expected_absolute_noise(problem))
    return expected_error(checked, problem)
