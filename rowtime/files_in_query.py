"""Files that a query names in place of a table: ``SELECT * FROM 'orders.csv'``."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from algebra.outside.file_names import format_named
from algebra.records.discovery.declaration import declaration, found_files
from rowtime.inputs import DataFile, connection_to
from rowtime.time_options import TimeOptions

_TOKEN: Final = re.compile(
    r"--[^\n]*|/\*.*?\*/|'(?:[^']|'')*'|\"(?:[^\"]|\"\")*\"|\w+|\S", re.DOTALL
)

#: The words after which a comma separates something other than tables.
_BEHIND_FROM: Final = frozenset(
    ("WHERE", "GROUP", "HAVING", "WINDOW", "QUALIFY", "ORDER", "UNION", "INTERSECT", "EXCEPT")
)


@dataclass(frozen=True, slots=True)
class FileQuery:
    """A query whose files are tables: ``sql`` names them in double quotes, as long as before.

    ``ddl`` declares them, and ``data`` are their files.
    """

    sql: str
    ddl: str
    data: tuple[DataFile, ...]


def with_files(sql: str, rowtime: str, times: TimeOptions) -> FileQuery:
    """The query with a table or stream for each file in FROM.

    A file that has ``rowtime``, a column of ascending TIMESTAMPs, is a stream with a history, so
    that it can be queried with and without STREAM.  Numbers are times in the columns that ``times``
    names; its unit for all columns holds for ``rowtime``.  Raises `RunError` and `FileError`.
    """
    declared: dict[str, str] = {}
    data: list[DataFile] = []
    text = sql
    for start, end, path in _files(sql):
        name = path.replace('"', "_")
        text = f'{text[:start]}"{name.ljust(end - start - 2)}"{text[end:]}'
        padded = name.ljust(end - start - 2)
        if padded not in declared:
            found = found_files(connection_to(padded, path), times.units(rowtime))
            note = f"-- its file has OPTIONS ({found.options})\n" if found.options else ""
            declared[padded] = note + declaration(padded, found, rowtime)
            data.append(DataFile(f'"{padded}"', path, found.settings, times))
    return FileQuery(text, "\n".join(declared.values()), tuple(data))


def _files(sql: str) -> Iterator[tuple[int, int, str]]:
    """The places and the paths of the texts in FROM whose endings name a format.

    Such a text stands after FROM or JOIN, or after a comma between tables.
    """
    before = ""
    lists_tables = [False]  # by the depth of brackets
    for token in _TOKEN.finditer(sql):
        found = token[0]
        if found.startswith(("--", "/*")):
            continue
        starts_table = before in ("FROM", "JOIN") or (before == "," and lists_tables[-1])
        if found.startswith("'") and starts_table:
            path = found[1:-1].replace("''", "'")
            if format_named(path) is not None:
                yield token.start(), token.end(), path
        before = found.upper()
        if before == "(":
            lists_tables.append(False)
        elif before == ")" and len(lists_tables) > 1:
            lists_tables.pop()
        elif before == "FROM":
            lists_tables[-1] = True
        elif before in _BEHIND_FROM:
            lists_tables[-1] = False
