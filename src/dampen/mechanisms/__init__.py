"""Mechanisms: a problem in, a law and a paid release out. One file each, one proof page each."""

from dampen.mechanisms.caps.base import CapMechanism
from dampen.mechanisms.caps.cap_race import CapRace
from dampen.mechanisms.caps.cap_scan import CapScan
from dampen.mechanisms.caps.edge_race import EdgeRace
from dampen.mechanisms.caps.limit_race import LimitRace
from dampen.mechanisms.caps.signed_cap_race import SignedCapRace
from dampen.mechanisms.caps.signed_cap_scan import SignedCapScan
from dampen.mechanisms.counts.base import CountsMechanism
from dampen.mechanisms.counts.gaussian_counts import GaussianCounts
from dampen.mechanisms.counts.laplace_counts import LaplaceCounts
from dampen.mechanisms.counts.truncated_geometric_counts import TruncatedGeometricCounts
from dampen.mechanisms.numeric.base import NumericMechanism
from dampen.mechanisms.numeric.exact_pair_laplace import ExactPairLaplace
from dampen.mechanisms.numeric.gaussian import Gaussian
from dampen.mechanisms.numeric.ladder import Ladder
from dampen.mechanisms.numeric.ladder_walk import LadderWalk
from dampen.mechanisms.numeric.laplace import Laplace
from dampen.mechanisms.numeric.laplace_log_normal import LaplaceLogNormal
from dampen.mechanisms.numeric.largest_local_sensitivities import LargestLocalSensitivities
from dampen.mechanisms.numeric.noisy_local_sensitivity import NoisyLocalSensitivity
from dampen.mechanisms.numeric.piecewise_laplace import PiecewiseLaplace
from dampen.mechanisms.numeric.poly_place import PolyPlace
from dampen.mechanisms.numeric.smooth_cauchy import SmoothCauchy
from dampen.mechanisms.numeric.smooth_laplace import SmoothLaplace
from dampen.mechanisms.numeric.smooth_student_t import SmoothStudentT
from dampen.mechanisms.numeric.staircase import Staircase
from dampen.mechanisms.regression.objective_perturbation import ObjectivePerturbation
from dampen.mechanisms.selection.base import SelectionMechanism
from dampen.mechanisms.selection.exponential import Exponential
from dampen.mechanisms.selection.laplace_top_k import LaplaceTopK
from dampen.mechanisms.selection.local_dampening import LocalDampening
from dampen.mechanisms.selection.pairwise_dampening import PairwiseDampening
from dampen.mechanisms.selection.pareto_noisy_max import ParetoNoisyMax
from dampen.mechanisms.selection.permute_and_flip import PermuteAndFlip
from dampen.mechanisms.selection.report_noisy_max import ReportNoisyMax
from dampen.mechanisms.selection.shifted_local_dampening import ShiftedLocalDampening
from dampen.mechanisms.selection.smooth_exponential import SmoothExponential
from dampen.mechanisms.selection.stable_argmax import StableArgmax
from dampen.mechanisms.selection.top_k import TopK

__all__ = [
    "CapMechanism",
    "CapRace",
    "CapScan",
    "CountsMechanism",
    "EdgeRace",
    "ExactPairLaplace",
    "Exponential",
    "Gaussian",
    "GaussianCounts",
    "Ladder",
    "LadderWalk",
    "Laplace",
    "LaplaceCounts",
    "LaplaceLogNormal",
    "LaplaceTopK",
    "LargestLocalSensitivities",
    "LimitRace",
    "LocalDampening",
    "NoisyLocalSensitivity",
    "NumericMechanism",
    "ObjectivePerturbation",
    "PairwiseDampening",
    "ParetoNoisyMax",
    "PermuteAndFlip",
    "PiecewiseLaplace",
    "PolyPlace",
    "ReportNoisyMax",
    "SelectionMechanism",
    "ShiftedLocalDampening",
    "SignedCapRace",
    "SignedCapScan",
    "SmoothCauchy",
    "SmoothExponential",
    "SmoothLaplace",
    "SmoothStudentT",
    "StableArgmax",
    "Staircase",
    "TopK",
    "TruncatedGeometricCounts",
]
