"""JSON lines as rows on the wire: one object per line."""

import json
from collections.abc import Callable, Generator, Sequence
from pathlib import Path
from typing import Any, cast

from algebra.catalog import Column
from algebra.records.csv_files import (
    BATCH,
    DEFAULT_DIALECT,
    BadRow,
    Batch,
    FileError,
    field_readers,
)
from algebra.types import Kind
from algebra.wire import Wire, WireRow


def json_batches(path: Path, columns: Sequence[Column], most: int = BATCH) -> Generator[Batch]:
    """The rows of a file of JSON lines in batches of up to ``most``; empty lines are skipped.

    Columns are found by name, case-insensitively; a missing one is NULL, other members are ignored.
    Raises `FileError`.
    """
    read = line_reader(columns)
    rows: list[WireRow] = []
    lines: list[int] = []
    bad: list[BadRow] = []
    number = 0
    try:
        with path.open(encoding="utf-8-sig") as file:
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
    except UnicodeDecodeError as error:
        raise FileError(f"{path}:{number + 1}: not UTF-8 text: {error.reason}") from None
    except OSError as error:
        raise FileError(f"{path}: {error.strerror or error}") from None


def line_reader(columns: Sequence[Column]) -> Callable[[str], WireRow]:
    """The function that converts a line to a row; it raises `ValueError` for a malformed one."""
    fields = [
        (column.name, column.name.upper(), _value_reader(column, from_text))
        for column, from_text in zip(columns, field_readers(columns, DEFAULT_DIALECT), strict=True)
    ]

    def read(line: str) -> WireRow:
        try:
            # Numbers stay text: a float would change the digits of a DECIMAL.
            parsed = json.loads(line, parse_float=_Number)
        except ValueError as error:
            raise ValueError(f"not JSON: {error}") from None
        except RecursionError:
            raise ValueError("objects and arrays are nested too deeply") from None
        if not isinstance(parsed, dict):
            raise ValueError("not a JSON object")
        members = cast("dict[str, Any]", parsed)  # JSON's names are texts
        folded = {name.upper(): value for name, value in members.items()}
        return tuple(value(members.get(name, folded.get(upper))) for name, upper, value in fields)

    return read


class _Number(str):
    """A number with a point or an exponent, as written."""

    __slots__ = ()


def _value_reader(column: Column, from_text: Callable[[str], Wire]) -> Callable[[Any], Wire]:
    """The function that converts a JSON value to one on the wire; ingress refuses wrong types."""
    kind = column.type.kind

    def value(parsed: bool | float | str | dict[str, Any] | list[Any] | None) -> Wire:
        if isinstance(parsed, _Number):
            return str(parsed) if kind is Kind.DECIMAL else float(parsed)
        if isinstance(parsed, dict | list):
            return json.dumps(parsed)
        if isinstance(parsed, str) and kind is Kind.TIMESTAMP:
            return from_text(parsed)
        return parsed

    return value
