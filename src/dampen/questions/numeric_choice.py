"""Which numeric mechanism answers: the caller's own, if it costs what was said."""

from dampen._validate import Number, positive, probability, render
from dampen.errors import ParameterError
from dampen.mechanisms import NoisyLocalSensitivity, NumericMechanism
from dampen.mechanisms.numeric.noisy_local_sensitivity import second_order_of
from dampen.problem import NumericProblem


def priced(mechanism: object, *, epsilon: Number, delta: Number = 0) -> NumericMechanism:
    """A mechanism that the caller built, which must have the epsilon and delta that the caller names."""
    if not isinstance(mechanism, NumericMechanism):
        raise ParameterError(f"mechanism must be a numeric mechanism such as PolyPlace(1); got {render(mechanism)}")
    own = mechanism.epsilon, getattr(mechanism, "delta", 0)
    if own != (positive(epsilon=epsilon), probability(delta=delta)):
        raise ParameterError(f"mechanism must have the same epsilon and delta as the call; got {render(mechanism)}")
    return mechanism


def require_fitting(mechanism: NumericMechanism, problem: NumericProblem) -> None:
    """Refuse a mechanism that could not answer such a problem, for any data. ``problem``: the one without records."""
    mechanism.privacy(problem.frame)
    if isinstance(mechanism, NoisyLocalSensitivity):
        second_order_of(problem)
