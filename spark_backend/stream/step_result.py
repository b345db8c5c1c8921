"""The result of a micro-batch, which the readers of a streaming query share."""

from dataclasses import dataclass

from algebra.monotonicity.progress import Bounds
from spark_backend.data.row_buffer import RowBuffer


@dataclass(frozen=True, slots=True)
class StepResult:
    """The rows that a micro-batch emits, by rowtime, and the bound of later ones in milliseconds.

    ``rows`` are in order.  If input came in a frame, they are in a frame, too, which is computed,
    and can fail, when it is read.  ``bound`` None: no row is excluded yet.
    ``ended``: no row will follow.  ``retained``: how many input rows are retained, at most.
    ``implicit_bound``: the bound of the implicit rowtime of a query that shows none (S-311).
    ``bounds``: those of all columns, if the engine has ``all_bounds``.
    """

    rows: RowBuffer
    bound: int | None
    ended: bool
    retained: int
    implicit_bound: int | None = None
    bounds: Bounds | None = None
