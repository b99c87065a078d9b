"""One nursery for all crash tests of a process."""

from collections.abc import Iterator

import pytest

from tests.crash.books import Nursery


@pytest.fixture(scope="session")
def nursery() -> Iterator[Nursery]:
    nursery = Nursery()
    yield nursery
    nursery.close()
