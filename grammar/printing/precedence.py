"""The precedence of operators, which decides where an expression needs brackets."""

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

#: Precedences of expressions, the lowest first; an operand of lower precedence needs brackets.
OR, AND, NOT, TEST, ADD, MULTIPLY, SIGN, PRIMARY = range(8)

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
    """The precedence of ``node``'s outermost operator; the greatest if it needs no brackets."""
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
    """Whether the last word of ``node`` is an interval qualifier, which TO could continue."""
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
    """Whether ``node`` begins with a call of the aggregate SOME on a sub-query's value."""
    match node:
        case FunctionCall(Name((Identifier("SOME", False),)), (ScalarQuery(),), distinct=False):
            return True
        case Binary(_, left):
            return begins_with_some(left)
        case _:
            return False
