"""The command line: what `rowtime` does, each command by its name."""

import os
import signal
import sys
from typing import Annotated, Final

import typer

from rowtime.commands.compare import compare
from rowtime.commands.explain import explain
from rowtime.commands.prepare_spark import prepare_spark
from rowtime.commands.run import run
from rowtime.commands.sql import sql
from rowtime.commands.text import fmt, lint
from rowtime.commands.trace import trace

app = typer.Typer(
    name="rowtime",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _print_version(requested: bool) -> None:
    if requested:
        from tck.commands.options import kit_version  # imported here: no query waits for that

        typer.echo(f"rowtime {kit_version()}")
        raise typer.Exit


@app.callback()
def options(
    version: Annotated[
        bool,
        typer.Option(
            "--version", callback=_print_version, is_eager=True, help="Print the version."
        ),
    ] = False,
) -> None:
    """Streaming SQL: its reference implementation, and the kit that tests other engines."""


app.command("explain")(explain)
app.command("run")(run)
app.command("compare")(compare)
app.command("trace")(trace)
app.command("fmt")(fmt)
app.command("lint")(lint)


@app.command(
    add_help_option=False,
    context_settings={
        "allow_extra_args": True,
        "ignore_unknown_options": True,
        "allow_interspersed_args": False,
    },
)
def tck(context: typer.Context) -> None:
    """The conformance kit: run, list, coverage, sources, lint, score, core, fuzz."""
    # Imported here: a query does not need the kit.  Only the module of the called command is
    # imported, except for the help and for unknown commands, which need the names of all.
    from tck.cli import COMMANDS, kit_app

    asked = context.args[0] if context.args else ""
    kit = kit_app([asked] if asked in COMMANDS else () if asked in _OURS else COMMANDS)
    for name, add in _OURS.items():
        if asked == name or asked not in (*COMMANDS, *_OURS):
            add(kit)
    kit(context.args, prog_name="rowtime tck", help_option_names=["-h", "--help"])


def _add_fuzz(kit: typer.Typer) -> None:
    from rowtime.fuzz.command import fuzz

    kit.command("fuzz")(fuzz)


def _add_score(kit: typer.Typer) -> None:
    from importlib.util import find_spec

    if find_spec("rowtime.score") is not None:  # of the repository, not of the wheel
        from rowtime.score.command import score

        kit.command("score")(score)


def _add_core(kit: typer.Typer) -> None:
    from importlib.util import find_spec

    if find_spec("rowtime.score") is not None:
        from rowtime.score.core.command import core

        kit.command("core")(core)


#: The commands of the kit that are here because the kit does not know any implementation.
_OURS: Final = {"fuzz": _add_fuzz, "score": _add_score, "core": _add_core}


app.command("sql")(sql)
app.command("prepare-spark")(prepare_spark)


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
            "  hint: please report it with the output of ROWTIME_TRACEBACK=1 rowtime …",
            err=True,
        )
        sys.exit(70)
