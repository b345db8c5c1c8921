"""The columns that a file has, with the types that all of its values have, as a declaration."""

import json
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any, Final, cast

from algebra.catalog import Column
from algebra.expression import Value
from algebra.outside.foreign import Connection, Format
from algebra.records.batch import BATCH
from algebra.records.column_values import column_readers
from algebra.records.csv_fields import DEFAULT_DIALECT, DEFAULT_TIMES, QUOTED
from algebra.records.csv_files import header_name, record_reader
from algebra.records.formats import dialect_of, file_reader, times_of
from algebra.records.opening import FileError, arrow_library, files_of, open_text
from algebra.types import (
    BIGINT,
    BOOLEAN,
    DATE,
    DOUBLE,
    INTEGER,
    TIME,
    TIMESTAMP,
    VARCHAR,
    Type,
    decimal,
)
from algebra.wire import half_character
from grammar.names import delimited, is_plain

#: The types of texts, in the order in which they are tried.
_TRIED: Final = (INTEGER, BIGINT, DOUBLE, BOOLEAN, DATE, TIME, TIMESTAMP, VARCHAR)
#: The type that takes the values of another one, and more; of all others it is VARCHAR.
_WIDER: Final = {INTEGER: BIGINT, BIGINT: DOUBLE, DATE: TIMESTAMP}
_NUMBERS: Final = (INTEGER, BIGINT, DOUBLE)
#: A number that is more likely a code, such as a postal code: as a number it would lose its zero.
_CODE: Final = re.compile(r"[+-]?0[0-9]")


@dataclass(slots=True)
class FoundColumn:
    """A column of a file.  ``type`` None: all of its values are NULL so far.

    ``unread`` is the type of a column of Parquet that goes with no type of SQL.
    """

    name: str
    type: Type | None = None
    nullable: bool = False
    ascending: bool = True
    last: Value = None
    unread: str = ""

    def declaration(self, rowtime: bool) -> str:
        """The column as CREATE TABLE and CREATE STREAM have it; ``rowtime``: it orders a stream."""
        folded = self.name.upper()
        name = folded if is_plain(folded) else delimited(self.name)
        return f"{name} {self.type or VARCHAR}{' NOT NULL ASCENDING' if rowtime else ''}"


def found_columns(connection: Connection) -> list[FoundColumn]:
    """The columns of the files of a connection, whose values are all read.

    A column of CSV or JSON has the narrowest type of INTEGER, BIGINT, DOUBLE, BOOLEAN, DATE, TIME
    and TIMESTAMP that all of its values have, else VARCHAR.  A column of Parquet has the type that
    goes with its own.  Raises `FileError`.
    """
    columns: dict[str, FoundColumn] = {}
    for path in files_of(connection):
        match connection.format:
            case Format.PARQUET:
                found = _parquet_columns(path)
            case Format.JSON:
                found = _json_columns(path)
            case _:
                found = _csv_columns(path, connection)
        for each in found:
            known = columns.setdefault(each.name, each)
            if known is not each:
                _widen(known, each)
    if all(each.unread for each in columns.values()):
        raise FileError(f"{connection.text('path')}: there is no column to be found")
    return list(columns.values())


def declaration(name: str, columns: Sequence[FoundColumn], rowtime: str = "ROWTIME") -> str:
    """The statement that declares the files as a table, or as a stream with a history.

    They are a stream if the column ``rowtime`` is a TIMESTAMP, in order and without NULL.
    """
    found = next((c for c in columns if c.name.upper() == rowtime.upper()), None)
    streams = found is not None and found.type == TIMESTAMP and found.ascending
    streams = streams and found is not None and not found.nullable
    read = [each for each in columns if not each.unread]
    lines = [each.declaration(rowtime=streams and each is found) for each in read]
    left_out = [f"-- column {c.name} is not read: {c.unread}\n" for c in columns if c.unread]
    kind, end = ("STREAM", " WITH HISTORY") if streams else ("TABLE", "")
    folded = name.upper()
    shown = folded if is_plain(folded) else delimited(name)
    return "".join(left_out) + f"CREATE {kind} {shown} (\n  " + ",\n  ".join(lines) + f"){end};"


def _widen(known: FoundColumn, other: FoundColumn) -> None:
    """Let a column have the values of the same column of another file, too."""
    known.nullable |= other.nullable
    known.ascending &= other.ascending
    if known.type is None or other.type is None or known.type == other.type:
        known.type = known.type or other.type
    elif known.type in _NUMBERS and other.type in _NUMBERS:
        known.type = max(known.type, other.type, key=_NUMBERS.index)
    elif {known.type, other.type} == {DATE, TIMESTAMP}:
        known.type = TIMESTAMP
    else:
        known.type = VARCHAR


def _csv_columns(path: Path, connection: Connection) -> list[FoundColumn]:
    dialect = dialect_of(connection)
    with open_text(path, newline="") as file:
        first = next(record_reader(file, dialect), None)
    if first is None:
        raise FileError(f"{path}: the file is empty; its first line names the columns")
    numbered = [f"c{place}" for place in range(1, len(first) + 1)]
    names = list(map(header_name, first)) if dialect.header else numbered
    found = [FoundColumn(name) for name in names]
    texts = [Column(name, VARCHAR) for name in names]
    for batch in file_reader(connection, texts, BATCH)(path):
        if batch.bad:
            raise FileError(str(batch.bad[0]))
        for column, values in zip(found, zip(*batch.rows, strict=True), strict=False):
            present = [str(value) for value in values if value is not None]
            column.nullable |= len(present) < len(values)
            _add_texts(column, present, connection)
    return found


def _add_texts(column: FoundColumn, texts: Sequence[str], connection: Connection) -> None:
    """Give a column the narrowest type that its values so far and these texts have."""
    if not texts:
        return
    tried = _TRIED if column.type is None else (column.type, *_wider_types(column.type))
    for type in tried:
        if type == VARCHAR or _fits(type, texts):
            values = _values(type, texts, connection)
            if values is not None:
                column.type = type
                _note_order(column, values)
                return


def _wider_types(type: Type) -> Iterator[Type]:
    while type != VARCHAR:
        type = _WIDER.get(type, VARCHAR)
        yield type


def _fits(type: Type, texts: Sequence[str]) -> bool:
    """Whether texts look like numbers of a type; whether they are is decided by reading them."""
    if type not in _NUMBERS:
        return True
    if any(map(_CODE.match, texts)):
        return False
    has_fraction = any("." in text or "e" in text or "E" in text for text in texts)
    return has_fraction == (type == DOUBLE)


def _values(type: Type, texts: Sequence[str], connection: Connection) -> Sequence[Value] | None:
    """The values of texts; None: one of them is not a value of the type."""
    if type == VARCHAR:
        return texts
    (read,) = column_readers([Column("", type)], dialect_of(connection), times_of(connection))
    try:
        return read([text.removeprefix(QUOTED) for text in texts])
    except ValueError:
        return None


def _note_order(column: FoundColumn, values: Sequence[Value]) -> None:
    if column.type != TIMESTAMP or not column.ascending:
        return
    times = [value for value in (column.last, *values) if isinstance(value, int)]
    column.ascending = times == sorted(times)
    column.last = times[-1]


def _json_columns(path: Path) -> list[FoundColumn]:
    columns: dict[str, FoundColumn] = {}
    lines = 0
    with open_text(path) as file:
        for number, line in enumerate(file, 1):
            if not line.strip():
                continue
            lines += 1
            try:
                members: Any = json.loads(line)  # Any: a value of JSON
            except (ValueError, RecursionError) as error:
                raise FileError(f"{path}:{number}: not JSON: {error}") from None
            if not isinstance(members, dict):
                raise FileError(f"{path}:{number}: not a JSON object")
            found = cast("dict[str, Any]", members)
            for name, value in found.items():
                if half_character(name):
                    raise FileError(f"{path}:{number}: half a character in the name {name!a}")
                column = columns.setdefault(name, FoundColumn(name, nullable=lines > 1))
                _widen(column, _of_json(name, value, column))
            for name in columns.keys() - found.keys():
                columns[name].nullable = True
    return list(columns.values())


def _of_json(name: str, value: Any, column: FoundColumn) -> FoundColumn:  # Any: a value of JSON
    match value:
        case None:
            return FoundColumn(name, None, True)
        case bool():
            return FoundColumn(name, BOOLEAN)
        case int():
            return FoundColumn(name, INTEGER if -(2**31) <= value < 2**31 else BIGINT)
        case float():
            return FoundColumn(name, DOUBLE)
        case str():
            found = FoundColumn(name, last=column.last)
            for type in (DATE, TIME, TIMESTAMP):
                (read,) = column_readers([Column("", type)], DEFAULT_DIALECT, DEFAULT_TIMES)
                try:
                    values = read([value])
                except ValueError:
                    continue
                found.type = type
                _note_order(found, values)
                column.last = found.last
                return found
            return FoundColumn(name, VARCHAR)
        case _:
            return FoundColumn(name, VARCHAR)


def _parquet_columns(path: Path) -> list[FoundColumn]:
    arrow = arrow_library(path, "Parquet")
    parquet: Any = import_module("pyarrow.parquet")  # it has no types
    try:
        with parquet.ParquetFile(path) as file:
            found = [found_arrow_column(arrow, each) for each in file.schema_arrow]
            for column in found:
                arrays = file.read([column.name]).column(0)
                column.nullable = arrays.null_count > 0
                if column.type == TIMESTAMP and not column.nullable:
                    counts = arrays.cast(arrow.int64()).to_pylist()
                    column.ascending = counts == sorted(counts)
    except (OSError, arrow.ArrowException) as error:
        raise FileError(f"{path}: {error}") from None
    return found


def found_arrow_column(arrow: Any, field: Any) -> FoundColumn:  # Any: pyarrow is not typed
    """The column of a field of Arrow."""
    type = _type_of(arrow, field.type)
    return FoundColumn(field.name, type, unread="" if type else str(field.type))


def _type_of(arrow: Any, found: Any) -> Type | None:
    """The SQL type that goes with a type of Arrow; None: there is no such type."""
    types = arrow.types
    if types.is_dictionary(found):
        return _type_of(arrow, found.value_type)
    if types.is_decimal(found):
        return decimal(found.precision, found.scale)
    chosen: tuple[tuple[Callable[[Any], bool], Type], ...] = (
        (types.is_boolean, BOOLEAN),
        (lambda t: types.is_integer(t) and (t.bit_width < 32 or t == arrow.int32()), INTEGER),
        (types.is_integer, BIGINT),
        (types.is_floating, DOUBLE),
        (types.is_date, DATE),
        (types.is_time, TIME),
        (types.is_timestamp, TIMESTAMP),
        (lambda t: types.is_string(t) or types.is_large_string(t), VARCHAR),
        (lambda t: types.is_binary(t) or types.is_large_binary(t), VARCHAR),
        (types.is_null, VARCHAR),
    )
    return next((type for test, type in chosen if test(found)), None)
