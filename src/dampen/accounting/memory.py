"""Answers that a budget keeps, so that the same question asked again costs nothing.

Only what was released is kept. An answer is found by the question in public words and by nothing else: were data part
of the key, not finding an answer would tell that they have changed.
"""

import json
from hashlib import sha256
from typing import NamedTuple

from dampen._validate import UNWRITABLE, render
from dampen.errors import ParameterError

LONGEST_KEPT = 1_000_000
"""So many characters may a question and its answer have together; longer ones are not kept."""


class Answer(NamedTuple):
    """A question in public words, and the text of what was released."""

    key: str
    text: str
    number: int = 0
    """The entry of the ledger that vouches for it."""

    @property
    def digest(self) -> str:
        """SHA-256 of question and answer as one JSON list."""
        return sha256(json.dumps([self.key, self.text]).encode()).hexdigest()

    @property
    def is_short(self) -> bool:
        """Whether it may be kept."""
        return len(self.key) + len(self.text) <= LONGEST_KEPT


def as_line(**named: object) -> str:
    """Require one named value to be one line of text, of any length."""
    [(name, value)] = named.items()
    if not isinstance(value, str) or UNWRITABLE.search(value):
        raise ParameterError(f"{name} must be one line of text; got {render(value)}")
    return value
