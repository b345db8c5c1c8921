"""The expressions that a Python function (a UDF) computes, because Spark's own result differs.

Spark evaluates a UDF for all rows, before the expression around it: even for a row in which a CASE
chooses another branch.  So `columns.expression` must know these expressions, and passes NULL to
them in rows that do not need them.
"""

from algebra.expression import Call, Cast, Expression, Literal, Op
from algebra.rewrite import operands
from algebra.types import APPROXIMATE, INTERVAL, TEXT, Kind
from spark_backend.columns.arithmetic import is_in_python
from spark_backend.columns.casts import needs_exact_quotient


def has_python_part(expression: Expression) -> bool:
    """Whether Python computes the expression or one of its operands, at any depth."""
    return needs_python(expression) or any(map(has_python_part, operands(expression)))


def needs_python(expression: Expression) -> bool:
    """Whether Python computes the outermost operator or cast of ``expression``.

    The operands do not matter, except for their types, and for patterns and numbers of digits that
    are constants.
    """
    match expression:
        case Call(Op.TIMES | Op.DIVIDE | Op.MOD as op, (a, b), type):
            return is_in_python(op, (a.type, b.type), type)
        case Call(Op.ROUND, (_, Literal()) | (_,)):
            return False
        case Call(Op.LIKE, (_, *pattern)):
            return not all(isinstance(each, Literal) for each in pattern)
        case Call(Op.ROUND | Op.TRUNCATE | Op.SIMILAR | Op.INITCAP):
            return True
        case Cast(operand, type) if operand.type.kind in INTERVAL and type.kind is Kind.DECIMAL:
            return needs_exact_quotient(operand.type, type)
        case Cast(operand, type):
            # A REAL or DOUBLE becomes a DECIMAL by way of its text.
            prints_digits = type.kind in TEXT or type.kind is Kind.DECIMAL
            return operand.type.kind in APPROXIMATE and prints_digits
        case _:
            return False
