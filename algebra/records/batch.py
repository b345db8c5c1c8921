"""`Batch`: consecutive rows of a file, each with its line.  Readers return files in batches."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import Final

from algebra.expression import Value
from algebra.wire import WireRow

#: The greatest number of records in a batch, if all rows of a file are read before a query runs.
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

    The rows are ``values``, in the internal representation.  If ``values`` is None, they are
    ``rows``, on the wire, some of which may have values that do not fit their columns' types.
    ``weights`` has the weight of each row of a stream with changes (S-1005), in which the rows of
    one line are one event; empty: all rows are inserts.
    """

    rows: tuple[WireRow, ...]
    lines: Sequence[int]
    bad: tuple[BadRow, ...]
    values: Sequence[tuple[Value, ...]] | None = None
    weights: Sequence[int] = ()

    @property
    def count(self) -> int:
        """The number of rows."""
        return len(self.rows if self.values is None else self.values)


def events_of(batch: Batch) -> Iterator[tuple[tuple[WireRow, ...], tuple[int, ...]]]:
    """The events of a batch of changes, one for each line: its rows, and their weights.

    Defines: S-1009.e
    """
    changes = zip(batch.lines, batch.rows, batch.weights, strict=True)
    for _, event in groupby(changes, key=lambda change: change[0]):
        _, rows, weights = zip(*event, strict=True)
        yield rows, weights
