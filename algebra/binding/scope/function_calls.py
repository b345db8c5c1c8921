"""Checks of function calls, and the errors for calls that are wrong.

A call can have clauses that the function does not take, a wrong number of arguments, or an unknown
name, or stand in a clause that does not allow it.
"""

from collections.abc import Sequence
from typing import Final

from algebra.binding.scope.calls import (
    GROUP_WINDOW_ENDS,
    GROUP_WINDOWS,
    GROUPING_FUNCTIONS,
    WINDOW_FUNCTIONS,
)
from algebra.binding.scope.meant import names_meant
from algebra.binding.scope.other_systems import (
    equivalent,
    is_known_elsewhere,
    new_name,
    without_equivalent,
)
from algebra.catalog import Catalog, Function
from algebra.functions.aggregates import AGGREGATES
from algebra.functions.scalar_functions import FUNCTIONS, UNIFYING
from algebra.functions.special_functions import SYNTAX
from grammar import tree
from grammar.codes import Code
from grammar.counts import counted
from grammar.parsing.tokens import scan
from grammar.source import Span, SqlError
from grammar.suggestion import SuggestingError, Suggestion, replacement

#: Functions that are allowed only in GROUP BY, or in a query that groups by their window (S-504).
_OF_GROUP_WINDOWS: Final = GROUP_WINDOWS | GROUP_WINDOW_ENDS
#: Functions that compute a value of a group.
_OF_GROUPS: Final = AGGREGATES.keys() | GROUPING_FUNCTIONS


def check_plain(call: tree.FunctionCall, sql: str) -> None:
    """Refuse a clause that only aggregates can have, in the call of another function.

    OVER_NOT_ALLOWED at the window of OVER.  WRONG_ARGUMENTS for ``*``, DISTINCT, FILTER, WITHIN
    GROUP and IGNORE NULLS.
    """
    name = call.name.parts[-1].name
    if call.over is not None:
        message = f"{name} is not an aggregate, and has no window"
        raise SuggestingError(
            Code.OVER_NOT_ALLOWED,
            message,
            sql,
            call.over.span,
            suggestions=lambda: suggest_without_over(call, sql),
        )
    at = call.span
    if call.filter is not None:
        at, what = call.filter.span, "FILTER"
    elif call.within_group:
        at, what = call.within_group[0].span, "WITHIN GROUP"
    elif call.star or call.distinct or call.nulls is not None:
        what = "*" if call.star else "DISTINCT" if call.distinct else "null treatment"
    else:
        return
    message = f"{name} is not an aggregate, and takes no {what}"
    raise SqlError(Code.WRONG_ARGUMENTS, message, sql, at, f"leave {what} out")


def suggest_without_over(call: tree.FunctionCall, sql: str) -> tuple[Suggestion, ...]:
    """The suggestion to leave OVER and the window of ``call`` out."""
    assert call.over is not None
    # The text is removed from the last bracket before OVER on; this bracket closes the arguments,
    # or a clause after them such as FILTER.
    before, _, _ = sql[call.span.start : call.over.span.start].rpartition(")")
    at = Span(call.span.start + len(before) + 1, call.over.span.end)
    return (replacement("leave OVER out", at, ""),)


def check_count(call: tree.FunctionCall, least: int, most: int | None, sql: str) -> None:
    """Refuse a call with fewer than ``least`` or more than ``most`` arguments: WRONG_ARGUMENTS.

    ``most`` None: any number from ``least`` on is right.
    """
    count = len(call.arguments)
    if count >= least and (most is None or count <= most):
        return
    name = call.name.parts[-1].name
    expected = f"{least} or more arguments" if most is None else counted(most, "argument")
    if most is not None and most > least:
        expected = f"{least} to {expected}"
    letters = ", ".join("abcdefghijklmnopqrstuvwxyz"[:least])
    message = f"{name} takes {expected}, not {count}"
    form = f"{name}({letters})"
    hint = f"write it as in {form}" if letters else form
    raise SqlError(Code.WRONG_ARGUMENTS, message, sql, call.span, hint)


def check_parameters(call: tree.FunctionCall, parameters: Sequence[str], sql: str) -> None:
    """Refuse a call that does not have an argument for each parameter: WRONG_ARGUMENTS.

    ``parameters`` are the names of the parameters, which the hint shows.
    """
    if len(call.arguments) != len(parameters):
        name = call.name.parts[-1].name
        message = f"{name} takes {counted(len(parameters), 'argument')}, not {len(call.arguments)}"
        hint = f"{name}({', '.join(parameters)})"
        hint = f"write it as in {hint}" if parameters else hint
        raise SqlError(Code.WRONG_ARGUMENTS, message, sql, call.span, hint)


def misplaced(call: tree.FunctionCall, sql: str) -> SqlError | None:
    """The error for an aggregate, window function or group window that its clause does not allow.

    None: the call is of another kind.
    """
    name = call.name.parts[-1].name
    if len(call.name.parts) > 1:
        return None
    if name in _OF_GROUP_WINDOWS:
        message = f"{name} is not allowed here"
        hint = "TUMBLE and HOP belong in GROUP BY, their ends in the same query's SELECT"
        return SqlError(Code.GROUP_WINDOW_MISPLACED, message, sql, call.span, hint)
    if name in WINDOW_FUNCTIONS and call.over is None:
        message = f"OVER clause is necessary for window function {name}"
        hint = f"{name}(…) OVER (ORDER BY rowtime)"
        return SqlError(Code.OVER_REQUIRED, message, sql, call.span, hint)
    if call.over is not None and (name in WINDOW_FUNCTIONS or name in _OF_GROUPS):
        message = f"window function {name} is not allowed in this clause"
        hint = "compute it in a sub-query: FROM (SELECT …, f(…) OVER (…) AS w FROM …) WHERE w …"
        return SqlError(Code.WINDOW_MISPLACED, message, sql, call.span, hint)
    if name in _OF_GROUPS:
        message = f"aggregate {name} is not allowed here"
        hint = "aggregates belong in SELECT, HAVING and ORDER BY"
        return SqlError(Code.AGGREGATE_MISPLACED, message, sql, call.span, hint)
    return None


def unknown_function(call: tree.FunctionCall, catalog: Catalog, sql: str) -> SqlError:
    """The error for a call of a function that does not exist.

    Its code is NOT_SUPPORTED for a function that other systems have and that is written in another
    form here, or not at all; else UNKNOWN_FUNCTION.  The error suggests the equivalent of another
    system's function, else the functions with similar names.

    Defines: S-702.c
    """
    name = call.name.parts[-1].name
    arguments = [sql[each.span.start : each.span.end] for each in call.arguments]
    written = Span(call.name.span.start, _end_of_arguments(call, sql))
    suggestions: list[Suggestion] = []
    renamed = new_name(name)
    same = equivalent(name, arguments)
    if renamed is not None:
        suggestions.append(replacement(f"did you mean {renamed}?", call.name.span, renamed))
    elif same is not None:
        suggestions.append(replacement(f"write {same}", written, same))
    elif not is_known_elsewhere(name):
        suggestions += names_meant(call.name.parts[-1], _known_names(catalog))
    spelled = ".".join(each.name for each in call.name.parts)
    message = without_equivalent(name) or f"there is no function {spelled}"
    code = Code.NOT_SUPPORTED if is_known_elsewhere(name) else Code.UNKNOWN_FUNCTION
    return SuggestingError(code, message, sql, call.name.span, suggestions=lambda: suggestions)


def _known_names(catalog: Catalog) -> list[str]:
    """The names of all functions, in alphabetical order: built-in, user-defined and extensions."""
    defined = {n[-1] for n, each in catalog.objects.items() if isinstance(each, Function)}
    defined |= {n[-1] for n in catalog.extensions}
    return sorted(
        {
            *FUNCTIONS,
            *UNIFYING,
            *_OF_GROUP_WINDOWS,
            *SYNTAX,
            *_OF_GROUPS,
            *WINDOW_FUNCTIONS,
            *defined,
        }
    )


def _end_of_arguments(call: tree.FunctionCall, sql: str) -> int:
    """The place after the bracket that closes the arguments of ``call``; without one, its end."""
    depth = 0
    for word in scan(sql[call.name.span.end : call.span.end]):
        depth += (word.text == "(") - (word.text == ")")
        if depth == 0:
            return call.name.span.end + word.stop + 1
    return call.span.end
