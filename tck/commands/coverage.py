"""`tck coverage`: how many statements of the sources have cases."""

import json
from collections import Counter
from dataclasses import asdict
from typing import Annotated, Final

import typer
from rich.console import Console
from rich.table import Table

from tck.commands.options import AsJson, LedgerFolder, Roots, ledger_entries, load
from tck.corpus.ledger import Status, coverage

#: Of which statements the names are shown, by the number of their cases.
Below = Annotated[
    int | None,
    typer.Option(
        "--below", metavar="N", min=2, help="Name the tested statements with fewer than N cases."
    ),
]


def show_coverage(
    cases: Roots = None, ledger: LedgerFolder = None, below: Below = None, as_json: AsJson = False
) -> None:
    """Count the statements of the sources that have cases, and name those without.

    The column "by three" counts statements that are tested by three independent cases or more; all
    lines of a series count as one case.
    """
    corpus = load(cases)
    covered = coverage(ledger_entries(ledger), corpus.cases)
    if as_json:
        print(json.dumps([asdict(entry) for entry in covered], ensure_ascii=False, indent=2))
        return
    statuses: tuple[Status, ...] = ("tested", "timed", "not testable", "open")
    families = dict.fromkeys(entry.id.partition("-")[0] for entry in covered)
    counts = Counter((entry.id.partition("-")[0], entry.status) for entry in covered)
    thrice = Counter(entry.id.partition("-")[0] for entry in covered if entry.independent >= _THREE)
    table = Table("family", *statuses, "all", "by three")
    for family in families:
        numbers = [counts[family, status] for status in statuses]
        table.add_row(family, *map(str, [*numbers, sum(numbers), thrice[family]]))
    totals = [sum(counts[family, status] for family in families) for status in statuses]
    table.add_section()
    table.add_row("all", *map(str, [*totals, sum(totals), thrice.total()]))
    console = Console()
    console.print(table)
    if below is not None:
        few = [each for each in covered if 0 < each.independent < below]
        named = ", ".join(f"{each.id} ({each.independent})" for each in few)
        text = f"fewer than {below} cases: {named or 'none'}"
        console.print(text, soft_wrap=True, highlight=False)
    unmet = [entry.id for entry in covered if entry.status == "open"]
    if unmet:
        console.print(f"open: {', '.join(unmet)}", soft_wrap=True, highlight=False)


_THREE: Final = 3
