"""`rowtime compare`: runs a query on the reference and another backend, and shows differences."""

from pathlib import Path
from typing import Annotated

import typer

from algebra.catalog import Profile
from rowtime.command_errors import errors_to_the_user
from rowtime.commands.describe import Rowtime
from rowtime.commands.options import (
    Data,
    Ddl,
    ProfileName,
    Query,
    QueryFile,
    StrictTimes,
    TierName,
    Times,
    checked_timestamp,
    data_files,
    query_on_files,
    query_text,
    script_of,
    time_options,
)
from tck.exit_codes import EXIT_USAGE


def compare(
    backend: Annotated[
        str, typer.Option("--backend", "-b", help="The engine to compare: as in rowtime tck run.")
    ],
    query: Query = None,
    file: QueryFile = None,
    ddl: Ddl = None,
    data: Data = None,
    times: Times = None,
    strict_times: StrictTimes = False,
    rowtime: Rowtime = "rowtime",
    step: Annotated[
        int | None,
        typer.Option(
            "--step",
            metavar="N",
            min=1,
            help="Feed the streams in rowtime order, N rows of one stream a step, and judge at "
            "which step rows are emitted; by default file after file.",
        ),
    ] = None,
    tier: Annotated[
        TierName | None,
        typer.Option(help="When rows must be emitted; by default, as the backend promises."),
    ] = None,
    record: Annotated[
        Path | None,
        typer.Option(
            "--record", metavar="FILE", help="Write the query, its rows and the answer as a case."
        ),
    ] = None,
    now: Annotated[
        str | None,
        typer.Option(
            "--now",
            metavar="TIMESTAMP",
            help="The session's clock, 'YYYY-MM-DD HH:MM:SS'; by default none is set.",
            callback=checked_timestamp,
        ),
    ] = None,
    profile: ProfileName = Profile.CALCITE,
) -> None:
    """Compare another backend with the reference, on your files.

    Both run the query on the files, and the differences are shown.

    Exit code: 0; 1 if the backend differs from the reference; 2 usage, or if the query is refused,
    a file is wrong, or the backend lacks what the query needs; 3 if the backend could not be
    started; 130 interrupted.
    """
    from rowtime.compare.command import compare as compare_backend
    from rowtime.compare.expected_case import Question

    if record is not None and record.exists():
        raise typer.BadParameter(f"--record {record}: there is such a file; name another")
    if record is not None and not record.parent.is_dir():
        raise typer.BadParameter(f"--record {record}: there is no folder {record.parent}")
    script, sql = script_of(ddl), query_text(query, file)
    read_times = time_options(times, strict_times)
    files = data_files(data, read_times)
    inputs = query_on_files(script, sql, files, rowtime, read_times, wrong=EXIT_USAGE)
    question = Question(inputs.script.text, inputs.sql, profile, inputs.files, now, step)
    with errors_to_the_user(inputs.script, wrong=EXIT_USAGE):
        code = compare_backend(question, backend, tier.value if tier else None, record)
    raise typer.Exit(code)
