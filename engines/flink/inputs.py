"""What a query is fed with, as requests to the driver."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final, TypeAlias

from algebra.catalog import Catalog, Stream, Table
from engines.flink.clock import Clock, millis
from engines.flink.lines import to_flink
from engines.flink.script import rowtime_of
from tck.protocol import Wire, WireRow

#: Flink's greatest watermark, behind which no row with a time comes.
_GREATEST: Final = 2**63 - 1

#: A request to the driver, as fields; the first is its word.
Request: TypeAlias = tuple[str | None, ...]


@dataclass(slots=True)
class Input:
    """A table or stream; ``rowtime`` and ``clock`` are None for one without watermarks."""

    name: str
    is_table: bool
    rowtime: int | None
    clock: Clock | None
    ended: bool = False
    _holds_nothing: bool = False

    def rows(self, rows: Iterable[WireRow]) -> Iterator[Request]:
        """Each row, and behind it the watermark that it brings."""
        for row in rows:
            yield ("row", self.name, *map(to_flink, row))
            if self.clock is not None and self.rowtime is not None:
                yield from self._watermark(self.clock.row(millis(row[self.rowtime])))

    def bound(self, at: Wire, *, strict: bool) -> Iterator[Request]:
        """The watermark that a bound brings."""
        if self.clock is not None:
            yield from self._watermark(self.clock.bound(millis(at), strict=strict))

    def hold_nothing(self) -> Iterator[Request]:
        """The greatest watermark, once: what comes into a table holds back no stream."""
        if not self._holds_nothing:
            self._holds_nothing = True
            yield ("watermark", self.name, str(_GREATEST))

    def end(self) -> Iterator[Request]:
        """The end; nothing if it has ended before."""
        if not self.ended:
            self.ended = True
            yield ("end", self.name)

    def _watermark(self, watermark: int | None) -> Iterator[Request]:
        if watermark is not None:
            yield ("watermark", self.name, str(watermark))


def inputs_of(catalog: Catalog) -> dict[str, Input]:
    """All tables and streams of a catalog, by name."""
    found = [each for each in catalog.objects.values() if isinstance(each, (Table, Stream))]
    return {each.name: each for each in map(_input, found)}


def _input(relation: Table | Stream) -> Input:
    rowtime = rowtime_of(relation)
    ordering = None if rowtime is None else relation.columns[rowtime].ordering
    clock = None if ordering is None else Clock(ordering)
    return Input(".".join(relation.name), isinstance(relation, Table), rowtime, clock)
