"""Streams and tables by the names that queries read them under, and the delay of watermarks."""

from typing import Final

from algebra.catalog import Column, Stream, Table
from algebra.expression import Call, Expression, Op, Round
from algebra.plan import (
    Aggregate,
    Hop,
    Join,
    Plan,
    Reads,
    SetOp,
    Window,
    WindowJoin,
    inputs_of,
    is_streaming,
)
from algebra.types import Kind

#: The place of a row in its stream, from 0: a column such as Kafka's.
OFFSET: Final = "OFFSET"
#: Whether a row is a heartbeat, which carries an event time and nothing else.
HEARTBEAT: Final = "HEARTBEAT"
#: A delay that no row outruns, for streams whose rows say nothing of progress: 10,000 years.
NEVER: Final = 3_652_500 * 86_400_000


def view_of(source: Table | Stream, reads: Reads) -> str:
    """The name of the view that has the rows of a table or stream."""
    name = "_".join(source.name)
    plain = "".join(each if each.isalnum() or each == "_" else f"_{ord(each):x}_" for each in name)
    return f"{plain}_HISTORY" if reads is Reads.HISTORY else plain


def event_time_column(stream: Stream) -> int | None:
    """The place of the column by which the stream ascends; None: no TIMESTAMP does."""
    for place, each in enumerate(stream.columns):
        if each.type.kind is Kind.TIMESTAMP and each.ordering and not each.ordering.descending:
            return place
    return None


def slack(column: Column) -> int:
    """By how many milliseconds the bound of a stream is below its greatest rowtime."""
    ordering = column.ordering
    assert ordering is not None, "it is the column by which the stream is ordered"
    if ordering.punctuated or ordering.rows is not None:
        return NEVER
    return ordering.slack or 0


def late_at_watermark(plan: Plan) -> bool:
    """Whether some operator takes a row at the watermark itself for late.

    A window ends at the watermark, and takes rows at it.  A join, and a group by the event time
    itself, have done with it: for them the watermark of a stream whose rows may repeat a time must
    be one millisecond below.
    """
    match plan:
        case Join(left, right) | WindowJoin(left, right):
            here = is_streaming(left) and is_streaming(right)
        case Aggregate(input, keys):
            windows = isinstance(input, Hop) or any(map(_rounds, keys))
            here = is_streaming(plan) and not windows
        case SetOp(_, _, all):
            here = not all
        case Window():
            here = True
        case _:
            here = False
    return here or any(map(late_at_watermark, inputs_of(plan)))


def _rounds(key: Expression) -> bool:
    match key:
        case Round() | Call(Op.STEP):
            return True
        case Call(_, operands):
            return any(map(_rounds, operands))
        case _:
            return False
