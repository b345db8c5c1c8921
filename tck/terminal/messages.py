"""Print messages on standard error and output; control characters in them are replaced."""

import sys
from typing import Any, Final, TextIO, cast

import typer
from typer.core import TyperGroup

from tck.terminal.printable import printable_lines

#: The class of errors about a wrong command line.  Its module depends on the version of typer.
_UsageError: Final = cast("type[Exception]", typer.BadParameter.__bases__[0])


def print_message(text: str) -> None:
    """Print a message on standard error."""
    typer.echo(printable_lines(text), err=True)


def print_text(text: str) -> None:
    """Print a text for people on standard output."""
    typer.echo(printable_lines(text))


def print_exactly(text: str) -> None:
    """Print a text for programs on standard output; for a terminal it is made printable."""
    typer.echo(text_for(sys.stdout, text), nl=False, color=True)


def text_for(to: TextIO, text: str) -> str:
    """The text to write to ``to``: unchanged for a file or a pipe, printable for a terminal."""
    return printable_lines(text) if to.isatty() else text


class PrintableGroup(TyperGroup):
    """A group of commands whose usage errors, which can quote any argument, are made printable."""

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
    """The same usage error, with a printable message."""
    untyped: Any = error
    untyped.message = printable_lines(untyped.message)
    return error
