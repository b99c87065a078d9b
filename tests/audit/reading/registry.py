"""All entries of the gate, and everything in dampen that must have one."""

import importlib
import inspect
import pkgutil
from collections.abc import Iterator

from tests.audit.reading import edges, engines, groups, labels, numbers, tables
from tests.audit.reading.entries import Entry

ENTRIES: tuple[Entry, ...] = (
    *labels.ENTRIES,
    *numbers.ENTRIES,
    *groups.ENTRIES,
    *edges.ENTRIES,
    *tables.ENTRIES,
    *engines.ENTRIES,
)
