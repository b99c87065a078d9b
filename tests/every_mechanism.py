"""Mechanisms are found, not listed: every class of a package that draws."""

import inspect
from importlib import import_module
from pkgutil import walk_packages
from types import ModuleType
from typing import TypeVar

Kind = TypeVar("Kind")


def find_mechanisms(package: ModuleType, kind: type[Kind]) -> dict[str, type[Kind]]:
    """Every concrete class of this kind that is defined in the package or below it, by name, public or not."""
    inner = [module.name for module in walk_packages(package.__path__, f"{package.__name__}.")]
    found = [each for name in (package.__name__, *inner) for each in vars(import_module(name)).values()]
    return {
        each.__name__: each
        for each in sorted(filter(inspect.isclass, found), key=lambda each: each.__name__)
        if issubclass(each, kind)
        and not inspect.isabstract(each)
        and f"{each.__module__}.".startswith(f"{package.__name__}.")
    }
