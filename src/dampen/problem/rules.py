"""What all problems keep to: data is shown only where it is public, and sensitivities fit the public frame."""

from fractions import Fraction

from dampen._validate import plain
from dampen.errors import DataError, NotPublic, ParameterError
from dampen.sensitivity import Constant, SensitivityFunction


def require_public(public: bool, what: str) -> None:
    """Refuse ``what`` of data that is not marked public."""
    if not public:
        raise NotPublic(f"{what} shows the data itself: mark public data with problem.as_public() first")


def matching_sensitivity(
    sensitivity: SensitivityFunction | None, bound: Fraction | None, *, size: int, candidates: int
) -> SensitivityFunction:
    """The sensitivity function of a problem, where it fits the public frame; without one, that of the bound."""
    if sensitivity is None and bound is not None:
        return Constant(bound, size=size)
    if not isinstance(sensitivity, SensitivityFunction):
        raise ParameterError(f"sensitivity must be a SensitivityFunction; got {type(sensitivity).__name__}")
    sizes = {sensitivity.size} if sensitivity.pairs is None else {sensitivity.size, sensitivity.pairs.size}
    if sizes != {size} and size != candidates:
        raise DataError("sensitivity must speak for exactly the groups of the runs")
    if sizes != {size}:
        raise ParameterError(f"sensitivity must speak for {size} candidates; it speaks for {max(sizes - {size})}")
    if sensitivity.bound != bound:
        raise ParameterError(
            f"sensitivity and frame must have the same bound; got {as_text(sensitivity.bound)} and {as_text(bound)}"
        )
    return sensitivity


def as_text(bound: Fraction | None) -> str:
    """How messages show a bound."""
    return "None" if bound is None else plain(bound)
