"""`rowtime tck fuzz`: random queries and histories on a backend, until the time is over."""

import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tck.backends import SECONDS, Wiring, start_backend
from tck.commands.options import usage_error, write_file
from tck.exit_codes import EXIT_FAILURES, EXIT_NO_BACKEND, EXIT_NOTHING_JUDGED
from tck.reasons import REFERENCE
from tck.terminal.messages import print_message, print_text
from tck.terminal.progress import progress
from tck.wire.faults import BackendStartError, UnknownBackendError

if TYPE_CHECKING:
    from rowtime.fuzz.hunt import Finding, Hunt


def fuzz(
    backend: Annotated[
        str, typer.Option("--backend", "-b", help="The engine, as in rowtime tck run.")
    ],
    seed: Annotated[int, typer.Option("--seed", help="The number that draws the queries.")] = 0,
    minutes: Annotated[
        float, typer.Option("--minutes", metavar="M", min=0.01, help="How long to search.")
    ] = 10.0,
    output: Annotated[
        Path,
        typer.Option("--output", "-o", metavar="DIR", help="Where cases of findings are written."),
    ] = Path("fuzz"),
    in_process: Annotated[
        bool, typer.Option("--in-process", help="Call a Python backend in this process.")
    ] = False,
    timeout: Annotated[
        float,
        typer.Option(metavar="SECONDS", min=0.001, help="The time for each answer of the backend."),
    ] = SECONDS,
) -> None:
    """Search for queries on which a backend breaks a rule.

    Each query is answered by the reference, too: the backend must have its rows, at the moments
    that the backend's tier promises.  Rows may not depend on bounds, on how rows arrive together,
    or on the day, and must be those of the same query over tables.  A construct that
    the engine refuses is drawn less and less often.  A finding is reduced, and written as a case.

    Exit code: 0 nothing found; 1 a rule is broken; 2 usage; 3 the backend could not be started, or
    not again; 5 no query was judged; 130 interrupted.
    """
    try:
        from rowtime.fuzz.hunt import Hunt
    except ModuleNotFoundError as error:
        usage_error(f"{error.name} is missing: pip install {error.name}")
    until = time.monotonic() + 60 * minutes
    try:
        with progress(f"starting {backend}"):
            running = start_backend(backend, Wiring(in_process=in_process, seconds=timeout))
    except (BackendStartError, UnknownBackendError) as error:
        print_message(error.explained)
        raise typer.Exit(EXIT_NO_BACKEND) from None
    reference = start_backend(REFERENCE)
    found: list[Finding] = []
    with progress("drawing queries") as line:

        def show(hunt: Hunt) -> None:
            left = max(0, round(until - time.monotonic()))
            judged = hunt.counts["judged"]
            counts = f"{judged:,} queries judged, {len(found)} findings"
            line.show(f"{counts}, {left // 60}:{left % 60:02} left")

        hunt = Hunt(running, reference.backend, until, on_query=show)
        try:
            for finding in hunt.findings(seed):
                line.clear()
                _write(finding, output)
                found.append(finding)
        finally:
            running.stop()
            reference.stop()
            line.clear()
            _print_counts(backend, hunt, len(found))
    if hunt.lost:
        print_message(hunt.lost)
        raise typer.Exit(EXIT_NO_BACKEND)
    if found:
        raise typer.Exit(EXIT_FAILURES)
    if not hunt.counts["judged"]:
        raise typer.Exit(EXIT_NOTHING_JUDGED)


def _write(finding: "Finding", folder: Path) -> None:
    """Write a finding as a case, and print it."""
    from rowtime.compare.case_text import case_text

    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{finding.case.id}.yaml"
    write_file(path, case_text(finding.case))
    print_text(f"{finding.verdict.label} against {finding.broken}: {finding.verdict.reason}")
    for line in (finding.case.sql or "", *finding.verdict.detail):
        print_text(f"  {line}")
    print_text(f"  written to {path}")


def _print_counts(backend: str, hunt: "Hunt", found: int) -> None:
    """Print what became of the queries, and what the engine seems to lack."""
    counts = ", ".join(f"{count:,} {what}" for what, count in hunt.counts.most_common())
    print_text(f"{backend}: {found} findings; queries: {counts or 'none'}")
    if hunt.vocabulary.missing:
        print_text(f"refused whenever asked for: {', '.join(sorted(hunt.vocabulary.missing))}")
