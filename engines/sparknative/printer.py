"""Spark's dialect."""

from collections.abc import Mapping, Sequence
from typing import ClassVar, Final

from algebra.expression import (
    AggregateCall,
    AggregateFunction,
    Call,
    Expression,
    Extract,
    GroupId,
    Grouping,
    Literal,
    Op,
    Round,
)
from algebra.plan import Exclude, Frame, GroupOffset, Project, Sort
from algebra.rewrite import has_subquery
from algebra.types import INTEGERS, INTERVAL, TEXT, Kind, Type
from engines.dialect.block import Block, Stage
from engines.dialect.expressions import Scope
from engines.dialect.sessions import SessionPrinter
from engines.dialect.spelling import BY_NUMBER, OPERATORS, TYPES, Functions
from engines.dialect.unsupported import UnsupportedError
from grammar.tree import TimeUnit

#: The fields that Spark's EXTRACT calls otherwise.
_FIELDS: Final = {TimeUnit.ISOYEAR: "YEAROFWEEK", TimeUnit.ISODOW: "DAYOFWEEK_ISO"}
#: The fields that it lacks.
_NO_FIELDS: Final = {
    TimeUnit.EPOCH, TimeUnit.MILLISECOND, TimeUnit.DECADE, TimeUnit.CENTURY, TimeUnit.MILLENNIUM,
}  # fmt: skip
#: The steps of CEIL that are not a unit of an interval.
_STEPS: Final = {TimeUnit.QUARTER: "INTERVAL '3' MONTH", TimeUnit.WEEK: "INTERVAL '7' DAY"}


class SparkPrinter(SessionPrinter):
    """The dialect of Spark SQL 4, as its batch queries speak it."""

    quote = "`"
    types: ClassVar[Mapping[Kind, str]] = {
        **TYPES,
        Kind.REAL: "FLOAT",
        Kind.VARBINARY: "BINARY",
        Kind.CHAR: "STRING",
        Kind.VARCHAR: "STRING",
        Kind.TIME: "TIME({precision})",
        Kind.TIMESTAMP: "TIMESTAMP",
    }
    operators: ClassVar[Mapping[Op, str]] = {
        **{op: text for op, text in OPERATORS.items() if op is not Op.TRUNCATE},
        Op.IS_DISTINCT_FROM: "(NOT ({0} <=> {1}))",
        Op.IS_NOT_DISTINCT_FROM: "({0} <=> {1})",
        Op.RAND: "rand()",
    }
    by_number: ClassVar[Mapping[tuple[Op, int], str]] = {
        key: text for key, text in BY_NUMBER.items() if key[0] is not Op.SIMILAR
    }
    functions: ClassVar[Functions] = {
        AggregateFunction.EVERY: "bool_and",
        AggregateFunction.SOME: "bool_or",
    }

    def expression(self, node: Expression, scope: Scope) -> str:
        """An expression; GROUPING stands by itself only."""
        if isinstance(node, Grouping | GroupId):
            raise UnsupportedError("no GROUPING in an argument")
        return super().expression(node, scope)

    # --- types and constants ----------------------------------------------------------------------

    def type_name(self, type: Type) -> str:
        """A text has no length."""
        return "STRING" if type.kind in TEXT else super().type_name(type)

    def literal(self, literal: Literal) -> str:
        """A constant; in texts a backslash escapes, and a literal with a point is a DECIMAL."""
        match literal.value:
            case str(text):
                return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"
            case int() if literal.type.kind in INTEGERS - {Kind.INTEGER}:
                return f"CAST('{literal.value}' AS {literal.type.kind})"
            case _:
                return super().literal(literal)

    def cast(self, text: str, source: Type, target: Type) -> str:
        """A value converted; the length of a text is that of its first characters."""
        if source.kind in TEXT and target.kind in TEXT:
            return f"left({text}, {target.precision})" if target.precision else text
        return super().cast(text, source, target)

    # --- operators of a plan ----------------------------------------------------------------------

    def project(self, node: Project, below: Block, outer: Scope) -> Block:
        """SELECT; a sub-query sees columns of the query around it, and no aggregates."""
        if below.stage >= Stage.GROUPED and any(map(has_subquery, node.expressions)):
            below = self.around(below)
        return super().project(node, below, outer)

    # --- operators --------------------------------------------------------------------------------

    def call(self, node: Call, operands: list[str]) -> str:
        """An operator or function."""
        types = [each.type for each in node.operands]
        match node.op, operands:
            case Op.DIVIDE, [a, b] if node.type.kind in INTEGERS:
                return f"({a} div {b})"
            case Op.DIVIDE, [a, b] if types[1].kind in INTERVAL:
                unit = "MONTH" if types[1].kind is Kind.MONTHS else "SECOND"
                numbers = (f"CAST(CAST({x} AS INTERVAL {unit}) AS DECIMAL(38, 6))" for x in (a, b))
                return f"CAST({' / '.join(numbers)} AS DOUBLE)"
            case Op.DATETIME_MINUS, [a, b]:
                if node.type.kind is Kind.MONTHS:
                    unit = str(node.type).rsplit(" ", 1)[-1]
                    count = f"CAST(timestampdiff({unit}, {b}, {a}) AS INT)"
                    months = f"make_ym_interval({count if unit == 'YEAR' else f'0, {count}'})"
                    return f"CAST({months} AS {node.type})"
                return f"CAST(({a} - {b}) AS {node.type})"
            case Op.DATETIME_PLUS, [a, b] if node.type.kind is Kind.DATE:
                return f"CAST(({a} + {b}) AS DATE)"
            case Op.DATETIME_PLUS, [a, b] if types[0].kind is Kind.DATE:
                return f"(CAST({a} AS TIMESTAMP) + {b})"
            case Op.TRUNCATE, [a]:
                return f"CAST(CAST({a} AS BIGINT) AS {self.type_name(node.type)})"
            case Op.SIGN, [a]:
                return f"CAST(sign({a}) AS {self.type_name(node.type)})"
            case Op.CURRENT_TIMESTAMP, _:
                raise UnsupportedError("the clock is the machine's")
            case Op.STEP, _:
                raise UnsupportedError("no STEP")
            case _:
                return super().call(node, operands)

    def extract(self, node: Extract, operand: str) -> str:
        """A field, as the BIGINT that it is in the standard for whole fields."""
        if node.operand.type.kind in {Kind.DATE, Kind.TIMESTAMP}:
            if node.unit is TimeUnit.EPOCH:
                return f"unix_seconds(CAST({operand} AS TIMESTAMP))"
            if node.unit is TimeUnit.MILLISECOND:
                return f"CAST(extract(SECOND FROM {operand}) * 1000 AS BIGINT)"
        if node.unit in _NO_FIELDS:
            raise UnsupportedError(f"no {node.unit} in EXTRACT")
        return f"CAST(extract({_FIELDS.get(node.unit, node.unit)} FROM {operand}) AS BIGINT)"

    def round(self, node: Round, operand: str) -> str:
        """FLOOR to a unit is date_trunc; CEIL, the next unit unless that is the value itself."""
        if node.type.kind is Kind.TIME:
            raise UnsupportedError("no TIME is truncated")
        low = f"date_trunc('{node.unit}', {operand})"
        if node.up:
            step = _STEPS.get(node.unit, f"INTERVAL '1' {node.unit}")
            high = f"({low} + {step})"
            low = f"(CASE WHEN {low} = {operand} THEN {operand} ELSE {high} END)"
        return f"CAST({low} AS DATE)" if node.type.kind is Kind.DATE else low

    # --- aggregates and windows -------------------------------------------------------------------

    def measure(self, call: AggregateCall, keys: Sequence[str], scope: Scope) -> str:
        """An aggregate; GROUPING of several keys is made of that of each."""
        match call.arguments:
            case (Grouping(places),):
                bits = (f"{2**i} * grouping({keys[k]})" for i, k in enumerate(reversed(places)))
                return f"CAST({' + '.join(bits)} AS BIGINT)"
            case (GroupId(),):
                raise UnsupportedError("no GROUP_ID()")
            case _:
                return super().measure(call, keys, scope)

    def frame(self, frame: Frame) -> str:
        """ROWS or RANGE BETWEEN."""
        if frame.exclude is not Exclude.NO_OTHERS:
            raise UnsupportedError("no EXCLUDE")
        if any(isinstance(each, GroupOffset) for each in (frame.start, frame.end)):
            raise UnsupportedError("no GROUPS frames")
        return super().frame(frame)

    def limit(self, node: Sort, scope: Scope) -> str:
        """LIMIT and OFFSET."""
        if node.with_ties:
            raise UnsupportedError("no WITH TIES")
        limit = "" if node.limit is None else f" LIMIT {self.expression(node.limit, scope)}"
        offset = "" if node.offset is None else f" OFFSET {self.expression(node.offset, scope)}"
        return limit + offset
