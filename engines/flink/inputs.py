"""The inputs of a query, as requests to the driver."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

from algebra.catalog import Stream, Table
from algebra.prepare import Prepared
from engines.flink.clock import Clock, millis
from engines.flink.lines import to_flink
from engines.flink.script import rowtime_of
from tck.protocol import Wire, WireRow, weighted

#: Flink's greatest watermark, after which no row with a time follows.
_GREATEST: Final = 2**63 - 1

#: A request to the driver, as fields; the first is its word.
Request: TypeAlias = tuple[str | None, ...]


@dataclass(slots=True)
class Input:
    """A table or stream; ``rowtime`` and ``clock`` are None for one without watermarks.

    ``holds_back``: its watermarks hold back what it is joined or merged with.  ``insert`` is
    Flink's kind of its rows: of a stream WITH CHANGES that has a KEY an upsert.
    """

    name: str
    is_table: bool
    holds_back: bool
    rowtime: int | None
    clock: Clock | None
    insert: Literal["INSERT", "UPDATE_AFTER"] = "INSERT"
    ended: bool = False
    _holds_nothing: bool = False

    def rows(self, rows: Iterable[WireRow], weights: tuple[int, ...] = ()) -> Iterator[Request]:
        """Each row or delete, and after it the watermark that it brings."""
        for row, weight in weighted(tuple(rows), weights):
            kind = self.insert if weight > 0 else "DELETE"
            yield ("row", self.name, kind, *map(to_flink, row))
            if self.clock is not None and self.rowtime is not None:
                yield from self._watermark(self.clock.row(millis(row[self.rowtime])))

    def bound(self, at: Wire, *, strict: bool) -> Iterator[Request]:
        """The watermark that a bound brings."""
        if self.clock is not None:
            yield from self._watermark(self.clock.bound(millis(at), strict=strict))

    def hold_nothing(self) -> Iterator[Request]:
        """The greatest watermark, once, of an input that holds back no other."""
        if not self.holds_back and not self._holds_nothing:
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


def inputs_of(prepared: Prepared) -> dict[str, Input]:
    """All tables and streams of a script, by name.

    Tables hold back no stream; nor does a stream's own input where statements insert into it.
    """
    targets = {each.target.name for each in prepared.standing}
    found = [
        each for each in prepared.catalog.objects.values() if isinstance(each, (Table, Stream))
    ]
    inputs = [_input(each, inserted=each.name in targets) for each in found]
    return {each.name: each for each in inputs}


def is_disordered(prepared: Prepared) -> bool:
    """Whether the rows of a stream may be out of order.

    Those of a stream that statements insert into come from several inputs.
    """
    if prepared.standing:
        return True
    orderings = [
        column.ordering
        for each in prepared.catalog.objects.values()
        if isinstance(each, Stream)
        for column in each.columns
        if column.ordering is not None
    ]
    return any(
        each.slack is not None or each.rows is not None or each.punctuated for each in orderings
    )


def _input(relation: Table | Stream, *, inserted: bool) -> Input:
    is_table = isinstance(relation, Table)
    rowtime = rowtime_of(relation)
    ordering = None if rowtime is None else relation.columns[rowtime].ordering
    clock = None if ordering is None or inserted else Clock(ordering)
    keyed = isinstance(relation, Table) and relation.changing and bool(relation.primary_key)
    name, holds_back = ".".join(relation.name), not (is_table or inserted)
    insert: Literal["INSERT", "UPDATE_AFTER"] = "UPDATE_AFTER" if keyed else "INSERT"
    return Input(name, is_table, holds_back, rowtime, clock, insert)
