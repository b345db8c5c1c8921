"""The command `tck coverage`: count the statements of the sources that have cases."""

import json
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import asdict
from typing import Annotated, Final, get_args

import typer
from rich.console import Console
from rich.table import Table

from tck.backends import start_backend
from tck.commands.options import (
    AsJson,
    CountedBackends,
    LedgerFolder,
    Roots,
    ledger_entries,
    load,
    usage_error,
)
from tck.corpus.case import Case
from tck.corpus.ledger import Status, coverage
from tck.corpus.selected.edges import Edge, edges
from tck.run import skip_reason
from tck.terminal.messages import print_message
from tck.terminal.progress import progress
from tck.wire.factory import installed
from tck.wire.faults import BackendStartError, UnknownBackendError

#: The column "by three" counts the statements with at least this number of independent cases.
_THREE: Final = 3

Below = Annotated[
    int | None,
    typer.Option(
        "--below", metavar="N", min=2, help="Name the tested statements with fewer than N cases."
    ),
]


def show_coverage(
    cases: Roots = None,
    ledger: LedgerFolder = None,
    below: Below = None,
    backend: CountedBackends = None,
    as_json: AsJson = False,
    by_edges: Annotated[
        bool,
        typer.Option(
            "--edges", help="Count the cases before, on and after the edge of each inequality."
        ),
    ] = False,
) -> None:
    """Count the statements of the sources that have cases.

    The sources are the SQLstream and Calcite documentation; statements without a case are named.

    A statement all of whose cases are skipped by every backend is not tested.  The column "by
    three" counts statements that are tested by three independent cases or more; all lines of a
    series count as one case.
    """
    corpus = load(cases)
    with progress(f"counting {len(corpus.cases):,} cases"):
        found = edges(corpus.cases) if by_edges else ()
        skipped = frozenset[str]() if by_edges else skipped_by_all(corpus.cases, backend)
        covered = coverage(ledger_entries(ledger), corpus.cases, skipped)
    if by_edges:
        _show_edges(found, as_json)
        return
    if as_json:
        print(json.dumps([asdict(entry) for entry in covered], ensure_ascii=False, indent=2))
        return
    statuses: tuple[Status, ...] = get_args(Status)
    # The family of a statement is the first part of its id, such as RTB in RTB-020.
    families = dict.fromkeys(entry.id.partition("-")[0] for entry in covered)
    counts = Counter((entry.id.partition("-")[0], entry.status) for entry in covered)
    thrice = Counter(entry.id.partition("-")[0] for entry in covered if entry.independent >= _THREE)
    table = Table("family", *statuses, "all", "by three")
    for family in families:
        numbers = [counts[family, status] for status in statuses]
        table.add_row(family, *map(str, [*numbers, sum(numbers), thrice[family]]))
    sums = [sum(counts[family, status] for family in families) for status in statuses]
    table.add_section()
    table.add_row("all", *map(str, [*sums, sum(sums), thrice.total()]))
    console = Console()
    console.print(table)
    if below is not None:
        few = [each for each in covered if 0 < each.independent < below]
        named = ", ".join(f"{each.id} ({each.independent})" for each in few)
        text = f"fewer than {below} cases: {named or 'none'}"
        console.print(text, soft_wrap=True, highlight=False)
    for status in ("skipped by all", "open"):
        unmet = [entry.id for entry in covered if entry.status == status]
        if unmet:
            console.print(f"{status}: {', '.join(unmet)}", soft_wrap=True, highlight=False)


def _show_edges(found: Sequence[Edge], as_json: bool) -> None:
    """Print the edges with their numbers of cases, as a table or as JSON."""
    if as_json:
        print(json.dumps([asdict(each) for each in found], ensure_ascii=False, indent=2))
        return
    table = Table("clause", "compares", "before", "on", "after")
    for each in found:
        table.add_row(each.clause, each.compares, *map(str, (each.before, each.on, each.after)))
    console = Console()
    console.print(table)
    untried = ", ".join(each.clause for each in found if not each.is_tried)
    count = sum(each.is_tried for each in found)
    print(f"{count} of {len(found)} edges have a case on each side and on the edge")
    if untried:
        print(f"without: {untried}")


def skipped_by_all(cases: Iterable[Case], specs: Sequence[str] | None) -> frozenset[str]:
    """The ids of the cases that every one of some backends skips.

    ``specs`` name the backends; None: all that are installed.  A backend is started only if the
    backends before it skip some cases in common.  A backend that cannot be started is taken to skip
    all cases.  If there are no backends, no case is skipped.
    """
    skipped = list(cases)  # those that all backends so far skip
    for spec in installed() if specs is None else specs:
        try:
            running = start_backend(spec)
        except UnknownBackendError as error:
            usage_error(str(error))
        except BackendStartError as error:
            print_message(f"{spec}: {error.explained}")
            continue
        skipped = [case for case in skipped if skip_reason(running.hello, case)]
        running.stop()
        if not skipped:
            return frozenset()
    return frozenset(case.id for case in skipped) if specs or installed() else frozenset()
