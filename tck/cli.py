"""The commands of the kit, by the names that users call them by."""

from collections.abc import Callable, Iterable
from importlib import import_module
from typing import TYPE_CHECKING, Final, cast

import typer

import tck.commands

if TYPE_CHECKING:
    app: typer.Typer

#: The function of each command: the command ``run`` is ``run`` in the module `tck.commands.run`.
_FUNCTIONS: Final = {
    "run": "run",
    "smoke": "smoke_test",
    "report": "report",
    "diff": "diff_runs",
    "badge": "make_badge",
    "protocol": "show_protocol",
    "list": "list_cases",
    "export": "export_cases",
    "coverage": "show_coverage",
    "sources": "show_sources",
    "lint": "lint_corpus",
    "example": "copy_example",
}
#: The names of all commands, in the order in which the help lists them.
COMMANDS: Final = tuple(_FUNCTIONS)


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
        module = import_module(f"{tck.commands.__name__}.{name}")
        made.command(name)(cast("Callable[..., None]", getattr(module, _FUNCTIONS[name])))
    return made


def _kit() -> None:
    """Do nothing before a command."""


def __getattr__(name: str) -> typer.Typer:
    """``app``: the kit with all commands."""
    if name == "app":
        return kit_app()
    raise AttributeError(name)
