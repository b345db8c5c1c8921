"""The command `tck report`: write runs as pages."""

from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.progress import track

from tck.collection import without_collection
from tck.commands.options import LedgerFolder, Roots, ledger_entries, load, usage_error
from tck.corpus.document import InvalidFilesError
from tck.corpus.selected.digest import digest_of
from tck.pages.engines import SameBackendError, engines_of
from tck.pages.items import items_of
from tck.pages.site import Site, count_pages, write_site
from tck.report.record import read_record
from tck.terminal.messages import print_text


def report(
    files: Annotated[
        list[Path], typer.Argument(metavar="FILE…", help="A file that `run --jsonl` has written.")
    ],
    folder: Annotated[
        Path, typer.Option("--output", "-o", metavar="DIR", help="The folder of the pages.")
    ],
    cases: Roots = None,
    ledger: LedgerFolder = None,
) -> None:
    """Write runs as pages: open DIR/index.html.

    The pages need no network.  Several runs of one backend are its history: the newest is shown,
    and the backend's page tells what has changed.  A run that did not reach its end is shown as
    incomplete.
    """
    console = Console(stderr=True)
    quiet = not console.is_terminal or console.is_dumb_terminal
    with without_collection():
        read = track(files, "reading runs", console=console, transient=True, disable=quiet)
        try:
            engines = engines_of([read_record(path) for path in read])
        except (InvalidFilesError, SameBackendError) as error:
            usage_error(str(error))
        statements = {entry.id: entry for entry in ledger_entries(ledger)}
        corpus = load(cases).cases
        digests = {case.id: digest_of(case) for case in corpus}
        site = Site(engines, items_of(engines, corpus), statements, digests)
        written = track(
            write_site(site, folder),
            "writing pages",
            total=count_pages(site),
            console=console,
            transient=True,
            disable=quiet,
        )
        try:
            for _ in written:  # each step writes a page, and moves the progress bar
                pass
        except OSError as error:
            usage_error(f"{error.filename or folder}: cannot be written: {error.strerror or error}")
    print_text(str(folder / "index.html"))
