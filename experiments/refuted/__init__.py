"""The fence: published mechanisms that are not private as printed, kept to reproduce their papers.

Three locks. *Place*: nothing here is in the wheel. *Type*: they derive from :class:`RefutedMechanism`, which has a law
and a simulation, or for numbers from :class:`RefutedNoise`, which has a scale and a simulation; neither has a
``release`` nor a ``privacy``. *Evidence*: each carries its claim, its source and a pair of neighbours on which the
claim fails, which a test recomputes.
"""

from experiments.refuted.base import Evidence, Kind, RefutedMechanism
from experiments.refuted.degree_projections import GreedyProjection, ProjectionWhenExceeded
from experiments.refuted.exponential_smooth_sensitivity import ExponentialWithSmoothSensitivity
from experiments.refuted.guarded_candidates import DampeningByGuardedCandidates
from experiments.refuted.largest_local_sensitivities import LargestLocalSensitivitiesAsPrinted
from experiments.refuted.level_of_ego_betweenness import LevelOfEgoBetweenness
from experiments.refuted.numbers import NumericEvidence, RefutedNoise
from experiments.refuted.percentile_algorithm_2 import DampeningByAlgorithm2
from experiments.refuted.percentile_lemma_5_3 import StableArgmaxByLemma53
from experiments.refuted.printed_admissibility import DampeningAsPrinted
from experiments.refuted.private_size import InformationGainWithPrivateSize
from experiments.refuted.sensitivity_of_the_whole import (
    LeafLabelBySensitivityOfTheWhole,
    SplitBySensitivityOfTheWhole,
)
from experiments.refuted.smooth_laplace import SmoothLaplaceBeyondItsRange
from experiments.refuted.smooth_noisy_max import (
    SmoothNoisyMaxLaplace,
    SmoothNoisyMaxLaplaceLogNormal,
    SmoothNoisyMaxStudent,
)
from experiments.refuted.theorem_8 import NoiseByTheorem8
from experiments.refuted.triode import TriodeByItsPrintedSensitivity
from experiments.refuted.triode_h import GroupByWithEveryStageAtEpsilon, TriodeHAsPrinted
from experiments.refuted.two_triangle_bound import TwoTrianglesByTheSmallBound

INHABITANTS: tuple[type[RefutedMechanism], ...] = (
    DampeningAsPrinted,
    DampeningByAlgorithm2,
    DampeningByGuardedCandidates,
    ExponentialWithSmoothSensitivity,
    GreedyProjection,
    GroupByWithEveryStageAtEpsilon,
    InformationGainWithPrivateSize,
    LeafLabelBySensitivityOfTheWhole,
    LevelOfEgoBetweenness,
    ProjectionWhenExceeded,
    SmoothNoisyMaxLaplace,
    SmoothNoisyMaxLaplaceLogNormal,
    SmoothNoisyMaxStudent,
    SplitBySensitivityOfTheWhole,
    StableArgmaxByLemma53,
    TriodeByItsPrintedSensitivity,
    TriodeHAsPrinted,
)
OF_NUMBERS: tuple[type[RefutedNoise], ...] = (
    LargestLocalSensitivitiesAsPrinted,
    NoiseByTheorem8,
    SmoothLaplaceBeyondItsRange,
    TwoTrianglesByTheSmallBound,
)

__all__ = [
    "INHABITANTS",
    "OF_NUMBERS",
    "DampeningAsPrinted",
    "DampeningByAlgorithm2",
    "DampeningByGuardedCandidates",
    "Evidence",
    "ExponentialWithSmoothSensitivity",
    "GreedyProjection",
    "GroupByWithEveryStageAtEpsilon",
    "InformationGainWithPrivateSize",
    "Kind",
    "LargestLocalSensitivitiesAsPrinted",
    "LeafLabelBySensitivityOfTheWhole",
    "LevelOfEgoBetweenness",
    "NoiseByTheorem8",
    "NumericEvidence",
    "ProjectionWhenExceeded",
    "RefutedMechanism",
    "RefutedNoise",
    "SmoothLaplaceBeyondItsRange",
    "SmoothNoisyMaxLaplace",
    "SmoothNoisyMaxLaplaceLogNormal",
    "SmoothNoisyMaxStudent",
    "SplitBySensitivityOfTheWhole",
    "StableArgmaxByLemma53",
    "TriodeByItsPrintedSensitivity",
    "TriodeHAsPrinted",
    "TwoTrianglesByTheSmallBound",
]
