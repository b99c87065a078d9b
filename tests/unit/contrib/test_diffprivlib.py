"""Objects of diffprivlib, told by what they can do; the real ones where their environment was made."""

import json
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from dampen import Adjacency, PrivacyLoss
from dampen.audit import black_box
from dampen.contrib.diffprivlib import as_claim, as_draw, estimator_as_draw
from dampen.errors import ParameterError

ROOT = Path(__file__).parents[3]
PYTHON = ROOT / ".venv-diffprivlib" / "bin" / "python"


class Geometric:
    """As a mechanism of diffprivlib looks like, with half the noise."""

    epsilon, delta = 1.0, 0.0

    def __init__(self) -> None:
        self.rng = np.random.default_rng(1)

    def randomise(self, value: int) -> int:
        return value + int(self.rng.geometric(0.87) - self.rng.geometric(0.87))


class Mean:
    """As an estimator of diffprivlib looks like."""

    def __init__(self, epsilon: float) -> None:
        self.epsilon = epsilon

    def fit(self, values: Any, weights: Any = None) -> "Mean":
        self.mean_ = float(np.average(values, weights=weights))
        return self


def test_a_mechanism_is_drawn_from_and_judged_by_its_own_claim() -> None:
    mechanism = Geometric()
    claim = as_claim(mechanism)
    assert claim == PrivacyLoss(1, adjacency=Adjacency.REPLACE)
    assert black_box(as_draw(mechanism), 1, 0, claim=claim, samples=4_000, confidence=1 - 1e-6).refuted


def test_an_estimator_is_fitted_anew_for_every_draw() -> None:
    draw = estimator_as_draw(lambda: Mean(1), outputs=["mean_"])
    assert draw([1.0, 3.0]) == {"mean_": 2.0}
    assert draw(([1.0, 3.0], [0, 1])) == {"mean_": 3.0}
    assert as_claim(Mean(2)).epsilon == 2


@pytest.mark.parametrize(
    ("call", "told"),
    [
        (lambda: as_draw(len), "method randomise"),
        (lambda: as_claim(len), "must have an epsilon"),
        (lambda: estimator_as_draw(3, outputs=["mean_"]), "make must be a function"),  # type: ignore[arg-type]
        (lambda: estimator_as_draw(Geometric, outputs="mean_"), "outputs must be a list"),
    ],
)
def test_what_is_none_is_refused(call: Any, told: str) -> None:
    with pytest.raises(ParameterError, match=told):
        call()


REAL = """
import json, warnings
import numpy as np
from diffprivlib.mechanisms import Laplace
from diffprivlib.models import GaussianNB
warnings.simplefilter("ignore")
mechanism = Laplace(epsilon=1, sensitivity=1)
fitted = GaussianNB(epsilon=1, bounds=(0, 1)).fit(np.array([[0.0], [1.0]] * 5), [0, 1] * 5)
print(json.dumps([callable(mechanism.randomise), mechanism.epsilon, mechanism.delta, hasattr(fitted, "theta_")]))
"""


@pytest.mark.skipif(not PYTHON.exists(), reason="make bench-diffprivlib makes the environment of diffprivlib")
def test_the_real_ones_have_what_is_asked_of_them() -> None:
    done = subprocess.run([str(PYTHON), "-c", REAL], capture_output=True, text=True, check=True)
    assert json.loads(done.stdout) == [True, 1.0, 0.0, True]
