"""Messages on standard error and output; texts from outside are made printable in them."""

import sys
from typing import Any, Final, TextIO, cast

import typer
from typer.core import TyperGroup

from tck.terminal.printable import printable_lines

#: The error of a wrong command line.  Its package depends on the version of typer.
_UsageError: Final = cast("type[Exception]", typer.BadParameter.__bases__[0])


def print_message(text: str) -> None:
    """Print a message on standard error."""
    typer.echo(printable_lines(text), err=True)


def print_text(text: str) -> None:
    """Print a text for people on standard output."""
    typer.echo(printable_lines(text))


def print_exactly(text: str) -> None:
    """Print a text that programs read on standard output; see `text_for`."""
    typer.echo(text_for(sys.stdout, text), nl=False, color=True)


def text_for(to: TextIO, text: str) -> str:
    """The text itself for a file or a pipe; for a terminal it is made printable."""
    return printable_lines(text) if to.isatty() else text


class PrintableGroup(TyperGroup):
    """Commands whose usage errors are made printable: they name arguments and files."""

    def make_context(self, *args: Any, **extra: Any) -> Any:  # Any: typer's own types differ
        """Read the arguments."""
        try:
            return super().make_context(*args, **extra)
        except _UsageError as error:
            raise _made_printable(error) from None

    def invoke(self, ctx: Any) -> Any:
        """Call the command."""
        try:
            return super().invoke(ctx)
        except _UsageError as error:
            raise _made_printable(error) from None


def _made_printable(error: Exception) -> Exception:
    found: Any = error
    found.message = printable_lines(found.message)
    return error
