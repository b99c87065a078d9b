"""Which groups are there, and how many people has each? Nobody listed them. Proof: truncated_geometric_counts.md."""

from collections.abc import Callable
from typing import Any

from dampen import entropy
from dampen._validate import Number
from dampen.mechanisms import TruncatedGeometricCounts
from dampen.problem import UnknownGroupsFrame, UnknownGroupsProblem
from dampen.questions.record import Posed, Single
from dampen.tables.engines.names import NamedPeople

KEY_BITS = 128
Count = Callable[[str], NamedPeople]
"""A key in, by which the groups of a person are chosen; how many people each group has out."""


def pose_unknown_groups(count: Count, frame: UnknownGroupsFrame, *, epsilon: Number, delta: Number) -> Posed[Any]:
    """The groups that may be shown, with their people, posed on nobody first: no bad argument waits for the data.

    The key is drawn before data are read, and independent of them: for each key the answer is private, so it is for a
    random one. It is no part of the answer.
    """
    mechanism = TruncatedGeometricCounts(epsilon, delta)
    mechanism.last(frame)
    Single[Any](mechanism, UnknownGroupsProblem(frame, [], []))
    key = "" if frame.unit == "row" else f"{entropy.system_entropy().bits(KEY_BITS):032x}"
    found = count(key)
    return Single(mechanism, UnknownGroupsProblem(frame, found.names, found.people))
