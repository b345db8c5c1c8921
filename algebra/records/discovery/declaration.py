"""Writes the declaration of files that nobody has declared, from the values in the files.

`found_files` finds the columns, and the options such as the delimiter.  `declaration` is the CREATE
statement.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from algebra.outside.file_names import STANDARD, ending_of
from algebra.outside.foreign import KNOWN, Connection, Format, Setting
from algebra.records.csv_fields import Dialect
from algebra.records.discovery.columns import FoundColumn, first_record, found_columns
from algebra.records.formats import dialect_of
from algebra.records.opening import HINT, FileError, files_of
from algebra.types import TIMESTAMP, VARCHAR, Type
from grammar.names import delimited, is_plain
from grammar.printing.unparse_name import string

#: The delimiters that are tried for a file whose first record has no comma.
_DELIMITERS: Final = (";", "\t", "|")


@dataclass(frozen=True, slots=True)
class FoundFiles:
    """The columns of files, and the options with which the files were read."""

    columns: tuple[FoundColumn, ...]
    settings: tuple[tuple[str, Setting], ...]

    @property
    def options(self) -> str:
        """The text of the options that differ from the defaults, in the form of OPTIONS."""
        return ", ".join(f"{name} {_constant(value)}" for name, value in self.settings)


def _constant(value: Setting) -> str:
    """A setting as a constant of SQL."""
    return string(value) if isinstance(value, str) else str(value).upper()


def found_files(connection: Connection, units: Mapping[str, str]) -> FoundFiles:
    """The columns and the options of the files of a connection, whose values are all read.

    A delimiter and a text for NULL are found if the options do not name them.  A word such as
    ``NA`` is taken for NULL if a column then has a narrower type.  ``units`` has the time units of
    columns whose numbers are times, by the names of the columns in upper case.  Raises `FileError`.
    """
    if connection.text("path") == STANDARD:
        raise FileError(
            "-: the types of standard input cannot be found, because it is read only once"
            f"{HINT}write it to a file first, or declare it: --ddl FILE --data NAME=-"
        )
    if connection.format is Format.DEBEZIUM:
        raise FileError(f"{connection.text('path')}: the columns of changes are not found")
    if connection.format is Format.CSV:
        connection = _with_delimiter(connection)
    columns = found_columns(connection, units)
    if connection.format is Format.CSV and not connection.text("null_text"):
        for word in _null_words(columns):
            changed = _with_setting(connection, "null_text", word)
            narrower = found_columns(changed, units)
            if list(map(_type, narrower)) != list(map(_type, columns)):
                connection, columns = changed, narrower
                break
    return FoundFiles(tuple(columns), tuple(_unusual(connection)))


def _with_delimiter(connection: Connection) -> Connection:
    """``connection`` with the delimiter that its first file has, if that is not a comma.

    It is the delimiter that gives the most fields in the first record.
    """
    path = next(iter(files_of(connection)), None)
    is_declared = any(each.name == "delimiter" for each in connection.options)
    if path is None or is_declared or connection.text("delimiter") != ",":
        return connection
    dialect = dialect_of(connection)
    widths = {each: _width(path, replace(dialect, delimiter=each)) for each in (",", *_DELIMITERS)}
    if widths[","] > 1:
        return connection
    return _with_setting(connection, "delimiter", max(widths, key=lambda each: widths[each]))


def _width(path: Path, dialect: Dialect) -> int:
    """The number of fields in the first record."""
    return len(first_record(path, dialect))


def _type(column: FoundColumn) -> Type:
    """The type with which a column is declared."""
    return column.type or VARCHAR


def _null_words(columns: list[FoundColumn]) -> list[str]:
    """The words in columns of texts that may mean NULL; first the words that most columns have."""
    counts: dict[str, int] = {}
    for column in columns:
        for word in sorted(column.words) if column.type == VARCHAR else ():
            counts[word] = counts.get(word, 0) + 1
    return sorted(counts, key=lambda word: -counts[word])


def _with_setting(connection: Connection, name: str, value: Setting) -> Connection:
    """``connection`` with another value of one setting."""
    settings = {**dict(connection.settings), name: value}
    return replace(connection, settings=tuple(settings.items()))


def _unusual(connection: Connection) -> list[tuple[str, Setting]]:
    """The settings that differ from their defaults, without the path."""
    defaults = {each.name: each.default for each in KNOWN[connection.format]}
    if ending_of(connection.text("path")) == ".tsv":
        defaults["delimiter"] = "\t"
    return [
        (name, value)
        for name, value in connection.settings
        if name != "path" and value != defaults[name]
    ]


def declaration(name: str, found: FoundFiles, rowtime: str = "ROWTIME") -> str:
    """The CREATE statement that declares the files as a table, or as a stream with a history.

    They are a stream if the column ``rowtime`` is a TIMESTAMP, in order and without NULL.
    """
    columns = found.columns
    rowtimes = [
        each
        for each in columns
        if each.name.upper() == rowtime.upper()
        and each.type == TIMESTAMP
        and each.ascending
        and not each.nullable
    ]
    read = [each for each in columns if not each.unread]
    lines = [_declared(each, rowtime=each in rowtimes) for each in read]
    left_out = [f"-- column {c.name} is not read: {c.unread}\n" for c in columns if c.unread]
    kind, end = ("STREAM", " WITH HISTORY") if rowtimes else ("TABLE", "")
    folded = name.upper()
    shown = folded if is_plain(folded) else delimited(name)
    return "".join(left_out) + f"CREATE {kind} {shown} (\n  " + ",\n  ".join(lines) + f"){end};"


def _declared(column: FoundColumn, rowtime: bool) -> str:
    """The declaration of a column in the CREATE statement; ``rowtime``: it orders a stream."""
    folded = column.name.upper()
    name = folded if is_plain(folded) else delimited(column.name)
    order = " NOT NULL ASCENDING" if rowtime else ""
    has_unit = column.unit and column.type == TIMESTAMP
    unit = f" OPTIONS (time_unit '{column.unit}')" if has_unit else ""
    return f"{name} {_type(column)}{order}{unit}"
