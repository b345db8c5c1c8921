"""The command `tck sources`: print the statements of the sources with the cases that test them."""

import typer

from tck.commands.options import LedgerFolder, Roots, ledger_entries, load
from tck.pages.sources import sources


def show_sources(cases: Roots = None, ledger: LedgerFolder = None) -> None:
    """Print the statements of the sources, with their cases.

    The sources are the SQLstream and Calcite documentation; the output is Markdown.
    """
    corpus = load(cases)
    typer.echo(sources(ledger_entries(ledger), corpus.cases), nl=False)
