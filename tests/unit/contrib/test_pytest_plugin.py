"""The plugin of pytest: marked tests are audited, all others are left alone, and nothing heavy is loaded for them."""

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.conftest import RunPython

pytest_plugins = ["pytester"]
PLUGIN = ("-p", "dampen.contrib.pytest_plugin", "-p", "no:cacheprovider", "-W", "error", "--strict-markers", "-q")
TESTS = """
import pytest

def subject(rng, chance):
    return lambda people: len(people) + int(rng.geometric(chance) - rng.geometric(chance))

@pytest.mark.private(epsilon=1, samples=3_000)
def test_sound(private_rng):
    return subject(private_rng, 0.63), "ab", "a"

@pytest.mark.private(epsilon=1, samples=3_000)
def test_half_the_noise(private_rng):
    return subject(private_rng, 0.87), "ab", "a"

@pytest.mark.private(rho="1/2", adjacency="replace", samples=200)
@pytest.mark.parametrize("data", ["ab"])
def test_rho(data):
    return len, data, "ba"

@pytest.mark.private(epsilon=1)
def test_nothing():
    return None

@pytest.mark.private(epsilon=-1)
def test_a_wrong_claim():
    return len, "ab", "a"

@pytest.mark.private(1)
def test_a_claim_without_a_name():
    return len, "ab", "a"

@pytest.mark.private(epsilon=1)
def test_a_draw_of_two_arguments():
    return lambda people, rng: 1, "ab", "a"

class TestGroup:
    @pytest.mark.private(epsilon=1, samples=200)
    def test_method(self):
        return lambda people: 0, "ab", "a"

def test_of_another_kind(private_rng):
    assert private_rng.random() < 1
"""


def test_marked_tests_are_audited(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(TESTS)
    result = pytester.runpytest_inprocess(*PLUGIN)
    result.assert_outcomes(passed=4, failed=5)
    result.stdout.fnmatch_lines(
        [
            "the claim is refuted",
            "claim*epsilon 1 per row (ADD_REMOVE): REFUTED",
            "confidence*99.9999 %",
            "a private test must return a draw and two data sets: @pytest.mark.private(epsilon=1) on a test*",
            "epsilon must not be negative; got -1; write @pytest.mark.private*",
            "the mark private takes adjacency, delta, epsilon, *",
            "draw must take a data set alone; it takes people, rng: *",
        ]
    )


def test_a_seed_of_its_own_makes_a_test_the_same_in_every_run(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(
        "def test_one(private_rng):\n    assert private_rng.integers(10**9) == -1\n"
        "def test_other(private_rng):\n    assert private_rng.integers(10**9) == -1\n"
    )
    told = [pytester.runpytest_inprocess(*PLUGIN).stdout.str() for _ in range(2)]
    drawn = [[line for line in text.splitlines() if line.startswith("E ") and "assert" in line] for text in told]
    assert drawn[0] == drawn[1]
    assert drawn[0][0] != drawn[0][-1]


def test_the_plugin_imports_nothing_of_dampen_before_a_test_is_marked(run_python: "RunPython") -> None:
    loaded = "print(sorted(name for name in sys.modules if name[:6] in ('dampen', 'numpy')))"
    code = f"import sys, dampen.contrib.pytest_plugin; {loaded}"
    assert run_python(code).stdout == "['dampen', 'dampen.contrib', 'dampen.contrib.pytest_plugin']\n"


def test_the_wheel_announces_the_plugin() -> None:
    announced = (Path(__file__).parents[3] / "pyproject.toml").read_text()
    assert "[project.entry-points.pytest11]" in announced
    assert '"dampen.contrib.pytest_plugin" = "dampen.contrib.pytest_plugin"' in announced
