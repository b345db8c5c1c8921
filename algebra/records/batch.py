"""Rows of a file as they are read: batch by batch, each row with its line."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from algebra.expression import Value
from algebra.wire import WireRow

#: The greatest number of records in a batch.
BATCH: Final = 50_000


@dataclass(frozen=True, slots=True)
class BadRow:
    """A record that is not a row: its file, its line, counted from 1, and the reason."""

    path: Path
    line: int
    reason: str

    def __str__(self) -> str:
        """``orders.csv:17: 3 fields where the header has 4``."""
        return f"{self.path}:{self.line}: {self.reason}"


@dataclass(frozen=True, slots=True)
class Batch:
    """Consecutive rows of a file, the line of each, and the malformed records among them.

    The rows are ``values`` in the internal representation.  If it is None, they are ``rows`` on the
    wire, of which some may not be values of their columns' types.
    """

    rows: tuple[WireRow, ...]
    lines: Sequence[int]
    bad: tuple[BadRow, ...]
    values: Sequence[tuple[Value, ...]] | None = None

    @property
    def count(self) -> int:
        """The number of rows."""
        return len(self.rows if self.values is None else self.values)
