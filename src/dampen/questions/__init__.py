"""One function per question of a user's, which spends from the budget it is given.

Choices come back as the plain answer. Numbers come back as a release, which knows what it cost and, where its noise is
public, its error. Every file of this room enters its questions into the record.
"""

from importlib import import_module
from pkgutil import iter_modules
from typing import Any

from dampen.questions.record import RECORD

for _file in iter_modules(__path__):
    import_module(f"{__name__}.{_file.name}")


def __getattr__(name: str) -> Any:
    if name == "__all__":
        return sorted(RECORD)
    if name in RECORD:
        return RECORD[name].ask
    raise AttributeError(f"module 'dampen.questions' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(RECORD)
