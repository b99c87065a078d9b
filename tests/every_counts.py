"""Every public mechanism that tells many counts, found by itself."""

import inspect

import dampen.mechanisms
from dampen.mechanisms import CountsMechanism

EVERY: dict[str, type[CountsMechanism]] = {
    name: kind
    for name, kind in ((name, getattr(dampen.mechanisms, name)) for name in dampen.mechanisms.__all__)
    if issubclass(kind, CountsMechanism) and not inspect.isabstract(kind)
}
