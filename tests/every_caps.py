"""Every mechanism that tells a cap with a total, found by itself."""

import dampen.mechanisms
from dampen.mechanisms import CapMechanism
from tests.every_mechanism import find_mechanisms

EVERY: dict[str, type[CapMechanism]] = find_mechanisms(dampen.mechanisms, CapMechanism)  # type: ignore[type-abstract]
