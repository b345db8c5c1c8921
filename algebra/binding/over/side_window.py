"""The window of one side of a join, from the OVER after its FROM item (S-509)."""

from collections.abc import Container, Mapping

from algebra.binding.expression.constants import constant
from algebra.binding.expression.scopes import NO_COLUMNS, RowScope
from algebra.binding.over.window_spec import resolved
from algebra.binding.scope.environment import Environment
from algebra.binding.scope.names import own_name
from algebra.plan import RowsWindow, SideWindow, TimeWindow
from algebra.refusal.validate_join import infinite_window
from algebra.types import INTEGERS, Kind
from grammar import tree
from grammar.codes import Code
from grammar.source import SqlError
from grammar.tree import BoundKind, FrameUnit

#: The hint of a refusal: a correct window.
_HINT = "OVER (RANGE INTERVAL '10' MINUTE PRECEDING)"


def side_window(
    spec: tree.WindowSpec, windows: Mapping[str, tree.WindowSpec], environment: Environment
) -> SideWindow:
    """The finite window that ``spec`` denotes; ``windows`` are those that the SELECT names.

    The offsets of RANGE are milliseconds, and CURRENT ROW is 0.  ``ROWS n PRECEDING`` holds the
    latest n + 1 rows, and ``ROWS CURRENT ROW`` the latest row.  INFINITE_WINDOW for an unbounded
    window, BAD_WINDOW for a partition or an order other than ROWTIME, BAD_FRAME for a frame that a
    window of a join cannot have.

    Defines: S-509.a
    """
    full = resolved(spec, windows, environment)
    if full.partition:
        raise _refused(
            Code.BAD_WINDOW, "a window in FROM has no PARTITION BY", full.partition[0], environment
        )
    for item in full.order:
        if not _is_rowtime(item):
            message = "a window in FROM must be ordered by its rowtime"
            raise _refused(Code.BAD_WINDOW, message, item, environment)
    frame = full.frame
    infinite = infinite_window(spec, frame, environment)
    if infinite is not None:
        raise infinite
    assert frame is not None, "without one it is infinite"
    return _window_of_frame(frame, environment)


def _is_rowtime(item: tree.SortItem) -> bool:
    """Whether ``item`` sorts by a column named ROWTIME, ascending."""
    return not item.descending and own_name(item.expression) == "ROWTIME"


def _window_of_frame(frame: tree.Frame, environment: Environment) -> SideWindow:
    """The window of a side that has this frame; BAD_FRAME if a window of a join cannot have it.

    The frame is not unbounded.  An end that is not written is CURRENT ROW.

    Defines: S-509.d
    """
    if frame.unit is FrameUnit.GROUPS or frame.exclude is not None:
        raise _refused(
            Code.BAD_FRAME,
            "a window in FROM must be a RANGE or ROWS frame without EXCLUDE",
            frame,
            environment,
        )
    start, end = frame.start, frame.end
    preceding = start.kind is BoundKind.PRECEDING
    if start.kind is BoundKind.FOLLOWING and end is not None:
        raise _refused(Code.BAD_FRAME, "the window must hold its own row", start, environment)
    if end is not None and end.kind is BoundKind.PRECEDING:
        raise _refused(Code.BAD_FRAME, "the window must hold its own row", end, environment)
    ends = (start,) if end is None else (start, end)
    later = next((each for each in ends if each.kind is BoundKind.FOLLOWING), None)
    if frame.unit is FrameUnit.ROWS:
        if later is not None:
            raise _refused(
                Code.BAD_FRAME, "a window of rows ends with its own row", later, environment
            )
        return RowsWindow(_rows(start, environment) + 1 if preceding else 1)
    return TimeWindow(
        _millis(start, environment) if preceding else 0,
        0 if later is None else _millis(later, environment),
    )


def _offset(bound: tree.FrameBound, kinds: Container[Kind], environment: Environment) -> int | None:
    """The offset of ``bound``; None unless it is a constant of one of ``kinds``, not negative."""
    assert bound.offset is not None
    found = constant(bound.offset, RowScope(environment, NO_COLUMNS, "OVER"))
    if found is None or found.type.kind not in kinds:
        return None
    return found.value if isinstance(found.value, int) and found.value >= 0 else None


def _rows(bound: tree.FrameBound, environment: Environment) -> int:
    """The offset of ``bound`` as a number of rows; BAD_FRAME if it is not one."""
    found = _offset(bound, INTEGERS, environment)
    if found is None:
        raise _refused(
            Code.BAD_FRAME, "not a number of rows", bound, environment, "ROWS 2 PRECEDING"
        )
    return found


def _millis(bound: tree.FrameBound, environment: Environment) -> int:
    """The offset of ``bound`` in milliseconds; BAD_FRAME if it is not a day-time interval."""
    found = _offset(bound, {Kind.MILLIS}, environment)
    if found is None:
        raise _refused(
            Code.BAD_FRAME,
            "a window in FROM must be a constant DAY TO SECOND interval",
            bound,
            environment,
        )
    return found


def _refused(
    code: Code,
    message: str,
    node: tree.Frame | tree.FrameBound | tree.SortItem | tree.Expression,
    environment: Environment,
    hint: str = _HINT,
) -> SqlError:
    return environment.error(code, message, node.span, hint)
