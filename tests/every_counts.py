"""Every mechanism that tells many counts, found by itself."""

import dampen.mechanisms
from dampen.mechanisms import CountsMechanism
from tests.every_mechanism import find_mechanisms

EVERY: dict[str, type[CountsMechanism]] = find_mechanisms(dampen.mechanisms, CountsMechanism)  # type: ignore[type-abstract]
