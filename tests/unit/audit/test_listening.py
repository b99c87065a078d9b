"""What is done aloud is heard, told in words, and all is as it was afterwards."""

import logging
import sys
import warnings

import pytest

from dampen.audit.listening import listening


def test_prints_logs_and_warnings_are_heard_and_silence_is_nothing() -> None:
    with listening() as heard:
        pass
    assert heard == []
    with listening() as heard:
        print("secret", file=sys.stderr)
    assert heard == ["prints"]
    with listening() as heard:
        logging.getLogger("somebody").debug("secret")
        warnings.warn("secret", stacklevel=1)
    assert heard == ["logs", "warns"]


def test_all_is_as_it_was_even_after_an_error() -> None:
    root = logging.getLogger()
    before = (root.level, list(root.handlers), sys.stdout)
    with pytest.raises(ZeroDivisionError), listening():
        raise ZeroDivisionError
    assert (root.level, list(root.handlers), sys.stdout) == before
