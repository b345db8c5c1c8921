"""The options for the limits of a query: `--timeout`, `--max-memory` and `--max-rows`."""

from typing import Annotated

import typer

from rowtime.limits.resource_limits import ResourceLimits, memory_size

Timeout = Annotated[
    float | None,
    typer.Option("--timeout", metavar="SECONDS", min=0.001, help="End a query after this time."),
]
MaxMemory = Annotated[
    str | None,
    typer.Option(
        "--max-memory",
        metavar="SIZE",
        help="End a query if this process needs more memory, such as 500MB or 2GB.",
    ),
]
MaxRows = Annotated[
    int | None,
    typer.Option("--max-rows", metavar="N", min=0, help="End a query that has more rows."),
]


def limits_of(timeout: float | None, memory: str | None, rows: int | None) -> ResourceLimits:
    """The limits from the values of the three options; None means no limit.

    A usage error if ``memory`` is not a size such as 500MB.
    """
    try:
        size = None if memory is None else memory_size(memory)
    except ValueError as error:
        raise typer.BadParameter(f"--max-memory {error}") from None
    return ResourceLimits(timeout, size, rows)
