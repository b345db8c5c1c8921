"""JSON lines as rows on the wire: one object per line."""

import json
from collections.abc import Callable, Generator, Sequence
from pathlib import Path
from typing import Any, Final, cast

from algebra.catalog import Column
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
from algebra.wire import Wire, WireRow

#: Objects with other members than these many are looked through each time.
_MOST_SHAPES: Final = 1_000


def json_batches(
    path: Path,
    columns: Sequence[Column],
    times: TimeForm = DEFAULT_TIMES,
    most: int = BATCH,
) -> Generator[Batch]:
    """The rows of a file of JSON lines in batches of up to ``most``; empty lines are skipped.

    Columns are found by name, case-insensitively, or by the path that is declared for them; a
    missing one is NULL, other members are ignored.
    Raises `FileError`.
    """
    read = line_reader(columns, times)
    rows: list[WireRow] = []
    lines: list[int] = []
    bad: list[BadRow] = []
    with open_text(path) as file:
        for number, line in enumerate(file, 1):
            if not line.strip():
                continue
            try:
                rows.append(read(line))
                lines.append(number)
            except ValueError as error:
                bad.append(BadRow(path, number, str(error)))
            if len(rows) + len(bad) >= most:
                yield Batch(tuple(rows), tuple(lines), tuple(bad))
                rows, lines, bad = [], [], []
        yield Batch(tuple(rows), tuple(lines), tuple(bad))


def line_reader(
    columns: Sequence[Column], times: TimeForm = DEFAULT_TIMES
) -> Callable[[str], WireRow]:
    """The function that converts a line to a row; it raises `ValueError` for a malformed one."""
    row_of = object_reader(columns, times)

    def read(line: str) -> WireRow:
        parsed = json_of(line)
        if not isinstance(parsed, dict):
            raise ValueError("not a JSON object")
        return row_of(cast("dict[str, Any]", parsed))

    return read


def json_of(line: str) -> Any:  # Any: a value of JSON
    """The value that a line is, its numbers as they are written; `ValueError` for another text."""
    try:
        # Numbers stay text: a float would change the digits of a DECIMAL.
        return json.loads(line, parse_float=_Number, object_pairs_hook=unique_members)
    except json.JSONDecodeError as error:
        raise ValueError(f"not JSON: {error}") from None
    except RecursionError:
        raise ValueError("objects and arrays are nested too deeply") from None


def object_reader(
    columns: Sequence[Column], times: TimeForm = DEFAULT_TIMES
) -> Callable[[dict[str, Any]], WireRow]:
    """The function that converts an object of JSON (`json_of`) to a row.

    It raises `ValueError` for an object that has the name of a column twice, or a malformed value.
    """
    values = [_value_reader(column, times) for column in columns]
    within = [(place, column.path) for place, column in enumerate(columns) if column.path]
    known: dict[tuple[str, ...], list[str | None]] = {}

    def chosen(names: tuple[str, ...]) -> list[str | None]:
        """The names of the columns' members; most objects of a file have the same names."""
        found = known.get(names)
        if found is None:
            found = _chosen_members(names, columns)
            if len(known) < _MOST_SHAPES:
                known[names] = found
        return found

    def read(parsed: dict[str, Any]) -> WireRow:
        members = cast("dict[str | None, Any]", parsed)  # JSON's names are texts
        names = chosen(tuple(parsed))
        row = [value(members.get(n)) for n, value in zip(names, values, strict=True)]
        for place, path in within:
            row[place] = values[place](value_at(members, path))
        return tuple(row)

    return read


class _Number(str):
    """A number with a point or an exponent, as written."""

    __slots__ = ()


def unique_members(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """The members of an object; `ValueError` if two of them have one name."""
    members = dict(pairs)
    if len(members) < len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        first = names.index(twice)
        second = names.index(twice, first + 1)
        raise ValueError(f"member '{twice}' is there twice: member {first + 1} and {second + 1}")
    return members


def _chosen_members(names: Sequence[str], columns: Sequence[Column]) -> list[str | None]:
    """For each column the name of its member; None: there is no such member, or it has a path.

    Raises `ValueError` if several members have the name of a column.
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
    return chosen


def _value_reader(column: Column, times: TimeForm) -> Callable[[Any], Wire]:
    """The function that converts a JSON value to one on the wire; ingress refuses wrong types."""
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


def _number(text: str, kind: Kind) -> Wire:
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
