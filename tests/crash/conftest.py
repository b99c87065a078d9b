"""One nursery for all crash tests of a process, and places for ledgers of every kind."""

from collections.abc import Callable, Iterator
from pathlib import Path
from zlib import crc32

import pytest

from tests import postgres
from tests.crash.books import Nursery, Place


@pytest.fixture(scope="session")
def nursery() -> Iterator[Nursery]:
    nursery = Nursery()
    yield nursery
    nursery.close()


@pytest.fixture(params=["file", "server"])
def place_in(request: pytest.FixtureRequest) -> Callable[[Path], Place]:
    """Where a new ledger may be made, for every folder another."""
    if request.param == "file":
        return lambda folder: folder / "study.db"
    return lambda folder: postgres.server().address(f"of_{crc32(str(folder).encode())}")
