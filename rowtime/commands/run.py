"""`rowtime run`: a query, or a pipeline, on files."""

from collections.abc import Mapping
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from algebra.catalog import Profile
from algebra.records.printing import Format
from rowtime.command_errors import errors_to_the_user
from rowtime.commands.describe import Rowtime
from rowtime.commands.limit_options import MaxMemory, MaxRows, Timeout, limits_of
from rowtime.commands.options import (
    Data,
    Ddl,
    ProfileName,
    QueryFile,
    StrictTimes,
    Times,
    checked_timestamp,
    data_files,
    query_on_files,
    query_text,
    require_files,
    script_of,
    text_of,
    time_options,
)
from rowtime.limits.drop_limit import DropLimit, drop_limit
from rowtime.script import Script
from tck.terminal.messages import print_message

#: For a backend of the kit, the backend that runs in its place: it is faster for the many rows of a
#: user's files, but not for the small cases of the kit.
_BUNDLED = {
    "reference": "rowtime.backends.reference:fast_backend",
    "spark": "rowtime.backends.spark:large_backend",
}


def run(
    query: Annotated[
        str | None,
        typer.Argument(help="The query; or FILE.sql, a pipeline.", show_default=False),
    ] = None,
    file: QueryFile = None,
    ddl: Ddl = None,
    data: Data = None,
    times: Times = None,
    strict_times: StrictTimes = False,
    backend: Annotated[
        str, typer.Option("--backend", help="reference, spark, or module:Class.")
    ] = "reference",
    format: Annotated[
        Format | None,
        typer.Option(
            "--format", help="The format of the output.", show_default="that of -o FILE, or table"
        ),
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option(
            "-o",
            "--output",
            help="Write the rows to a file, in the format and compression of its ending.",
        ),
    ] = None,
    rowtime: Rowtime = "rowtime",
    now: Annotated[
        str | None,
        typer.Option(
            "--now",
            metavar="TIMESTAMP",
            help="The session's clock, 'YYYY-MM-DD HH:MM:SS'; by default the time now, UTC.",
            callback=checked_timestamp,
        ),
    ] = None,
    fail_on_drop: Annotated[
        str | None,
        typer.Option(
            "--fail-on-drop",
            metavar="N|SHARE",
            help="Fail if this many rows of an input are dropped: a number, or a share such as 1%.",
            show_default="all rows",
        ),
    ] = None,
    timeout: Timeout = None,
    max_memory: MaxMemory = None,
    max_rows: MaxRows = None,
    once: Annotated[
        bool, typer.Option("--once", help="A pipeline: read the input that is there, and end.")
    ] = False,
    trigger: Annotated[
        str | None,
        typer.Option(
            "--trigger",
            metavar="TIME",
            help="A pipeline: the time between two commits.",
            show_default="1s",
        ),
    ] = None,
    checkpoint: Annotated[
        str | None,
        typer.Option(
            "--checkpoint", metavar="DIR", help="A pipeline on Spark: a folder to resume it from."
        ),
    ] = None,
    master: Annotated[
        str | None,
        typer.Option("--master", metavar="URL", help="A pipeline on Spark: the cluster."),
    ] = None,
    conf: Annotated[
        list[str] | None,
        typer.Option("--conf", metavar="K=V", help="A pipeline on Spark: a setting of Spark."),
    ] = None,
    root: Annotated[
        Path | None,
        typer.Option(
            "--root",
            metavar="DIR",
            help="A pipeline: its foreign streams reach files in this folder, and nothing else.",
            exists=True,
            file_okay=False,
        ),
    ] = None,
    profile: ProfileName = Profile.CALCITE,
) -> None:
    """Run a query on files, or a pipeline.

    The file of a stream is its recorded history, which is read in rowtime order.

    With FILE.sql, run the standing statements of that script from its foreign streams to its
    foreign streams (docs/pipelines.md).

    Exit code: 0; 1 if the query is refused or fails, a file is wrong, too many rows are dropped, or
    a limit is exceeded; 2 usage; 3 if the backend could not be started; 130 interrupted.

    With exit code 1, a query writes nothing, and a pipeline writes nothing after its last commit.
    """
    is_pipeline = query is not None and _is_script(query)
    limit = _drop_limit(fail_on_drop)
    pipeline_options = {
        "--once": once or None,
        "--trigger": trigger,
        "--checkpoint": checkpoint,
        "--master": master,
        "--conf": conf or None,
        "--root": root,
    }
    query_options = {
        "-f": file,
        "-o": output,
        "--format": format,
        "--timeout": timeout,
        "--max-memory": max_memory,
        "--max-rows": max_rows,
    }
    _check_run_options(is_pipeline, query_options, pipeline_options)
    if max_memory is not None and backend != "reference":
        raise typer.BadParameter("--max-memory limits this process, which runs the reference alone")
    if is_pipeline:
        from algebra.records.pipeline import Settings
        from rowtime.pipeline.command import run_pipeline, seconds, spark_settings

        assert query is not None, "the name of the pipeline was given"
        script = Script(tuple((str(e), text_of(e)) for e in [*(ddl or []), Path(query)]))
        settings = Settings(
            once,
            trigger=seconds(trigger or "1s"),
            checkpoint=checkpoint,
            now=(lambda: now) if now else _wall_clock,
            master=master,
            conf=spark_settings(conf or []),
        )
        read_times = time_options(times, strict_times)
        files = data_files(data, read_times)
        require_files(read_times, files)
        run_pipeline(script, profile, files, backend, settings, root, limit)
        _after_run(backend)
        return
    from rowtime.limits.resource_limits import limited
    from rowtime.output import chosen_format, open_text_sink, unwritable_reason, write_result
    from rowtime.run import run as run_query
    from tck.terminal.progress import progress
    from tck.wire.factory import load_backend

    script, sql = script_of(ddl), query_text(query, file)
    read_times = time_options(times, strict_times)
    files = data_files(data, read_times)
    inputs = query_on_files(script, sql, files, rowtime, read_times)
    fault = None if output is None else unwritable_reason(format, output)
    if fault is not None:
        raise typer.BadParameter(fault)
    # Only this function reads the wall clock, so that a query's result depends only on its input.
    session_clock = now or _wall_clock()
    chosen = chosen_format(format, output)
    limits = limits_of(timeout, max_memory, max_rows)
    with errors_to_the_user(inputs.script), limited(limits), open_text_sink(chosen, output) as sink:
        with progress(f"starting {backend}") as line:

            def show(path: Path, count: int) -> None:
                line.show(f"{path.name}: {count:,} rows read; then the query runs")

            result = run_query(
                partial(load_backend, backend, _BUNDLED.get(backend)),
                inputs.script.text,
                inputs.sql,
                profile,
                inputs.files,
                now=session_clock,
                on_read=show,
                sink=sink,
                limits=limits,
            )
        for warning in result.warnings:
            print_message(f"warning: {warning}")
        faults = list(limit.faults(result.counts))
        for fault in faults:
            print_message(f"{fault}; nothing was written")
        if faults:
            raise typer.Exit(1)  # the context of `sink` then does not replace a file
        if sink is None:
            write_result(result.fields, result.rows, chosen, output)
    _after_run(backend)


def _after_run(backend: str) -> None:
    """After the first run on Spark in this environment, prepare it for faster starts."""
    if backend == "spark":
        from rowtime.commands.spark_preparation import prepare_spark_once

        prepare_spark_once()


def _drop_limit(text: str | None) -> DropLimit:
    """The value of ``--fail-on-drop``; a usage error if it is not a number or a share."""
    try:
        return drop_limit(text)
    except ValueError as error:
        raise typer.BadParameter(f"--fail-on-drop {error}") from None


def _is_script(query: str) -> bool:
    """Whether the argument ``query`` is the name of a script, and not a query."""
    return query.lower().endswith(".sql") and (" " not in query.strip() or Path(query).is_file())


def _check_run_options(
    is_pipeline: bool,
    query_options: Mapping[str, object],
    pipeline_options: Mapping[str, object],
) -> None:
    """Raise a usage error if an option for queries is given for a pipeline, or the reverse.

    The mappings have the values of the options by name; None if an option is not given.
    """
    for name, value in (query_options if is_pipeline else pipeline_options).items():
        if value is not None:
            what = (
                "a query, not with a pipeline"
                if is_pipeline
                else "a pipeline: rowtime run FILE.sql"
            )
            raise typer.BadParameter(f"{name} goes with {what}")


def _wall_clock() -> str:
    """The time now, as a TIMESTAMP in UTC."""
    return datetime.now(UTC).strftime("%Y-%m-%d %H:%M:%S")
