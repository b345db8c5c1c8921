"""`rowtime sql`: the shell of an embedded database."""

from pathlib import Path
from typing import Annotated

import typer

from algebra.catalog import Profile
from algebra.records.printing import Format
from rowtime.commands.limit_options import MaxMemory, MaxRows, Timeout, limits_of
from rowtime.commands.options import ProfileName
from tck.terminal.messages import print_message


def sql(
    file: Annotated[
        Path | None,
        typer.Argument(help="The file that keeps the database; without it, all is in memory."),
    ] = None,
    format: Annotated[
        Format | None,
        typer.Option("--format", help="The format of results.", show_default="table"),
    ] = None,
    root: Annotated[
        Path | None,
        typer.Option(
            "--root",
            metavar="DIR",
            help="A folder: .read reads no file outside of it.",
            exists=True,
            file_okay=False,
        ),
    ] = None,
    command: Annotated[
        list[str] | None,
        typer.Option(
            "-c",
            "--command",
            help="Execute these statements, or this command, in place of standard input.  "
            "The option may be repeated; those after one that fails are not executed.",
        ),
    ] = None,
    timeout: Timeout = None,
    max_memory: MaxMemory = None,
    max_rows: MaxRows = None,
    profile: ProfileName = Profile.CALCITE,
) -> None:
    """Open a shell on a database of streams and tables.

    docs/engine.md describes this database, which is embedded in the process.

    On a terminal, the shell has history, completion and highlighting.  Otherwise it executes the
    statements of standard input, until one fails.  The limits hold for each query; they do not
    interrupt a statement that writes.  A streaming query ends when it has emitted too many rows.

    Exit code: 0; 1 if a statement of -c or of standard input failed, or if the file cannot be
    opened.
    """
    from algebra.records.printing import BINARY
    from rowtime.driver.errors import Error
    from rowtime.shell.command import run_shell

    if format in BINARY:
        raise typer.BadParameter(f"--format {format}: the shell prints text; rowtime run writes it")
    limits = limits_of(timeout, max_memory, max_rows)
    history = Path.home() / ".rowtime_history"
    try:
        status = run_shell(file, format, profile, history, root, command or (), limits)
    except Error as error:
        print_message(str(error))
        status = 1
    raise typer.Exit(status)
