"""The commands of the kit, by the names that users call them by."""

from collections.abc import Callable, Iterable
from importlib import import_module
from typing import TYPE_CHECKING, Final, cast

import typer

if TYPE_CHECKING:
    app: typer.Typer

#: The package with a module for each command.
_COMMANDS: Final = f"{__package__}.commands"
#: The function of each command, and the arguments of the example in its help: the command ``run``
#: is ``run`` in the module `tck.commands.run`.
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


def example(command: str, arguments: str) -> str:
    """The last line of a command's help: how the command is called, for example."""
    return f"\b\nExample:\n  {command} {arguments}".rstrip()  # \b: the lines are not wrapped


def kit_app(names: Iterable[str] = COMMANDS) -> typer.Typer:
    """The kit with the commands of these names; the modules of the others are not imported."""
    made = typer.Typer(
        help="The conformance kit for streaming SQL.",
        no_args_is_help=True,
        add_completion=False,
        pretty_exceptions_enable=False,
        rich_markup_mode=None,
    )
    made.callback()(_kit)  # so that one command alone is also called by its name
    for name in names:
        module = import_module(f"{_COMMANDS}.{name}")
        function, arguments = _FUNCTIONS[name]
        epilog = example(f"rowtime tck {name}", arguments)
        made.command(name, epilog=epilog)(cast("Callable[..., None]", getattr(module, function)))
    return made


def _kit() -> None:
    """Do nothing before a command."""


def __getattr__(name: str) -> typer.Typer:
    """``app``: the kit with all commands."""
    if name == "app":
        return kit_app()
    raise AttributeError(name)
