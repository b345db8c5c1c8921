"""Windows and sorts without a key.

Spark 4.3 numbers and ranks rows only in a window with an ORDER BY
(WINDOW_FUNCTION_FRAME_NOT_ORDERED); by SQL all rows of a window without one are peers.
"""

from collections.abc import Sequence

from pyspark.sql import Column
from pyspark.sql import functions as F  # noqa: N812  the name that all of PySpark's own text uses


def keys_or_constant(keys: Sequence[Column]) -> list[Column]:
    """``keys``; if there are none, a constant, under which all rows are peers."""
    return [*keys] or [F.lit(0).asc()]
