"""Faults of calls by name: the number of arguments, the place, the name."""

import difflib
from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from algebra.binding.scope.calls import GROUP_WINDOW_ENDS as ENDS
from algebra.binding.scope.calls import GROUP_WINDOWS as WINDOWS
from algebra.binding.scope.calls import GROUPING_FUNCTIONS, WINDOW_FUNCTIONS
from algebra.functions.aggregates import AGGREGATES
from algebra.functions.scalar_functions import FUNCTIONS, UNIFYING
from algebra.functions.special_functions import SYNTAX
from grammar import tree
from grammar.codes import Code
from grammar.counts import counted
from grammar.source import SqlError

#: Functions that occur only in GROUP BY, or in a query that groups by TUMBLE or HOP (S-504).
GROUP_WINDOWS: Final = WINDOWS | ENDS
#: Functions of groups.
_OF_GROUPS: Final = AGGREGATES.keys() | GROUPING_FUNCTIONS
#: Names in other dialects of functions that have another name here.
_ELSEWHERE: Final[Mapping[str, str]] = {
    "LENGTH": "CHAR_LENGTH",
    "LEN": "CHAR_LENGTH",
    "SUBSTR": "SUBSTRING",
    "IFNULL": "COALESCE",
    "ISNULL": "COALESCE",
    "NVL": "COALESCE",
    "LOG": "LN",
    "POW": "POWER",
    "RANDOM": "RAND",
    "TRUNC": "TRUNCATE",
    "UCASE": "UPPER",
    "LCASE": "LOWER",
    "GROUP_CONCAT": "LISTAGG",
    "BOOL_AND": "EVERY",
    "BOOL_OR": "SOME",
    "MEAN": "AVG",
    "STDDEV": "STDDEV_SAMP",
    "VARIANCE": "VAR_SAMP",
    "SLIDE": "HOP",
}
_WRITTEN_OTHERWISE: Final[Mapping[str, str]] = {
    "DATE_TRUNC": "FLOOR(rowtime TO HOUR)",
    "NOW": "CURRENT_TIMESTAMP",
    "CONCAT": "a || b",
    "DATEDIFF": "(a - b) DAY",
    "DATEADD": "rowtime + INTERVAL '1' DAY",
    "IF": "CASE WHEN p THEN a ELSE b END",
}


def check_plain(call: tree.FunctionCall, sql: str) -> None:
    """Refuse what only aggregates take: OVER, ``*``, DISTINCT, FILTER, WITHIN GROUP, IGNORE NULLS.

    OVER_NOT_ALLOWED at the OVER's window, WRONG_ARGUMENTS for the rest.
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


def check_count(call: tree.FunctionCall, least: int, most: int | None, sql: str) -> None:
    """Refuse too few or too many arguments (``most`` None: never too many): WRONG_ARGUMENTS."""
    count = len(call.arguments)
    if count >= least and (most is None or count <= most):
        return
    name = call.name.parts[-1].name
    expected = f"{least} or more arguments" if most is None else counted(most, "argument")
    if most is not None and most > least:
        expected = f"{least} to {expected}"
    letters = ", ".join("abcdefghijklmnopqrstuvwxyz"[:least])
    message = f"{name} takes {expected}, not {count}"
    raise SqlError(Code.WRONG_ARGUMENTS, message, sql, call.span, f"{name}({letters})")


def check_names(call: tree.FunctionCall, parameters: Sequence[str], sql: str) -> None:
    """Refuse a number of arguments other than that of ``parameters``: WRONG_ARGUMENTS."""
    if len(call.arguments) != len(parameters):
        name = call.name.parts[-1].name
        message = f"{name} takes {counted(len(parameters), 'argument')}, not {len(call.arguments)}"
        hint = f"{name}({', '.join(parameters)})"
        raise SqlError(Code.WRONG_ARGUMENTS, message, sql, call.span, hint)


def check_misplaced(call: tree.FunctionCall, sql: str) -> None:
    """Refuse an aggregate, window function or group window that its clause does not allow."""
    name = call.name.parts[-1].name
    if len(call.name.parts) > 1:
        return
    if name in GROUP_WINDOWS:
        message = f"{name} is not allowed here"
        hint = "TUMBLE and HOP belong in GROUP BY, their ends in the same query's SELECT"
        raise SqlError(Code.GROUP_WINDOW_MISPLACED, message, sql, call.span, hint)
    if name in WINDOW_FUNCTIONS:
        code = Code.OVER_REQUIRED if call.over is None else Code.WINDOW_MISPLACED
        message = f"{name} needs OVER, and is allowed only in SELECT and ORDER BY"
        raise SqlError(code, message, sql, call.span, f"{name}() OVER (ORDER BY rowtime)")
    if name in _OF_GROUPS:
        code = Code.AGGREGATE_MISPLACED if call.over is None else Code.WINDOW_MISPLACED
        message = f"{name} is not allowed here"
        hint = "aggregates belong in SELECT, HAVING and ORDER BY"
        raise SqlError(code, message, sql, call.span, hint)


def unknown_function(call: tree.FunctionCall, defined: Iterable[str], sql: str) -> SqlError:
    """The error for an unknown function; its hint is the nearest known one."""
    name = call.name.parts[-1].name
    known = {
        *FUNCTIONS, *UNIFYING, *GROUP_WINDOWS, *SYNTAX, *_OF_GROUPS, *WINDOW_FUNCTIONS, *defined,
    }  # fmt: skip
    near = _ELSEWHERE.get(name) or next(
        iter(difflib.get_close_matches(name, sorted(known), 1)), None
    )
    hint = _WRITTEN_OTHERWISE.get(name, "")
    if not hint and near is not None:
        hint = near + sql[call.name.span.end : call.span.end]
    message = f"there is no function {'.'.join(each.name for each in call.name.parts)}"
    return SqlError(Code.UNKNOWN_FUNCTION, message, sql, call.name.span, hint)
