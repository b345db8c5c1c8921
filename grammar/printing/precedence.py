"""The precedence of operators, which decides where an expression needs brackets.

The precedence is also called strength: a stronger operator takes its operands first.
"""

from typing import Final

from grammar.tree import (
    Between,
    Binary,
    BinaryOperator,
    DatetimeMinus,
    Expression,
    FunctionCall,
    Identifier,
    InList,
    InQuery,
    IntervalLiteral,
    Is,
    Like,
    Name,
    Quantified,
    ScalarQuery,
    Unary,
    UnaryOperator,
)

#: The precedences, the lowest first.  An operand needs brackets if its precedence is lower than the
#: one that its place demands.
OR, AND, NOT, TEST, ADD, MULTIPLY, SIGN, PRIMARY = range(8)

#: The precedence of each binary operator.
STRENGTHS: Final = {
    BinaryOperator.OR: OR,
    BinaryOperator.AND: AND,
    BinaryOperator.EQUAL: TEST,
    BinaryOperator.NOT_EQUAL: TEST,
    BinaryOperator.LESS: TEST,
    BinaryOperator.LESS_OR_EQUAL: TEST,
    BinaryOperator.GREATER: TEST,
    BinaryOperator.GREATER_OR_EQUAL: TEST,
    BinaryOperator.IS_DISTINCT_FROM: TEST,
    BinaryOperator.IS_NOT_DISTINCT_FROM: TEST,
    BinaryOperator.PLUS: ADD,
    BinaryOperator.MINUS: ADD,
    BinaryOperator.TIMES: MULTIPLY,
    BinaryOperator.DIVIDE: MULTIPLY,
    BinaryOperator.MODULO: MULTIPLY,
    BinaryOperator.CONCAT: MULTIPLY,
}


def strength(node: Expression) -> int:
    """The precedence of ``node``'s outermost operator; PRIMARY if it never needs brackets."""
    match node:
        case Binary(operator):
            return STRENGTHS[operator]
        case Unary(UnaryOperator.NOT):
            return NOT
        case Unary():
            return SIGN
        case Between() | Like() | Is() | InList() | InQuery() | Quantified():
            return TEST
        case _:
            return PRIMARY


def ends_in_interval(node: Expression) -> bool:
    """Whether ``node`` ends in an interval of one unit, such as ``INTERVAL '1' DAY``.

    The TO of ``FLOOR(node TO HOUR)`` would then be read as part of the interval: DAY TO HOUR.
    """
    match node:
        case IntervalLiteral() | DatetimeMinus():
            return node.qualifier.end is None
        case Binary(_, _, right):
            return ends_in_interval(right)
        case Unary(_, operand):
            return ends_in_interval(operand)
        case Between(_, _, high):
            return ends_in_interval(high)
        case Like(_, pattern, escape):
            return ends_in_interval(pattern if escape is None else escape)
        case _:
            return False


def begins_with_some(node: Expression) -> bool:
    """Whether ``node`` begins with a call of the aggregate SOME on a sub-query's value.

    After a comparison such as ``=``, this call would be read as the quantifier of ``= SOME (…)``.
    """
    match node:
        case FunctionCall(Name((Identifier("SOME", False),)), (ScalarQuery(),), distinct=False):
            return True
        case Binary(_, left):
            return begins_with_some(left)
        case _:
            return False
