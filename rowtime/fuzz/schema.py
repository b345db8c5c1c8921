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
#: In place of an order: the stream's events insert and delete rows (S-1005).
CHANGING: Final = "WITH CHANGES"
#: The types of the columns other than the rowtime, the plainest first.
NUMBERS: Final = ("INTEGER", "BIGINT", "DECIMAL(6, 2)", "DOUBLE")

#: The clause by which the rows of a stream can also be read as a table, and no such clause.
HISTORIES: Final = (" WITH HISTORY", "")

STREAMS: Final = ("R", "S")
TABLE: Final = "T"


@dataclass(frozen=True, slots=True)
class Schema:
    """The declared ``orders`` of the streams R and S, and the type ``number`` of their column V.

    ``history`` is one of `HISTORIES`, for both streams.  Both streams, and every query over them,
    have the columns ROWTIME, K and V; K and V may be NULL.
    """

    orders: tuple[str, str]
    number: str
    history: str = HISTORIES[0]

    def ddl(self, used: Container[str]) -> str:
        """The script that creates the streams and the table of these names."""
        streams = (
            f"CREATE STREAM {name} {self._columns(order)};\n"
            for name, order in zip(STREAMS, self.orders, strict=True)
            if name in used
        )
        table = f"CREATE TABLE {TABLE} (k INTEGER, v {self.number});\n" if TABLE in used else ""
        return f"{''.join(streams)}{table}"

    def _columns(self, order: str) -> str:
        """The columns of a stream in parentheses, and what follows them."""
        changing = order == CHANGING
        time = f"rowtime TIMESTAMP(3) {'NOT NULL' if changing else order}"
        options = f" {CHANGING}" if changing else self.history
        return f"({time}, k INTEGER, v {self.number}){options}"

    def is_changing(self, name: str) -> bool:
        """Whether the events of a stream insert and delete rows."""
        return self.orders[STREAMS.index(name)] == CHANGING

    def pieces(self, used: Container[str]) -> frozenset[str]:
        """The names of the pieces of the script that creates the streams and table ``used``."""
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
def schemas(draw: DrawFn, missing: frozenset[str] = frozenset(), changelog: bool = False) -> Schema:
    """A schema; the simplest has ascending rowtimes and whole numbers.

    ``missing`` are the names of pieces that are left out.  Only a ``changelog`` reads a stream WITH
    CHANGES.
    """
    choices = Choices(draw, missing)
    possible = (*ORDERS, CHANGING) if changelog else ORDERS
    orders = choices.of(possible), choices.of(possible)
    number = choices.of(NUMBERS)
    # The history is left out only for an engine without histories: a law needs it (S-303).
    with_history, without_history = HISTORIES
    history = without_history if with_history in missing else with_history
    return Schema(orders, number, history)
