"""Files that a query names in place of a table: ``SELECT * FROM 'orders.csv'``."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from algebra.outside.file_names import STANDARD
from algebra.records.discovery.declaration import declaration, found_files
from grammar.names import is_plain
from rowtime.inputs import DataFile, connection_to, path_and_options
from rowtime.time_options import TimeOptions

#: A comment, a text, a quoted name, a word, or any other character: as much of SQL as is needed to
#: find the texts in FROM.
_TOKEN: Final = re.compile(
    r"--[^\n]*|/\*.*?\*/|'(?:[^']|'')*'|\"(?:[^\"]|\"\")*\"|\w+|\S", re.DOTALL
)

#: Characters that paths and patterns have, and few names of tables.
_PART_OF_PATH: Final = frozenset("./*?")
#: The words that end the tables of FROM: after them, a comma separates other things.
_AFTER_FROM: Final = frozenset(
    ("WHERE", "GROUP", "HAVING", "WINDOW", "QUALIFY", "ORDER", "UNION", "INTERSECT", "EXCEPT")
)


@dataclass(frozen=True, slots=True)
class FileQuery:
    """A query whose files are tables: ``sql`` names them in double quotes.

    Each name is as long as its path was, so that an error is shown at its place in the query.
    ``ddl`` declares them, and ``data`` are their files.
    """

    sql: str
    ddl: str
    data: tuple[DataFile, ...]


def with_files(sql: str, rowtime: str, times: TimeOptions) -> FileQuery:
    """The query with a table or stream for each file in FROM.

    A file that has ``rowtime``, a column of ascending TIMESTAMPs, is a stream with a history, so
    that it can be queried with and without STREAM.  Any other file is a table.  ``times`` declares
    the columns in which numbers are times; a unit without a column is that of ``rowtime``.  Raises
    `RunError` and `FileError`.
    """
    declared: dict[str, str] = {}
    data: list[DataFile] = []
    text = sql
    for start, end, path in _files(sql):
        padded = _table_name(path).ljust(end - start - 2)  # without the two quotes
        text = f'{text[:start]}"{padded}"{text[end:]}'
        if padded not in declared:
            found = found_files(connection_to(padded, path), times.units(rowtime))
            note = f"-- its file has OPTIONS ({found.options})\n" if found.options else ""
            declared[padded] = note + declaration(padded, found, rowtime)
            data.append(DataFile(f'"{padded}"', path, found.settings, times))
    return FileQuery(text, "\n".join(declared.values()), tuple(data))


def _table_name(path: str) -> str:
    """The name of the table of a file, without the file's OPTIONS."""
    name = path_and_options(path)[0].replace('"', "_")
    # A plain name is declared without quotes, and so it is one in upper case.
    return name.upper() if is_plain(name.upper()) else name


def _files(sql: str) -> Iterator[tuple[int, int, str]]:
    """The texts in FROM that look like files: the start and end of each, and the path.

    Such a text stands after FROM or JOIN of a SELECT, or after a comma between tables.  The ends
    are places in ``sql``; the quotes of the text are inside.
    """
    before = ""  # the token before this one, in upper case
    depths = [_Depth()]  # one for each open bracket, and one for the whole query
    for token in _TOKEN.finditer(sql):
        text = token[0]
        if text.startswith(("--", "/*")):
            continue
        depth, word = depths[-1], text.upper()
        if text.startswith("'") and depth.starts_table(before):
            path = text[1:-1].replace("''", "'")
            if _looks_like_a_file(path):
                yield token.start(), token.end(), path
        if word == "(":
            depths.append(_Depth())
        elif word == ")" and len(depths) > 1:
            depths.pop()
        elif word == "SELECT":
            depth.selects = True
        elif word == "FROM" and before != "DISTINCT":
            depth.lists_tables = depth.selects
        elif word in _AFTER_FROM:
            depth.lists_tables = False
        before = word


@dataclass(slots=True)
class _Depth:
    """The state of reading the text between two brackets.

    ``selects``: a SELECT has been read.  It is false in ``TRIM('a' FROM 'b')``.  ``lists_tables``:
    the tables of FROM are being read.  FROM of ``a IS DISTINCT FROM 'b'`` does not begin them.
    """

    selects: bool = False
    lists_tables: bool = False

    def starts_table(self, before: str) -> bool:
        """Whether a table may stand after the word ``before``."""
        return self.lists_tables and before in ("FROM", "JOIN", ",")


def _looks_like_a_file(text: str) -> bool:
    """Whether a text names a file, folder or pattern, and not a table in the wrong quotes.

    ``text`` is a path that OPTIONS may follow.
    """
    path, _ = path_and_options(text)
    return bool(_PART_OF_PATH & set(path)) or path == STANDARD or Path(path).exists()
