"""Expressions of a plan as SQL text, by the tables of a dialect."""

from collections.abc import Mapping
from typing import ClassVar, Final, TypeAlias

from algebra.expression import (
    Call,
    Case,
    Cast,
    Exists,
    Expression,
    External,
    Extract,
    GroupId,
    Grouping,
    InputRef,
    InQuery,
    Literal,
    Op,
    OuterRef,
    Parameter,
    Quantified,
    Round,
    ScalarQuery,
    SortKey,
)
from algebra.functions.literals import literal_text
from algebra.plan import Plan
from algebra.types import INTERVAL, TEXT, Kind, Type
from engines.dialect.spelling import BY_NUMBER, OPERATORS, TYPES, Functions
from engines.dialect.unsupported import UnsupportedError

#: The texts of the columns of the current row, then of the rows of the enclosing queries.
Scope: TypeAlias = tuple[tuple[str, ...], ...]

#: Operators that are written between any number of operands.
_BETWEEN: Final = {Op.AND: " AND ", Op.OR: " OR "}
_CLOCK: Final = {
    Kind.TIMESTAMP: "CURRENT_TIMESTAMP",
    Kind.DATE: "CURRENT_DATE",
    Kind.TIME: "CURRENT_TIME",
}


class ExpressionPrinter:
    """Expressions in the standard's spelling.

    A dialect overrides the tables for functions that only have another name, and the methods for
    expressions that have another form. `UnsupportedError` is raised for expressions that it lacks.
    """

    operators: ClassVar[Mapping[Op, str]] = OPERATORS
    by_number: ClassVar[Mapping[tuple[Op, int], str]] = BY_NUMBER
    types: ClassVar[Mapping[Kind, str]] = TYPES
    functions: ClassVar[Functions] = {}
    quote: ClassVar[str] = '"'

    def identifier(self, name: str) -> str:
        """A name, always in quotes, so that no word is reserved and no letter changes its case."""
        return f"{self.quote}{name.replace(self.quote, 2 * self.quote)}{self.quote}"

    def expression(self, node: Expression, scope: Scope) -> str:
        """An expression over the columns of ``scope``, in brackets where it needs them."""
        match node:
            case InputRef(index):
                return scope[0][index]
            case OuterRef(level, index):
                return scope[level][index]
            case Literal():
                return self.literal(node)
            case Call(op, operands):
                return self.call(node, [self.expression(each, scope) for each in operands])
            case Cast(operand):
                return self.cast(self.expression(operand, scope), operand.type, node.type)
            case Case(branches, otherwise):
                parts = "".join(
                    f" WHEN {self.expression(condition, scope)} THEN {self.expression(each, scope)}"
                    for condition, each in branches
                )
                return f"(CASE{parts} ELSE {self.expression(otherwise, scope)} END)"
            case Extract(_, operand):
                return self.extract(node, self.expression(operand, scope))
            case Round(_, operand):
                return self.round(node, self.expression(operand, scope))
            case ScalarQuery(plan):
                return f"({self.subquery(plan, scope)})"
            case Exists(plan):
                return f"EXISTS ({self.subquery(plan, scope)})"
            case InQuery(operands, plan):
                row = ", ".join(self.expression(each, scope) for each in operands)
                left = row if len(operands) == 1 else f"({row})"
                return f"({left} IN ({self.subquery(plan, scope)}))"
            case Quantified(op, every, operand, plan):
                word = "ALL" if every else "ANY"
                left = self.expression(operand, scope)
                return f"({left} {op} {word} ({self.subquery(plan, scope)}))"
            case External():
                raise UnsupportedError("no functions of Python")
            case Parameter():
                raise UnsupportedError("no dynamic parameters")
            case Grouping() | GroupId():
                raise UnsupportedError("no GROUPING inside an aggregate")

    def subquery(self, plan: Plan, scope: Scope) -> str:
        """The query of an expression, whose outer columns are those of ``scope``."""
        raise NotImplementedError

    # --- types and constants --------------------------------------------------------------------

    def type_name(self, type: Type) -> str:
        """The type as the dialect writes it, in CAST and in CREATE TABLE."""
        if type.kind in INTERVAL:
            return str(type)
        name = self.types.get(type.kind)
        if name is None:
            raise UnsupportedError(f"no type {type}")
        text = name.format(precision=type.precision, scale=type.scale)
        if type.kind in TEXT | {Kind.VARBINARY} and type.precision:
            return f"{text}({type.precision})"
        return text

    def literal(self, literal: Literal) -> str:
        """A constant: a negative number stands in brackets, NULL has its type."""
        if literal.value is None:
            return self.null(literal.type)
        text = literal_text(literal)
        return f"({text})" if text.startswith("-") else text

    def null(self, type: Type) -> str:
        """NULL of a type."""
        return "NULL" if type.kind is Kind.NULL else f"CAST(NULL AS {self.type_name(type)})"

    def cast(self, text: str, source: Type, target: Type) -> str:
        """A value converted; the text itself if only the nullability changes."""
        if source.as_nullable() == target.as_nullable():
            return text
        return f"CAST({text} AS {self.type_name(target)})"

    # --- operators ------------------------------------------------------------------------------

    def call(self, node: Call, operands: list[str]) -> str:
        """An operator or function of operands that are already texts."""
        match node.op, operands:
            case ((Op.AND | Op.OR), _):
                return f"({_BETWEEN[node.op].join(operands)})"
            case Op.IN, [first, *others]:
                return f"({first} IN ({', '.join(others)}))"
            case Op.CURRENT_TIMESTAMP, []:
                return _CLOCK[node.type.kind]
            case Op.DATETIME_MINUS, [a, b]:
                return f"(({a} - {b}) {str(node.type).removeprefix('INTERVAL ')})"
            case _:
                template = self.by_number.get((node.op, len(operands)))
                template = template or self.operators.get(node.op)
                if template is None:
                    raise UnsupportedError(f"no {node.op}")
                return template.format(*operands, all=", ".join(operands))

    def extract(self, node: Extract, operand: str) -> str:
        """A field of a datetime or interval."""
        return f"EXTRACT({node.unit} FROM {operand})"

    def round(self, node: Round, operand: str) -> str:
        """FLOOR or CEIL of a datetime to a unit."""
        return f"{'CEIL' if node.up else 'FLOOR'}({operand} TO {node.unit})"

    def sort_key(self, key: SortKey, text: str) -> str:
        """A key of ORDER BY; where NULLs go is always said."""
        nulls = "FIRST" if key.nulls_first else "LAST"
        return f"{text} {'DESC' if key.descending else 'ASC'} NULLS {nulls}"
