"""TUMBLE, HOP and SESSION in GROUP BY, and the functions for the ends of their windows (S-504).

The calls are bound to `GroupWindow` and `GroupSession`.  `bind_window_function` uses the functions
for times, sizes and offsets, too.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from algebra.binding.expression.bind_expression import bind_expression
from algebra.binding.expression.constants import constant, whole
from algebra.binding.scope.calls import function_name
from algebra.binding.scope.environment import Environment
from algebra.binding.scope.function_calls import check_plain
from algebra.binding.scope.scope import Scope
from algebra.expression import Expression, Literal
from algebra.functions.coerce import Operand, cast_to
from algebra.types import INTERVAL, TIMESTAMP, Kind
from grammar import tree
from grammar.codes import Code
from grammar.source import Location, SqlError

#: The sizes in hints: both for HOP, the first for TUMBLE.
_SIZES: Final = ("INTERVAL '1' HOUR", "INTERVAL '3' HOUR")
#: The gap in hints.
_GAP: Final = "INTERVAL '30' MINUTE"
#: The size in hints, for each family of intervals.
_SIZE_OF: Final = {Kind.MILLIS: "INTERVAL '1' HOUR", Kind.MONTHS: "INTERVAL '1' MONTH"}
#: For sizes of each family, the message for a wrong alignment, and a correct alignment.
_ALIGNMENTS: Final = {
    Kind.MILLIS: (
        "the alignment of a window must be a constant TIME or interval",
        "INTERVAL '12' MINUTE",
    ),
    Kind.MONTHS: (
        "the alignment of windows of months must be a constant interval of months",
        "INTERVAL '1' MONTH",
    ),
}


@dataclass(frozen=True, slots=True)
class GroupWindow:
    """A call of TUMBLE or HOP; ``emit`` and ``retain`` are positive and of one family.

    A window ends every ``emit``, and starts ``retain`` before its end.  One window ends at
    ``align``, which counts from 1970 in milliseconds or months.

    Defines: S-504.a
    """

    time: Expression
    emit: Literal
    retain: Literal
    align: int
    location: Location

    @property
    def meaning(self) -> tuple[object, ...]:
        """A value that is equal for calls with the same windows, however they are written.

        Defines: S-504.h
        """
        return (self.time, self.emit.type.kind, self.emit.value, self.retain.value, self.align)

    @property
    def tumbles(self) -> bool:
        """Whether each row is in one window only: HOP(t, e, e) is TUMBLE(t, e)."""
        return self.emit.value == self.retain.value


@dataclass(frozen=True, slots=True)
class GroupSession:
    """A call of SESSION; ``gap`` is a positive interval in milliseconds."""

    time: Expression
    gap: Literal
    location: Location

    @property
    def meaning(self) -> tuple[object, ...]:
        """A value that is equal for calls with the same sessions, however they are written."""
        return (self.time, self.gap.value)


def group_session(node: tree.FunctionCall, scope: Scope, environment: Environment) -> GroupSession:
    """The sessions of a call of SESSION, or of SESSION_START or SESSION_END with all its arguments.

    WRONG_ARGUMENTS, TYPE_MISMATCH, and BAD_GROUP_WINDOW for a gap that is wrong.

    Defines: S-902.a
    """
    if len(node.arguments) != 2:
        time_text = text_of(node.arguments[0], environment) if node.arguments else "rowtime"
        raise environment.error(
            Code.WRONG_ARGUMENTS,
            f"{function_name(node)} takes 2 arguments",
            node.span,
            f"{function_name(node)}({time_text}, {_GAP})",
        )
    time = time_of(node.arguments[0], scope, environment)
    gap = session_gap(node.arguments[1], scope, environment)
    return GroupSession(time, gap, Location(environment.sql, node.span))


def session_gap(node: tree.Expression, scope: Scope, environment: Environment) -> Literal:
    """The gap of sessions: a constant, positive day-time interval; else BAD_GROUP_WINDOW.

    Defines: S-902.e
    """
    found = constant(node, scope)
    if found is None or found.type.kind is not Kind.MILLIS:
        message = "the gap of sessions must be a constant interval of days or a finer unit"
        raise bad_window(message, node, environment, _GAP)
    if whole(found) <= 0:
        raise bad_window("the gap of sessions must be positive", node, environment, _GAP)
    return found


def group_window(node: tree.FunctionCall, scope: Scope, environment: Environment) -> GroupWindow:
    """The windows of a call of TUMBLE or HOP, or of a call such as HOP_END with all its arguments.

    WRONG_ARGUMENTS, TYPE_MISMATCH, and BAD_GROUP_WINDOW for sizes or an alignment that are wrong.
    """
    hops = function_name(node).startswith("HOP")
    sizes = 2 if hops else 1
    if len(node.arguments) not in (1 + sizes, 2 + sizes):
        time_text = text_of(node.arguments[0], environment) if node.arguments else "rowtime"
        raise environment.error(
            Code.WRONG_ARGUMENTS,
            f"{function_name(node)} takes {1 + sizes} or {2 + sizes} arguments",
            node.span,
            f"{function_name(node)}({', '.join((time_text, *_SIZES[:sizes]))})",
        )
    time = time_of(node.arguments[0], scope, environment)
    # TUMBLE has one size, which is also the distance from window to window.
    emit, retain = sizes_of(node.arguments[1], node.arguments[sizes], scope, environment)
    align = 0
    if len(node.arguments) == 2 + sizes:
        align = alignment(node.arguments[-1], emit, scope, environment) % whole(emit)
    return GroupWindow(time, emit, retain, align, Location(environment.sql, node.span))


def place_of_window(
    node: tree.FunctionCall,
    windows: Sequence[GroupWindow | GroupSession],
    scope: Scope,
    environment: Environment,
) -> int | None:
    """The place in ``windows`` of the window whose start or end ``node`` is; None: no such window.

    A call with the timestamp alone means the only window over this timestamp (E-13);
    AMBIGUOUS_GROUP_WINDOW if there are several.

    Defines: S-504.j
    """
    check_plain(node, environment.sql)
    of_session = function_name(node).startswith("SESSION")
    if len(node.arguments) != 1:
        kind = group_session if of_session else group_window
        window = kind(node, scope, environment)
        found = [i for i, each in enumerate(windows) if each.meaning == window.meaning]
        return found[0] if found else None
    time = time_of(node.arguments[0], scope, environment)
    hops = function_name(node).startswith("HOP")

    def is_meant(window: GroupWindow | GroupSession) -> bool:
        # A function of SESSION means sessions, one of TUMBLE the windows that tumble, and one of
        # HOP also these, because a window that tumbles is a hop.
        if isinstance(window, GroupSession):
            return of_session
        return not of_session and (hops or window.tumbles)

    found = [i for i, each in enumerate(windows) if each.time == time and is_meant(each)]
    if len(found) > 1:
        raise environment.error(
            Code.AMBIGUOUS_GROUP_WINDOW,
            f"{function_name(node)} may mean {len(found)} windows of GROUP BY",
            node.span,
            "give it the same arguments as the one it means",
        )
    return found[0] if found else None


def time_of(node: tree.Expression, scope: Scope, environment: Environment) -> Expression:
    """The expression ``node`` as a TIMESTAMP: the time that decides on the windows of a row."""
    time = Operand(bind_expression(node, scope), node.span, environment.sql)
    return cast_to(time, TIMESTAMP)


def sizes_of(
    every: tree.Expression, size: tree.Expression, scope: Scope, environment: Environment
) -> tuple[Literal, Literal]:
    """The distance from window to window, and the size of a window, from ``every`` and ``size``.

    BAD_GROUP_WINDOW unless both are positive intervals of one family.  For TUMBLE, ``every`` and
    ``size`` are the same interval.

    Defines: S-504.g
    """
    emit, retain = (
        _size(each, other, scope, environment) for each, other in ((every, size), (size, every))
    )
    if retain.type.kind is not emit.type.kind:
        raise bad_window(
            "sizes must be both of months or both of days",
            size,
            environment,
            _SIZE_OF[emit.type.kind],
        )
    return emit, retain


def _size(
    node: tree.Expression, other: tree.Expression, scope: Scope, environment: Environment
) -> Literal:
    """A size of a window: a constant, positive interval; else BAD_GROUP_WINDOW.

    The hint has a size of the family of ``other``, which is the other size of the call.
    """
    found = constant(node, scope)
    if found is not None and found.type.kind in INTERVAL:
        if whole(found) > 0:
            return found
        message = "the size of a window must be positive"
    else:
        message = "the size of a window must be a constant interval"
    hint = _SIZE_OF[_family(other, scope)]
    raise bad_window(message, node, environment, hint)


def _family(node: tree.Expression, scope: Scope) -> Kind:
    """MONTHS if ``node`` is a constant interval of months or years, else MILLIS."""
    try:
        found = constant(node, scope)
    except SqlError:
        return Kind.MILLIS
    return Kind.MONTHS if found is not None and found.type.kind is Kind.MONTHS else Kind.MILLIS


def alignment(node: tree.Expression, size: Literal, scope: Scope, environment: Environment) -> int:
    """The distance by which windows are moved, in the unit of ``size``; it may be negative.

    BAD_GROUP_WINDOW unless ``node`` is a constant interval of the family of ``size``.  For windows
    of days or less, it can also be a TIME, which counts from midnight.

    Defines: S-504.n
    """
    found = constant(node, scope)
    kinds = {size.type.kind, Kind.TIME} if size.type.kind is Kind.MILLIS else {size.type.kind}
    if found is None or found.type.kind not in kinds:
        message, hint = _ALIGNMENTS[size.type.kind]
        raise bad_window(message, node, environment, hint)
    return whole(found)


def text_of(node: tree.Expression, environment: Environment) -> str:
    """The text of ``node``."""
    return environment.sql[node.span.start : node.span.end]


def bad_window(
    message: str, node: tree.Expression | tree.TableArgument, environment: Environment, hint: str
) -> SqlError:
    """BAD_GROUP_WINDOW at ``node``."""
    return environment.error(Code.BAD_GROUP_WINDOW, message, node.span, hint)
