"""`tck run`: run cases against backends."""

from collections import Counter
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console

from tck.backends import SECONDS, Wiring
from tck.commands.options import (
    Backends,
    InProcess,
    MostRows,
    Only,
    ProfileName,
    Roots,
    TierName,
    Timeout,
    chosen_cases,
    load,
    usage_error,
    write_file,
)
from tck.corpus.document import InvalidFilesError
from tck.corpus.needs import known_words
from tck.exit_codes import EXIT_FAILURES
from tck.judging.known_failures import Known, known_text, read_known
from tck.judging.verdict import Result
from tck.processes import NotStarted, RunPlan, Started, run_backends, run_in_processes
from tck.reasons import REFERENCE
from tck.report.console import ConsoleListener, print_report, print_verdict
from tck.report.json_lines import jsonl
from tck.report.junit import junit
from tck.report.tally import Report
from tck.run import SLOW
from tck.wire.factory import installed
from tck.wire.faults import BackendStartError, UnknownBackendError
from tck.wire.messages import MOST_ROWS

if TYPE_CHECKING:
    from tck.protocol import Tier


def run(
    backend: Backends = None,
    cases: Roots = None,
    only: Only = None,
    profile: Annotated[
        ProfileName | None, typer.Option(help="Only the cases of this profile.")
    ] = None,
    tier: Annotated[
        TierName | None,
        typer.Option(
            help="When rows must be emitted: by the end; never early, and at the latest when "
            "forced; at the very step that permits them.  Default: the tier each backend declares."
        ),
    ] = None,
    junit_file: Annotated[
        Path | None, typer.Option("--junit", metavar="FILE", help="Write JUnit XML.")
    ] = None,
    jsonl_file: Annotated[
        Path | None, typer.Option("--jsonl", metavar="FILE", help="Write JSON lines.")
    ] = None,
    known_file: Annotated[
        Path | None,
        typer.Option(
            "--known", metavar="FILE", help="Cases known to fail; one that passes fails the run."
        ),
    ] = None,
    write_known: Annotated[
        Path | None,
        typer.Option(
            "--write-known", metavar="FILE", help="Write the cases that fail to a file, and pass."
        ),
    ] = None,
    slow: Annotated[
        float, typer.Option(metavar="SECONDS", min=0.001, help="Report cases that take longer.")
    ] = SLOW,
    processes: Annotated[
        int,
        typer.Option(
            "--processes",
            "-j",
            metavar="N",
            min=1,
            help="Divide the cases among so many processes, each with a backend of its own.",
        ),
    ] = 1,
    seconds: Timeout = SECONDS,
    run_seconds: Annotated[
        float | None,
        typer.Option(
            "--run-timeout",
            metavar="SECONDS",
            min=0.001,
            help="The time of the run on each backend.",
        ),
    ] = None,
    most_rows: MostRows = MOST_ROWS,
    in_process: InProcess = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Only failures and counts.")] = False,
) -> None:
    """Run cases against backends.

    Exit code: 0; 1 if cases failed; 2 usage; 3 if a backend could not be started; 130 interrupted.
    """
    console = Console()
    corpus = load(cases)
    chosen = chosen_cases(corpus, only, profile)
    known = _known(known_file)
    judged: Tier | None = tier.value if tier else None
    wiring = Wiring(in_process, seconds, None, most_rows, known_words(corpus.cases))
    plan = RunPlan(
        _backends(backend), tuple(chosen), known, slow, judged, wiring, seconds=run_seconds
    )
    report = Report(slow=slow)
    try:
        _run(console, report, backend, plan, quiet, processes)
    except KeyboardInterrupt:
        report.interrupted = True
    whole = not (report.interrupted or only or profile)
    if whole and known_file:
        report.unknown = _unknown(known, {case.id for case in chosen}, set(report.hellos))
    print_report(console, report, quiet)
    if junit_file:
        write_file(junit_file, junit(report))
    if jsonl_file:
        write_file(jsonl_file, jsonl(report))
    code = report.exit_code
    if write_known and not report.interrupted:
        write_file(write_known, known_text(report.results, known))
        code = 0 if code == EXIT_FAILURES else code
    raise typer.Exit(code)


def _run(
    console: Console,
    report: Report,
    requested: list[str] | None,
    plan: RunPlan,
    quiet: bool,
    count: int,
) -> None:
    """Run the cases in ``count`` processes, and add the results to the report, in their order.

    The verdict on the first backend is shown as soon as it is known, if there are others.
    """
    sizes = Counter(case.chapter for case in plan.cases)
    places = {case.id: place for place, case in enumerate(plan.cases)}
    first, total, done = plan.backends[0], len(plan.cases), Counter[str]()
    listener = ConsoleListener(console, total * len(plan.backends), quiet, sizes)
    count = min(count, total)
    run = run_in_processes(plan, listener, count) if count > 1 else run_backends(plan, listener)
    try:
        with listener, closing(run) as progress:
            for each in progress:
                match each:
                    case Started(backend, hello, tier):
                        report.hellos[backend], report.tiers[backend] = hello, tier
                    case NotStarted(backend, error):
                        _not_started(report, backend, error, requested=requested is not None)
                    case Result(backend):
                        report.results.append(each)
                        done[backend] += 1
                        if backend == first != plan.backends[-1] and done[first] == total:
                            print_verdict(console, report, first, quiet)
    finally:
        order = {backend: place for place, backend in enumerate(plan.backends)}
        report.hellos = dict(sorted(report.hellos.items(), key=lambda each: order[each[0]]))
        report.results.sort(key=lambda each: (order[each.backend], places[each.case.id]))


def _backends(requested: list[str] | None) -> tuple[str, ...]:
    """The backends to run, each once; if none is requested, all installed, the reference first."""
    there = dict.fromkeys(requested or sorted(installed(), key=lambda each: each != REFERENCE))
    if not there:
        usage_error("no backend is installed (give --backend module:Class)")
    return tuple(there)


def _not_started(
    report: Report, spec: str, error: BackendStartError | UnknownBackendError, *, requested: bool
) -> None:
    """Report why a backend is not run; exit code 2 if there is none of that name.

    It fails the run unless the backend is merely not installed and was not ``requested`` by name.
    """
    if isinstance(error, UnknownBackendError):
        usage_error(str(error))
    report.absent[spec] = str(error)
    report.failed = report.failed or requested or not error.absent


def _known(path: Path | None) -> Known:
    if path is None:
        return {}
    try:
        return read_known(path)
    except InvalidFilesError as error:
        usage_error(str(error))


def _unknown(known: Known, cases: set[str], backends: set[str]) -> list[str]:
    return [
        f"{backend} {case}"
        for backend, reasons in known.items()
        if backend in backends
        for case in reasons
        if case not in cases
    ]
