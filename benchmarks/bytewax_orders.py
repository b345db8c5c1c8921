"""The same questions in bytewax, the other stream processor that is fed from Python."""

from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any, Final

import bytewax.operators as op
import bytewax.operators.windowing as win
from bytewax.dataflow import Dataflow
from bytewax.testing import TestingSink, TestingSource, run_main

from reference.relation import Row

Order = tuple[datetime, str, int]
_START: Final = datetime(2015, 1, 1, tzinfo=UTC)


def typed(rows: Sequence[Row]) -> list[Order]:
    """The orders as a user of bytewax has them: a datetime, a key of text, a number."""
    return [
        (_START + timedelta(milliseconds=row[0] - 1_420_070_400_000), str(row[2]), row[3])
        for row in rows
        if isinstance(row[0], int) and isinstance(row[3], int)
    ]


def _time(order: Order) -> datetime:
    return order[0]


def counting(
    orders: Sequence[Order], windower: Any, train: int
) -> Callable[[], int]:  # Any: theirs
    """A function that counts orders by key and ``windower``, and returns the number of counts."""

    def run() -> int:
        out: list[object] = []
        flow = Dataflow("orders")
        stream = op.input("orders", flow, TestingSource(orders, batch_size=train))
        clock = win.EventClock(ts_getter=_time, wait_for_system_duration=timedelta(0))
        counted = win.count_window("count", stream, clock, windower, key=lambda order: order[1])
        op.output("out", counted.down, TestingSink(out))
        run_main(flow)
        return len(out)

    return run


def tumbling(minutes: int) -> Any:  # Any: a windower of Bytewax
    """Windows one after the other."""
    return win.TumblingWindower(length=timedelta(minutes=minutes), align_to=_START)


def hopping(emit_seconds: int, minutes: int) -> Any:  # Any: a windower of Bytewax
    """Windows that overlap."""
    length, offset = timedelta(minutes=minutes), timedelta(seconds=emit_seconds)
    return win.SlidingWindower(length=length, offset=offset, align_to=_START)
