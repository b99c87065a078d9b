"""How many people does each group have?"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from dampen._validate import Number, flag
from dampen.errors import ParameterError
from dampen.mechanisms.counts.base import CountsRelease
from dampen.mechanisms.counts.laplace_counts import LaplaceCounts
from dampen.privacy import Adjacency, BudgetLike, PrivacyLoss, record_adjacency
from dampen.problem import CountsFrame, CountsProblem
from dampen.questions.record import Composite, Posed, no_records, question
from dampen.tables.counts import as_categories, filter_rows, require_public_number
from dampen.tables.groups import REST, count_groups


@dataclass(frozen=True, kw_only=True)
class GroupCounts(CountsRelease, Mapping[Any, int]):
    """Private counts, usable as a mapping from categories: ``release["F"]``, ``dict(release)``."""

    as_drawn: bool

    def error(self, confidence: Number) -> float:
        """How far one count is from the true one at most, with this confidence; of counts as drawn alone."""
        if not self.as_drawn:
            raise ParameterError("error must be asked of counts as drawn: without non_negative and consistent")
        return super().error(confidence)

    def __getitem__(self, category: Any) -> int:
        return int(self.value[category])

    def __iter__(self) -> Iterator[Any]:
        return iter(self.value)

    def __len__(self) -> int:
        return len(self.value)


@question(no_records("values"), proof="laplace_counts")
def group_counts(
    values: Any,
    *,
    categories: Sequence[Any],
    epsilon: Number,
    budget: BudgetLike,
    adjacency: Adjacency = Adjacency.ADD_REMOVE,
    non_negative: bool = False,
    consistent: bool = False,
    column: str | None = None,
    where: Mapping[str, Any] | None = None,
    other: Any = REST,
    missing: str = "refuse",
    note: str = "group_counts",
) -> Posed[GroupCounts]:
    """How many values each category has, privately: all counts for one ``epsilon``.

    Parameters
    ----------
    values
        One category per record: a list, array or Series; with ``column`` a data frame, a path or pattern of CSV or
        Parquet files, a DuckDB relation, an ibis table or a Spark data frame.
    categories
        Everything that could have occurred. Public, so never taken from the data. Categories without records get noise
        like all others.
    adjacency
        ``ADD_REMOVE``: one record more or less moves one count by 1. ``REPLACE``: a record with another value moves
        two, so the noise is twice as wide.
    non_negative
        Counts below 0 become 0.
    consistent
        Counts are at least 0 and add up: under ``REPLACE`` to the number of records, which is public, under
        ``ADD_REMOVE`` to the sum of the noisy counts. The nearest such counts are returned.
    where
        ``{column: value}``, public: only rows with these values count. Not for ``consistent`` counts under ``REPLACE``:
        a replaced record may leave them, so their number is no longer public.
    other
        The category that takes values which are no category: ``"other"``, where that is declared. Without one they are
        refused.
    missing
        ``"refuse"`` missing values, ``"drop"`` them, or count them as ``"other"``.
    note
        What the answer is for; a ledger remembers it.

    The release is a mapping and tells its error, ``release.error(0.95)``.

    >>> import dampen
    >>> counts = dampen.group_counts(["F"] * 60 + ["M"] * 40, categories=("F", "M"), epsilon=1,
    ...                              budget=dampen.Budget(epsilon=1))
    >>> list(counts), isinstance(counts["F"], int), counts.error(0.95)
    (['F', 'M'], True, 3.0)
    """
    mechanism, labels = LaplaceCounts(epsilon), as_categories(categories)
    replaced = record_adjacency(adjacency) is Adjacency.REPLACE
    whole, adding_up = flag(non_negative=non_negative), flag(consistent=consistent)
    if adding_up and replaced and isinstance(missing, str) and missing == "drop":
        raise ParameterError("consistent counts under REPLACE add up to all records; missing must not be 'drop'")
    frame = CountsFrame(len(labels), 2 if replaced else 1, adjacency, largest=1)
    rows = filter_rows(values, where)
    if adding_up:
        require_public_number(rows, adjacency)
    counts = count_groups(rows, labels, column=column, other=other, missing=missing)
    problem = CountsProblem(frame, counts)

    def build(noisy: Sequence[int], loss: PrivacyLoss, note: str) -> GroupCounts:
        if adding_up:
            noisy = nearest_with_sum(noisy, int(counts.sum()) if replaced else max(sum(noisy), 0))
        elif whole:
            noisy = [max(count, 0) for count in noisy]
        return GroupCounts(
            dict(zip(labels, noisy, strict=True)), loss, f"discrete Laplace noise of {len(labels)} counts", note,
            noise=mechanism.noise(frame), as_drawn=not (adding_up or whole),
        )  # fmt: skip

    return Composite(
        frame, mechanism.privacy(frame), lambda source: mechanism.draw(problem, source).tolist(), build
    )  # fmt: skip


def nearest_with_sum(counts: Sequence[int], total: int) -> list[int]:
    """The whole numbers of at least 0 with this sum that are nearest to the counts, in squares.

    The nearest real numbers lower all counts by one number and end at 0. Rounded down they lack less than one each; the
    largest remainders are rounded up.
    """
    ordered = sorted(counts, reverse=True)
    sums = np.add.accumulate(np.array(ordered, dtype=object))
    most = max((k for k in range(1, len(ordered) + 1) if ordered[k - 1] * k > sums[k - 1] - total), default=1)
    shift = Fraction(int(sums[most - 1]) - total, most)
    near = [max(count - shift, Fraction(0)) for count in counts]
    whole = [int(number) for number in near]
    short = total - sum(whole)
    for place in sorted(range(len(near)), key=lambda i: (whole[i] - near[i], i))[:short]:
        whole[place] += 1
    return whole
