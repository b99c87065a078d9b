"""How an answer is compared, hashed, formatted and calculated with: as its value is."""

import operator
from collections.abc import Callable
from typing import Any

Operation = Callable[["ByValue", Any], Any]


def value_of(answer: Any) -> Any:
    """The value of a release; anything else as it is."""
    return answer.value if isinstance(answer, ByValue) else answer


def _by_value(operate: Callable[[Any, Any], Any]) -> Operation:
    return lambda answer, other: operate(answer.value, value_of(other))


def _reflected(operate: Callable[[Any, Any], Any]) -> Operation:
    return lambda answer, other: operate(other, answer.value)


class ByValue:
    """Whatever has a ``value`` that stands for it wherever something is computed."""

    value: Any

    def __format__(self, form: str) -> str:
        return format(self.value, form)

    def __bool__(self) -> bool:
        return bool(self.value)

    def __hash__(self) -> int:
        return hash(self.value)

    def __eq__(self, other: object) -> Any:
        return self.value == value_of(other)

    def __ne__(self, other: object) -> Any:
        return self.value != value_of(other)

    __lt__, __le__ = _by_value(operator.lt), _by_value(operator.le)
    __gt__, __ge__ = _by_value(operator.gt), _by_value(operator.ge)
    __add__, __radd__ = _by_value(operator.add), _reflected(operator.add)
    __sub__, __rsub__ = _by_value(operator.sub), _reflected(operator.sub)
    __mul__, __rmul__ = _by_value(operator.mul), _reflected(operator.mul)
    __truediv__, __rtruediv__ = _by_value(operator.truediv), _reflected(operator.truediv)
    __floordiv__, __rfloordiv__ = _by_value(operator.floordiv), _reflected(operator.floordiv)
    __mod__, __rmod__ = _by_value(operator.mod), _reflected(operator.mod)
    __divmod__, __rdivmod__ = _by_value(divmod), _reflected(divmod)
    __pow__, __rpow__ = _by_value(operator.pow), _reflected(operator.pow)
