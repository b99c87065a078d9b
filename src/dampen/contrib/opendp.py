"""OpenDP both ways: its measurements as draws to audit, and selections of dampen's as its measurements."""

import math
import re
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from fractions import Fraction
from typing import Any

import numpy as np

from dampen._validate import flag, render
from dampen.accounting.composition import rho_of
from dampen.errors import MissingExtra, ParameterError
from dampen.mechanisms import SelectionMechanism
from dampen.privacy import Adjacency, PrivacyLoss
from dampen.problem import Frame, SelectionProblem, count_candidates

LARGEST_WHOLE, LARGEST_IN_STEPS = 2**62 - 1, 2.0**40
"""Scores beyond are cut there, floats at so many bounds of the frame, which moves no two of them further apart."""
FINE = Fraction(1, 2**11)
"""A step between floats of that size falls short by less than half of this share."""
WHOLE = re.compile(r"T=[iu]\d+|T=[iu]size")
METRICS = ("LInfDistance", "L1Distance", "L2Distance")
"""Distances of score vectors that are never smaller than the largest difference of two scores."""


def as_draw(measurement: Any) -> Callable[[Any], Any]:
    """A function from data to what a measurement of OpenDP releases."""
    _require_measurement(measurement)
    return lambda data: measurement(data)


def as_claim(measurement: Any, d_in: Any = 1, *, adjacency: Adjacency = Adjacency.ADD_REMOVE) -> PrivacyLoss:
    """What a measurement claims for data sets that are ``d_in`` apart, by its privacy map.

    Measures of epsilon, of epsilon and a fixed delta, and of rho are read; a privacy profile must be fixed to one delta
    before.
    """
    _require_measurement(measurement)
    measure, claimed = str(measurement.output_measure), measurement.map(d_in)
    if measure == "MaxDivergence":
        return PrivacyLoss(claimed, adjacency=adjacency)
    if measure == "ZeroConcentratedDivergence":
        return PrivacyLoss(None, rho=claimed, adjacency=adjacency)
    if measure == "Approximate(MaxDivergence)":
        return PrivacyLoss(claimed[0], claimed[1], adjacency=adjacency)
    raise ParameterError(f"measurement must claim an epsilon, an epsilon and a delta, or a rho; it claims by {measure}")


def _require_measurement(measurement: Any) -> None:
    if not callable(measurement) or not callable(getattr(measurement, "map", None)):
        raise ParameterError(f"measurement must be a Measurement of OpenDP; got {render(measurement)}")


# The other way round


def as_measurement(
    mechanism: SelectionMechanism,
    frame: Frame,
    *,
    input_domain: Any = None,
    input_metric: Any = None,
    concentrated: bool = False,
    negate: bool = False,
) -> Any:
    """A selection as a measurement of OpenDP, from a list of scores to a candidate of the frame.

    ``input_domain`` and ``input_metric`` are those of whatever it is chained to; left out, scores are floats, and
    data sets are as far apart as the two scores of a candidate at most. Where the frame is monotone, so must the metric
    be. ``negate``: the lowest score is the best, as with OpenDP's scores of quantiles.

    The privacy map tells epsilon, with a delta where the mechanism has one; rho where ``concentrated``. It counts how
    many steps of the frame's bound lie between two lists of scores, and is rounded up. Scores of whole numbers move by
    whole steps, and between lists of floats that are more than one step apart lies one step more: the points between
    have to be floats themselves (docs/proofs/opendp.md).

    Nothing is charged here: OpenDP accounts for it. It must be told first that it may rely on code that it cannot
    check: ``dp.enable_features("contrib", "honest-but-curious")``.
    """
    dp = _opendp()
    if not isinstance(mechanism, SelectionMechanism):
        raise ParameterError(f"mechanism must select a candidate, such as PermuteAndFlip(1); got {render(mechanism)}")
    loss = mechanism.privacy(frame)
    size = count_candidates(frame.candidates)
    if input_domain is None:
        input_domain = dp.vector_domain(dp.atom_domain(T="f64", nan=False), size=size)
    whole = _are_whole(input_domain)
    if input_metric is None:
        input_metric = dp.linf_distance(T="i64" if whole else "f64", monotonic=frame.monotone)
    _require_metric(input_metric, frame)
    step = Fraction(math.floor(frame.bound or 0)) if whole else frame.bound
    if not step:
        raise ParameterError("frame must have a finite bound, of at least 1 where scores are whole numbers")
    measure, price = _price_of(dp, loss, flag(concentrated=concentrated))
    sign, budget = -1 if flag(negate=negate) else 1, _PaidElsewhere()

    def choose(scores: Any) -> Any:
        problem = SelectionProblem(frame, sign * _as_utilities(scores, whole, float(step)))
        return mechanism.release(problem, budget=budget).value

    def price_at(d_in: Any) -> Any:
        return price(_count_steps(Fraction(d_in), step, whole))

    return dp.m.make_user_measurement(input_domain, input_metric, measure, choose, price_at)


class _PaidElsewhere:
    """Who pays is OpenDP, by the privacy map."""

    def reserve(self, loss: PrivacyLoss, *, note: str = "") -> AbstractContextManager[object]:
        return nullcontext()


def _opendp() -> Any:
    try:
        import opendp.prelude as dp
    except ImportError:
        raise MissingExtra("measurements of OpenDP need opendp: pip install 'dampen[opendp]'") from None
    return dp


def _are_whole(domain: Any) -> bool:
    written = str(domain)
    if not written.startswith("VectorDomain(AtomDomain("):
        raise ParameterError("input_domain must be one of vectors of whole numbers or of floats")
    return WHOLE.search(written) is not None


def _require_metric(metric: Any, frame: Frame) -> None:
    written = str(metric)
    if not written.startswith(METRICS):
        raise ParameterError(f"input_metric must be one of {', '.join(METRICS)}; it is {written}")
    if frame.monotone and "monotonic" not in written:
        raise ParameterError("input_metric must be monotonic where the frame is monotone: scores move in one direction")


def _as_utilities(scores: Any, whole: bool, step: float) -> Any:
    if whole:
        return np.array([min(max(int(each), -LARGEST_WHOLE), LARGEST_WHOLE) for each in scores], dtype=np.int64)
    largest = step * LARGEST_IN_STEPS
    return np.clip(np.nan_to_num(np.asarray(scores, dtype=np.float64)), -largest, largest)


def _count_steps(distance: Fraction, step: Fraction, whole: bool) -> int:
    """How many neighbours lead from one list of scores to another that is so far away."""
    if whole or distance <= step:
        return math.ceil(distance / step)
    return math.ceil(distance / step * (1 + FINE)) + 1


def _price_of(dp: Any, loss: PrivacyLoss, concentrated: bool) -> tuple[Any, Callable[[int], Any]]:
    """A measure of OpenDP, and how much so many steps cost by it: groups of people (docs/proofs/opendp.md)."""
    if concentrated:
        if loss.delta > 0:
            raise ParameterError("concentrated must be False for a mechanism with a delta")
        rho = rho_of(loss)
        return dp.zero_concentrated_divergence(), lambda steps: _up(steps**2 * rho)
    if loss.epsilon is None:
        raise ParameterError("concentrated must be True for a mechanism that has no epsilon")
    epsilon, delta = loss.epsilon, loss.delta
    if delta == 0:
        return dp.max_divergence(), lambda steps: _up(steps * epsilon)
    return dp.approximate(dp.max_divergence()), lambda steps: (
        _up(steps * epsilon),
        min(_up(steps * delta * Fraction(_up_exp(max(steps - 1, 0) * epsilon))), 1.0),
    )


def _up(amount: Fraction) -> float:
    """The next float that is not smaller."""
    near = float(amount)
    return near if Fraction(near) >= amount else math.nextafter(near, math.inf)


def _up_exp(power: Fraction) -> float:
    """A float that is not smaller than e**power, and not infinite."""
    near = math.exp(min(float(power), 700.0))
    return near * (1 + 2**-40)
