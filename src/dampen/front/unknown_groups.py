"""Groups that nobody listed: which there are, and how many people each has, in one private answer."""

from typing import TYPE_CHECKING, Any

from dampen._validate import Number, positive, render
from dampen.describe.columns import PRIVATE, Listed, Text
from dampen.describe.where import find_column
from dampen.errors import ParameterError
from dampen.front.asking import Asking, as_tuple
from dampen.front.view import View
from dampen.privacy import GroupRelease
from dampen.problem import UnknownGroupsFrame
from dampen.questions.record import Posed, Price
from dampen.questions.unknown_groups import pose_unknown_groups
from dampen.tables.engines.names import NamedPeople, NamesAsk
from dampen.tables.named_people import named_people

if TYPE_CHECKING:
    from dampen.front.table import Table


class UnknownGroups:
    """What ``table.by(column, groups="private")`` returns: it tells which groups there are, and what each counts."""

    def __init__(self, table: "Table", columns: tuple[str, ...]) -> None:
        if len(columns) != 1:
            raise ParameterError(f"by must name one column where groups='private'; got {render(columns)}")
        [self._column] = columns
        self._table = table
        _require_text(table.view, self._column)

    def __repr__(self) -> str:
        return f"{self._table!r}.by({self._column!r}, groups='private')"

    def count(
        self,
        *,
        epsilon: Number,
        delta: Number,
        most: int | None = None,
        at_least: int = 1,
        note: str | None = None,
    ) -> GroupRelease:
        """Groups by name, each with how many people it has; small ones are not shown.

        Rows are people, or with a person the persons who have a row there, each counted once. Groups are texts or whole
        numbers, by name as they are written. All that is told are those with a noisy count above a public threshold;
        the noise is never larger than that.

        ``delta``: the chance, at most, that too much is told, such as that a group of one person is shown; 1e-6, or
        less than one over the number of people. It is charged whatever is shown. ``most``: with a person, in so many
        groups everybody is counted, chosen among the own ones by chance; the noise grows with it. ``at_least``: a group
        of fewer people is never shown.

        Then ``table.by(column, groups=release)`` asks all else of the groups that were shown, which are public now.
        """
        options = {"groups": PRIVATE, "delta": delta, "most": self._most(most), "at_least": at_least}
        asked = Asking("count", None, options, (self._column,), Price(positive(epsilon=epsilon)), note)
        return self._table.answer(GroupRelease, asked, lambda: self._pose(asked))

    def _most(self, most: int | None) -> int:
        if self._table.person is None:
            if most is not None:
                rule = "most must be left out for a table without a person, where a row is in one group"
                raise ParameterError(f"{rule}; got {render(most)}")
            return 1
        if most is None:
            raise ParameterError("most must be given for a table with a person: in how many groups one may be counted")
        return most

    def _pose(self, asked: Asking) -> Posed[Any]:
        view, options = self._table.view, asked.options
        person = self._table.person
        frame = UnknownGroupsFrame(
            self._table.adjacency, most=options["most"], at_least=options["at_least"], unit=person or ""
        )

        def count(key: str) -> NamedPeople:
            ask = NamesAsk(self._column, person, frame.most, key)
            kept = "drop" if view.person is None else view.person.missing
            return named_people(view.person_source(self._column), ask, missing=kept)

        return pose_unknown_groups(count, frame, epsilon=asked.epsilon, delta=options["delta"])


def list_groups(view: View, columns: tuple[str, ...], groups: Any) -> View:
    """The same data, its one text among the columns read as one of the groups: those that a release showed."""
    rule = "groups must be 'private', or the names of groups that were shown before, one or more texts"
    names = as_tuple(groups)
    if not isinstance(names, tuple) or not names or not all(isinstance(name, str) for name in names):
        raise ParameterError(f"{rule}; got {render(groups)}")
    texts = [name for name in columns if isinstance(find_column(view.columns, name), Text)]
    if len(texts) != 1:
        raise ParameterError(f"by must name one text where groups are given; got {render(columns)}")
    return view.describe_anew(texts[0], Listed(names))


def _require_text(view: View, column: str) -> None:
    found = find_column(view.columns, column)
    if not isinstance(found, Text):
        rule = f"column must be a text where groups='private'; {render(column)} is described as a {found.kind}"
        raise ParameterError(f"{rule}, whose values are public or numbers")
