"""Finds the columns of files, each with the narrowest type that all of its values have."""

import csv
import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from typing import Any, Final

from algebra.catalog import Column
from algebra.expression import Value
from algebra.outside.foreign import Connection, Format
from algebra.records.batch import BATCH
from algebra.records.column_values import column_readers
from algebra.records.csv_fields import DEFAULT_DIALECT, QUOTED, Dialect, TimeForm
from algebra.records.csv_files import header_name, record_reader
from algebra.records.formats import dialect_of, file_reader, times_of
from algebra.records.json_lines import object_of, unique_members
from algebra.records.opening import FileError, arrow_library, fault_of, open_text, some_files_of
from algebra.records.parquet import opened_parquet
from algebra.types import (
    BIGINT,
    BOOLEAN,
    DATE,
    DOUBLE,
    INTEGER,
    TIME,
    TIMESTAMP,
    VARBINARY,
    VARCHAR,
    Kind,
    Type,
    decimal,
)
from algebra.wire import half_character

#: The types that a column of texts can have, in the order in which they are tried.
_TRIED: Final = (INTEGER, BIGINT, DOUBLE, BOOLEAN, DATE, TIME, TIMESTAMP, VARCHAR)
#: For each type the next wider type; for types that are not listed it is VARCHAR.
_WIDER: Final = {INTEGER: BIGINT, BIGINT: DOUBLE, DATE: TIMESTAMP}
_NUMBERS: Final = (INTEGER, BIGINT, DOUBLE)
#: Digits that begin with 0: more likely a code, such as a postal code, than a number.  A number
#: would lose the zero.
_CODE: Final = re.compile(r"[+-]?0[0-9]")
#: Words that programs write for NULL.
NULL_WORDS: Final = frozenset({"NA", "N/A", "#N/A", "NULL", "null", "None", "\\N"})


@dataclass(slots=True)
class FoundColumn:
    """A column of a file, by the values read so far.

    - ``type``: None if all values are NULL
    - ``nullable``: a value is NULL, or missing
    - ``ascending``: no TIMESTAMP is less than the one before it
    - ``first`` and ``last``: the first and the last TIMESTAMP; None in other columns
    - ``words``: the values among `NULL_WORDS`
    - ``unread``: the type in a Parquet file, if there is no SQL type for it; else empty
    - ``unit``: the unit of the numbers, if they are times; else empty
    - ``lines``: the number of JSON objects that have the column
    """

    name: str
    type: Type | None = None
    nullable: bool = False
    ascending: bool = True
    first: Value = None
    last: Value = None
    words: frozenset[str] = frozenset()
    unread: str = ""
    unit: str = ""
    lines: int = field(default=0, compare=False)

    def note_order(self, values: Sequence[Value]) -> None:
        """Note the order of further values; there is nothing to note for other types."""
        times = [value for value in (self.last, *values) if isinstance(value, int)]
        if self.type == TIMESTAMP and times:
            self.ascending = self.ascending and times == sorted(times)
            self.first = times[0] if self.first is None else self.first
            self.last = times[-1]


def found_columns(connection: Connection, units: Mapping[str, str]) -> list[FoundColumn]:
    """The columns of the files of a connection, whose values are all read.

    In CSV and JSON, a column has the narrowest type of INTEGER, BIGINT, DOUBLE, BOOLEAN, DATE, TIME
    and TIMESTAMP that all of its values have, else VARCHAR.  In Parquet, a column has the SQL type
    that corresponds to its type.  If the name of a column, in upper case, is in ``units``, its
    numbers are times with this unit.  Raises `FileError`.
    """
    columns: dict[str, FoundColumn] = {}
    for path in some_files_of(connection):
        match connection.format:
            case Format.PARQUET:
                found = _parquet_columns(path, units)
            case Format.JSON:
                found = _json_columns(path, units)
            case _:
                found = _csv_columns(path, connection, units)
        _require_unique(str(path), [each.name for each in found])
        for each in found:
            known = columns.setdefault(each.name.upper(), each)
            if known is not each:
                _widen(known, each)
    if all(each.unread for each in columns.values()):
        raise FileError(f"{connection.text('path')}: there is no column to be found")
    return list(columns.values())


def _require_unique(where: str, names: Sequence[str]) -> None:
    """Raise `FileError` if two names are equal, or differ only in case: both name one column.

    ``where`` is the file, perhaps with a line.
    """
    places: dict[str, int] = {}
    for place, name in enumerate(names):
        first = places.setdefault(name.upper(), place)
        if first != place:
            raise FileError(
                f"{where}: column {name.upper()} is there twice: column {first + 1} is "
                f"'{names[first]}', and column {place + 1} is '{name}'"
            )


def _widen(known: FoundColumn, other: FoundColumn) -> None:
    """Change ``known`` so that it describes the values of ``other``, too.

    ``other`` is the same column of a later file or line.
    """
    known.nullable |= other.nullable
    known.words |= other.words
    known.ascending &= other.ascending
    if isinstance(known.last, int) and isinstance(other.first, int):
        known.ascending &= known.last <= other.first
    known.first = other.first if known.first is None else known.first
    known.last = known.last if other.last is None else other.last
    if known.type is None or other.type is None or known.type == other.type:
        known.type = known.type or other.type
    elif known.type in _NUMBERS and other.type in _NUMBERS:
        known.type = max(known.type, other.type, key=_NUMBERS.index)
    elif {known.type, other.type} == {DATE, TIMESTAMP}:
        known.type = TIMESTAMP
    else:
        known.type = VARCHAR


# --- CSV ----------------------------------------------------------------------------------------


def first_record(path: Path, dialect: Dialect) -> list[str]:
    """The first record of a file; `FileError` if there is none."""
    try:
        with open_text(path, newline="") as file:
            first = next(record_reader(file, dialect), None)
    except csv.Error as error:
        raise FileError(f"{path}:1: not CSV: {error}") from None
    if first is None:
        raise FileError(f"{path}: the file is empty; its first line names the columns")
    return first


def _csv_columns(path: Path, connection: Connection, units: Mapping[str, str]) -> list[FoundColumn]:
    """The columns of a CSV file; without a header, they are called c1, c2, …."""
    dialect = dialect_of(connection)
    first = first_record(path, dialect)
    numbered = [f"c{place}" for place in range(1, len(first) + 1)]
    names = list(map(header_name, first)) if dialect.header else numbered
    found = [FoundColumn(name, unit=units.get(name.upper(), "")) for name in names]
    texts = [Column(name, VARCHAR) for name in names]
    for batch in file_reader(connection, texts, BATCH)(path):
        if batch.bad:
            raise FileError(str(batch.bad[0]))
        for column, values in zip(found, zip(*batch.rows, strict=True), strict=False):
            # An empty quoted field is a text, but NULL in a column that is not of texts.
            present = [str(value) for value in values if value is not None and str(value).strip()]
            column.nullable |= len(present) < len(values)
            column.words |= NULL_WORDS.intersection(present)
            _add_texts(column, present, times_of(connection))
    return found


def _add_texts(column: FoundColumn, texts: Sequence[str], times: TimeForm) -> None:
    """Set the type of ``column`` to the narrowest type of its values so far and of ``texts``."""
    if not texts:
        return
    tried: Sequence[Type] = (TIMESTAMP, VARCHAR) if column.unit else _TRIED
    if column.type is not None:
        tried = (column.type, *_wider_types(column.type))
    for type in tried:
        if type == VARCHAR or _fits(type, texts):
            values = _values(Column("", type, time_unit=column.unit), texts, times)
            if values is not None:
                column.type = type
                column.note_order(values)
                return


def _wider_types(type: Type) -> Iterator[Type]:
    """The types that are wider than ``type``, from narrow to wide."""
    while type != VARCHAR:
        type = _WIDER.get(type, VARCHAR)
        yield type


def _fits(type: Type, texts: Sequence[str]) -> bool:
    """Whether ``texts`` look like numbers of ``type``; True for types that are not numbers.

    The texts must still be read to find whether they are such numbers.
    """
    if type not in _NUMBERS:
        return True
    if any(map(_CODE.match, texts)):
        return False
    has_fraction = any("." in text or "e" in text or "E" in text for text in texts)
    return has_fraction == (type == DOUBLE)


def _values(column: Column, texts: Sequence[str], times: TimeForm) -> Sequence[Value] | None:
    """The values of texts; None: one of them is not a value of the column's type."""
    if column.type == VARCHAR:
        return texts
    (read,) = column_readers([column], DEFAULT_DIALECT, times)
    try:
        return read([text.removeprefix(QUOTED) for text in texts])
    except ValueError:
        return None


# --- JSON ---------------------------------------------------------------------------------------


#: Numbers are numbers of Python, whose class decides about the type.
_DECODER: Final = json.JSONDecoder(object_pairs_hook=unique_members)


def _json_columns(path: Path, units: Mapping[str, str]) -> list[FoundColumn]:
    """The columns of a file of JSON objects; a column that an object lacks is nullable."""
    columns: dict[str, FoundColumn] = {}
    lines = 0
    with open_text(path) as file:
        for number, line in enumerate(file, 1):
            if not line.strip():
                continue
            lines += 1
            try:
                found = object_of(_DECODER, line)
            except ValueError as error:
                raise FileError(f"{path}:{number}: {error}") from None
            _require_unique(f"{path}:{number}", list(found))
            for name, value in found.items():
                if half_character(name):
                    raise FileError(f"{path}:{number}: half a character in the name {name!a}")
                folded = name.upper()
                unit = units.get(folded, "")
                column = columns.setdefault(folded, FoundColumn(name, unit=unit))
                column.lines += 1
                _widen(column, _of_json(name, value, unit))
    for column in columns.values():
        column.nullable |= column.lines < lines
    return list(columns.values())


def _of_json(name: str, value: Any, unit: str) -> FoundColumn:  # Any: a value of JSON
    """The column ``name`` with only this JSON value."""
    match value:
        case None:
            return FoundColumn(name, nullable=True)
        case bool():
            return FoundColumn(name, BOOLEAN)
        case int() if not unit:
            return FoundColumn(name, INTEGER if -(2**31) <= value < 2**31 else BIGINT)
        case float() if not unit:
            return FoundColumn(name, DOUBLE)
        case int() | float():
            return _of_text(name, str(value), (TIMESTAMP,), unit)
        case str() if value.strip():
            return _of_text(name, value, (DATE, TIME, TIMESTAMP), unit)
        case _:
            return FoundColumn(name, VARCHAR)


def _of_text(name: str, text: str, types: Sequence[Type], unit: str) -> FoundColumn:
    """The column ``name`` with only this text.

    Its type is the first of ``types`` of which the text is a value, else VARCHAR.
    """
    for type in types:
        column = Column("", type, time_unit=unit if type == TIMESTAMP else "")
        values = _values(column, [text], TimeForm())
        if values is not None:
            found = FoundColumn(name, type)
            found.note_order(values)
            return found
    return FoundColumn(name, VARCHAR)


# --- Parquet and Arrow --------------------------------------------------------------------------


def _parquet_columns(path: Path, units: Mapping[str, str]) -> list[FoundColumn]:
    """The columns of a Parquet file."""
    arrow = arrow_library(path, "Parquet")
    parquet: Any = import_module("pyarrow.parquet")  # it has no types
    try:
        with opened_parquet(parquet, path) as file:
            return [
                found_arrow_column(
                    arrow, each, file.read([each.name]).column(0), units.get(each.name.upper())
                )
                for each in file.schema_arrow
            ]
    except OSError as error:
        raise fault_of(path, error) from None
    except arrow.ArrowException as error:
        raise FileError(f"{path}: {error}") from None


def found_arrow_column(
    arrow: Any, field: Any, values: Any, unit: str | None = None
) -> FoundColumn:  # Any: pyarrow is not typed
    """The column for a field of an Arrow schema; ``values`` are the column's values.

    Bytes are texts if all values are UTF-8.
    """
    type = _type_of(arrow, field.type)
    if type is None:
        return FoundColumn(field.name, unread=str(field.type))
    if type.kind is Kind.VARBINARY and _are_texts(arrow, values):
        type = VARCHAR
    if unit and arrow.types.is_integer(field.type):
        type = TIMESTAMP
    found = FoundColumn(field.name, type, values.null_count > 0, unit=unit or "")
    if type == TIMESTAMP and not found.nullable:
        found.note_order(values.cast(arrow.int64()).to_pylist())
    return found


def _are_texts(arrow: Any, values: Any) -> bool:
    """Whether all ``values``, which are bytes, are texts in UTF-8."""
    try:
        values.cast(arrow.string())
    except arrow.ArrowInvalid:
        return False
    return True


def _type_of(arrow: Any, found: Any) -> Type | None:
    """The SQL type for a type of Arrow; None if there is none."""
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
        (lambda t: types.is_binary(t) or types.is_large_binary(t), VARBINARY),
        (types.is_null, VARCHAR),
    )
    return next((type for test, type in chosen if test(found)), None)
