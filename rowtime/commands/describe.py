"""`rowtime describe`: the declaration of a file's table or stream."""

from pathlib import Path
from typing import Annotated

import typer

from rowtime.command_errors import errors_to_the_user
from rowtime.commands.options import Times, time_options
from rowtime.script import Script
from tck.terminal.messages import print_exactly

Rowtime = Annotated[
    str,
    typer.Option("--rowtime", metavar="COLUMN", help="The column that orders a stream."),
]


def describe(
    file: Annotated[
        str, typer.Argument(help="The file, folder or pattern; OPTIONS (…) may follow.")
    ],
    name: Annotated[
        str | None, typer.Option("--name", help="The name of the table.", show_default="the file's")
    ] = None,
    rowtime: Rowtime = "rowtime",
    times: Times = None,
) -> None:
    """Print the declaration of a file.

    The file is declared as a table, or as a stream.

    The types are found from all values of the file.  It is a stream if its rowtime column has
    timestamps in ascending order.  If the file has another delimiter than a comma, or a word such
    as NA for NULL, a comment shows the option of --data that reads it.

    Exit code: 0; 1 if the file cannot be read; 2 usage.
    """
    from algebra.records.discovery.declaration import declaration, found_files
    from rowtime.inputs import connection_to, path_and_options

    units = time_options(times).units(rowtime)
    with errors_to_the_user(Script(())):
        path, _ = path_and_options(file)
        plain = name or Path(path).name.partition(".")[0] or "data"
        found = found_files(connection_to(plain, file), units)
        if found.options:
            print_exactly(f'-- its rows: --data "{plain}={path} OPTIONS ({found.options})"\n')
        print_exactly(f"{declaration(plain, found, rowtime)}\n")
