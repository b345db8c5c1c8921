"""Offsets and keys of window frames that Spark's own types are too small for.

Spark 4.3 takes an INTEGER as the offset of a ROWS frame (INVALID_BOUNDARY), and adds the offset of
a RANGE frame to the sort key in the key's own type, which fails near the end of that type
(ARITHMETIC_OVERFLOW).
"""

from typing import Final

from pyspark.sql import Column

#: The greatest INTEGER.
_MOST_ROWS: Final = 2**31 - 1


def rows_offset(rows: int) -> int:
    """The offset of a ROWS frame, cut to an INTEGER: no partition of Spark's has more rows."""
    return max(-_MOST_ROWS, min(_MOST_ROWS, rows))


def range_key(key: Column, *, is_bigint: bool) -> Column:
    """The integer sort key of a RANGE frame, in a type in which key plus offset cannot overflow."""
    return key.cast("decimal(20,0)" if is_bigint else "bigint")
