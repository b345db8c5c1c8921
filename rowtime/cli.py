"""The command line `rowtime`, with each command by its name."""

import os
import signal
import sys
from collections.abc import Iterable
from importlib.util import find_spec
from typing import TYPE_CHECKING, Annotated, Final

import typer

from rowtime.standard_streams import drop_output, open_standard_streams, output_fault
from tck.cli import COMMANDS, add_command, kit_app
from tck.terminal.messages import PrintableGroup, print_message, print_text

if TYPE_CHECKING:
    app: typer.Typer

#: The commands of the kit that need the reference, which the kit itself does not import; each with
#: its function and an example.  Those of `rowtime.score` are not in the wheel.
KIT_COMMANDS: Final = {
    "fuzz": ("rowtime.fuzz.command:fuzz", "--backend spark --minutes 5"),
    "score": ("rowtime.score.command:score", "--only slack"),
    "core": ("rowtime.score.core.command:core", "--write"),
}


#: The module and the function of each command, and the arguments of the example in its help.
_COMMANDS: Final = {
    "explain": (
        "rowtime.commands.explain:explain",
        "'SELECT STREAM * FROM Orders WHERE units > 3'",
    ),
    "run": (
        "rowtime.commands.run:run",
        "--ddl schema.sql --data Orders=orders.csv 'SELECT STREAM * FROM Orders'",
    ),
    "compare": (
        "rowtime.commands.compare:compare",
        "--backend spark --ddl schema.sql --data Orders=orders.csv 'SELECT * FROM Orders'",
    ),
    "trace": ("rowtime.commands.trace:trace", "--case hop-3-hours-every-hour-emission"),
    "fmt": ("rowtime.commands.text:fmt", "--check schema.sql"),
    "lint": ("rowtime.commands.text:lint", "--fix schema.sql"),
    "test": ("rowtime.commands.unit_tests:unit_tests", "--ddl pipeline.sql tests"),
    "tck": ("rowtime.cli:tck", "run --backend reference"),
    "describe": ("rowtime.commands.describe:describe", "orders.csv"),
    "sql": ("rowtime.commands.sql:sql", "orders.db"),
    "prepare-spark": ("rowtime.commands.prepare_spark:prepare_spark", ""),
}


def _is_here(name: str) -> bool:
    """Whether a command of `KIT_COMMANDS` is part of this installation."""
    return name == "fuzz" or find_spec("rowtime.score") is not None


#: The names of all commands of the kit here.
_OF_THE_KIT: Final = (*COMMANDS, *filter(_is_here, KIT_COMMANDS))


def _print_version(requested: bool) -> None:
    if requested:
        from tck import kit_version

        print_text(f"rowtime {kit_version()}")
        raise typer.Exit


def options(
    version: Annotated[
        bool,
        typer.Option(
            "--version", callback=_print_version, is_eager=True, help="Print the version."
        ),
    ] = False,
) -> None:
    """Streaming SQL: its reference implementation, and the kit that tests other engines."""


def rowtime_app(names: Iterable[str] = tuple(_COMMANDS)) -> typer.Typer:
    """The command line with the commands of these names; modules of others are not imported."""
    made = typer.Typer(
        name="rowtime",
        no_args_is_help=True,
        add_completion=True,
        pretty_exceptions_enable=False,
        rich_markup_mode=None,
        cls=PrintableGroup,
        context_settings={"help_option_names": ["-h", "--help"]},
        epilog=f"The commands of rowtime tck are: {', '.join(_OF_THE_KIT)}.",
    )
    made.callback()(options)
    for name in names:
        target, arguments = _COMMANDS[name]
        add_command(made, f"rowtime {name}", target, arguments, reads_options=name == "tck")
    return made


def __getattr__(name: str) -> typer.Typer:
    """``app``: the command line with all commands."""
    if name == "app":
        return rowtime_app()
    raise AttributeError(name)


def tck(context: typer.Context) -> None:
    """Test an engine with the conformance kit."""
    # Only the module of the called command is imported, except for the help and for unknown
    # commands, which need the names of all.
    word = context.args[0] if context.args else ""
    kit = kit_app([word] if word in COMMANDS else () if word in KIT_COMMANDS else COMMANDS)
    for name in filter(_is_here, KIT_COMMANDS):
        if word == name or word not in (*COMMANDS, *KIT_COMMANDS):
            add_command(kit, f"rowtime tck {name}", *KIT_COMMANDS[name])
    kit(context.args, prog_name="rowtime tck", help_option_names=["-h", "--help"])


def main() -> None:
    """Run the command line.

    If a backend is called in the kit's own process, another process supervises that process.
    """
    if "--in-process" in sys.argv[1:]:
        from tck.supervision import run_supervised

        sys.exit(run_supervised(_status))
    _main()


def _app_for(arguments: list[str]) -> typer.Typer:
    """The command line with the command that the arguments call; with all commands for the help."""
    first = arguments[0] if arguments else ""
    if first in _COMMANDS:
        return rowtime_app([first])
    return rowtime_app([] if first == "--version" else _COMMANDS)


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
    open_standard_streams()
    try:
        try:
            _app_for(sys.argv[1:])()
        finally:
            sys.stdout.flush()
    except KeyboardInterrupt:
        print_message("interrupted")
        sys.exit(130)
    except Exception as error:  # a bug of rowtime: report it, and how to see the traceback
        if os.environ.get("ROWTIME_TRACEBACK"):
            raise
        fault = output_fault(error)
        if fault is not None:
            drop_output()
            print_message(f"output: {fault}")
            sys.exit(1)
        if isinstance(error, OSError) and error.filename is not None:
            print_message(f"{error.filename}: {error.strerror}")
            sys.exit(1)
        print_message(
            f"rowtime has a bug here: {type(error).__name__}: {error}\n"
            "  hint: please report it with the output of ROWTIME_TRACEBACK=1 rowtime …"
        )
        sys.exit(70)
