"""What a call refuses, where it may also succeed."""

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

from dampen.errors import ParameterError
from tests.errors.arguments import SPOILED
from tests.errors.questions import SECRETS


def refusal_of(call: Callable[[], Any]) -> ParameterError | None:
    """The parameter error of a call; ``None`` where it succeeds. Any other error is the caller's to see."""
    try:
        call()
    except ParameterError as error:
        return error
    return None


def faults_of(make: Callable[[Any], Any]) -> Iterator[str]:
    """Spoiled arguments whose refusal tells what they hold: someone may hand over the data itself."""
    for what, spoiled in SPOILED.items():
        refused = refusal_of(partial(make, spoiled()))
        if refused is not None:
            yield from (f"{what}: {refused}" for secret in SECRETS if secret in str(refused))
            if refused.__context__ is not None and not refused.__suppress_context__:
                yield f"{what}: tells of a {type(refused.__context__).__name__}"
