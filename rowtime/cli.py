"""The command line: `rowtime explain`, `run`, `compare`, `trace`, `fmt`, `lint`, `sql`, `tck`."""

import contextlib
import json
import os
import signal
import sys
from collections.abc import Callable, Generator, Mapping
from datetime import UTC, datetime
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from algebra.catalog import Profile
from algebra.records.printing import Format
from rowtime.command_errors import errors_to_the_user
from rowtime.script import Script
from tck.exit_codes import EXIT_USAGE

if TYPE_CHECKING:
    from tck.drawing.timeline import Timeline

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
_ProfileOption = Annotated[Profile, typer.Option("--profile", help="The profile of the language.")]
_QueryArgument = Annotated[str | None, typer.Argument(help="The query.", show_default=False)]
_FileOption = Annotated[
    Path | None, typer.Option("-f", "--file", help="Read the query from a file.")
]

_DataOption = Annotated[
    list[str] | None,
    typer.Option(
        "--data", metavar="NAME=FILE", help="The rows of a table or stream: CSV or Parquet."
    ),
]


class _TierName(StrEnum):
    """The tiers of the kit: what a backend promises about when rows are emitted."""

    FINAL = "final"
    BOUNDED = "bounded"
    EXACT = "exact"


#: The backends as `rowtime run` makes them: for a user's data, not for the kit's small cases.
_BUNDLED = {
    "reference": "rowtime.backends.reference:fast_backend",
    "spark": "rowtime.backends.spark:large_backend",
}


def _timestamp(text: str | None) -> str | None:
    """The option's text; a usage error if it is not a timestamp."""
    from algebra.functions.datetimes import parse_timestamp

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
    metadata: Annotated[
        bool,
        typer.Option("--metadata", help="Below each node: its orders, latency and state."),
    ] = False,
    as_json: Annotated[
        bool, typer.Option("--json", help="With --metadata: as JSON (docs/metadata.md).")
    ] = False,
    backend: Annotated[
        str | None,
        typer.Option(
            "--backend",
            help="spark-stream: with each operator's state, and the rows that Spark retains.",
        ),
    ] = None,
) -> None:
    """Print the plan of a query, one node a line.

    Without --ddl the schema is that of the Calcite streaming page: Orders, Products,
    ProductVersions, Shipments.
    """
    from algebra.explain import explain as explain_plan
    from algebra.prepare import prepare

    if as_json and not metadata:
        raise typer.BadParameter("--json goes with --metadata")
    if backend not in (None, "spark-stream") or (backend and metadata):
        raise typer.BadParameter("--backend is spark-stream here, and goes without --metadata")
    script, sql = _script(ddl), _query_text(query, file)
    with errors_to_the_user(script):
        prepared = prepare(script.text, sql, profile)
        assert prepared.query is not None, "a query was given"
        if backend is not None:
            from rowtime.explain_spark import explain_state

            typer.echo(explain_state(prepared.query, profile))
            return
        if not metadata:
            typer.echo(explain_plan(prepared.query))
            return
        # Imported here: a plan without metadata need not wait for it.
        from algebra.metadata.explain_metadata import as_json as metadata_json
        from algebra.metadata.explain_metadata import as_text
        from algebra.metadata.plan_metadata import node_facts
        from algebra.monotonicity.context import Context

        facts = node_facts(prepared.query, Context(profile=profile))
        typer.echo(json.dumps(metadata_json(facts), indent=2) if as_json else as_text(facts))


@app.command()
def run(
    query: Annotated[
        str | None,
        typer.Argument(help="The query; or FILE.sql, a pipeline.", show_default=False),
    ] = None,
    file: _FileOption = None,
    ddl: _DdlOption = None,
    data: _DataOption = None,
    backend: Annotated[
        str, typer.Option("--backend", help="reference, spark, or module:Class.")
    ] = "reference",
    format: Annotated[
        Format | None,
        typer.Option("--format", help="The format of the output.", show_default="table"),
    ] = None,
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
    profile: _ProfileOption = Profile.CALCITE,
) -> None:
    """Run a query on files: streams are read as recorded histories, in rowtime order.

    With FILE.sql, run the standing statements of that script from its foreign streams to its
    foreign streams (docs/pipelines.md).

    Exit code: 0; 1 if the query is refused or fails, or a file is wrong: then nothing is written,
    of a pipeline nothing after its last commit; 2 usage; 3 if the backend could not be started; 130
    interrupted.
    """
    piped = query is not None and _is_script(query)
    of_pipelines = {
        "--once": once or None,
        "--trigger": trigger,
        "--checkpoint": checkpoint,
        "--master": master,
        "--conf": conf or None,
        "--root": root,
    }
    _check_run_options(piped, {"-f": file, "-o": output, "--format": format}, of_pipelines)
    if piped:
        from algebra.records.pipeline import Settings
        from rowtime.pipeline.command import run_pipeline, seconds, spark_settings

        assert query is not None, "its name was given"
        script = Script(tuple((str(e), _text_of(e)) for e in [*(ddl or []), Path(query)]))
        known = spark_settings(conf or [])
        every, clock = seconds(trigger or "1s"), (lambda: now) if now else _wall_clock
        settings = Settings(once, every, checkpoint, clock, master, known)
        run_pipeline(script, profile, _data_files(data or []), backend, settings, root)
        return
    from algebra.records.printing import whole_file, write
    from rowtime.run import run as run_query
    from tck.wire.factory import load_backend

    script, sql, files = _script(ddl), _query_text(query, file), _data_files(data or [])
    if output is not None and not output.parent.is_dir():
        raise typer.BadParameter(f"{output}: there is no folder {output.parent}")
    # The wall clock is read here and nowhere below: a query's meaning depends on its input alone.
    session_clock = now or _wall_clock()
    with errors_to_the_user(script), _progress() as progress:
        started = load_backend(backend, _BUNDLED.get(backend))
        result = run_query(started, script.text, sql, profile, files, session_clock, progress)
    for warning in result.warnings:
        typer.echo(f"warning: {warning}", err=True)
    with errors_to_the_user(script):
        names = [column.name for column in result.columns]
        if output is None:
            write(format or Format.TABLE, names, result.rows, sys.stdout)
            sys.stdout.flush()
        else:
            with whole_file(output) as to:
                write(format or Format.TABLE, names, result.rows, to)


@app.command()
def compare(
    backend: Annotated[
        str, typer.Option("--backend", "-b", help="The engine to compare: as in rowtime tck run.")
    ],
    query: _QueryArgument = None,
    file: _FileOption = None,
    ddl: _DdlOption = None,
    data: _DataOption = None,
    step: Annotated[
        int | None,
        typer.Option(
            "--step",
            metavar="N",
            min=1,
            help="Feed the streams in rowtime order, N rows of one stream a step, and judge at "
            "which step rows come; by default file after file.",
        ),
    ] = None,
    tier: Annotated[
        _TierName | None,
        typer.Option(help="When rows must come; by default, as the backend promises."),
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
            callback=_timestamp,
        ),
    ] = None,
    profile: _ProfileOption = Profile.CALCITE,
) -> None:
    """Run a query on files, on the reference and on another backend, and show where they differ.

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
    script, sql, files = _script(ddl), _query_text(query, file), _data_files(data or [])
    question = Question(script.text, sql, profile, files, now, step)
    with errors_to_the_user(script, wrong=EXIT_USAGE):
        code = compare_backend(question, backend, tier.value if tier else None, record)
    raise typer.Exit(code)


@app.command()
def trace(
    query: _QueryArgument = None,
    file: _FileOption = None,
    script: Annotated[
        Path | None,
        typer.Option("--script", metavar="FILE", help="The events, as YAML: see docs/traces.md."),
    ] = None,
    case: Annotated[
        str | None, typer.Option("--case", metavar="ID", help="Play a case of the kit instead.")
    ] = None,
    cases: Annotated[
        list[Path] | None,
        typer.Option("--cases", metavar="DIR", help="Cases in place of the kit's own."),
    ] = None,
    ddl: _DdlOption = None,
    profile: Annotated[
        Profile | None,
        typer.Option("--profile", help="The profile of the language; by default the script's."),
    ] = None,
    svg: Annotated[
        Path | None, typer.Option("--svg", metavar="FILE", help="Draw it as an SVG image.")
    ] = None,
    html: Annotated[
        Path | None, typer.Option("--html", metavar="FILE", help="Draw it as a page.")
    ] = None,
) -> None:
    """Show the timeline of a run: each row and bound, the rows emitted at it, and why.

    Exit code: 0; 1 if the query is refused or fails, or the script is wrong; 2 usage; 130
    interrupted.
    """
    from algebra.records.printing import whole_file
    from rowtime.timeline.events import play_of_case, play_of_file
    from rowtime.timeline.timeline import timeline
    from tck.corpus.document import InvalidFilesError

    if (script is None) == (case is None):
        raise typer.BadParameter("say what happens with --script FILE or --case ID: one of them")
    if case is not None and (query or file or ddl or profile):
        raise typer.BadParameter("a case has its own query, DDL and profile: give --case alone")
    sql = None if query is None and file is None else _query_text(query, file)
    known = _script(ddl)
    with errors_to_the_user(known):
        try:
            if script is None:
                play = play_of_case(case or "", cases or [])
            else:
                play = play_of_file(script, sql, known if ddl else None, profile, known)
        except InvalidFilesError as error:
            typer.echo(str(error), err=True)
            raise typer.Exit(1) from None
    with errors_to_the_user(play.script):
        run = timeline(play)
        for path, form in ((svg, "svg"), (html, "html")):
            if path is not None:
                from rowtime.timeline.draw import html as drawn_page
                from tck.drawing.draw import svg as drawn_image

                drawn = drawn_image(run) if form == "svg" else drawn_page(run)
                with whole_file(path) as to:
                    to.write(drawn)
        if svg is None and html is None:
            _print_timeline(run)
    if run.failure:
        typer.echo(run.failure, err=True)
        raise typer.Exit(1)


@app.command()
def fmt(
    files: Annotated[list[str], typer.Argument(help="Scripts; - for standard input and output.")],
    check: Annotated[
        bool, typer.Option("--check", help="Write nothing; name the files that would change.")
    ] = False,
) -> None:
    """Lay scripts out anew: lines, indents, keywords in upper case; comments and names stay.

    Exit code: 0; 1 if a file does not parse or, with --check, would change; 2 usage.
    """
    from rowtime.text.fmt import STANDARD
    from rowtime.text.fmt import fmt as lay_out

    texts = [(e, sys.stdin.read() if e == STANDARD else _text_of(Path(e))) for e in files]
    with errors_to_the_user(Script(())):
        lay_out(texts, check=check)


@app.command()
def lint(
    file: Annotated[Path, typer.Argument(help="A script.")],
    ddl: _DdlOption = None,
    fix: Annotated[
        bool, typer.Option("--fix", help="Correct the file as the refusals suggest.")
    ] = False,
    profile: _ProfileOption = Profile.CALCITE,
) -> None:
    """Print all that is refused in a script, not just the first.

    Exit code: 0; 1 if a statement is refused; 2 usage.
    """
    from rowtime.text.lint import lint as check

    texts = [(str(each), _text_of(each)) for each in ddl or []]
    with errors_to_the_user(Script(())):
        check(file, _text_of(file), texts, profile, fix=fix)


@app.command(
    add_help_option=False,
    context_settings={
        "allow_extra_args": True,
        "ignore_unknown_options": True,
        "allow_interspersed_args": False,
    },
)
def tck(context: typer.Context) -> None:
    """The conformance kit: run, list, coverage, sources, lint, score, fuzz."""
    # Imported here: it brings what validates documents, and no query waits for that.
    from importlib.util import find_spec

    from rowtime.fuzz.command import fuzz
    from tck.cli import app as kit

    kit.command("fuzz")(fuzz)
    if find_spec("rowtime.score") is not None:  # of the repository, not of the wheel
        from rowtime.score.command import score

        kit.command("score")(score)  # the kit knows no implementation, and so no wrong one
    kit(context.args, prog_name="rowtime tck", help_option_names=["-h", "--help"])


def _print_timeline(run: "Timeline") -> None:
    """Print the timeline as text, without its picture on a terminal that is too narrow for it."""
    from rich.console import Console

    from rowtime.timeline.text import lines

    text = list(lines(run))
    console = Console(highlight=False)
    widest = max(len(line) for line in text)
    if console.is_terminal and console.width < widest:
        text = list(lines(run, strip=0))
    if not console.is_terminal:  # a file has lines of any length
        console.width = widest
    for line in text:
        console.print(line, no_wrap=True, overflow="ellipsis", crop=False)


@app.command()
def sql(
    file: Annotated[
        Path | None,
        typer.Argument(help="The file that keeps the database; without it, all is in memory."),
    ] = None,
    format: Annotated[
        Format, typer.Option("--format", help="The format of results.")
    ] = Format.TABLE,
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
    profile: _ProfileOption = Profile.CALCITE,
) -> None:
    """A shell for an embedded database of streams and tables (docs/engine.md).

    On a terminal with history, completion and highlighting; else the statements of standard input
    are executed, until one fails.

    Exit code: 0; 1 if a statement of standard input failed, or the file cannot be opened.
    """
    from rowtime.driver.errors import Error
    from rowtime.shell.command import run_shell

    try:
        status = run_shell(file, format, profile, Path.home() / ".rowtime_history", root)
    except Error as error:
        typer.echo(str(error), err=True)
        status = 1
    raise typer.Exit(status)


def _is_script(query: str) -> bool:
    """Whether the argument in the query's place is the name of a script."""
    return query.lower().endswith(".sql") and (" " not in query.strip() or Path(query).is_file())


def _check_run_options(
    piped: bool, of_queries: Mapping[str, object], of_pipelines: Mapping[str, object]
) -> None:
    """Refuse options that have no meaning for what is run."""
    for name, value in (of_queries if piped else of_pipelines).items():
        if value is not None:
            what = "a query, not with a pipeline" if piped else "a pipeline: rowtime run FILE.sql"
            raise typer.BadParameter(f"{name} goes with {what}")


def _wall_clock() -> str:
    return datetime.now(UTC).strftime("%Y-%m-%d %H:%M:%S")


def _data_files(arguments: list[str]) -> tuple[tuple[str, Path], ...]:
    """The names of objects and their files; a usage error for an argument of another form."""
    from algebra.records.pipeline import RunError
    from rowtime.run import data_files

    try:
        return data_files(arguments)
    except RunError as error:
        raise typer.BadParameter(str(error)) from None


def _script(files: list[Path] | None) -> Script:
    """The script of these files; without any, the example schema."""
    if files:
        return Script(tuple((str(file), _text_of(file)) for file in files))
    example = Path(__file__).with_name("example.sql")
    return Script(((example.name, example.read_text("utf-8")),))


def _query_text(query: str | None, file: Path | None) -> str:
    """The query, from the argument or the file; a usage error unless there is exactly one."""
    if (query is None) == (file is None):
        raise typer.BadParameter("give the query as an argument, or a file with -f: one of them")
    if query is not None:
        return query
    assert file is not None, "one of them is there"
    return _text_of(file)


def _text_of(file: Path) -> str:
    try:
        return file.read_text("utf-8-sig")
    except UnicodeDecodeError as error:
        raise typer.BadParameter(f"{file}: not UTF-8 text: {error.reason}") from None
    except OSError as error:
        raise typer.BadParameter(f"{file}: {error.strerror or error}") from None


@contextlib.contextmanager
def _progress() -> Generator[Callable[[Path, int], None]]:
    """A receiver of the rows read so far, which shows them if standard error is a terminal."""
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
    """Run the command line.

    Where a backend is called in the kit's own process, another process watches over that one.
    """
    if "--in-process" in sys.argv[1:]:
        from tck.supervision import supervised

        sys.exit(supervised(_status))
    _main()


def _status() -> int:
    """The exit status of the command line."""
    try:
        _main()
    except SystemExit as ended:
        return ended.code if isinstance(ended.code, int) else int(ended.code is not None)
    return 0


def _main() -> None:
    """Run the command line; an unexpected exception is one message and exit status 70.

    Ctrl-C interrupts also where the parent process ignores SIGINT, as a shell does for a background
    job of a script: Python would otherwise inherit that.
    """
    signal.signal(signal.SIGINT, signal.default_int_handler)
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
