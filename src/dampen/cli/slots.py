"""Slots on the command line: ``50 x 1/10, 2 x 1 delta 1e-8``."""

import re

from dampen._validate import render
from dampen.errors import ParameterError
from dampen.privacy import Adjacency, PrivacyLoss

HELP = "In place of any sum: losses fixed now, e.g. '50 x 1/10, 2 x 1/2'."
SLOTS = re.compile(r"\s*([0-9]{1,6})\s*x\s*(\S+)((?:\s+(?:delta|bounded_range|rho)\s+\S+)*)\s*", re.ASCII)
"""How many, of which epsilon, and what else they may claim."""


def parse_slots(given: str, adjacency: Adjacency, unit: str) -> list[PrivacyLoss]:
    """The losses that are meant, each as often as there are slots of it."""
    return [slot for part in given.split(",") for slot in _parse_kind(part, given, adjacency, unit)]


def _parse_kind(part: str, given: str, adjacency: Adjacency, unit: str) -> list[PrivacyLoss]:
    found = SLOTS.fullmatch(part)
    if found is None or not int(found[1]):
        form = "'50 x 1/10', with commas between several, and delta, bounded_range or rho behind each"
        raise ParameterError(f"slots must be such as {form}; got {render(given)}")
    names, values = found[3].split()[::2], found[3].split()[1::2]
    claims = dict(zip(names, values, strict=True))
    delta = claims.pop("delta", "0")
    return [PrivacyLoss(found[2], delta, adjacency=adjacency, unit=unit, **claims)] * int(found[1])
