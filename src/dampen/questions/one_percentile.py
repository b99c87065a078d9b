"""What is the median? Which values do so many percent of the records not exceed?"""

from collections.abc import Callable
from fractions import Fraction
from typing import Any, Literal

from dampen._validate import Number, pair, render, share_of
from dampen.errors import ParameterError
from dampen.mechanisms import Exponential, LocalDampening, NumericMechanism, PolyPlace
from dampen.mechanisms.selection_errors import Law, PercentileAccuracy, people_accuracy
from dampen.privacy import Adjacency, BudgetLike, Release
from dampen.problem import SelectionProblem
from dampen.queries import percentile_label_problem, percentile_rank_problem, percentile_value_problem
from dampen.queries.order.order_statistic import order_statistic_problem
from dampen.questions.mechanism_choice import Choice, choose_mechanism, choose_numeric, require_fitting
from dampen.questions.private_bounds.sums import is_private, private_units
from dampen.questions.record import RECORD, Posed, Price, Single, question, zeros
from dampen.tables.grid import Grid, as_grid
from dampen.tables.relative_grid import unbounded_grid

Way = Literal["distance", "rank", "number", "label"]
ON_A_GRID: dict[str, Callable[..., SelectionProblem]] = {
    "distance": percentile_value_problem,
    "rank": percentile_rank_problem,
}
"""The methods that choose a value of the grid, and their problems."""
WAYS = (*ON_A_GRID, "number", "label")
Method = Way | Choice | NumericMechanism
Bounds = tuple[Number, Number] | range | Grid | Literal["private"]


@question(zeros, proof="percentile")
def percentile(
    values: Any,
    p: Number,
    *,
    bounds: Bounds,
    step: Number | None = None,
    epsilon: Number | None = None,
    rho: Number | None = None,
    budget: BudgetLike,
    adjacency: Adjacency = Adjacency.ADD_REMOVE,
    method: Method = "distance",
    note: str = "percentile",
) -> Posed[Release]:
    """The p-th percentile of the values, privately: a value of the public grid.

    Parameters
    ----------
    values
        Numbers in a list, array or Series. Tables are asked by :class:`dampen.Table`.
    p
        Between 0 and 100, taken exactly: 50 is the median, 0 the minimum, 100 the maximum. The percentile is the
        element floor(p n / 100) of the n sorted values, counted from 0, and the last one for p = 100.
    bounds, step
        All possible answers: lo, lo + step, ... up to hi. Public, so never taken from the data. Values are rounded down
        to this grid. The step is 1 where it is left out; a ``range`` is a grid as it stands.
        ``bounds="private"``, where nobody knows any: answers are multiples of the step, up to 2**62 of them, that have
        7 leading bits, and every value counts at the nearest; or another of :func:`dampen.unbounded_grid`.
    adjacency
        ``ADD_REMOVE``: one record more or less. ``REPLACE``: one record has another value, their number is public.
    method
        ``"distance"`` counts the people who must change before a value is the percentile: the default, and the most
        accurate. ``"rank"`` compares ranks. ``"number"`` adds noise that follows the gaps around the percentile, which
        is better above an epsilon of about 2. ``"label"`` is the question of the dampening paper and answers with the
        *position* of a record whose value is near the percentile; it needs ``REPLACE``, whole values and
        ``bounds=(0, hi)``. Or a mechanism: one that chooses, for ``"distance"``, or one that adds noise, for
        ``"number"``. ``"distance"`` and ``"rank"`` draw by permute-and-flip, or by the exponential mechanism where the
        budget is one of rho.
    rho
        In place of epsilon, for ``"distance"`` and ``"rank"``: the exponential mechanism chooses, whose epsilon is the
        root of 8 rho.
    note
        What the answer is for; a ledger remembers it.

    >>> import dampen
    >>> budget = dampen.Budget(epsilon=1)
    >>> dampen.percentile([23, 31, 45], 50, bounds=(0, 120), epsilon=1, budget=budget) in range(0, 121)
    True
    """
    price = Price(epsilon, rho)
    if price.is_rho and not (isinstance(method, str) and method in ON_A_GRID):
        raise ParameterError(f"method must be 'distance' or 'rank' for a rho; got {render(method)}")
    if isinstance(bounds, str):
        bounds, step = private_grid(bounds, step), None
    if isinstance(method, NumericMechanism) or _names(method, "number"):
        return _pose_number(values, p, bounds, step, price.amount, adjacency, method)
    if _names(method, "label"):
        if step is not None:
            raise ParameterError(f"step must be left out for method 'label'; got {render(step)}")
        bound = _label_bound(bounds, adjacency)
        return Single(LocalDampening(price.amount), percentile_label_problem(values, p, bound=bound))
    if method is None or (isinstance(method, str) and method not in ON_A_GRID):
        raise ParameterError(
            f"method must be one of {', '.join(map(repr, WAYS))}, or a mechanism; got {render(method)}"
        )
    grid, pose = grid_of(bounds, step), ON_A_GRID[method if isinstance(method, str) else "distance"]
    if isinstance(method, str):
        usual, known = price.choice(budget), None
        problem = pose(values, p, grid=grid, adjacency=adjacency)
        if method == "distance":
            law: Law = "exponential" if isinstance(usual, Exponential) else "permute_and_flip"
            known = PercentileAccuracy(usual.epsilon, len(grid), 100 * share_of(p), adjacency, law)
        return Single(usual, problem, known)
    chosen = choose_mechanism(method, price, indicators="dampen.queries.percentile_hit_problem")
    frame = pose([], p, grid=grid, adjacency=adjacency).frame
    chosen.privacy(frame)  # tried before any data is read
    told = people_accuracy(chosen.accuracy(frame), 100 * share_of(p), adjacency)
    return Single(chosen, pose(values, p, grid=grid, adjacency=adjacency), told)


@question(zeros, proof="percentile")
def median(
    values: Any,
    *,
    bounds: Bounds,
    step: Number | None = None,
    epsilon: Number | None = None,
    rho: Number | None = None,
    budget: BudgetLike,
    adjacency: Adjacency = Adjacency.ADD_REMOVE,
    method: Method = "distance",
    note: str = "median",
) -> Posed[Release]:
    """The median of the values, privately: the 50th percentile. See :func:`percentile`.

    >>> import dampen
    >>> budget = dampen.Budget(epsilon=1)
    >>> dampen.median([23, 31, 45], bounds=(0, 120), epsilon=1, budget=budget) in range(0, 121)
    True
    """
    asked: dict[str, Any] = {"bounds": bounds, "step": step, "adjacency": adjacency, "method": method}
    return RECORD["percentile"].pose(values, 50, epsilon=epsilon, rho=rho, budget=budget, **asked)


def private_grid(bounds: str, step: Number | None) -> Grid:
    """All answers in multiples of a step, where bounds are ``"private"``."""
    is_private(bounds)
    return unbounded_grid(private_units(step, "step").unit)


def grid_of(bounds: Any, step: Number | None) -> Grid:
    """All possible answers: a range or grid as it stands, or so far apart between two ends, 1 where nobody says."""
    if isinstance(bounds, str):
        return private_grid(bounds, step)
    if isinstance(bounds, range | Grid):
        if step is not None:
            raise ParameterError(f"step must be left out where bounds are a grid; got {render(step)}")
        return as_grid(bounds)
    return as_grid(bounds=bounds, step=1 if step is None else step)


def _names(method: object, way: str) -> bool:
    return isinstance(method, str) and method == way


def _pose_number(
    values: Any, p: Number, bounds: Any, step: Number | None, epsilon: Number, adjacency: Adjacency, method: Any
) -> Posed[Release]:
    """The percentile plus noise that follows the gaps around it: pure by default, else as the mechanism is."""
    chosen: NumericMechanism = PolyPlace(epsilon)
    if isinstance(method, NumericMechanism):
        chosen = choose_numeric(method, epsilon=epsilon, delta=getattr(method, "delta", 0))
    asked: dict[str, Any] = {"bounds": bounds, "resolution": 1 if step is None else step, "adjacency": adjacency}
    require_fitting(chosen, order_statistic_problem([], p, **asked))
    return Single(chosen, order_statistic_problem(values, p, **asked))


def _label_bound(bounds: Any, adjacency: Adjacency) -> int:
    if adjacency is not Adjacency.REPLACE:
        raise ParameterError(f"adjacency must be Adjacency.REPLACE for method 'label'; got {render(adjacency)}")
    try:
        low, high = pair(bounds=bounds)
    except ParameterError:
        low = high = Fraction(-1)
    if low != 0 or high < 1 or high.denominator != 1:
        raise ParameterError(f"bounds must be (0, hi) with a whole hi for method 'label'; got {render(bounds)}")
    return int(high)
