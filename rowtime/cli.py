"""The command line: `rowtime explain`, `rowtime run`, `rowtime tck`."""

import contextlib
import os
import sys
from collections.abc import Callable, Generator
from datetime import UTC, datetime
from importlib import resources
from pathlib import Path
from typing import Annotated

import typer

from algebra.catalog import Profile
from grammar.source import SqlError
from rowtime.script import Script
from rowtime.write import Format
from tck.report import EXIT_NO_BACKEND, EXIT_USAGE

app = typer.Typer(
    name="rowtime",
    help="Streaming SQL: its reference implementation, and the kit that tests other engines.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)

_DdlOption = Annotated[
    list[Path] | None,
    typer.Option("--ddl", help="A script of CREATE statements; may be given several times."),
]
_ProfileOption = Annotated[Profile, typer.Option("--profile", help="The reading of the language.")]
_QueryArgument = Annotated[str | None, typer.Argument(help="The query.", show_default=False)]
_FileOption = Annotated[
    Path | None, typer.Option("-f", "--file", help="Read the query from a file.")
]


def _timestamp(text: str | None) -> str | None:
    """The option's text, which must be a timestamp."""
    from algebra.datetimes import parse_timestamp

    try:
        if text is not None:
            parse_timestamp(text)
    except ValueError as error:
        raise typer.BadParameter(str(error)) from None
    return text


@app.command()
def explain(
    query: _QueryArgument = None,
    file: _FileOption = None,
    ddl: _DdlOption = None,
    profile: _ProfileOption = Profile.CALCITE,
) -> None:
    """Print the plan of a query, one node a line.

    Without --ddl the schema is that of the Calcite streaming page: Orders, Products,
    ProductVersions, Shipments.
    """
    from algebra.explain import explain as explain_plan
    from algebra.prepare import prepare

    script, sql = _script(ddl), _query_text(query, file)
    with _errors_to_the_user(script):
        prepared = prepare(script.text, sql, profile)
        assert prepared.query is not None, "a query was given"
        typer.echo(explain_plan(prepared.query))


@app.command()
def run(
    query: _QueryArgument = None,
    file: _FileOption = None,
    ddl: _DdlOption = None,
    data: Annotated[
        list[str] | None,
        typer.Option(
            "--data", metavar="NAME=FILE", help="A table's or stream's rows: CSV, Parquet."
        ),
    ] = None,
    backend: Annotated[
        str, typer.Option("--backend", help="reference, spark, or module:Class.")
    ] = "reference",
    format: Annotated[
        Format, typer.Option("--format", help="How rows are written.")
    ] = Format.TABLE,
    output: Annotated[
        Path | None, typer.Option("-o", "--output", help="Write the rows to a file.")
    ] = None,
    now: Annotated[
        str | None,
        typer.Option(
            "--now",
            metavar="TIMESTAMP",
            help="The session's clock, 'YYYY-MM-DD HH:MM:SS'; by default the time now, UTC.",
            callback=_timestamp,
        ),
    ] = None,
    profile: _ProfileOption = Profile.CALCITE,
) -> None:
    """Run a query on files: streams are read as recorded histories, in rowtime order.

    Exit code: 0; 1 if the query is refused or fails, or a file is wrong: then nothing is written; 2
    usage; 3 if the backend could not be started; 130 interrupted.
    """
    from rowtime.run import run as run_query
    from rowtime.write import whole_file, write
    from tck.backends import start_backend

    script, sql, files = _script(ddl), _query_text(query, file), _data_files(data or [])
    if output is not None and not output.parent.is_dir():
        raise typer.BadParameter(f"{output}: there is no folder {output.parent}")
    # The wall clock is read here and nowhere below: what a query means depends on its input alone.
    clock = now or datetime.now(UTC).strftime("%Y-%m-%d %H:%M:%S")
    with _errors_to_the_user(script), _progress() as progress:
        running = start_backend(backend)
        result = run_query(running.backend, script.text, sql, profile, files, clock, progress)
    for warning in result.warnings:
        typer.echo(f"warning: {warning}", err=True)
    with _errors_to_the_user(script):
        if output is None:
            write(format, result.columns, result.rows, sys.stdout)
            sys.stdout.flush()
        else:
            with whole_file(output) as to:
                write(format, result.columns, result.rows, to)


@app.command(
    add_help_option=False,
    context_settings={
        "allow_extra_args": True,
        "ignore_unknown_options": True,
        "allow_interspersed_args": False,
    },
)
def tck(context: typer.Context) -> None:
    """The conformance kit: run, list, coverage, sources, lint."""
    # Imported here: it brings what validates documents, and no query waits for that.
    from tck.cli import app as kit

    kit(context.args, prog_name="rowtime tck", help_option_names=["-h", "--help"])


def _data_files(given: list[str]) -> tuple[tuple[str, Path], ...]:
    """The names of objects and their files."""
    from rowtime.run import RunError, data_arguments

    try:
        return data_arguments(given)
    except RunError as error:
        raise typer.BadParameter(str(error)) from None


def _script(files: list[Path] | None) -> Script:
    """The files one after another; without any, the example schema."""
    if files:
        return Script(tuple((str(file), _text_of(file)) for file in files))
    example = resources.files("rowtime").joinpath("example.sql")
    return Script(((example.name, example.read_text("utf-8")),))


def _query_text(query: str | None, file: Path | None) -> str:
    """The query that was given, one way or the other."""
    if (query is None) == (file is None):
        raise typer.BadParameter("give the query as an argument, or a file with -f: one of them")
    if query is not None:
        return query
    assert file is not None, "one of them is given"
    return _text_of(file)


def _text_of(file: Path) -> str:
    try:
        return file.read_text("utf-8-sig")
    except UnicodeDecodeError as error:
        raise typer.BadParameter(f"{file}: not UTF-8 text: {error.reason}") from None
    except OSError as error:
        raise typer.BadParameter(f"{file}: {error.strerror or error}") from None


@contextlib.contextmanager
def _errors_to_the_user(script: Script) -> Generator[None]:
    """What a user can mend is said on standard error, and the exit status is not 0."""
    from rowtime.read import FileError
    from rowtime.run import RunError
    from tck.backends import BackendStartError, UnknownBackendError

    try:
        yield
    except BrokenPipeError:
        # The reader has gone, as `head` does; what is left in the buffer has nowhere to go.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        raise typer.Exit(1) from None
    except SqlError as error:
        typer.echo(script.told(error), err=True)
        raise typer.Exit(1) from None
    except (RunError, FileError) as error:
        typer.echo(str(error), err=True)
        raise typer.Exit(1) from None
    except UnknownBackendError as error:
        typer.echo(str(error), err=True)
        raise typer.Exit(EXIT_USAGE) from None
    except BackendStartError as error:
        typer.echo(str(error), err=True)
        raise typer.Exit(EXIT_NO_BACKEND) from None
    except OSError as error:
        typer.echo(f"{error.filename or 'output'}: {error.strerror or error}", err=True)
        raise typer.Exit(1) from None
    except KeyboardInterrupt:
        typer.echo("interrupted; nothing was written", err=True)
        raise typer.Exit(130) from None


@contextlib.contextmanager
def _progress() -> Generator[Callable[[Path, int], None]]:
    """On a terminal, how far the reading and the query are; elsewhere nothing."""
    if not sys.stderr.isatty():
        yield lambda _path, _count: None
        return
    from rich.console import Console

    console = Console(stderr=True)
    if not console.is_terminal:
        yield lambda _path, _count: None
        return
    with console.status("starting") as status:

        def show(path: Path, count: int) -> None:
            status.update(f"{path.name}: {count:,} rows read; then the query runs")

        yield show


def main() -> None:
    """Run the command line; no user sees a traceback who has not asked for it."""
    try:
        app()
    except KeyboardInterrupt:
        typer.echo("interrupted", err=True)
        sys.exit(130)
    except Exception as error:  # a bug of ours: say so, and how to see more of it
        if os.environ.get("ROWTIME_TRACEBACK"):
            raise
        typer.echo(
            f"rowtime has a bug here: {type(error).__name__}: {error}\n"
            "  hint: please report it with what ROWTIME_TRACEBACK=1 rowtime … prints",
            err=True,
        )
        sys.exit(70)
