"""What is compared for a question: public problems that answer it, each in its own way, and the unit of errors."""

from collections.abc import Callable, Mapping
from fractions import Fraction
from inspect import signature
from typing import Any, NamedTuple

import numpy as np

from dampen._validate import Number, positive, render, share_of, whole
from dampen.accuracy.comparing import ChoiceContest, Contests, CountsContest, GridContest, NumberContest
from dampen.accuracy.fitting import Make, find_lists, find_mechanisms
from dampen.accuracy.quotients import MeanContest, VarianceContest
from dampen.accuracy.stand_ins import StandIn
from dampen.describe.labels import as_categories
from dampen.describe.nearest import unknown
from dampen.errors import ParameterError
from dampen.privacy import Adjacency, record_adjacency
from dampen.problem import CountsProblem, NumericProblem, SelectionProblem
from dampen.queries import mean_part_problems, mean_problem, percentile_hit_problem, winner_problem
from dampen.queries.order.order_statistic import order_statistic_problem
from dampen.queries.order.percentile_on_grid import target_rank
from dampen.queries.sums import variance_part_problems
from dampen.questions.histograms import MOST_BARS, frame_of_counts
from dampen.questions.one_percentile import ON_A_GRID, grid_of
from dampen.questions.record import RECORD, Single
from dampen.questions.subgraph_counts import subgraph_problem
from dampen.tables.counts import as_bounds

BY_YES_OR_NO = "hit"
"""The way of those that fit no other: a candidate is the best or not."""
RECORDS = "records"


class Compared(NamedTuple):
    """The problems that answer a question by the name of their way, the unit of errors, and how many are to be named.

    ``k`` is ``None`` where one answer is asked for.
    """

    contests: Contests
    unit: str = ""
    k: int | None = None

    def find(self, way: str, delta: Number | None) -> tuple[dict[str, Make], dict[str, str]]:
        """Every mechanism that fits a way, and why others are left out."""
        problems = self.contests[way].problems
        return find_mechanisms(problems, delta) if self.k is None else find_lists(problems[0], self.k)


def compared_of(data: Any, question: Any, adjacency: Adjacency, public: Mapping[str, Any]) -> Compared:
    """What a question compares, all of it marked public."""
    if isinstance(data, SelectionProblem | NumericProblem | CountsProblem):
        return _of_problem(data, question, **public)
    if not isinstance(data, StandIn) or data.values is None:
        rule = "data must be public values, StandIn(values).as_public(), or a problem that is marked public"
        raise ParameterError(f"{rule}; got {type(data).__name__}")
    data.require_public("compare")
    if question not in QUESTIONS:
        raise ParameterError(f"question must be one that can be compared, not {unknown(question, QUESTIONS)}")
    _require_arguments(question, public)
    return QUESTIONS[question](data, adjacency, **public)


def _require_arguments(question: str, public: Mapping[str, Any]) -> None:
    """Refuse what a question has no use for, and what it lacks."""
    known = {
        each.name: each.default is each.empty
        for each in signature(QUESTIONS[question]).parameters.values()
        if each.kind is each.KEYWORD_ONLY
    }
    for name in public:
        if name not in known:
            raise ParameterError(f"{name} must be left out for {question!r}, which has no use for it")
    for name, needed in known.items():
        if needed and name not in public:
            raise ParameterError(f"{name} must be given for {question!r}")


def _of_problem(data: Any, question: Any, k: int | None = None, **others: Any) -> Compared:
    if question is not None or others:
        raise ParameterError("question must be left out for a problem, which is one already")
    data.require_public("compare")
    if k is not None and not isinstance(data, SelectionProblem):
        raise ParameterError(f"k must be left out: a number is asked for; got {render(k)}")
    if isinstance(data, SelectionProblem):
        return Compared({"": ChoiceContest(data)}, "units of the score", None if k is None else whole(k=k, least=1))
    return Compared({"": NumberContest(data) if isinstance(data, NumericProblem) else CountsContest(data)})


def _posed(question: str, data: StandIn, adjacency: Adjacency, public: Mapping[str, Any]) -> Any:
    """The problem of a question that one mechanism answers."""
    posed = RECORD[question].pose(data.values, epsilon=1, adjacency=adjacency, **public)
    assert isinstance(posed, Single)
    return posed.problem.as_public()


def _count(data: StandIn, adjacency: Adjacency) -> Compared:
    return Compared({"": NumberContest(_posed("count", data, adjacency, {}))}, RECORDS)


def _sum(data: StandIn, adjacency: Adjacency, *, bounds: Any, unit: Number | None = None) -> Compared:
    return Compared({"": NumberContest(_posed("sum", data, adjacency, {"bounds": bounds, "unit": unit}))})


def _mean(data: StandIn, adjacency: Adjacency, *, bounds: Any) -> Compared:
    if record_adjacency(adjacency) is Adjacency.REPLACE:
        return Compared({"": NumberContest(mean_problem(data.values, bounds=bounds).as_public())})
    low, high = as_bounds(bounds)
    top, number = mean_part_problems(data.values, bounds=bounds)
    _require_values(number.value)
    return Compared({"": MeanContest((top.as_public(), number.as_public()), float(high - low) / 2)})


def _variance(data: StandIn, adjacency: Adjacency, *, bounds: Any, unit: Number | None = None) -> Compared:
    low, high = as_bounds(bounds)
    parts, records = variance_part_problems(data.values, bounds=bounds, unit=unit, adjacency=adjacency)
    _require_values(parts[-1].value if records is None else records)
    return Compared({"": VarianceContest(tuple(part.as_public() for part in parts), float(high - low), records)})


def _require_values(number: Fraction | int) -> None:
    if not number:
        raise ParameterError("a stand-in must have a value")


def _histogram(
    data: StandIn, adjacency: Adjacency, *, bounds: Any = None, step: Number | None = None, categories: Any = None
) -> Compared:
    """Of steps or of labels. The noise is that of all data, so that nothing is counted."""
    if (bounds is None) == (categories is None):
        raise ParameterError("bounds must be given for a histogram of numbers, or categories for one of labels")
    size = len(as_categories(categories)) if bounds is None else len(grid_of(bounds, step))
    if size > MOST_BARS:
        raise ParameterError(f"bounds and step must make at most {MOST_BARS} bars; got {size}")
    problem = CountsProblem(frame_of_counts(size, adjacency), np.zeros(size, dtype=np.int64)).as_public()
    return Compared({"": CountsContest(problem)}, f"{RECORDS}, for each bar")


def _most_common(data: StandIn, adjacency: Adjacency, *, categories: Any) -> Compared:
    problem = _posed("most_common", data, adjacency, {"categories": categories})
    winner = winner_problem(data.values, adjacency=adjacency, categories=categories).as_public()
    return Compared({"": ChoiceContest(problem), BY_YES_OR_NO: ChoiceContest(winner, problem.groups)}, RECORDS)


def _top_categories(data: StandIn, adjacency: Adjacency, *, k: int, categories: Any) -> Compared:
    problem = _posed("top_categories", data, adjacency, {"k": k, "categories": categories})
    return Compared({"": ChoiceContest(problem)}, f"{RECORDS}, for each place", k)


def _count_subgraphs(
    data: StandIn, adjacency: Adjacency, *, pattern: str = "triangle", k: int | None = None
) -> Compared:
    """Under ``EDGE``, whatever adjacency is said of tables."""
    return Compared({"": NumberContest(subgraph_problem(data.values, pattern, k).as_public())}, "patterns")


def _median(data: StandIn, adjacency: Adjacency, *, bounds: Any, step: Number | None = None) -> Compared:
    return _percentile(data, adjacency, p=50, bounds=bounds, step=step)


def _percentile(data: StandIn, adjacency: Adjacency, *, p: Number, bounds: Any, step: Number | None = None) -> Compared:
    grid = grid_of(bounds, None if step is None else positive(step=step))
    counted = data.counted_on(grid)
    rank = target_rank(counted.n, share_of(p))
    place = int(counted.places[int(counted.counts.cumsum().searchsorted(rank, side="right"))])
    contests: dict[str, Any] = {
        way: GridContest(pose(counted, p, grid=grid, adjacency=adjacency).as_public(), grid, place)
        for way, pose in ON_A_GRID.items()
    }
    resolution = 1 if step is None else step
    number = order_statistic_problem(
        counted if isinstance(bounds, tuple | list) else data.values, p, bounds=bounds, resolution=resolution,
        adjacency=adjacency,
    )  # fmt: skip
    hit = percentile_hit_problem(counted, p, grid=grid, adjacency=adjacency).as_public()
    return Compared(
        {**contests, "number": NumberContest(number.as_public()), BY_YES_OR_NO: GridContest(hit, grid, place)}
    )


QUESTIONS: dict[str, Callable[..., Compared]] = {
    "percentile": _percentile,
    "median": _median,
    "most_common": _most_common,
    "top_categories": _top_categories,
    "count": _count,
    "sum": _sum,
    "mean": _mean,
    "variance": _variance,
    "histogram": _histogram,
    "count_subgraphs": _count_subgraphs,
}
"""The questions whose mechanisms can be compared on values."""
