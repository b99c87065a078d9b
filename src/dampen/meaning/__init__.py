"""What a loss means for one person, and certificates that say so."""

from dampen.meaning.amounts import explain_amount
from dampen.meaning.certificate import Certificate
from dampen.meaning.explanation import Explanation

__all__ = ["Certificate", "Explanation", "explain_amount"]
