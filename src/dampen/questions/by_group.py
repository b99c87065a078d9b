"""The same question for every group, all for one price.

A record is in one group at most, so what one group's answer costs, all together cost (parallel composition). Under
``REPLACE`` a record may leave one group and enter another: then each group is asked at half of epsilon, or at the part
of rho that such a record leaves. Sizes of groups are private, so inside them the adjacency is always ``ADD_REMOVE``.
Proof: docs/proofs/groups.md.

Groups that are declared are all answered, with or without records: which of them occur is private.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

from dampen._validate import Number, positive
from dampen.accounting import converted
from dampen.entropy import Entropy
from dampen.mechanisms.selection_errors import whole_accuracy
from dampen.privacy import (
    Accuracy,
    Adjacency,
    GroupAccuracy,
    GroupRelease,
    PrivacyLoss,
    PrivateAccuracy,
    Release,
    record_adjacency,
)
from dampen.problem import SelectionProblem
from dampen.queries.categories import count_frame
from dampen.questions.mechanism_choice import choose_mechanism
from dampen.questions.record import RECORD, Composite, Posed, Price, Single
from dampen.tables.counts import GridCounts, Total
from dampen.vectors import Integers


def share_of_group(epsilon: Number, adjacency: Adjacency) -> Fraction:
    """What each group is asked at, under ``ADD_REMOVE``, so that all together cost ``epsilon``."""
    price = positive(epsilon=epsilon)
    return price / 2 if record_adjacency(adjacency) is Adjacency.REPLACE else price


CONVERTED = Fraction(4)
"""A replaced record costs at most so many times the rho of one more or less: it is two steps."""


def times_replaced(question: str, **public: Any) -> Fraction:
    """How many times the rho of a record more or less a replaced one costs, where Gaussian noise tells all groups.

    The cost grows with the squares of what moves. Who leaves a group for another moves both, by a step each: twice.
    Who stays moves two bars of a histogram, by 1 each; the sum of a mean by two steps, which has half of the price, and
    its number by none: no more than that. A sum it may move by the distance of the bounds.
    """
    if question in ("histogram", "mean"):
        return Fraction(2)
    if question != "sum":
        return CONVERTED
    one, other = (
        RECORD["sum"].frame(epsilon=1, adjacency=adjacency, **public).reach
        for adjacency in (Adjacency.ADD_REMOVE, Adjacency.REPLACE)
    )
    return max(Fraction(2), Fraction(other, one) ** 2)


def price_of_group(price: Price, adjacency: Adjacency, times: Fraction = CONVERTED) -> Price:
    """What each group is asked at, under ``ADD_REMOVE``, so that all together cost the price.

    ``times``: how many times as much, of a rho, a replaced record costs.
    """
    if not price.is_rho:
        return Price(share_of_group(price.amount, adjacency))
    return Price(rho=price.amount / times) if record_adjacency(adjacency) is Adjacency.REPLACE else price


def pose_each(
    question: str, groups: Sequence[GridCounts | Total], labels: Sequence[Any], *,
    price: Price, adjacency: Adjacency, **public: Any,
) -> Posed[GroupRelease]:  # fmt: skip
    """A question of numbers, asked of what was counted in each group."""
    times = times_replaced(question, **public) if price.is_rho else CONVERTED
    share = price_of_group(price, adjacency, times).words()
    pose = RECORD[question].pose
    return pose_together(
        [pose(group, **share, adjacency=Adjacency.ADD_REMOVE, **public) for group in groups],
        labels, adjacency, times,
    )  # fmt: skip


def pose_most_common(
    counts: Sequence[Integers], choices: Sequence[Any], labels: Sequence[Any], *, price: Price, adjacency: Adjacency,
    mechanism: Any = None,
) -> Posed[GroupRelease]:  # fmt: skip
    """The most frequent of the choices in each group."""
    share = price_of_group(price, adjacency)
    chosen = choose_mechanism(mechanism, share, indicators="dampen.queries.winner_problem")
    frame = count_frame(choices, Adjacency.ADD_REMOVE)
    known = whole_accuracy(chosen.accuracy(frame), "records")
    return pose_together([Single(chosen, SelectionProblem(frame, part), known) for part in counts], labels, adjacency)


def pose_together(
    parts: Sequence[Posed[Any]], labels: Sequence[Any], adjacency: Adjacency, times: Fraction = CONVERTED
) -> Posed[GroupRelease]:
    """All groups' answers for what one costs under ``ADD_REMOVE``; under ``REPLACE`` for twice the epsilon.

    ``times``: of noise that has a rho alone, how many times that it is.
    """
    single = parts[0].loss

    def draw(source: Entropy) -> list[Any]:
        return [part.draw(source) for part in parts]

    def build(drawn: list[Any], loss: PrivacyLoss, note: str) -> GroupRelease:
        answers: dict[Any, Release] = {
            label: part.build(each, loss, note) for label, part, each in zip(labels, parts, drawn, strict=True)
        }
        return GroupRelease(
            {label: each.value for label, each in answers.items()}, loss,
            f"{next(iter(answers.values())).mechanism}, in each group", note, _accuracy_of_all(answers),
        )  # fmt: skip

    frames = tuple(part.frame for part in parts)
    loss = converted(single, adjacency, single.unit)
    if single.rho is not None and single.epsilon is None and adjacency is Adjacency.REPLACE:
        loss = replace(loss, rho=times * single.rho)
    return Composite(frames, loss, draw, build)


def _accuracy_of_all(answers: Mapping[Any, Release]) -> Accuracy | None:
    """That of every group by its label; one that may not be told is the same for all."""
    known = {label: each.accuracy for label, each in answers.items() if each.accuracy is not None}
    private = (each for each in known.values() if isinstance(each, PrivateAccuracy))
    return next(private, GroupAccuracy(known) if len(known) == len(answers) else None)
