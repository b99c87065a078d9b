"""Who is in the case book: what each claims, and the pair of neighbours it is tried on."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from dampen import Adjacency, Frame, NumericFrame, NumericProblem, PrivacyLoss, SelectionProblem
from dampen.audit.drawing import Draw
from dampen.entropy import system_entropy
from dampen.mechanisms import Exponential, Laplace, PermuteAndFlip

ADD, REPLACE = Adjacency.ADD_REMOVE, Adjacency.REPLACE
RHO = PrivacyLoss(None, rho="1/2", adjacency=ADD)


@dataclass(frozen=True)
class Subject:
    """One entry. ``environment`` and ``foreign`` say where and under which name others draw; else ``own`` does."""

    id: str
    name: str
    version: str
    claim: PrivacyLoss
    x: Any
    y: Any
    samples: int
    environment: str = ""
    foreign: str = ""
    own: Callable[[], Draw] | None = None
    issue: str = ""
    note: str = ""


def selection(mechanism: Any) -> Draw:
    """Draws of a mechanism among two candidates whose scores move by 1."""
    frame = Frame(("a", "b"), bound=1, adjacency=ADD)
    return lambda scores: mechanism.draw(SelectionProblem(frame, scores), system_entropy())


def own_laplace() -> Draw:
    """Draws of a whole number with noise."""
    mechanism, frame = Laplace(1), NumericFrame(bound=1, adjacency=ADD)
    return lambda value: mechanism.draw(NumericProblem(frame, value), system_entropy())


def pure(epsilon: int | str, delta: int | str = 0, adjacency: Adjacency = ADD) -> PrivacyLoss:
    """A claim of epsilon and delta."""
    return PrivacyLoss(epsilon, delta, adjacency=adjacency)


PERSONS = "Data are the ids of persons, with one row in each of four groups. The privacy map at 1 id tells the claim."
TWO = "Data are the values of the one group, from -10 to 10. The privacy map tells the claim at 2, for a row replaced."


def _opendp(version: str) -> list[Subject]:
    environment = f".venv-opendp-{version}"

    def of(
        key: str, name: str, claim: PrivacyLoss, x: Any, y: Any, samples: int = 50_000, issue: str = "", note: str = ""
    ) -> Subject:
        who = f"opendp-{version}-{key}", name, f"OpenDP {version}"
        return Subject(*who, claim, x, y, samples, environment, key.replace("-", "_"), issue=issue, note=note)

    threshold = pure(1, "0.004925833956035741")
    up, tied = "`make_laplace_threshold`, scale 1, threshold 5", ([0, 0], [1, -1])
    groups = "`make_private_lazyframe` under rho: count of rows cut by group, after the groups are made one"
    margin = "`make_private_lazyframe` with `Margin(max_length=1)`: a sum by group"
    persons = PrivacyLoss(None, rho="1/2", adjacency=ADD, unit="id")
    return [
        of("noisy-max", "`make_noisy_max` under rho, scale 1", RHO, *tied, issue="opendp#2911"),
        of("noisy-max-pure", "`make_noisy_max` under epsilon, scale 1", pure(2), *tied),
        of("laplace-threshold", up, threshold, ["u"], [], 60_000, issue="opendp#2922"),
        of("truncated-count", groups, persons, [0, 1], [1], 4_000, issue="opendp#2949", note=PERSONS),
        of("longest-group", margin, pure(1, 0, REPLACE), [10], [-10], 4_000, issue="opendp#2945", note=TWO),
    ]


ROWS = "Judged for one row more or less. Where the number of rows is public, this attribute tells nothing more."


def _peer(
    id: str, name: str, version: str, claim: PrivacyLoss, x: Any, y: Any, samples: int, note: str = ""
) -> Subject:
    environment = ".venv-interpret" if version.startswith("interpret") else ".venv-diffprivlib"
    return Subject(id, name, version, claim, x, y, samples, environment, id.replace("-", "_"), note=note)


COLUMN = [place / 20 for place in range(20)]
MORE, FEWER = ([*COLUMN, 1.0], [0, 1] * 10 + [1]), (COLUMN, [0, 1] * 10)
PRIVLIB, EBM = "diffprivlib 0.6.6", "interpret-core 0.7.8"
SUBJECTS = [
    *_opendp("0.15.1"),
    *_opendp("0.16.0"),
    _peer("diffprivlib-laplace", "`Laplace(epsilon=1, sensitivity=1)`", PRIVLIB, pure(1, 0, REPLACE), 0.0, 1.0, 50_000),
    _peer("diffprivlib-gaussian", "`GaussianAnalytic(1, 1e-5)`", PRIVLIB, pure(1, "1e-5", REPLACE), 0.0, 1.0, 50_000),
    _peer("diffprivlib-geometric", "`Geometric(epsilon=1, sensitivity=1)`", PRIVLIB, pure(1, 0, REPLACE), 0, 1, 50_000),
    _peer("dp-ebm-scores", "DP-EBM: the first three `term_scores_`", EBM, pure(1, "1e-5"), MORE, FEWER, 400),
    _peer("dp-ebm-weight", "DP-EBM: the attribute `bag_weights_`", EBM, pure(1, "1e-5"), MORE, FEWER, 400, ROWS),
    Subject("own-laplace", "`Laplace(1)`", "dampen", pure(1), 3, 4, 50_000, own=own_laplace),
    Subject(
        "own-permute-and-flip",
        "`PermuteAndFlip(2)`",
        "dampen",
        pure(2),
        (0, 0),
        (1, -1),
        50_000,
        own=lambda: selection(PermuteAndFlip(2)),
    ),
    Subject(
        "own-exponential",
        "`Exponential(2)` under rho",
        "dampen",
        RHO,
        (0, 0),
        (1, -1),
        50_000,
        own=lambda: selection(Exponential(2)),
    ),
]
