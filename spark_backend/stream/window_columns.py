"""Rows with one more column: the value of a function over a frame of each row (S-505)."""

from dataclasses import replace
from typing import Final

from algebra.expression import (
    AggregateFunction,
    Expression,
    InputRef,
    WindowCall,
    WindowFunction,
)
from algebra.plan import Frame, Plan, Window, WindowGroup, row_type
from algebra.types import BIGINT

#: The type of a count of rows.
COUNT: Final = BIGINT.as_nullable(False)


def with_value(
    rows: Plan,
    group: WindowGroup,
    frame: Frame,
    function: AggregateFunction | WindowFunction,
    *arguments: Expression,
    filter: Expression | None = None,
) -> tuple[InputRef, Window]:
    """The column of a function's values, and ``rows`` with this column added at the end.

    The value has the type of the first argument. The partitions and the order are those of
    ``group``; its own frame and calls are ignored.  The function reads the rows for which
    ``filter`` is true; None: all rows.
    """
    type = arguments[0].type.as_nullable()
    return _with_call(rows, group, frame, WindowCall(function, arguments, type, filter=filter))


def with_count(
    rows: Plan,
    group: WindowGroup,
    frame: Frame,
    *arguments: Expression,
    filter: Expression | None = None,
) -> tuple[InputRef, Window]:
    """As `with_value`, for COUNT of ``arguments`` over the rows for which ``filter`` is true."""
    call = WindowCall(AggregateFunction.COUNT, arguments, COUNT, filter=filter)
    return _with_call(rows, group, frame, call)


def _with_call(
    rows: Plan, group: WindowGroup, frame: Frame, call: WindowCall
) -> tuple[InputRef, Window]:
    """The column of a call's values, and ``rows`` with this column added at the end."""
    place = len(row_type(rows))
    window = Window(rows, (replace(group, frame=frame, calls=(call,)),), (f"$W{place}",))
    return InputRef(place, call.type), window
