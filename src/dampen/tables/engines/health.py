"""Whether an engine can count here: told by letting it count three rows."""

import warnings
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version

from dampen.errors import DampenError
from dampen.tables.engines.registry import ENGINES, EngineEntry
from dampen.tables.engines.sources import open_engine


@dataclass(frozen=True)
class Health:
    """What is known of an engine: whether it works, its versions or what is missing."""

    name: str
    works: bool
    told: str


def engine_health(name: str, *, start: bool = False) -> Health:
    """Try an engine. One that needs a session is only looked for, unless it may ``start``."""
    entry = ENGINES[name]
    try:
        versions = ", ".join(f"{package} {version(package)}" for package in entry.packages)
    except PackageNotFoundError as error:
        wanted = f"'dampen[{name}]'" if entry.is_extra else error.name
        return Health(name, False, f"{error.name} is not installed: pip install {wanted}")
    if lacking := entry.lacks():
        return Health(name, False, f"{versions}; {lacking}")
    if entry.session and not start:
        return Health(name, True, f"{versions}, {entry.session}")
    return _try(name, entry, versions)


def _try(name: str, entry: EngineEntry, versions: str) -> Health:
    try:
        with warnings.catch_warnings(action="ignore"), open_engine(entry.sample()) as engine:
            works = engine.label_counts("value", [1.5, 2.5]) == {0: 1, 1: 2}
    except (DampenError, ImportError, AttributeError) as error:
        return Health(name, False, f"{versions}; {error}"[:250])
    return Health(name, works, versions if works else f"{versions}; counts three rows wrongly")
