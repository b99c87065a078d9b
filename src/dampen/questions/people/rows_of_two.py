"""How many rows are there that belong to two persons each? So many of each person are kept as a cap says."""

from collections.abc import Sequence

from dampen._validate import Number
from dampen.graphs.kept_rows import count_in_order
from dampen.mechanisms import EdgeRace, Staircase
from dampen.privacy import Adjacency, NumericRelease
from dampen.problem import NumericFrame, NumericProblem
from dampen.queries.rows_of_two import rows_of_two_frame, rows_of_two_problem
from dampen.questions.people.totals import Capped
from dampen.questions.record import Posed, Single
from dampen.tables.person_pairs import PersonPairs


def pose_rows_of_two(
    pairs: PersonPairs, caps: Sequence[int], *, epsilon: Number, adjacency: Adjacency, unit: str
) -> Posed[NumericRelease]:
    """The rows that are kept under one of the caps, which is chosen privately."""
    frame = rows_of_two_frame(adjacency, caps=caps, unit=unit)
    return Single(EdgeRace(epsilon), rows_of_two_problem(frame, lambda caps: kept_under(pairs, caps)))


def pose_capped_rows(
    pairs: PersonPairs, cap: int, *, epsilon: Number, adjacency: Adjacency, unit: str
) -> Posed[NumericRelease]:
    """The same under a cap that somebody says: a person more or less, or with other rows, moves it by the cap."""
    [kept] = kept_under(pairs, (cap,))
    problem = NumericProblem(NumericFrame(cap, adjacency, unit=unit), kept)
    return Capped(Staircase(epsilon), problem, (None, cap), of_two=True)


def kept_under(pairs: PersonPairs, caps: Sequence[int]) -> tuple[int, ...]:
    """Not private. How many rows are kept under each cap."""
    return count_in_order(pairs.low, pairs.high, caps, nodes=pairs.people)
