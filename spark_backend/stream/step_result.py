"""The result of one micro-batch of a streaming query."""

from dataclasses import dataclass

from algebra.monotonicity.progress import Bounds
from spark_backend.data.row_buffer import RowBuffer


@dataclass(frozen=True, slots=True)
class StepResult:
    """The rows that a micro-batch emits, and the bound of later rows in milliseconds.

    ``rows`` are in rowtime order.  If input arrived in a frame, they are a frame, too, which is
    computed, and can fail, when it is read; but few rows for the next stage are in memory.
    ``bound`` is None while no bound is known.  ``ended``: no row will follow.  ``retained`` is the
    number of retained input rows, at most.  ``implicit_bound`` is the bound of the implicit rowtime
    of a query without a rowtime column (S-311).  ``bounds`` has the bounds of all columns, if there
    is a next stage.
    """

    rows: RowBuffer
    bound: int | None
    ended: bool
    retained: int
    implicit_bound: int | None = None
    bounds: Bounds | None = None
