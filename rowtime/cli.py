"""The command line `rowtime`: its commands by name, its exit statuses, and `main`.

A command is a function in another module.  Only the module of the called command is imported.
"""

import os
import signal
import sys
from collections.abc import Iterable
from importlib.util import find_spec
from typing import TYPE_CHECKING, Annotated, Final

import typer

from rowtime.standard_streams import drop_output, open_standard_streams, standard_output_fault
from tck.cli import COMMANDS as KIT_COMMANDS
from tck.cli import add_command, kit_app
from tck.terminal.messages import PrintableGroup, print_message, print_text

if TYPE_CHECKING:
    app: typer.Typer

#: The commands that this package adds to `rowtime tck`, because they need the reference, which the
#: kit does not import: the module and function of each, and the arguments of the example in its
#: help.  Those of `rowtime.score` are not in the wheel.
TCK_EXTENSIONS: Final = {
    "fuzz": ("rowtime.fuzz.command:fuzz", "--backend spark --minutes 5"),
    "score": ("rowtime.score.command:score", "--only slack"),
    "core": ("rowtime.score.core.command:core", "--write"),
}


#: The module and the function of each command of `rowtime`, and the arguments of the example in its
#: help.
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
    """Whether a command of `TCK_EXTENSIONS` is part of this installation."""
    return name == "fuzz" or find_spec("rowtime.score") is not None


#: The names of all commands of `rowtime tck` in this installation.
_TCK_COMMANDS: Final = (*KIT_COMMANDS, *filter(_is_here, TCK_EXTENSIONS))


def _print_version(requested: bool) -> None:
    """Print the version and end, if the option ``--version`` was given."""
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
    """Make the command line with the commands ``names``, without importing the other modules."""
    app = typer.Typer(
        name="rowtime",
        no_args_is_help=True,
        add_completion=True,
        pretty_exceptions_enable=False,
        rich_markup_mode=None,
        cls=PrintableGroup,
        context_settings={"help_option_names": ["-h", "--help"]},
        epilog=f"The commands of rowtime tck are: {', '.join(_TCK_COMMANDS)}.",
    )
    app.callback()(options)
    for name in names:
        target, arguments = _COMMANDS[name]
        add_command(app, f"rowtime {name}", target, arguments, reads_options=name == "tck")
    return app


def __getattr__(name: str) -> typer.Typer:
    """Make ``app``, the command line with all commands, when it is first read as an attribute."""
    if name == "app":
        return rowtime_app()
    raise AttributeError(name)


def tck(context: typer.Context) -> None:
    """Test an engine with the conformance kit."""
    word = context.args[0] if context.args else ""
    is_known = word in KIT_COMMANDS or word in TCK_EXTENSIONS
    # The help, and the message about an unknown command, need the names of all.
    called = [word] if is_known else [*KIT_COMMANDS, *TCK_EXTENSIONS]
    kit = kit_app([name for name in called if name in KIT_COMMANDS])
    for name in filter(_is_here, (name for name in called if name in TCK_EXTENSIONS)):
        add_command(kit, f"rowtime tck {name}", *TCK_EXTENSIONS[name])
    kit(context.args, prog_name="rowtime tck", help_option_names=["-h", "--help"])


def main() -> None:
    """Run the command line.

    With ``--in-process``, a backend runs in the process of the kit, and could end it with exit
    status 0.  So the command line then runs in a child process, which this process supervises.
    """
    if "--in-process" in sys.argv[1:]:
        from tck.supervision import run_supervised

        sys.exit(run_supervised(_run_for_status))
    _main()


def _app_for(arguments: list[str]) -> typer.Typer:
    """The command line with the command that ``arguments`` call.

    It has all commands for the help and for an unknown command, and none for ``--version``.
    """
    first = arguments[0] if arguments else ""
    if first in _COMMANDS:
        return rowtime_app([first])
    return rowtime_app([] if first == "--version" else _COMMANDS)


def _run_for_status() -> int:
    """Run the command line, and return its exit status."""
    try:
        _main()
    except SystemExit as ended:
        return ended.code if isinstance(ended.code, int) else int(ended.code is not None)
    return 0


def _main() -> None:
    """Run the command line; each exception becomes one message and an exit status.

    The status is 130 after Ctrl-C, and 1 if standard output or a file fails.  Any other exception
    that arrives here is a bug of rowtime: status 70.

    A shell starts background jobs with SIGINT ignored, and a process inherits this.  So the handler
    is set here: Ctrl-C then interrupts the command in any case.
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
    except Exception as error:
        if os.environ.get("ROWTIME_TRACEBACK"):
            raise
        fault = standard_output_fault(error)
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
