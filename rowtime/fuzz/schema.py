"""Random declarations: two streams of one row type, and a table."""

from dataclasses import dataclass
from typing import Final

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn

from tck.protocol import ColumnInfo

#: The orders that a rowtime may be declared with, the plainest first (S-301).
ORDERS: Final = (
    "ASCENDING",
    "ASCENDING STRICT",
    "ASCENDING WITHIN INTERVAL '10' SECOND",
    "ASCENDING WITHIN 2 ROWS",
    "ASCENDING PUNCTUATED",
)
#: The types of the columns beside the rowtime, the plainest first.
NUMBERS: Final = ("INTEGER", "BIGINT", "DECIMAL(6, 2)", "DOUBLE")

STREAMS: Final = ("R", "S")
TABLE: Final = "T"


@dataclass(frozen=True, slots=True)
class Schema:
    """The declared ``orders`` of the streams R and S, and the type of their column V.

    Both have the columns ROWTIME, K and V; so has every query over them.  K may be NULL, and V too.
    """

    orders: tuple[str, str]
    number: str

    @property
    def ddl(self) -> str:
        """The script that creates streams and table."""
        columns = f"k INTEGER, v {self.number}"
        streams = (
            f"CREATE STREAM {name} (rowtime TIMESTAMP(3) {order}, {columns}) WITH HISTORY;\n"
            for name, order in zip(STREAMS, self.orders, strict=True)
        )
        return f"{''.join(streams)}CREATE TABLE {TABLE} ({columns});\n"

    @property
    def columns(self) -> dict[str, tuple[ColumnInfo, ...]]:
        """The columns of streams and table, by name."""
        own = (ColumnInfo("K", "INTEGER", True), ColumnInfo("V", self.number, True))
        timed = (ColumnInfo("ROWTIME", "TIMESTAMP(3)", False), *own)
        return {**dict.fromkeys(STREAMS, timed), TABLE: own}


@st.composite
def schemas(draw: DrawFn) -> Schema:
    """A schema; the simplest has ascending rowtimes and whole numbers."""
    first, second = draw(st.sampled_from(ORDERS)), draw(st.sampled_from(ORDERS))
    return Schema((first, second), draw(st.sampled_from(NUMBERS)))
