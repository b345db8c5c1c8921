"""`tck coverage`: how many statements of the sources have cases."""

import json
from collections import Counter
from dataclasses import asdict

from rich.console import Console
from rich.table import Table

from tck.commands.options import AsJson, LedgerFolder, Roots, ledger_entries, load
from tck.corpus.ledger import Status, coverage


def show_coverage(
    cases: Roots = None, ledger: LedgerFolder = None, as_json: AsJson = False
) -> None:
    """Count the statements of the sources that have cases, and name those without."""
    corpus = load(cases)
    covered = coverage(ledger_entries(ledger), corpus.cases)
    if as_json:
        print(json.dumps([asdict(entry) for entry in covered], ensure_ascii=False, indent=2))
        return
    statuses: tuple[Status, ...] = ("tested", "timed", "not testable", "open")
    families = dict.fromkeys(entry.id.partition("-")[0] for entry in covered)
    counts = Counter((entry.id.partition("-")[0], entry.status) for entry in covered)
    table = Table("family", *statuses, "all")
    for family in families:
        numbers = [counts[family, status] for status in statuses]
        table.add_row(family, *map(str, numbers), str(sum(numbers)))
    totals = [sum(counts[family, status] for family in families) for status in statuses]
    table.add_section()
    table.add_row("all", *map(str, totals), str(sum(totals)))
    console = Console()
    console.print(table)
    unmet = [entry.id for entry in covered if entry.status == "open"]
    if unmet:
        console.print(f"open: {', '.join(unmet)}", soft_wrap=True, highlight=False)
