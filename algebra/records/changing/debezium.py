"""Reads and writes changes in Debezium's format.

A record is a JSON object on a line of its own.  It has an operation, and the row before and after
the change.
"""

import json
from collections.abc import Callable, Generator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import Any, Final, TypeAlias, cast

from algebra.catalog import Column
from algebra.records.batch import BadRow, Batch
from algebra.records.csv_fields import TimeForm
from algebra.records.json_lines import json_of, object_reader
from algebra.records.opening import open_text
from algebra.wire import WireRow

#: Changes that belong together: rows with their weights.
Event: TypeAlias = Sequence[tuple[WireRow, int]]

#: The names of a record's members: the operation, and the row before and after the change.
_OP: Final = "op"
_BEFORE: Final = "before"
_AFTER: Final = "after"


def change_batches(
    path: Path, columns: Sequence[Column], key: Sequence[int], times: TimeForm, most: int
) -> Generator[Batch]:
    """The changes of a file of records, in batches of up to ``most`` lines.

    A batch has a row for each change, with its weight.  The changes of a record have the record's
    line.  Empty lines, and lines with ``null``, have no change.  ``key`` are the places of the
    stream's KEY.  Raises `FileError`.

    Defines: S-1009.d
    """
    read = record_reader(columns, key, times)
    with open_text(path) as file:
        lines = enumerate(file, 1)
        while part := list(islice(lines, most)):
            yield batch_of(path, part, read)


def batch_of(
    path: Path, numbered: Sequence[tuple[int, str]], read: Callable[[str], Event]
) -> Batch:
    """The changes of some lines of a file; ``numbered`` has each line with its number.

    ``read`` is the function that `record_reader` returns.
    """
    found: list[tuple[int, WireRow, int]] = []
    bad: list[BadRow] = []
    for number, line in numbered:
        try:
            found += [(number, row, weight) for row, weight in read(line)]
        except ValueError as error:
            bad.append(BadRow(path, number, str(error)))
    lines, rows, weights = zip(*found, strict=True) if found else ((), (), ())
    return Batch(rows, lines, tuple(bad), weights=weights)


def record_reader(
    columns: Sequence[Column], key: Sequence[int], times: TimeForm
) -> Callable[[str], Event]:
    """The function that returns the changes of the record in a line.

    It raises `ValueError` for a malformed record.  With a ``key``, an update needs only the row
    after it, because it replaces the row of this key.

    Defines: S-1009.b, S-1009.c
    """
    row_of = object_reader(columns, times)

    def side(record: Mapping[str, Any], member: str) -> WireRow | None:
        """The row that a member of the record has; None if the member is missing or null."""
        found = record.get(member)
        if found is None:
            return None
        if not isinstance(found, dict):
            raise ValueError(f"{member}: not a JSON object")
        return row_of(cast("dict[str, Any]", found))

    def required(record: Mapping[str, Any], member: str, why: str) -> WireRow:
        """As `side`, but `ValueError` if there is no row; ``why`` is a part of the message."""
        row = side(record, member)
        if row is None:
            raise ValueError(f"op: '{record[_OP]}' needs the row '{member}'{why}")
        return row

    def read(line: str) -> Event:
        parsed = json_of(line) if line.strip() else None
        # If a record was sent with its schema, it is the member "payload" of an object.
        if isinstance(parsed, dict) and _OP not in parsed and "payload" in parsed:
            parsed = cast("dict[str, Any]", parsed)["payload"]
        if parsed is None:
            return ()
        if not isinstance(parsed, dict):
            raise ValueError("not a JSON object")
        record = cast("dict[str, Any]", parsed)
        match record.get(_OP):
            case "c" | "r":
                return [(required(record, _AFTER, ""), 1)]
            case "d":
                return [(required(record, _BEFORE, ""), -1)]
            case "u" if key:
                before, after = side(record, _BEFORE), required(record, _AFTER, "")
                return [*_delete_of_old_key(before, after, key), (after, 1)]
            case "u":
                before = required(record, _BEFORE, ", because the stream has no KEY")
                return [(before, -1), (required(record, _AFTER, ""), 1)]
            case None:
                raise ValueError("the record has no member 'op'")
            case other:
                raise ValueError(
                    f"op: {other!r} is not c (create), r (read), u (update), d (delete)"
                )

    return read


def _delete_of_old_key(before: WireRow | None, after: WireRow, key: Sequence[int]) -> Event:
    """The delete of the row ``before`` an update, if the update changes the key; else nothing.

    It is also nothing if the row before is not known, or has a NULL in its key.
    """
    if before is None:
        return ()
    old_key = [before[place] for place in key]
    if None in old_key or old_key == [after[place] for place in key]:
        return ()
    return [(before, -1)]


def record_writer(
    columns: Sequence[Column], key: Sequence[int]
) -> Callable[[Event], Sequence[str]]:
    """The function that returns the records for the changes of an event, each as a text.

    Defines: S-1009.f
    """
    names = [column.name for column in columns]

    def named(row: WireRow | None) -> dict[str, object] | None:
        return None if row is None else dict(zip(names, row, strict=True))

    def record(before: WireRow | None, after: WireRow | None) -> str:
        op = "c" if before is None else "d" if after is None else "u"
        members = {_BEFORE: named(before), _AFTER: named(after), _OP: op}
        return json.dumps(members, ensure_ascii=False)

    return lambda event: [record(*pair) for pair in _pairs(event, key)]


def _pairs(event: Event, key: Sequence[int]) -> Sequence[tuple[WireRow | None, WireRow | None]]:
    """The rows before and after the change, for each record that an event becomes.

    None stands for a row that does not exist.  With a ``key``, a delete and an insert of one key
    become one record, an update.  Deletes and updates come before inserts.
    """
    deleted = [row for row, weight in event if weight < 0]
    inserted = [row for row, weight in event if weight > 0]
    if not key:
        return [*((row, None) for row in deleted), *((None, row) for row in inserted)]
    by_key = {tuple([row[i] for i in key]): row for row in inserted}
    changed = [(row, by_key.pop(tuple([row[i] for i in key]), None)) for row in deleted]
    return [*changed, *((None, row) for row in by_key.values())]
