"""Whose each row is, for the few questions that take rows out of their engine. None of this is private."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from dampen.tables.columns import column_of_values
from dampen.tables.engines.array_persons import person_codes
from dampen.vectors import Integers

NOBODY = -1
"""In place of a row's owner: the row has no person."""


@dataclass(frozen=True, eq=False, repr=False)
class Owners:
    """The person of each row, a number below ``people``, or ``NOBODY``. Every number occurs."""

    codes: Integers
    people: int

    def weights(self, vote: int) -> Integers:
        """What each row weighs where a person has so many units, spread evenly over the own rows and rounded down.

        A function of how many rows the person has, so that all own rows together have no more than ``vote``.
        """
        here = self.codes >= 0
        rows = np.bincount(self.codes[here], minlength=self.people)
        found = np.zeros(len(self.codes), dtype=np.int64)
        found[here] = (vote // np.maximum(rows, 1))[self.codes[here]]
        return found


def owners_of(values: Any) -> Owners:
    """The owners of rows, from the values of the person's column as they are.

    >>> owners = owners_of(["ann", "bob", "ann", None])
    >>> owners.codes.tolist(), owners.people, owners.weights(8).tolist()
    ([0, 1, 0, -1], 2, [4, 8, 4, 0])
    """
    found = person_codes(column_of_values(values, None)).codes
    here = found >= 0
    codes = np.full(len(found), NOBODY, dtype=np.int64)
    known, codes[here] = np.unique(found[here], return_inverse=True)
    return Owners(codes, len(known))
