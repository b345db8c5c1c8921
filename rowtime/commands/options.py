"""Options that several commands share, and functions that check and read their values."""

import sys
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from algebra.catalog import Profile
from algebra.outside.file_names import STANDARD
from algebra.records.opening import FileError, text_of_file
from rowtime.command_errors import errors_to_the_user
from rowtime.inputs import DataFile
from rowtime.script import Script
from rowtime.time_options import DEFAULT, TimeOptions
from tck.exit_codes import EXIT_FAILURES
from tck.terminal.messages import print_message

Ddl = Annotated[
    list[Path] | None,
    typer.Option("--ddl", help="A script of CREATE statements; may be given several times."),
]
ProfileName = Annotated[Profile, typer.Option("--profile", help="The dialect of the SQL.")]
Query = Annotated[str | None, typer.Argument(help="The query.", show_default=False)]
QueryFile = Annotated[
    Path | None,
    typer.Option("-f", "--file", help="Read the query from a file; - is standard input."),
]

Data = Annotated[
    list[str] | None,
    typer.Option(
        "--data",
        metavar="NAME=FILE",
        help="The rows of a table or stream: a file of CSV, JSON lines or Parquet, a folder, a "
        "pattern, or - for standard input; OPTIONS (…) may follow.",
    ),
]


class TierName(StrEnum):
    """The tiers of the kit: a backend's promises about the times at which it emits rows."""

    FINAL = "final"
    BOUNDED = "bounded"
    EXACT = "exact"


Times = Annotated[
    list[str] | None,
    typer.Option(
        "--times",
        metavar="[COLUMN=]UNIT",
        help="The unit that numbers in TIMESTAMP columns of files count since 1970: s, ms, us or "
        "ns; may be given for each column.",
    ),
]
StrictTimes = Annotated[
    bool,
    typer.Option(
        "--strict-times",
        help="Refuse times in files with parts of a millisecond; else they are cut.",
    ),
]


def checked_timestamp(text: str | None) -> str | None:
    """The text of an option, or None without it; a usage error if it is not a timestamp."""
    from algebra.functions.datetimes import parse_timestamp

    try:
        if text is not None:
            parse_timestamp(text)
    except ValueError as error:
        raise typer.BadParameter(str(error)) from None
    return text


def data_files(arguments: list[str] | None, times: TimeOptions) -> tuple[DataFile, ...]:
    """The files that ``--data`` names; a usage error if an argument is not NAME=FILE.

    ``times`` declares how their times are read.
    """
    from algebra.records.pipeline import RunError
    from rowtime.inputs import data_files as named_files

    try:
        return named_files(arguments or [], times)
    except RunError as error:
        raise typer.BadParameter(str(error)) from None


def time_options(arguments: list[str] | None, strict: bool = False) -> TimeOptions:
    """The options ``--times`` and ``--strict-times``; a usage error if one is not valid."""
    from algebra.records.pipeline import RunError
    from rowtime.time_options import time_options as options

    try:
        return options(arguments or [], strict)
    except RunError as error:
        raise typer.BadParameter(str(error)) from None


def require_files(times: TimeOptions, files: tuple[DataFile, ...]) -> None:
    """Raise a usage error if an option for the times of files is given, but no file."""
    if times != DEFAULT and not files:
        raise typer.BadParameter(
            "--times and --strict-times are about the files of --data and of the query; a foreign "
            "stream has the options time_unit and strict_times"
        )


def script_of(files: list[Path] | None) -> Script:
    """The script in the files of ``--ddl``; without this option, the example schema."""
    if files:
        return Script(tuple((str(file), text_of(file)) for file in files))
    example = Path(__file__).parents[1] / "example.sql"
    return Script(((example.name, example.read_text("utf-8")),))


def query_text(query: str | None, file: Path | None) -> str:
    """The text of the query, from the argument ``query`` or from ``file``.

    A usage error if both are given, or neither.
    """
    if (query is None) == (file is None):
        raise typer.BadParameter("give the query as an argument, or a file with -f: one of them")
    if query is not None:
        return query
    assert file is not None, "one of the two is given"
    return text_of(file)


@dataclass(frozen=True, slots=True)
class QueryOnFiles:
    """A query, the script that declares what it reads, and the files of tables and streams."""

    script: Script
    sql: str
    files: tuple[DataFile, ...]


def query_on_files(
    script: Script,
    sql: str,
    files: tuple[DataFile, ...],
    rowtime: str,
    times: TimeOptions = DEFAULT,
    wrong: int = EXIT_FAILURES,
) -> QueryOnFiles:
    """The query ``sql``, in which each file is replaced by the name of a declared table or stream.

    A query can name a file, as in ``SELECT * FROM 'orders.csv'``.  For each such file, a
    declaration is added to ``script``, and printed on standard error.  The file is added to
    ``files``, which are the files of ``--data``.  A file that has the column ``rowtime`` is a
    stream. ``times`` declares how times are read.  ``wrong`` is the exit status if a file cannot be
    read.
    """
    from rowtime.files_in_query import with_files

    with errors_to_the_user(script, wrong=wrong):
        rewritten = with_files(sql, rowtime, times)
    if not rewritten.data:
        require_files(times, files)
        return QueryOnFiles(script, sql, files)
    print_message(rewritten.ddl)
    whole = Script((*script.files, ("the files of the query", rewritten.ddl)))
    return QueryOnFiles(whole, rewritten.sql, (*files, *rewritten.data))


def text_of(file: Path) -> str:
    """The text of a file; a usage error if it cannot be read, or is not UTF-8."""
    if str(file) == STANDARD:
        return sys.stdin.read()
    try:
        return text_of_file(file)
    except FileError as error:
        raise typer.BadParameter(str(error)) from None
