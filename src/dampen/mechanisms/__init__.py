"""Mechanisms: a problem in, a law and a paid release out. One file each, one proof page each."""

from dampen.mechanisms.base import SelectionMechanism
from dampen.mechanisms.exact_pair_laplace import ExactPairLaplace
from dampen.mechanisms.exponential import Exponential
from dampen.mechanisms.ladder import Ladder
from dampen.mechanisms.laplace import Laplace
from dampen.mechanisms.laplace_log_normal import LaplaceLogNormal
from dampen.mechanisms.laplace_top_k import LaplaceTopK
from dampen.mechanisms.largest_local_sensitivities import LargestLocalSensitivities
from dampen.mechanisms.local_dampening import LocalDampening
from dampen.mechanisms.noisy_local_sensitivity import NoisyLocalSensitivity
from dampen.mechanisms.numeric import NumericMechanism
from dampen.mechanisms.pairwise_dampening import PairwiseDampening
from dampen.mechanisms.pareto_noisy_max import ParetoNoisyMax
from dampen.mechanisms.permute_and_flip import PermuteAndFlip
from dampen.mechanisms.poly_place import PolyPlace
from dampen.mechanisms.report_noisy_max import ReportNoisyMax
from dampen.mechanisms.shifted_local_dampening import ShiftedLocalDampening
from dampen.mechanisms.smooth_cauchy import SmoothCauchy
from dampen.mechanisms.smooth_exponential import SmoothExponential
from dampen.mechanisms.smooth_laplace import SmoothLaplace
from dampen.mechanisms.smooth_student_t import SmoothStudentT
from dampen.mechanisms.stable_argmax import StableArgmax
from dampen.mechanisms.top_k import TopK

__all__ = [
    "ExactPairLaplace",
    "Exponential",
    "Ladder",
    "Laplace",
    "LaplaceLogNormal",
    "LaplaceTopK",
    "LargestLocalSensitivities",
    "LocalDampening",
    "NoisyLocalSensitivity",
    "NumericMechanism",
    "PairwiseDampening",
    "ParetoNoisyMax",
    "PermuteAndFlip",
    "PolyPlace",
    "ReportNoisyMax",
    "SelectionMechanism",
    "ShiftedLocalDampening",
    "SmoothCauchy",
    "SmoothExponential",
    "SmoothLaplace",
    "SmoothStudentT",
    "StableArgmax",
    "TopK",
]
