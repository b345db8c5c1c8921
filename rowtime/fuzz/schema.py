"""Random declarations: two streams of one row type, and a table."""

from collections.abc import Container
from dataclasses import dataclass
from typing import Final

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn

from rowtime.fuzz.choices import Choices
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

#: Whether the past of a stream can be read as a table.
HISTORIES: Final = (" WITH HISTORY", "")

STREAMS: Final = ("R", "S")
TABLE: Final = "T"


@dataclass(frozen=True, slots=True)
class Schema:
    """The declared ``orders`` of the streams R and S, and the type of their column V.

    Both have the columns ROWTIME, K and V; so has every query over them.  K may be NULL, and V too.
    """

    orders: tuple[str, str]
    number: str
    history: str = HISTORIES[0]

    def ddl(self, used: Container[str]) -> str:
        """The script that creates the streams and the table of these names."""
        columns = f"k INTEGER, v {self.number}"
        streams = (
            f"CREATE STREAM {name} (rowtime TIMESTAMP(3) {order}, {columns}){self.history};\n"
            for name, order in zip(STREAMS, self.orders, strict=True)
            if name in used
        )
        table = f"CREATE TABLE {TABLE} ({columns});\n" if TABLE in used else ""
        return f"{''.join(streams)}{table}"

    def pieces(self, used: Container[str]) -> frozenset[str]:
        """The names of the pieces of the script."""
        orders = zip(STREAMS, self.orders, strict=True)
        table = {TABLE} if TABLE in used else set[str]()
        past = {self.history} if self.history else set[str]()
        return frozenset(
            {order for name, order in orders if name in used} | {self.number} | past | table
        )

    @property
    def columns(self) -> dict[str, tuple[ColumnInfo, ...]]:
        """The columns of streams and table, by name."""
        own = (ColumnInfo("K", "INTEGER", True), ColumnInfo("V", self.number, True))
        timed = (ColumnInfo("ROWTIME", "TIMESTAMP(3)", False), *own)
        return {**dict.fromkeys(STREAMS, timed), TABLE: own}


@st.composite
def schemas(draw: DrawFn, missing: frozenset[str] = frozenset()) -> Schema:
    """A schema; the simplest has ascending rowtimes and whole numbers.

    ``missing`` are the names of pieces that are left out.
    """
    choices = Choices(draw, missing)
    orders = choices.of(ORDERS), choices.of(ORDERS)
    number = choices.of(NUMBERS)
    # The past is left out only for an engine that has none: a law needs it (S-303).
    return Schema(orders, number, HISTORIES[HISTORIES[0] in missing])
