"""A plugin of pytest: ``@pytest.mark.private(epsilon=1)`` on a test that returns ``(draw, x, y)``.

pytest loads this module in every run, so nothing of dampen is imported before a test is marked.
"""

import zlib
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from numpy.random import Generator

    from dampen.privacy import PrivacyLoss

NAME = "private"
USE = "@pytest.mark.private(epsilon=1) on a test that returns (draw, x, y)"
OPTIONS = {"samples", "error_rate"}
CLAIM = {"epsilon", "delta", "rho", "adjacency", "unit"}


def pytest_configure(config: pytest.Config) -> None:
    """Name the mark."""
    config.addinivalue_line(
        "markers",
        "private(epsilon, delta=0, rho=None, adjacency='add_remove', unit='', samples=20_000, error_rate=1e-6): the "
        "test returns (draw, x, y), and fails if draws on the two neighbouring data sets refute the claim",
    )


@pytest.fixture
def private_rng(request: pytest.FixtureRequest) -> "Generator":
    """A generator whose seed is the name of the test: a subject that draws from it does the same in every run."""
    import numpy as np

    return np.random.default_rng(zlib.crc32(request.node.nodeid.encode()))


@pytest.hookimpl(tryfirst=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> bool | None:
    """Run a marked test and audit what it returns; all other tests are pytest's."""
    mark = pyfuncitem.get_closest_marker(NAME)
    if mark is None:
        return None
    claim, options = _read(mark)
    names = pyfuncitem._fixtureinfo.argnames
    subject = pyfuncitem.obj(**{name: pyfuncitem.funcargs[name] for name in names})
    if not isinstance(subject, tuple) or len(subject) != 3 or not callable(subject[0]):
        pytest.fail(f"a private test must return a draw and two data sets: {USE}", pytrace=False)
    from dampen.audit import assert_private
    from dampen.errors import ParameterError

    try:
        assert_private(*subject, claim, **options)
    except (AssertionError, ParameterError) as refuted:
        pytest.fail(str(refuted), pytrace=False)
    return True


def _read(mark: pytest.Mark) -> tuple["PrivacyLoss", dict[str, Any]]:
    """The claim that a mark makes, and how it is to be audited."""
    from dampen.errors import ParameterError
    from dampen.privacy import Adjacency, PrivacyLoss

    named: dict[str, Any] = dict(mark.kwargs)
    try:
        if mark.args or not named.keys() <= CLAIM | OPTIONS:
            known = ", ".join(sorted(CLAIM | OPTIONS))
            raise ParameterError(f"the mark private takes {known}, by name")
        options = {name: named.pop(name) for name in OPTIONS & named.keys()}
        adjacency = named.pop("adjacency", Adjacency.ADD_REMOVE)
        if isinstance(adjacency, str):
            adjacency = {each.value: each for each in Adjacency}.get(adjacency, adjacency)
        return PrivacyLoss(named.pop("epsilon", None), adjacency=adjacency, **named), options
    except ParameterError as error:
        pytest.fail(f"{error}; write {USE}", pytrace=False)
