"""The command `tck diff`: compare two runs by the JSON lines that they wrote."""

from pathlib import Path
from typing import Annotated

import typer

from tck.commands.earlier_runs.files import read_run
from tck.exit_codes import EXIT_INCOMPLETE, EXIT_OK, EXIT_WORSE
from tck.files import shown_path
from tck.report.comparison import compare
from tck.report.comparison_text import comparison_markdown, comparison_text
from tck.terminal.messages import print_message, print_text


def diff_runs(
    old: Annotated[Path, typer.Argument(metavar="OLD", help="JSON lines of the older run.")],
    new: Annotated[Path, typer.Argument(metavar="NEW", help="JSON lines of the newer run.")],
    markdown: Annotated[
        bool, typer.Option("--markdown", help="Write Markdown, for the summary of a CI job.")
    ] = False,
) -> None:
    """Print the changes from one run to another.

    Exit code: 0; 2 usage; 4 if the newer run did not reach its end; 6 if there are new failures,
    or cases that were judged and now are skipped, or are no longer there.
    """
    before, after = read_run(old), read_run(new)
    comparison = compare(before, after)
    text = comparison_markdown(comparison) if markdown else comparison_text(comparison)
    print_text(text.removesuffix("\n"))
    for record in (before, after):
        if record.exit is None:
            print_message(f"{shown_path(record.path)}: the run did not reach its end")
    if after.exit is None:
        raise typer.Exit(EXIT_INCOMPLETE)
    raise typer.Exit(EXIT_WORSE if comparison.worse else EXIT_OK)
