"""Everything that dampen raises on purpose.

::

    DampenError
    ├── ParameterError (ValueError)    a public argument is wrong: names the argument, what must hold, what was given
    ├── DataError (ValueError)         the data breaks a rule: names the column and the rule, never a value
    ├── EngineError                    an engine stopped before it had counted: says which one, and what to do
    ├── BudgetError                    a budget cannot be used as asked
    │   └── BudgetExceeded             more was asked than is left: says asked, spent and limit
    ├── NotPublic                      an unmarked problem was handed to something that shows its data
    ├── FrameLeak                      two neighbouring data sets disagree on something called public
    ├── ContractBroken (AssertionError)  a mechanism breaks a rule that all must keep: names the rule
    ├── ReleaseFailed                  a draw failed after it was paid for; carries no data
    └── MissingExtra (ImportError)     an optional dependency is not installed: says which extra to install

Data and engine errors are for the curator alone: that a rule was broken, or that a query failed, is itself a fact about
the data. All others may be shown to analysts (see SECURITY.md).

A parameter error never depends on the data: arguments are looked at first. It shows a plain value as it was given, and
everything else by its type alone, because someone may hand the data itself to a public argument. Whatever a
library raises while data is read leaves as a data or engine error that tells nothing of it. All of these are raised
before any budget is spent.

One warning is no error: CutOffWarning (UserWarning), by released things alone, where what was cut off from persons with
many rows may exceed the answer.
"""


class DampenError(Exception):
    """Root of everything that dampen raises on purpose."""


class ParameterError(DampenError, ValueError):
    """A public argument is wrong."""


class DataError(DampenError, ValueError):
    """The data breaks a rule, or cannot be read; for the curator's eyes only."""


class EngineError(DampenError):
    """An engine (DuckDB, ibis, Spark) stopped before it had counted; for the curator's eyes only."""


class BudgetError(DampenError):
    """A budget cannot be used as asked."""


class BudgetExceeded(BudgetError):
    """More was asked than is left."""


class NotPublic(DampenError):
    """A problem that is not marked public was handed to something that shows its data."""


class FrameLeak(DampenError):
    """Two neighbouring data sets disagree on something that is called public."""


class ContractBroken(DampenError, AssertionError):
    """A mechanism breaks a rule that every mechanism keeps; found on made-up data."""


class ReleaseFailed(DampenError):
    """A draw failed after it was paid for; carries no data."""


class MissingExtra(DampenError, ImportError):
    """An optional dependency is not installed."""


class CutOffWarning(UserWarning):
    """What was cut off from persons with many rows may exceed the answer: told by released things alone."""
