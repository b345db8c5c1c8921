"""The error for a malformed record of a source: it shows the record and marks the wrong field."""

import json
import re
from collections.abc import Sequence
from pathlib import Path

from algebra.catalog import Column
from algebra.outside.foreign import Connection, Format
from algebra.records.batch import BadRow
from algebra.records.pipeline import RunError
from grammar.codes import Code
from grammar.source import Span, marked_lines


def malformed_error(record: BadRow, connection: Connection, columns: Sequence[Column]) -> RunError:
    """The error BAD_ROW: the record, with carets below the wrong field, and a hint.

    If the reason of ``record`` begins with the name of a column, such as ``UNITS: …``, the field of
    this column is marked, else the whole record.  For a record of a Parquet file or a socket, the
    error has only the place.
    """
    text = f"{Code.BAD_ROW}: {record.reason}"
    shown = None
    if connection.format in (Format.CSV, Format.JSON, Format.DEBEZIUM) and record.path.is_file():
        shown = _line(record.path, record.line)
    if shown is None:
        text += f"\n{record.path}:{record.line}"
    else:
        field = _field_at_fault(shown, record, connection, columns)
        # At most 120 characters are shown.  `marked_lines` begins the first line with "1 | ", and
        # the second line with 4 blanks.  The place replaces the "1 | ".
        gutter, caret = marked_lines(shown, [field], "^", 120)
        place = f"{record.path}:{record.line} | "
        text += f"\n{place}{gutter.removeprefix('1 | ')}\n{' ' * (len(place) - 4)}{caret}"
    hint = "correct the record, or leave such ones out with OPTIONS (on_error 'drop')"
    return RunError(f"{text}\n  hint: {hint}")


def _line(path: Path, number: int) -> str | None:
    """Line ``number`` of a text file, counted from 1; None: the file has fewer lines."""
    with path.open(encoding="utf-8-sig", errors="replace", newline=None) as file:
        return next((line.rstrip("\n") for at, line in enumerate(file, 1) if at == number), None)


def _field_at_fault(
    line: str, record: BadRow, connection: Connection, columns: Sequence[Column]
) -> Span:
    """The place in ``line`` of the field that the record's reason names.

    It is the whole line if the reason names no field, or if the field cannot be found because
    fields are quoted.
    """
    whole = Span(0, max(len(line), 1))
    changing = connection.format is Format.DEBEZIUM
    names = [*(each.name for each in columns), *(("op", "before", "after") if changing else ())]
    name = next((each for each in names if record.reason.startswith(f"{each}: ")), None)
    if name is None:
        return whole
    if changing:  # the row after the change is searched first, then the whole record
        after = line.find('"after"')
        return _json_value(line, name, max(after, 0)) or _json_value(line, name) or whole
    if connection.format is Format.JSON:
        return _json_value(line, name) or whole
    if '"' in line:
        return whole
    delimiter = connection.text("delimiter")
    header: Sequence[str] = [each.name for each in columns]
    if connection.flag("header"):
        header = [name.strip().upper() for name in (_line(record.path, 1) or "").split(delimiter)]
    fields = line.split(delimiter)
    at = header.index(name.upper()) if name.upper() in header else len(fields)
    if at >= len(fields):
        return whole
    start = sum(len(each) + len(delimiter) for each in fields[:at])
    return Span(start, start + max(len(fields[at]), 1))


def _json_value(line: str, name: str, start: int = 0) -> Span | None:
    """The place of the value of the member ``name`` in a JSON object.

    None: there is no such member at ``start`` or after it.
    """
    found = re.compile(rf'"{re.escape(name)}"\s*:\s*', re.IGNORECASE).search(line, start)
    if found is None:
        return None
    try:
        _, end = json.JSONDecoder().raw_decode(line, found.end())
    except ValueError:
        return None
    return Span(found.end(), end)
