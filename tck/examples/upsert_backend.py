"""A small engine of changelogs: aggregates by one key, which it emits as upserts.

It answers ``SELECT STREAM k, COUNT(*), SUM(v), … FROM C GROUP BY k EMIT CHANGES``.  For each group
that an event touches, it emits the group's new row, or a delete if the group has no row left.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Callable

from rowtime.protocol import (
    Accepted,
    ColumnInfo,
    Event,
    Hello,
    Load,
    Open,
    Output,
    Rows,
    Unsupported,
    Wire,
    WireRow,
)

# A query; the groups are its key, its aggregates, its stream, and the key again in GROUP BY.
QUERY = re.compile(
    r"SELECT STREAM (\w+), (.+) FROM (\w+) GROUP BY (\w+) EMIT CHANGES", re.IGNORECASE
)
# An aggregate; the groups are its function, and its column or an asterisk.
CALL = re.compile(r"(COUNT|SUM|MIN|MAX)\((\w+|\*)\)(?: AS \w+)?", re.IGNORECASE)
# The declaration of a stream; the groups are its name, its columns, and WITH CHANGES.
STREAM = re.compile(r"CREATE STREAM (\w+) \(([^()]*)\)( WITH CHANGES)?", re.IGNORECASE)
GAPS = {
    "refusals": "it refuses nothing, and answers what it does not know with Unsupported",
    "late-reports": "rows that are not there to be deleted are ignored without a word",
}

# By function: its result for the values in a group that are not NULL.
AGGREGATES: dict[str, Callable[[list[int]], int | None]] = {
    "COUNT": len,
    "SUM": lambda values: sum(values) if values else None,
    "MIN": lambda values: min(values, default=None),
    "MAX": lambda values: max(values, default=None),
}


class UpsertBackend:
    """The rows of each group, and the groups that were touched since the last poll."""

    def __init__(self) -> None:
        # By key: the rows of its group, each with how often it occurs.
        self._groups: dict[Wire, Counter[WireRow]] = defaultdict(Counter)
        self._touched: dict[Wire, None] = {}  # the keys, in the order in which they were touched
        self._shown: set[Wire] = set()  # the keys that have a row in the emitted changelog
        self._key = 0  # the place of the key in a row
        # The aggregates: a function, and the place of its column; None: COUNT(*).
        self._calls: list[tuple[str, int | None]] = []

    def start(self) -> Hello:
        return Hello("upserts", "1.0", "Python", "exact", ("calcite",), GAPS)

    def open(self, request: Open) -> Accepted | Unsupported:
        self.close()
        stream, query = STREAM.search(request.ddl), QUERY.fullmatch(request.sql or "")
        if stream is None or query is None:
            return Unsupported("only aggregates of one stream by one key")
        key, listed, source, group = query.groups()
        names = [column.split()[0].upper() for column in stream[2].split(",")]
        types = [column.split()[1].upper() for column in stream[2].split(",")]
        calls = [CALL.fullmatch(item.strip()) for item in listed.split(",")]
        if source.upper() != stream[1].upper() or key.upper() != group.upper() or None in calls:
            return Unsupported("only COUNT, SUM, MIN and MAX besides the key")
        self._key = names.index(key.upper())
        columns = [ColumnInfo(key.upper(), types[self._key], nullable=True)]
        for call in calls:
            assert call is not None
            place = None if call[2] == "*" else names.index(call[2].upper())
            self._calls.append((call[1].upper(), place))
            wide = call[1].upper() in ("COUNT", "SUM")
            columns.append(ColumnInfo(call[0], "BIGINT" if wide else "INTEGER", nullable=True))
        # The key of the upserts is the first column: a row replaces the one that has its key.
        return Accepted(streaming=True, columns=tuple(columns), key=(0,))

    def feed(self, event: Event) -> None:
        match event:
            case Load(_, rows):
                self._add(rows, ())
            case Rows(_, rows, _, weights):
                self._add(rows, weights)
            case _:
                pass  # a changelog waits for no bound and no end

    def _add(self, rows: tuple[WireRow, ...], weights: tuple[int, ...]) -> None:
        """Insert and delete rows; a delete of a row that its group does not have is ignored."""
        for row, weight in zip(rows, weights or [1] * len(rows), strict=True):
            group = self._groups[row[self._key]]
            group[row] = max(0, group[row] + weight)
            self._touched[row[self._key]] = None

    def poll(self) -> Output:
        """An upsert or a delete for each group that was touched since the last poll."""
        changes: list[tuple[WireRow, int]] = []
        for key in self._touched:
            rows = list(self._groups[key].elements())
            if rows:
                values = (self._value(name, place, rows) for name, place in self._calls)
                changes.append(((key, *values), 1))
                self._shown.add(key)
            elif key in self._shown:  # a delete: the kit reads only its key
                changes.append(((key, *[None] * len(self._calls)), -1))
                self._shown.discard(key)
        self._touched.clear()
        return Output(tuple(row for row, _ in changes), weights=tuple(w for _, w in changes))

    def _value(self, name: str, place: int | None, rows: list[WireRow]) -> int | None:
        """The aggregate ``name`` of the column at ``place`` over the rows of a group."""
        if place is None:
            return len(rows)
        return AGGREGATES[name]([int(row[place] or 0) for row in rows if row[place] is not None])

    def explain(self, row: int | None = None) -> str:
        return ""

    def close(self) -> None:
        self._groups.clear()
        self._touched.clear()
        self._shown.clear()
        self._calls = []

    def stop(self) -> None:
        self.close()
