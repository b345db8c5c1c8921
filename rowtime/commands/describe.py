"""`rowtime describe`: the declaration of a file's table or stream."""

from pathlib import Path
from typing import Annotated

import typer

from rowtime.command_errors import errors_to_the_user
from rowtime.script import Script

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
) -> None:
    """Print the declaration of a file.

    The file is declared as a table, or as a stream.

    The types are found from all values of the file.  It is a stream if its rowtime column has
    timestamps in ascending order.

    Exit code: 0; 1 if the file cannot be read; 2 usage.
    """
    from algebra.records.describe import declaration, found_columns
    from rowtime.inputs import connection_to

    with errors_to_the_user(Script(())):
        path = file.partition(" OPTIONS ")[0]
        plain = Path(path).name.partition(".")[0] or "data"
        typer.echo(declaration(name or plain, found_columns(connection_to(plain, file)), rowtime))
