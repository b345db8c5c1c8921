"""Frames of OVER, and ends of frames, that the binding of window functions often uses."""

from typing import Final

from algebra.expression import Literal
from algebra.plan import Frame, RangeOffset, RowOffset, Unbounded
from algebra.types import INTEGER

#: The end of a frame that includes all peers of the current row (rows with equal sort keys).
PEERS: Final = RangeOffset(Literal(0, INTEGER.as_nullable(False)), preceding=True)
#: The end of a frame that includes the current row, and none of its peers after it.
ITSELF: Final = RowOffset(0)
#: All rows of the partition.
WHOLE: Final = Frame(Unbounded(), Unbounded())
