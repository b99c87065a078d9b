"""``import dampen`` is quick, and still tells all its names."""

import json
from typing import TYPE_CHECKING

import pytest

import dampen

if TYPE_CHECKING:
    from tests.conftest import RunPython

HEAVY = {"numba", "duckdb", "narwhals", "flint", "typer", "rich", "pandas", "polars", "networkx", "sklearn"}


def test_importing_dampen_loads_nothing_heavy(run_python: "RunPython") -> None:
    code = "import json, sys, dampen; print(json.dumps([dir(dampen), dampen.__all__, sorted(sys.modules)]))"
    done = run_python(code)
    assert (done.returncode, done.stderr) == (0, "")
    names, public, modules = json.loads(done.stdout)
    assert not HEAVY & {module.partition(".")[0] for module in modules}
    assert set(public) <= set(names)
    assert "dampen" in modules


HOMES = {getattr(getattr(dampen, name), "__module__", name): name for name in dampen.__all__}
"""One name of each module; what else it holds comes the same way, and is had first in full runs."""


@pytest.mark.parametrize(
    "name",
    [pytest.param(name, marks=[] if name in HOMES.values() else [pytest.mark.long]) for name in dampen.__all__],
)
def test_every_public_name_can_be_had_first(name: str, run_python: "RunPython") -> None:
    done = run_python(f"import dampen; print(dampen.{name} is not None)")
    assert (done.stdout, done.stderr) == ("True\n", "")


def test_other_names_are_missing_as_in_any_module() -> None:
    with pytest.raises(AttributeError, match="no_such_name"):
        dampen.no_such_name  # noqa: B018
    assert not hasattr(dampen, "numpy")
