"""Mechanisms: a problem in, a law and a paid release out. One file each, one proof page each."""

from dampen.mechanisms.base import SelectionMechanism
from dampen.mechanisms.exponential import Exponential
from dampen.mechanisms.permute_and_flip import PermuteAndFlip
from dampen.mechanisms.report_noisy_max import ReportNoisyMax

__all__ = ["Exponential", "PermuteAndFlip", "ReportNoisyMax", "SelectionMechanism"]
