"""Literals, columns, operators, predicates, and queries where a value is expected."""

from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING

from grammar.source import Span
from grammar.tree.name import IntervalQualifier, Name

if TYPE_CHECKING:
    from grammar.tree.expression import Expression
    from grammar.tree.query import Query


class LiteralKind(StrEnum):
    """The kinds of plain literal."""

    NUMBER = "NUMBER"  # text: digits as written, ``1``, ``0.25``, ``1E3`` (the last is DOUBLE)
    STRING = "STRING"  # text: the characters, quotes taken off, doubled quotes undone
    BINARY = "BINARY"  # text: hexadecimal digits of X'…'
    BOOLEAN = "BOOLEAN"  # text: TRUE, FALSE or UNKNOWN
    NULL = "NULL"  # text: NULL
    DATE = "DATE"  # text: the characters between the quotes
    TIME = "TIME"  # text: as of DATE
    TIMESTAMP = "TIMESTAMP"  # text: as of DATE


@dataclass(frozen=True, slots=True)
class Literal:
    """A literal other than an interval; binding checks that ``text`` is a value."""

    kind: LiteralKind
    text: str
    span: Span = field(compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class IntervalLiteral:
    """``INTERVAL -'1:30' HOUR TO MINUTE``; ``negative`` is the sign outside the quotes.

    ``INTERVAL 10 MINUTE`` and ``RANGE 10 MINUTE PRECEDING`` are parsed as if the digits were
    quoted.
    """

    text: str
    negative: bool
    qualifier: IntervalQualifier
    span: Span = field(compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Parameter:
    """The ``?`` at place ``index``, counted from 0 in the order of the statement's text."""

    index: int
    span: Span = field(compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class ColumnRef:
    """A column by name, qualified or not."""

    name: Name
    span: Span = field(compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Star:
    """``*`` or ``o.*`` in a select list."""

    qualifier: Name | None
    span: Span = field(compare=False, repr=False)


class UnaryOperator(StrEnum):
    """The prefix operators."""

    PLUS = "+"
    MINUS = "-"
    NOT = "NOT"


class BinaryOperator(StrEnum):
    """The infix operators."""

    OR = "OR"
    AND = "AND"
    EQUAL = "="
    NOT_EQUAL = "<>"
    LESS = "<"
    LESS_OR_EQUAL = "<="
    GREATER = ">"
    GREATER_OR_EQUAL = ">="
    IS_DISTINCT_FROM = "IS DISTINCT FROM"
    IS_NOT_DISTINCT_FROM = "IS NOT DISTINCT FROM"
    PLUS = "+"
    MINUS = "-"
    TIMES = "*"
    DIVIDE = "/"
    MODULO = "%"
    CONCAT = "||"


@dataclass(frozen=True, slots=True)
class Unary:
    """``- x``, ``+ x``, ``NOT p``."""

    operator: UnaryOperator
    operand: "Expression"
    span: Span = field(compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Binary:
    """``left operator right``."""

    operator: BinaryOperator
    left: "Expression"
    right: "Expression"
    span: Span = field(compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Between:
    """``x [NOT] BETWEEN [SYMMETRIC] low AND high``."""

    operand: "Expression"
    low: "Expression"
    high: "Expression"
    symmetric: bool
    negated: bool
    span: Span = field(compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Like:
    """``x [NOT] LIKE pattern [ESCAPE e]``; ``similar``: SIMILAR TO."""

    operand: "Expression"
    pattern: "Expression"
    escape: "Expression | None"
    similar: bool
    negated: bool
    span: Span = field(compare=False, repr=False)


class Truth(StrEnum):
    """The tests of IS."""

    NULL = "NULL"
    TRUE = "TRUE"
    FALSE = "FALSE"
    UNKNOWN = "UNKNOWN"


@dataclass(frozen=True, slots=True)
class Is:
    """``x IS [NOT] NULL``, TRUE, FALSE or UNKNOWN."""

    operand: "Expression"
    truth: Truth
    negated: bool
    span: Span = field(compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class InList:
    """``x [NOT] IN (a, b, …)``; ``x`` may be a row value."""

    operand: "Expression"
    items: tuple["Expression", ...]
    negated: bool
    span: Span = field(compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class InQuery:
    """``x [NOT] IN (SELECT …)``."""

    operand: "Expression"
    query: "Query"
    negated: bool
    span: Span = field(compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Exists:
    """``EXISTS (SELECT …)``."""

    query: "Query"
    span: Span = field(compare=False, repr=False)


class Quantifier(StrEnum):
    """The quantifiers of comparisons; SOME is parsed as ANY."""

    ANY = "ANY"
    ALL = "ALL"


@dataclass(frozen=True, slots=True)
class Quantified:
    """``x > ALL (SELECT …)``; ``operator`` is a comparison."""

    operator: BinaryOperator
    quantifier: Quantifier
    operand: "Expression"
    query: "Query"
    span: Span = field(compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class ScalarQuery:
    """``(SELECT …)`` where a value is expected."""

    query: "Query"
    span: Span = field(compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Row:
    """``(a, b)`` or ``ROW(a, b)``: a value of two or more columns."""

    items: tuple["Expression", ...]
    span: Span = field(compare=False, repr=False)
