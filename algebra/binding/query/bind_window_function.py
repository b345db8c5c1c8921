"""Binding of TUMBLE, HOP, CUMULATE and SESSION in FROM, which put rows into windows (S-901, S-902).

The output has a row for each window of an input row, with the start and end of the window.
"""

from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import Final

from algebra.binding.expression.bind_expression import bind_expression
from algebra.binding.expression.constants import whole
from algebra.binding.expression.scopes import RowScope
from algebra.binding.query.from_row import row_of
from algebra.binding.query.group_window import (
    alignment,
    bad_window,
    session_gap,
    sizes_of,
    text_of,
    time_of,
)
from algebra.binding.scope.environment import BoundQuery, Environment
from algebra.binding.scope.function_calls import check_plain
from algebra.binding.scope.join_base import with_base_side
from algebra.binding.scope.meant import names_meant
from algebra.binding.scope.names import parts_of, unique_names
from algebra.expression import Expression
from algebra.plan import Hop, Session
from algebra.types import Kind
from grammar import tree
from grammar.codes import Code
from grammar.counts import counted
from grammar.source import Edit, Location, Span, SqlError
from grammar.suggestion import Suggestion, replacement

#: The required parameters of each window function, in order.
_PARAMETERS: Final[Mapping[str, tuple[str, ...]]] = {
    "TUMBLE": ("DATA", "TIMECOL", "SIZE"),
    "HOP": ("DATA", "TIMECOL", "SLIDE", "SIZE"),
    "CUMULATE": ("DATA", "TIMECOL", "STEP", "SIZE"),
    "SESSION": ("DATA", "TIMECOL", "GAP"),
}
#: The last parameter of all but SESSION, which may be left out.
_OFFSET: Final = "OFFSET"
#: An example of an argument for each parameter, for hints.
_USAGE: Final = {
    "DATA": "TABLE t",
    "TIMECOL": "DESCRIPTOR(rowtime)",
    "SIZE": "INTERVAL '1' HOUR",
    "SLIDE": "INTERVAL '10' MINUTE",
    "STEP": "INTERVAL '10' MINUTE",
    "GAP": "INTERVAL '30' MINUTE",
}

_Arguments = Mapping[str, tree.TableArgument]


def is_window_function(call: tree.TableCall) -> bool:
    """Whether a table function puts rows into windows."""
    return len(call.name.parts) == 1 and call.name.parts[0].name in _PARAMETERS


def bind_window_function(call: tree.TableCall, environment: Environment) -> BoundQuery:
    """The rows of the data, each once for each of its windows, with WINDOW_START and WINDOW_END.

    WRONG_ARGUMENTS for arguments that the function does not take; TYPE_MISMATCH; BAD_GROUP_WINDOW
    for sizes, an offset or a gap that are wrong (S-504.g), and for a size that its step does not
    divide.

    Defines: S-901.a, S-901.b, S-901.e, S-901.g, S-901.j
    """
    name = call.name.parts[0].name
    arguments = _arguments(call, name, environment)
    bound = environment.bind(_data(arguments["DATA"], name, environment), environment.in_from())
    scope = RowScope(environment, row_of(bound, (), None, environment), name)
    column = _column(arguments["TIMECOL"], environment)
    type = bind_expression(column, scope).type
    if type.kind not in (Kind.TIMESTAMP, Kind.DATE):
        message = f"the windows of a row follow from a TIMESTAMP or a DATE, not from {type}"
        hint = "name the column by which the data is ordered"
        raise environment.error(Code.TYPE_MISMATCH, message, column.span, hint)
    time = time_of(column, scope, environment)
    if name == "SESSION":
        return _sessions(arguments, bound, time, scope, Location(environment.sql, call.span))
    size = _expression(arguments["SIZE"], environment)
    slide = next((arguments[each] for each in ("SLIDE", "STEP") if each in arguments), None)
    # The distance from window to window: SLIDE of HOP, STEP of CUMULATE, and SIZE of TUMBLE.
    every = size if slide is None else _expression(slide, environment)
    emit, retain = sizes_of(every, size, scope, environment)
    # Cumulative windows of a single step are the windows of TUMBLE.
    cumulative = name == "CUMULATE" and whole(emit) != whole(retain)
    if name == "CUMULATE" and whole(retain) % whole(emit):
        message = "the size of cumulative windows is a multiple of their step"
        raise bad_window(message, size, environment, hint=text_of(every, environment))
    offset = 0
    if _OFFSET in arguments:
        node = _expression(arguments[_OFFSET], environment)
        offset = alignment(node, retain, scope, environment)
    # One window starts at ``offset``.  `Hop.align` is the start of a cumulative window, but the end
    # of any other window, which is one size after its start.
    align = offset % whole(retain) if cumulative else (offset + whole(retain)) % whole(emit)
    location = Location(environment.sql, call.span)
    plan = Hop(with_base_side(bound.plan, [time]), time, emit, retain, align, cumulative, location)
    names = unique_names((*bound.names, "WINDOW_START", "WINDOW_END"))
    return BoundQuery(plan, names, bound.rowtime)


def _sessions(
    arguments: _Arguments, bound: BoundQuery, time: Expression, scope: RowScope, location: Location
) -> BoundQuery:
    """The rows of the data, each with the start and the end of its session.

    Defines: S-902.c, S-902.d
    """
    keys = tuple(bind_expression(each, scope) for each in arguments["DATA"].partition)
    gap = session_gap(_expression(arguments["GAP"], scope.environment), scope, scope.environment)
    plan = Session(with_base_side(bound.plan, [*keys, time]), keys, time, gap, location)
    names = unique_names((*bound.names, "WINDOW_START", "WINDOW_END"))
    return BoundQuery(plan, names, bound.rowtime)


# --- the arguments ------------------------------------------------------------------------------


def _arguments(call: tree.TableCall, name: str, environment: Environment) -> _Arguments:
    """The arguments of the window function ``name``, by the names of their parameters.

    In a call, all arguments are given by place, or all by name.

    Defines: S-901.c
    """
    required, arguments = _PARAMETERS[name], call.arguments
    known = required if name == "SESSION" else (*required, _OFFSET)
    named = [each for each in arguments if each.name is not None]
    usage = f"{name}({', '.join(_USAGE[each] for each in required)})"

    def wrong(message: str, at: Span, near: Iterable[Suggestion] = ()) -> SqlError:
        found = tuple(near)
        return environment.refusal(Code.WRONG_ARGUMENTS, message, at, usage, lambda: found)

    if named and len(named) < len(arguments):
        unnamed = next(each for each in arguments if each.name is None)
        raise wrong("all arguments have names, or none has", unnamed.span)
    found: dict[str, tree.TableArgument] = {}
    for each in named:
        assert each.name is not None
        if each.name.name not in known:
            meant = names_meant(each.name, known)
            message = f"{name} has no parameter {each.name.name}"
            raise wrong(f"{message}: it has {', '.join(known)}", each.name.span, meant)
        if each.name.name in found:
            raise wrong(f"{each.name.name} is given twice", each.name.span)
        found[each.name.name] = each
    if not named:
        found = dict(zip(known, arguments, strict=False))
    if len(arguments) > len(known) or any(each not in found for each in required):
        numbers = counted(len(known), "argument")
        numbers = numbers if known == required else f"{len(required)} or {numbers}"
        raise wrong(f"{name} takes {numbers}: {', '.join(known)}", call.span)
    return found


def _data(
    argument: tree.TableArgument, name: str, environment: Environment
) -> tree.ExplicitTable | tree.Query:
    """The table or query whose rows are put into windows.

    Defines: S-901.d
    """
    value = argument.value
    if not isinstance(value, tree.ExplicitTable | tree.Query):
        suggestions: Callable[[], Iterable[Suggestion]] = tuple
        hint = "write TABLE and a name"
        if isinstance(value, tree.ColumnRef):
            text = f"TABLE {text_of(value, environment)}"
            hint = f"write {text}"
            suggestions = partial(_only, replacement(hint, value.span, text))
        message = f"the first argument of {name} is TABLE t or a query in brackets"
        raise environment.refusal(Code.WRONG_ARGUMENTS, message, value.span, hint, suggestions)
    for word, parts in (("PARTITION BY", argument.partition), ("ORDER BY", argument.order)):
        if parts and (name, word) != ("SESSION", "PARTITION BY"):
            at = Span(value.span.end, argument.span.end)
            remedy = Suggestion(f"leave {word} out", (Edit(at, ""),))
            message = f"{name} takes no {word}"
            suggestions = partial(_only, remedy)
            raise environment.refusal(
                Code.WRONG_ARGUMENTS,
                message,
                argument.span,
                hint=remedy.advice,
                suggestions=suggestions,
            )
    return value


def _column(argument: tree.TableArgument, environment: Environment) -> tree.ColumnRef:
    """The column ``c`` of an argument ``DESCRIPTOR(c)``; WRONG_ARGUMENTS for another argument."""
    value = argument.value
    match value:
        case tree.FunctionCall(descriptor, (tree.ColumnRef() as column,)) if parts_of(
            descriptor
        ) == ("DESCRIPTOR",):
            check_plain(value, environment.sql)
            return column
        case tree.ColumnRef():
            text = f"DESCRIPTOR({text_of(value, environment)})"
            suggestions: Callable[[], Iterable[Suggestion]] = partial(
                _only, replacement(f"write {text}", value.span, text)
            )
        case _:
            suggestions = tuple
    raise environment.refusal(
        Code.WRONG_ARGUMENTS,
        "the column of the time is written DESCRIPTOR(c)",
        value.span,
        "name one column: DESCRIPTOR(rowtime)",
        suggestions,
    )


def _expression(argument: tree.TableArgument, environment: Environment) -> tree.Expression:
    """The expression of an argument that is a size or an offset; BAD_GROUP_WINDOW for a table."""
    value = argument.value
    if isinstance(value, tree.ExplicitTable | tree.Query) or argument.partition or argument.order:
        message = "the size of a window must be a constant interval"
        raise bad_window(message, argument, environment, "INTERVAL '1' HOUR")
    return value


def _only(suggestion: Suggestion) -> tuple[Suggestion, ...]:
    """The one suggestion of a refusal, which asks a function for its suggestions."""
    return (suggestion,)
