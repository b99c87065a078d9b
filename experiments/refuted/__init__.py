"""The fence: published mechanisms that are not private as printed, kept to reproduce their papers.

Three locks. *Place*: nothing here is in the wheel. *Type*: they derive from :class:`RefutedMechanism`, which has a law
and a simulation but no ``release`` and no ``privacy``. *Evidence*: each carries its claim, its source and a pair of
neighbours on which the claim fails, which a test recomputes.
"""

from experiments.refuted.base import Evidence, Kind, RefutedMechanism
from experiments.refuted.degree_projections import GreedyProjection, ProjectionWhenExceeded
from experiments.refuted.exponential_smooth_sensitivity import ExponentialWithSmoothSensitivity
from experiments.refuted.level_of_ego_betweenness import LevelOfEgoBetweenness
from experiments.refuted.percentile_algorithm_2 import DampeningByAlgorithm2
from experiments.refuted.percentile_lemma_5_3 import StableArgmaxByLemma53
from experiments.refuted.printed_admissibility import DampeningAsPrinted
from experiments.refuted.smooth_noisy_max import (
    SmoothNoisyMaxLaplace,
    SmoothNoisyMaxLaplaceLogNormal,
    SmoothNoisyMaxStudent,
)

INHABITANTS: tuple[type[RefutedMechanism], ...] = (
    DampeningAsPrinted,
    DampeningByAlgorithm2,
    ExponentialWithSmoothSensitivity,
    GreedyProjection,
    LevelOfEgoBetweenness,
    ProjectionWhenExceeded,
    SmoothNoisyMaxLaplace,
    SmoothNoisyMaxLaplaceLogNormal,
    SmoothNoisyMaxStudent,
    StableArgmaxByLemma53,
)

__all__ = [
    "INHABITANTS",
    "DampeningAsPrinted",
    "DampeningByAlgorithm2",
    "Evidence",
    "ExponentialWithSmoothSensitivity",
    "GreedyProjection",
    "Kind",
    "LevelOfEgoBetweenness",
    "ProjectionWhenExceeded",
    "RefutedMechanism",
    "SmoothNoisyMaxLaplace",
    "SmoothNoisyMaxLaplaceLogNormal",
    "SmoothNoisyMaxStudent",
    "StableArgmaxByLemma53",
]
