"""Reads files of JSON lines, one object per line, as rows on the wire or as internal values."""

import json
from collections.abc import Callable, Generator, Sequence
from contextlib import suppress
from itertools import islice
from math import isfinite
from pathlib import Path
from types import NoneType
from typing import Any, Final, cast

from algebra.catalog import Column
from algebra.expression import Value
from algebra.outside.json_path import value_at
from algebra.records.batch import BATCH, BadRow, Batch
from algebra.records.column_places import column_place
from algebra.records.csv_fields import (
    DEFAULT_TIMES,
    TimeForm,
    float_field,
    integer_field,
    time_value,
)
from algebra.records.opening import open_text
from algebra.types import APPROXIMATE, INTEGERS, Kind
from algebra.wire import Wire, WireRow, read_column

#: The most lists of member names for which the members of the columns are remembered.
_MOST_SHAPES: Final = 1_000
_OF_ARRAY: Final = "jq -c '.[]' writes each element of an array in a line of its own"
#: For a line that is only a bracket, the message that it is not a JSON object, because the bracket
#: begins an array or object of several lines.
_BEGUN: Final = {
    "[": f"an array begins here, and not a JSON object; {_OF_ARRAY}",
    "{": "the JSON object ends in another line; jq -c . writes each object in a line of its own",
}
#: The most member names in an error.
_NAMED: Final = 5


def json_batches(
    path: Path,
    columns: Sequence[Column],
    times: TimeForm = DEFAULT_TIMES,
    most: int = BATCH,
    needed: frozenset[int] | None = None,
) -> Generator[Batch]:
    """The rows of a file of JSON lines in batches of up to ``most``; empty lines are skipped.

    Columns are found by name, case-insensitively, or by the path that is declared for them.  A
    missing column is NULL, and other members are ignored.  ``needed`` are the places of the columns
    whose values are needed.  With it, batches of valid rows have internal values, and NULL in other
    columns.  Raises `FileError`.
    """
    rows = JsonRows(path, columns, times, needed)
    with open_text(path) as file:
        lines = enumerate(file, 1)
        while True:
            part = list(islice(lines, most))
            yield rows.batch(part)
            if len(part) < most:
                return


class JsonRows:
    """Converts the lines of one file to rows, column by column.

    Without ``needed``, rows are on the wire.  With it, a batch whose values all fit their columns
    has internal values.  Any other batch is on the wire, so that the ingress reports its faults.
    """

    def __init__(
        self,
        path: Path,
        columns: Sequence[Column],
        times: TimeForm,
        needed: frozenset[int] | None = None,
    ) -> None:
        self._path = path
        self._columns = columns
        self._needed = needed
        self._members_of = _member_reader(columns)
        self._readers = [_value_reader(column, times) for column in columns]
        self._column_readers = [_column_reader(column, times) for column in columns]

    def batch(self, numbered: Sequence[tuple[int, str]]) -> Batch:
        """The rows of some lines; ``numbered`` has each line with its number.

        Empty lines are skipped, and other lines that are not objects are bad.
        """
        found: list[Sequence[Any]] = []
        lines: list[int] = []
        bad: list[BadRow] = []
        for number, line in numbered:
            if not line.strip():
                continue
            try:
                found.append(self._members_of(object_of(_DECODER, line)))
                lines.append(number)
            except ValueError as error:
                bad.append(BadRow(self._path, number, str(error)))
        columns = list(zip(*found, strict=True))
        values = self._values(columns)
        if values is not None:
            return Batch((), lines, tuple(bad), values)
        read = [map(reader, column) for reader, column in zip(self._readers, columns, strict=False)]
        return Batch(tuple(zip(*read, strict=True)), lines, tuple(bad))

    def _values(self, columns: Sequence[Sequence[Any]]) -> Sequence[tuple[Value, ...]] | None:
        """The rows as internal values; ``columns`` has the members of each column.

        A column that is not needed is only checked, because a value that does not fit makes its row
        bad; the rows have NULL in this column.  None: rows must be on the wire, because ``needed``
        is not given, or because a member is not a value of its column's type.
        """
        if self._needed is None:
            return None
        read: list[Sequence[Value]] = []
        try:
            for place, members in enumerate(columns):
                wire = self._column_readers[place](members)
                values = read_column(self._columns[place].type, wire)
                read.append(values if place in self._needed else [None] * len(values))
        except ValueError:
            return None
        return list(zip(*read, strict=True))


def line_reader(
    columns: Sequence[Column], times: TimeForm = DEFAULT_TIMES
) -> Callable[[str], WireRow]:
    """The function that converts a line to a row; it raises `ValueError` for a malformed line."""
    row_of = object_reader(columns, times)
    # Spark sends this function to its workers, with the globals that it names.  A decoder cannot be
    # sent.  So the function names `_members_of_line`, which the workers import, and no decoder.
    return lambda line: row_of(_members_of_line(line))


def _members_of_line(line: str) -> dict[str, Any]:
    """The members of the object that a line is, as by `object_of`."""
    return object_of(_DECODER, line)


def object_of(decoder: json.JSONDecoder, line: str) -> dict[str, Any]:
    """The JSON object that ``line`` is.

    Raises `ValueError` with the reason that the line is not an object.  If the file seems to have
    an array, or an object of several lines, the reason has the command that rewrites the file with
    one object in each line.
    """
    try:
        parsed = decoded(decoder, line)
    except ValueError as error:
        raise ValueError(_BEGUN.get(line.strip(), str(error))) from None
    if isinstance(parsed, list) and all(isinstance(e, dict) for e in cast("list[object]", parsed)):
        raise ValueError(f"not a JSON object, but an array; {_OF_ARRAY}")
    if not isinstance(parsed, dict):
        raise ValueError("not a JSON object")
    return cast("dict[str, Any]", parsed)


def json_of(line: str) -> Any:  # Any: a value of JSON
    """The JSON value that ``line`` is, with its numbers as they are written; else `ValueError`."""
    return decoded(_DECODER, line)


def decoded(decoder: json.JSONDecoder, line: str) -> Any:  # Any: a value of JSON
    """The JSON value that ``line`` is.  Raises `ValueError` with the reason that it is not one."""
    try:
        return decoder.decode(line)
    except json.JSONDecodeError as error:
        raise ValueError(f"not JSON: {error}") from None
    except RecursionError:
        raise ValueError("objects and arrays are nested too deeply") from None
    except _TwiceError:
        raise
    except ValueError:  # Python's limit for digits
        raise ValueError("a number has too many digits") from None


def object_reader(
    columns: Sequence[Column], times: TimeForm = DEFAULT_TIMES
) -> Callable[[dict[str, Any]], WireRow]:
    """The function that converts a JSON object, as `json_of` returns it, to a row.

    It raises `ValueError` for an object that has the name of a column twice, that has members but
    none with the name of a column, or that has a malformed value.
    """
    members_of = _member_reader(columns)
    values = [_value_reader(column, times) for column in columns]

    def read(parsed: dict[str, Any]) -> WireRow:
        members = members_of(parsed)
        return tuple([value(member) for value, member in zip(values, members, strict=True)])

    return read


def _member_reader(columns: Sequence[Column]) -> Callable[[dict[str, Any]], Sequence[Any]]:
    """The function that finds the members of all columns in an object; None for a missing member.

    It raises `ValueError` for an object that has the name of a column twice, or that has members
    but none with the name of a column.
    """
    paths = [(place, column.path) for place, column in enumerate(columns) if column.path]
    known: dict[tuple[str, ...], list[str | None]] = {}

    def chosen(names: tuple[str, ...]) -> list[str | None]:
        """The names of the columns' members, among the ``names`` of an object's members.

        The answer is remembered, because most objects of a file have the same names.
        """
        found = known.get(names)
        if found is None:
            found = _chosen_members(names, columns)
            if len(known) < _MOST_SHAPES:
                known[names] = found
        return found

    def read(parsed: dict[str, Any]) -> Sequence[Any]:
        members = cast("dict[str | None, Any]", parsed)  # JSON's names are texts
        row = list(map(members.get, chosen(tuple(parsed))))
        for place, path in paths:
            row[place] = value_at(parsed, path)
        return row

    return read


class _Number(str):
    """A number with a point or an exponent, with the digits of the JSON text."""

    __slots__ = ()


class _TwiceError(ValueError):
    """Two members of an object have one name; `decoded` passes this error on unchanged."""


def unique_members(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """The members of an object as a dictionary; `ValueError` if two of them have one name."""
    members = dict(pairs)
    if len(members) < len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        first = names.index(twice)
        second = names.index(twice, first + 1)
        raise _TwiceError(f"member '{twice}' is there twice: member {first + 1} and {second + 1}")
    return members


#: Numbers stay texts, because a float would change the digits of a DECIMAL.  The decoder is created
#: once, because creating a decoder takes as long as decoding a short line.
_DECODER: Final = json.JSONDecoder(parse_float=_Number, object_pairs_hook=unique_members)


def _chosen_members(names: Sequence[str], columns: Sequence[Column]) -> list[str | None]:
    """For each column, the name of its member among ``names``, the members of an object.

    None: there is no such member, or the column has a path.  Raises `ValueError` if several members
    have the name of a column, or if there are members but none has the name of a column.
    """
    own = {column.name for column in columns}
    chosen: list[str | None] = []
    for column in columns:
        if column.path:
            chosen.append(None)
            continue
        found = [name for name in names if name.upper() == column.name.upper()]
        place = column_place(column.name, found, own)
        if place is None and found:
            raise ValueError(f"column {column.name} is there twice: '{found[0]}' and '{found[1]}'")
        chosen.append(None if place is None else found[place])
    if names and set(chosen) == {None} and not any(column.path for column in columns):
        raise ValueError(f"no member has the name of a column: {', '.join(names[:_NAMED])}")
    return chosen


def _value_reader(column: Column, times: TimeForm) -> Callable[[Any], Wire]:
    """The function that converts a JSON value of ``column`` to a value on the wire.

    A value of a wrong type is not changed, and the ingress refuses it.
    """
    kind, times = column.type.kind, times.of(column)
    is_moment = kind is Kind.TIMESTAMP

    def value(parsed: bool | float | str | dict[str, Any] | list[Any] | None) -> Wire:
        if isinstance(parsed, _Number):
            return time_value(times, str(parsed)) if is_moment else _number(str(parsed), kind)
        if isinstance(parsed, dict | list):
            return _json_text(parsed)
        if is_moment and isinstance(parsed, str | int) and not isinstance(parsed, bool):
            return time_value(times, parsed)
        return parsed

    return value


def _column_reader(
    column: Column, times: TimeForm
) -> Callable[[Sequence[Any]], Sequence[Wire]]:  # Any: values of JSON
    """The function that converts the members of ``column`` to values that `read_column` reads.

    It does the same as `_value_reader`, but faster: if all members have classes of Python that need
    no conversion (``unchanged``), it returns them as they are.  Texts of times in the default form
    need none, because `read_column` reads them in each form in which files have times.
    """
    kind, value = column.type.kind, _value_reader(column, times)
    unchanged: set[type] = {str, int, float, bool, NoneType}
    if kind is Kind.TIMESTAMP:
        unchanged = {str, NoneType} if times.of(column) == DEFAULT_TIMES else set[type]()

    def read(members: Sequence[Any]) -> Sequence[Wire]:
        found = set(map(type, members))
        if found <= unchanged:
            return members
        if kind in APPROXIMATE and found <= {_Number, int, NoneType}:
            with suppress(OverflowError):
                numbers = [None if member is None else float(member) for member in members]
                # A number beyond the range becomes an infinity, so the sum is not finite.
                if isfinite(sum(filter(None, numbers))):
                    return numbers
        return list(map(value, members))

    return read


def _number(text: str, kind: Kind) -> Wire:
    """A number with a point or an exponent, in the form on the wire of a column of ``kind``."""
    if kind is Kind.DECIMAL:
        return text
    whole = integer_field(text) if kind in INTEGERS else None
    if isinstance(whole, int):
        return whole
    return float_field(text) if kind in APPROXIMATE else float(text)


def _json_text(value: Any) -> str:  # Any: a value of JSON
    """The text of an object or array, with its numbers as they were written."""
    match value:
        case dict():
            named = cast("dict[str, Any]", value).items()
            return "{" + ", ".join(f"{json.dumps(k)}: {_json_text(v)}" for k, v in named) + "}"
        case list():
            return "[" + ", ".join(map(_json_text, cast("Sequence[Any]", value))) + "]"
        case _Number():
            return str(value)
        case _:
            return json.dumps(value)
