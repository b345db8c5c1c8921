"""The command line of the kit: a table of its commands, and the typer app that has them."""

from collections.abc import Callable, Iterable
from importlib import import_module
from typing import TYPE_CHECKING, Any, Final, cast

import typer

from tck.exit_codes import EXIT_USAGE
from tck.terminal.messages import PrintableGroup, print_message

if TYPE_CHECKING:
    app: typer.Typer

#: The package with a module for each command; the module has the name of the command.
_COMMANDS: Final = f"{__package__}.commands"
#: By command: the name of the function in its module, and the arguments of the example in its help.
_FUNCTIONS: Final = {
    "run": ("run", "--backend reference --only 'join/*'"),
    "smoke": ("smoke_test", "--backend 'cmd:java -jar engine.jar'"),
    "report": ("report", "run.jsonl --output pages"),
    "diff": ("diff_runs", "older.jsonl newer.jsonl"),
    "badge": ("make_badge", "run.jsonl --output badge.svg"),
    "protocol": ("show_protocol", "--schema"),
    "list": ("list_cases", "--only 'group_sort/*'"),
    "export": ("export_cases", "--output cases.json"),
    "coverage": ("show_coverage", "--below 3"),
    "sources": ("show_sources", "--cases my-cases"),
    "lint": ("lint_corpus", "--cases my-cases"),
    "example": ("copy_example", "sqlite --output my-backend"),
}
#: The names of all commands, in the order in which the help lists them.
COMMANDS: Final = tuple(_FUNCTIONS)


def add_command(
    app: typer.Typer, call: str, target: str, arguments: str, *, reads_options: bool = False
) -> None:
    """Add the function ``target``, written as ``module:name``, to a command line.

    ``call`` is how users call the command, such as ``rowtime tck run``: its last word is the name
    in ``app``.  The last line of the command's help is an example, with ``arguments``.  The module
    is imported now.  ``reads_options``: the function itself parses its options, also ``--help``;
    else typer parses them.
    """
    module, _, name = target.partition(":")
    settings = {
        "allow_extra_args": True,
        "ignore_unknown_options": True,
        "allow_interspersed_args": False,
    }
    app.command(
        call.rpartition(" ")[2],
        epilog=f"\b\nExample:\n  {call} {arguments}".rstrip(),  # \b: the lines are not wrapped
        add_help_option=not reads_options,
        context_settings=settings if reads_options else {},
    )(cast("Callable[..., None]", getattr(import_module(module), name)))


def kit_app(names: Iterable[str] = COMMANDS) -> typer.Typer:
    """The command line of the kit with these commands, whose modules are imported."""
    made = typer.Typer(
        help="The conformance kit for streaming SQL.",
        no_args_is_help=True,
        add_completion=False,
        pretty_exceptions_enable=False,
        rich_markup_mode=None,
        cls=_KitGroup,
    )
    # Without a callback, typer would leave out the name of a command that is the only one.
    made.callback()(_kit)
    for name in names:
        function, arguments = _FUNCTIONS[name]
        add_command(made, f"rowtime tck {name}", f"{_COMMANDS}.{name}:{function}", arguments)
    return made


class _KitGroup(PrintableGroup):
    """The group of the commands.  If a command reads an invalid file, its exit status is 2."""

    def invoke(self, ctx: Any) -> Any:
        """Call the command; print an `InvalidFilesError` that the command does not handle."""
        try:
            return super().invoke(ctx)
        except Exception as error:
            # Imported here, because the module imports the YAML library; `--help` never needs it.
            from tck.corpus.document import InvalidFilesError

            if not isinstance(error, InvalidFilesError):
                raise
            print_message(str(error))
            raise typer.Exit(EXIT_USAGE) from None


def _kit() -> None:
    """Do nothing before a command."""


def __getattr__(name: str) -> typer.Typer:
    """Make ``app``, the command line with all commands, when it is first used."""
    if name == "app":
        return kit_app()
    raise AttributeError(name)
