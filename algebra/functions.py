"""The functions by name, and what the parameters of all functions take.

What is not in `FUNCTIONS`, nor has a syntax of its own, is UNKNOWN_FUNCTION.
"""

import difflib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Final, TypeAlias

from algebra.coerce import Bound, any_nullable, cast_hint, convert, require_typed
from algebra.expression import AggregateFunction, Call, Expression, Op, WindowFunction
from algebra.types import DOUBLE, INTEGER, INTEGERS, INTERVAL, NUMERIC, TEXT, VARCHAR, Kind, Type
from grammar import tree
from grammar.codes import Code
from grammar.source import SqlError


class Parameter(Enum):
    """What a parameter takes, and what it makes of it."""

    AMOUNT = "a number or an interval"  # as it is
    INTEGER = "an integer"  # as it is
    DOUBLE = "a number"  # cast to DOUBLE
    TEXT = "a text"  # cast to VARCHAR of its length


_KINDS: Final[Mapping[Parameter, frozenset[Kind]]] = {
    Parameter.AMOUNT: NUMERIC | INTERVAL,
    Parameter.INTEGER: INTEGERS,
    Parameter.DOUBLE: NUMERIC,
    Parameter.TEXT: TEXT,
}
#: The type of a NULL, of a ``?`` where it can be told, and of hints.
_DEFAULT: Final[Mapping[Parameter, Type]] = {
    Parameter.AMOUNT: INTEGER,
    Parameter.INTEGER: INTEGER,
    Parameter.DOUBLE: DOUBLE,
    Parameter.TEXT: VARCHAR,
}

#: From the types of the arguments, as they have become, to that of the result.
_Result: TypeAlias = Callable[[Sequence[Type]], Type]


@dataclass(frozen=True, slots=True)
class Scalar:
    """A function that is one operator: NULL if an argument is."""

    op: Op
    parameters: tuple[Parameter, ...]
    result: _Result


def _first(types: Sequence[Type]) -> Type:
    return types[0]


def _double(_: Sequence[Type]) -> Type:
    return DOUBLE


def _integer(_: Sequence[Type]) -> Type:
    return INTEGER


_LENGTH: Final = Scalar(Op.CHAR_LENGTH, (Parameter.TEXT,), _integer)

FUNCTIONS: Final[Mapping[str, Scalar]] = {
    "ABS": Scalar(Op.ABS, (Parameter.AMOUNT,), _first),
    "EXP": Scalar(Op.EXP, (Parameter.DOUBLE,), _double),
    "LN": Scalar(Op.LN, (Parameter.DOUBLE,), _double),
    "SQRT": Scalar(Op.SQRT, (Parameter.DOUBLE,), _double),
    "POWER": Scalar(Op.POWER, (Parameter.DOUBLE, Parameter.DOUBLE), _double),
    "UPPER": Scalar(Op.UPPER, (Parameter.TEXT,), _first),
    "LOWER": Scalar(Op.LOWER, (Parameter.TEXT,), _first),
    "CHAR_LENGTH": _LENGTH,
    "CHARACTER_LENGTH": _LENGTH,
}
#: Functions whose arguments bear on one another, by their number of arguments (None: two or more).
TOGETHER: Final[Mapping[str, int | None]] = {"MOD": 2, "NULLIF": 2, "COALESCE": None}

#: Functions that only GROUP BY, or a query with a TUMBLE or HOP in it, understands (S-504).
GROUP_WINDOWS: Final = frozenset(
    f"{name}{end}" for name in ("TUMBLE", "HOP") for end in ("", "_START", "_END")
)
#: Functions of groups, and those that stand only before OVER.
_OF_GROUPS: Final = frozenset(
    {str(each) for each in AggregateFunction} - {"LITERAL_AGG"}
    | {"GROUPING", "GROUPING_ID", "GROUP_ID"}
)
_OVER_ONLY: Final = frozenset(str(each) for each in WindowFunction)

#: Functions that the grammar knows by their syntax.
_SYNTAX: Final = ("SUBSTRING", "POSITION", "TRIM", "OVERLAY", "EXTRACT", "FLOOR", "CEIL", "STEP")
#: What other dialects call what is here called otherwise.
_ELSEWHERE: Final[Mapping[str, str]] = {
    "LENGTH": "CHAR_LENGTH",
    "LEN": "CHAR_LENGTH",
    "SUBSTR": "SUBSTRING",
    "IFNULL": "COALESCE",
    "ISNULL": "COALESCE",
    "NVL": "COALESCE",
    "LOG": "LN",
    "POW": "POWER",
    "UCASE": "UPPER",
    "LCASE": "LOWER",
    "MEAN": "AVG",
    "STDDEV": "STDDEV_SAMP",
    "VARIANCE": "VAR_SAMP",
    "SLIDE": "HOP",
}
_WRITTEN_OTHERWISE: Final[Mapping[str, str]] = {
    "DATE_TRUNC": "FLOOR(rowtime TO HOUR)",
    "TRUNC": "FLOOR(x)",
    "NOW": "CURRENT_TIMESTAMP",
    "CONCAT": "a || b",
    "TIMESTAMPDIFF": "(a - b) SECOND",
    "DATEDIFF": "(a - b) DAY",
    "TIMESTAMPADD": "rowtime + INTERVAL '1' HOUR",
    "DATEADD": "rowtime + INTERVAL '1' DAY",
    "IF": "CASE WHEN p THEN a ELSE b END",
}


def bind_scalar(scalar: Scalar, arguments: Sequence[Bound]) -> Expression:
    """A call of a function of the table; TYPE_MISMATCH at the argument that it does not take."""
    fitted = tuple(fit(a, p) for a, p in zip(arguments, scalar.parameters, strict=True))
    type = scalar.result([each.type for each in fitted])
    return Call(scalar.op, fitted, type.as_nullable(any_nullable(fitted)))


def fit(argument: Bound, parameter: Parameter) -> Expression:
    """The argument as what the parameter takes; TYPE_MISMATCH if it is not that."""
    default = _DEFAULT[parameter]
    if parameter is Parameter.AMOUNT:
        require_typed(argument)
    if argument.kind is Kind.NULL:
        return convert(argument.expression, default)
    if argument.kind not in _KINDS[parameter]:
        message = f"{argument.type} where {parameter.value} is expected"
        raise argument.refused(message, cast_hint(argument, default))
    if parameter is Parameter.DOUBLE:
        return convert(argument.expression, DOUBLE)
    if parameter is Parameter.TEXT:
        return convert(argument.expression, varchar(argument.type.precision))
    return argument.expression


def varchar(length: int = 0) -> Type:
    """VARCHAR(length); 0: without limit."""
    return Type(Kind.VARCHAR, precision=length)


def check_plain(call: tree.FunctionCall, sql: str) -> None:
    """Refuse what only aggregates take: OVER, ``*``, DISTINCT, FILTER, WITHIN GROUP, IGNORE NULLS.

    OVER_NOT_ALLOWED at the OVER's window; WRONG_ARGUMENTS for the rest.
    """
    name = call.name.parts[-1].name
    if call.over is not None:
        message = f"{name} is no aggregate, and has no window"
        hint = sql[call.span.start : call.over.span.start].rpartition(")")[0] + ")"
        raise SqlError(Code.OVER_NOT_ALLOWED, message, sql, call.over.span, hint)
    at = call.span
    if call.filter is not None:
        at, what = call.filter.span, "FILTER"
    elif call.within_group:
        at, what = call.within_group[0].span, "WITHIN GROUP"
    elif call.star or call.distinct or call.nulls is not None:
        what = "*" if call.star else "DISTINCT" if call.distinct else "null treatment"
    else:
        return
    message = f"{name} is no aggregate, and takes no {what}"
    raise SqlError(Code.WRONG_ARGUMENTS, message, sql, at, f"{name}(x)")


def check_count(call: tree.FunctionCall, expected: int | None, sql: str) -> None:
    """Refuse a wrong number of arguments (None: two or more are right): WRONG_ARGUMENTS."""
    given = len(call.arguments)
    if given == expected or (expected is None and given >= 2):
        return
    name = call.name.parts[-1].name
    wanted = "two or more" if expected is None else str(expected)
    letters = ", ".join("abcdefghijklmnopqrstuvwxyz"[: 2 if expected is None else expected])
    message = f"{name} takes {wanted} argument(s), not {given}"
    raise SqlError(Code.WRONG_ARGUMENTS, message, sql, call.span, f"{name}({letters})")


def check_names(call: tree.FunctionCall, parameters: Sequence[str], sql: str) -> None:
    """Refuse other than one argument for each of these parameters: WRONG_ARGUMENTS."""
    if len(call.arguments) != len(parameters):
        name = call.name.parts[-1].name
        message = f"{name} takes {len(parameters)} argument(s), not {len(call.arguments)}"
        hint = f"{name}({', '.join(parameters)})"
        raise SqlError(Code.WRONG_ARGUMENTS, message, sql, call.span, hint)


def check_misplaced(call: tree.FunctionCall, sql: str) -> None:
    """Refuse an aggregate, window function or group window that its clause had no use for."""
    name = call.name.parts[-1].name
    if len(call.name.parts) > 1:
        return
    if name in GROUP_WINDOWS:
        message = f"{name} has no place here"
        hint = "TUMBLE and HOP stand in GROUP BY, their ends in the same query's SELECT"
        raise SqlError(Code.GROUP_WINDOW_MISPLACED, message, sql, call.span, hint)
    if name in _OVER_ONLY:
        code = Code.OVER_REQUIRED if call.over is None else Code.WINDOW_MISPLACED
        message = f"{name} needs OVER, and stands only in SELECT and ORDER BY"
        raise SqlError(code, message, sql, call.span, f"{name}() OVER (ORDER BY rowtime)")
    if name in _OF_GROUPS:
        code = Code.AGGREGATE_MISPLACED if call.over is None else Code.WINDOW_MISPLACED
        message = f"{name} has no place here"
        hint = "aggregates stand in SELECT, HAVING and ORDER BY"
        raise SqlError(code, message, sql, call.span, hint)


def unknown_function(call: tree.FunctionCall, defined: Iterable[str], sql: str) -> SqlError:
    """The error for a name that is no function, with the nearest one for a hint."""
    name = call.name.parts[-1].name
    known = {*FUNCTIONS, *TOGETHER, *GROUP_WINDOWS, *_SYNTAX, *_OF_GROUPS, *_OVER_ONLY, *defined}
    near = _ELSEWHERE.get(name) or next(
        iter(difflib.get_close_matches(name, sorted(known), 1)), None
    )
    hint = _WRITTEN_OTHERWISE.get(name, "")
    if not hint and near is not None:
        hint = near + sql[call.name.span.end : call.span.end]
    message = f"there is no function {'.'.join(each.name for each in call.name.parts)}"
    return SqlError(Code.UNKNOWN_FUNCTION, message, sql, call.name.span, hint)
