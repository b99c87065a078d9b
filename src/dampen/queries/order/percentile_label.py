"""Which label holds the percentile? The utility of the dampening paper, for public labels."""

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np

from dampen._validate import Number, whole
from dampen.errors import DataError, ParameterError
from dampen.privacy import Adjacency
from dampen.problem import Frame, SelectionProblem
from dampen.queries.order.label_rungs import LabelRungs
from dampen.queries.order.percent import share_of
from dampen.vectors import LARGEST_WHOLE, Integers, as_vector


def percentile_label_problem(
    values: Any, p: Number, *, bound: int, labels: Sequence[Any] | None = None
) -> SelectionProblem:
    """Which label's value is nearest to the p-th percentile of the values?

    One whole number per label; labels, and so their number n, are public, and one step replaces one value
    (``REPLACE``). Values are clipped to [0, ``bound``]. The utility of label r is -abs(x_(k) - x_r), where
    k = max(1, min(n, ceil(p (n + 1) / 100))) counts from 1: the rule of the dampening paper. Its sensitivity function
    is the exact local sensitivity of each label at each distance (docs/proofs/percentile.md).

    Kept to reproduce the paper. One replaced value makes any label exact, so no private law can err much less than a
    uniform choice; :func:`percentile_value_problem` answers the question users mean.

    >>> import dampen
    >>> from dampen.queries import percentile_label_problem
    >>> problem = percentile_label_problem([3, 9, 4], 50, bound=10, labels=("Ann", "Bob", "Cid"))
    >>> problem.utilities.tolist(), problem.sensitivity.at(0).tolist()
    ([-1, -5, 0], [5.0, 5.0, 5.0])
    """
    share, limit = share_of(p), whole(bound=bound, least=1)
    numbers = as_vector(values, "values")
    if not len(numbers):
        raise DataError("values must not be empty: the answer is the label of one of them")
    names = range(len(numbers)) if labels is None else labels
    frame = Frame(names, bound=limit, adjacency=Adjacency.REPLACE)
    if len(names) != len(numbers):
        raise DataError("values must be exactly one for each label")
    if numbers.dtype.kind != "i":
        raise DataError("values must be whole numbers")
    if 8 * (len(numbers) + 2) * limit > LARGEST_WHOLE:
        raise ParameterError(f"bound must be below 2**59 divided by the number of labels; got {limit}")
    clipped: Integers = np.clip(numbers.astype(np.int64), 0, limit)
    k = label_rank(len(numbers), share)
    utilities = -np.abs(np.sort(clipped)[k - 1] - clipped)
    return SelectionProblem(frame, utilities, LabelRungs(clipped, k, limit))


def label_rank(n: int, share: Fraction) -> int:
    """The 1-based rank max(1, min(n, ceil(share (n + 1))))."""
    return max(1, min(n, -(-share.numerator * (n + 1) // share.denominator)))
