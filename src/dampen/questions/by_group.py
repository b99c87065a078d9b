"""The same question for every group, all for one epsilon.

A record is in one group at most, so what one group's answer costs, all together cost (parallel composition). Under
``REPLACE`` a record may leave one group and enter another: then each group is asked at half the price. Sizes of groups
are private, so inside them the adjacency is always ``ADD_REMOVE``. Proof: docs/proofs/groups.md.

Groups that are declared are all answered, with or without records: which of them occur is private.
"""

from collections.abc import Mapping, Sequence
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
from dampen.questions.record import RECORD, Composite, Posed, Single
from dampen.tables.counts import GridCounts, Total
from dampen.vectors import Integers


def share_of_group(epsilon: Number, adjacency: Adjacency) -> Fraction:
    """What each group is asked at, under ``ADD_REMOVE``, so that all together cost ``epsilon``."""
    price = positive(epsilon=epsilon)
    return price / 2 if record_adjacency(adjacency) is Adjacency.REPLACE else price


def pose_each(
    question: str, groups: Sequence[GridCounts | Total], labels: Sequence[Any], *,
    epsilon: Number, adjacency: Adjacency, **public: Any,
) -> Posed[GroupRelease]:  # fmt: skip
    """A question of numbers, asked of what was counted in each group."""
    share = share_of_group(epsilon, adjacency)
    pose = RECORD[question].pose
    return pose_together(
        [pose(group, epsilon=share, adjacency=Adjacency.ADD_REMOVE, **public) for group in groups],
        labels, adjacency,
    )  # fmt: skip


def pose_most_common(
    counts: Sequence[Integers], choices: Sequence[Any], labels: Sequence[Any], *, epsilon: Number, adjacency: Adjacency,
    mechanism: Any = None,
) -> Posed[GroupRelease]:  # fmt: skip
    """The most frequent of the choices in each group."""
    chosen = choose_mechanism(mechanism, share_of_group(epsilon, adjacency), indicators="dampen.queries.winner_problem")
    frame = count_frame(choices, Adjacency.ADD_REMOVE)
    known = whole_accuracy(chosen.accuracy(frame), "records")
    return pose_together([Single(chosen, SelectionProblem(frame, part), known) for part in counts], labels, adjacency)


def pose_together(parts: Sequence[Posed[Any]], labels: Sequence[Any], adjacency: Adjacency) -> Posed[GroupRelease]:
    """All groups' answers for what one costs under ``ADD_REMOVE``, or twice that under ``REPLACE``."""
    single = parts[0].loss

    def draw(source: Entropy) -> list[Any]:
        return [part.draw(source) for part in parts]

    def build(drawn: list[Any], loss: PrivacyLoss, note: str) -> GroupRelease:
        answers: dict[Any, Release] = {
            label: part.build(each, loss, note) for label, part, each in zip(labels, parts, drawn, strict=True)
        }
        return GroupRelease(
            {label: each.value for label, each in answers.items()}, loss,
            f"{next(iter(answers.values())).mechanism}, in each group", note,
            _accuracy_of_all({label: each.accuracy for label, each in answers.items()}),
        )  # fmt: skip

    frames = tuple(part.frame for part in parts)
    before = _accuracy_of_all({label: part.accuracy_before for label, part in zip(labels, parts, strict=True)})
    return Composite(frames, converted(single, adjacency, single.unit), draw, build, before)


def _accuracy_of_all(each: Mapping[Any, Accuracy | None]) -> Accuracy | None:
    """That of every group by its label; one that may not be told is the same for all."""
    known = {label: told for label, told in each.items() if told is not None}
    private = (told for told in known.values() if isinstance(told, PrivateAccuracy))
    return next(private, GroupAccuracy(known) if len(known) == len(each) else None)
