"""Objects of a caller's own that tell secrets when they are printed, or raise them whatever is done with them."""

from enum import Enum
from numbers import Real
from typing import Any, NoReturn

from tests.errors.questions import SECRET_NUMBER, SECRET_TEXT


class Mishap(RuntimeError):
    """What no library foresees."""


def mishap(*_: Any, **__: Any) -> NoReturn:
    raise Mishap(f"{SECRET_TEXT} {SECRET_NUMBER}")


class Telling:
    """Prints secrets, and has a size that is one."""

    def __repr__(self) -> str:
        return f"{SECRET_TEXT} {SECRET_NUMBER}"

    __str__ = __repr__

    def __len__(self) -> int:
        return SECRET_NUMBER

    @property
    def shape(self) -> tuple[int, str]:
        return SECRET_NUMBER, SECRET_TEXT


class Raising:
    """Raises whatever is done with it."""

    __getattr__ = __repr__ = __str__ = __len__ = __iter__ = __bool__ = __float__ = __int__ = __index__ = mishap
    __eq__ = __ne__ = __lt__ = __le__ = __gt__ = __ge__ = __hash__ = __array__ = mishap


class RaisingEquality:
    """As a key: it has a hash, but cannot be compared."""

    __eq__ = mishap

    def __hash__(self) -> int:
        return hash("a")

    def __repr__(self) -> str:
        return SECRET_TEXT


class RaisingNumber(float):
    """A number, until it is looked at."""

    __float__ = __int__ = __eq__ = __ne__ = __lt__ = __gt__ = __le__ = __ge__ = mishap
    __repr__ = __str__ = __hash__ = as_integer_ratio = is_integer = mishap


class TellingText(str):
    def __repr__(self) -> str:
        return SECRET_TEXT

    __str__ = __repr__


class RaisingList(list[Any]):
    __len__ = __iter__ = __repr__ = mishap


class TellingEnum(Enum):
    MEMBER = SECRET_TEXT


class RaisingItems(dict[str, Any]):
    __iter__ = items = keys = __getitem__ = __len__ = __repr__ = mishap


Real.register(Raising)
"""Some libraries' numbers are only declared to be numbers."""
