"""`rowtime fmt`: the formatting of scripts."""

from collections.abc import Sequence
from pathlib import Path
from typing import Final

import typer

from algebra.records.printing import whole_file
from grammar.formatting.layout import layout
from grammar.source import SqlError
from rowtime.script import Script
from tck.exit_codes import EXIT_FAILURES
from tck.terminal.messages import print_exactly, print_message

#: The name of standard input and output among files.
STANDARD: Final = "-"


def fmt(files: Sequence[tuple[str, str]], *, check: bool) -> None:
    """Format files, given by name and text; with ``check`` only list those that would change.

    A file is written whole or not at all; the name ``-`` means standard output.  Raises
    `typer.Exit` with 1 if a file does not parse, or if ``check`` finds a file that would change.
    The other files are formatted, or checked, all the same.
    """
    failed = False
    for name, text in files:
        try:
            new = layout(text)
        except SqlError as error:
            print_message(Script(((name, text),)).error_text(error))
            failed = True
            continue
        if check:
            if new != text:
                print_message(f"{name} would change")
                failed = True
        elif name == STANDARD:
            print_exactly(new)
        elif new != text:
            with whole_file(Path(name)) as to:
                to.write(new)
            print_message(f"{name} changed")
    if failed:
        raise typer.Exit(EXIT_FAILURES)
