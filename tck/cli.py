"""The commands of the kit: run, list, coverage, sources, lint."""

import json
import sys
from collections import Counter
from contextlib import closing
from dataclasses import asdict
from difflib import get_close_matches
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NoReturn

import typer
from rich.console import Console
from rich.table import Table

from tck.backends import (
    BackendStartError,
    UnknownBackendError,
    installed,
    start_backend,
)
from tck.corpus.case import Case
from tck.corpus.document import InvalidFilesError
from tck.corpus.ledger import Entry, Status, coverage, kit_ledger, read_ledger
from tck.corpus.load import Corpus, kit_cases, load_corpus
from tck.corpus.needs import implied_needs
from tck.corpus.sources import sources
from tck.exit_codes import EXIT_FAILURES, EXIT_NO_BACKEND, EXIT_USAGE
from tck.files import write_whole
from tck.judging.known_failures import Known, known_text, read_known
from tck.judging.lint import lint, unmet
from tck.judging.verdict import Result
from tck.processes import NotStarted, RunPlan, Started, run_backends, run_in_processes
from tck.reasons import REFERENCE
from tck.report.console import ConsoleListener, print_report, print_verdict
from tck.report.json_lines import jsonl
from tck.report.junit import junit
from tck.report.tally import Report
from tck.run import SLOW, run_cases

if TYPE_CHECKING:
    from tck.protocol import Tier

app = typer.Typer(
    help="The conformance kit for streaming SQL.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)


class ProfileName(StrEnum):
    """The profiles of the language (S-701)."""

    CALCITE = "calcite"
    SQLSTREAM = "sqlstream"


class TierName(StrEnum):
    """The tiers: what a backend promises about when rows are emitted."""

    FINAL = "final"
    BOUNDED = "bounded"
    EXACT = "exact"


Backends = Annotated[
    list[str] | None,
    typer.Option(
        "--backend", "-b", metavar="NAME|module:Class", help="The backend to test; default: all."
    ),
]
Roots = Annotated[
    list[Path] | None,
    typer.Option("--cases", "-c", metavar="DIR", help="Cases; default: the kit's own."),
]
Only = Annotated[
    list[str] | None,
    typer.Option("--only", "-k", metavar="GLOB", help="Only these cases: id, or chapter/id."),
]
LedgerFolder = Annotated[
    Path | None, typer.Option("--ledger", metavar="DIR", help="The ledger; default: the kit's own.")
]
AsJson = Annotated[bool, typer.Option("--json", help="Write JSON.")]


@app.command()
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
        int, typer.Option(metavar="N", min=1, help="Divide the cases among so many processes.")
    ] = 1,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Only failures and counts.")] = False,
) -> None:
    """Run cases against backends.

    Exit code: 0; 1 if cases failed; 2 usage; 3 if a backend could not be started; 130 interrupted.
    """
    console = Console()
    chosen = _chosen(_load(cases), only, profile)
    known = _known(known_file)
    judged: Tier | None = tier.value if tier else None
    plan = RunPlan(_backends(backend), tuple(chosen), known, slow, judged)
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
        _write(junit_file, junit(report))
    if jsonl_file:
        _write(jsonl_file, jsonl(report))
    code = report.exit_code
    if write_known and not report.interrupted:
        _write(write_known, known_text(report.results, known))
        code = 0 if code == EXIT_FAILURES else code
    raise typer.Exit(code)


@app.command("list")
def list_cases(cases: Roots = None, only: Only = None, as_json: AsJson = False) -> None:
    """List the cases."""
    chosen = _chosen(_load(cases), only, None)
    if as_json:
        print(json.dumps([_summary(case) for case in chosen], ensure_ascii=False, indent=2))
        return
    for case in chosen:
        print(f"{case.chapter}/{case.id}  {', '.join(case.cites)}  {case.place}")


@app.command("coverage")
def show_coverage(
    cases: Roots = None, ledger: LedgerFolder = None, as_json: AsJson = False
) -> None:
    """Count the statements of the sources that have cases, and name those without."""
    corpus = _load(cases)
    covered = coverage(_ledger(ledger), corpus.cases)
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


@app.command("sources")
def show_sources(cases: Roots = None, ledger: LedgerFolder = None) -> None:
    """Print the statements of the sources, with the cases that test them, as Markdown."""
    corpus = _load(cases)
    typer.echo(sources(_ledger(ledger), corpus.cases), nl=False)


@app.command("lint")
def lint_corpus(
    cases: Roots = None,
    ledger: LedgerFolder = None,
    against: Annotated[
        str | None,
        typer.Option(
            metavar="NAME|module:Class", help="Also run the cases: this backend must pass each."
        ),
    ] = None,
) -> None:
    """Check the cases and the ledger.  Exit code 1 if there are problems."""
    corpus = load_corpus(cases or [kit_cases()])
    try:
        entries = read_ledger(ledger or kit_ledger())
    except InvalidFilesError as error:
        problems = [*corpus.problems, *error.problems]
    else:
        problems = [*corpus.problems, *lint(corpus.cases, entries)]
    if against:
        problems += unmet(_results_of(against, corpus))
    for problem in problems:
        print(problem)
    print(f"{len(corpus.cases)} cases, {len(problems)} problems")
    raise typer.Exit(EXIT_FAILURES if problems else 0)


def _results_of(spec: str, corpus: Corpus) -> list[Result]:
    """The results of a corpus on a backend; exit code 3 if the backend cannot be started."""
    listed = corpus.cases
    try:
        running = start_backend(spec)
    except UnknownBackendError as error:
        _usage(str(error))
    except BackendStartError as error:
        print(error, file=sys.stderr)
        raise typer.Exit(EXIT_NO_BACKEND) from None
    try:
        with ConsoleListener(Console(stderr=True), len(listed), quiet=True) as listener:
            return list(run_cases(running, listed, listener, {}))
    finally:
        running.stop()


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
        _usage("no backend is installed (give --backend module:Class)")
    return tuple(there)


def _not_started(
    report: Report, spec: str, error: BackendStartError | UnknownBackendError, *, requested: bool
) -> None:
    """Report why a backend is not run; exit code 2 if there is none of that name.

    It fails the run unless the backend is merely not installed and was not ``requested`` by name.
    """
    if isinstance(error, UnknownBackendError):
        _usage(str(error))
    report.absent[spec] = str(error)
    report.failed = report.failed or requested or not error.absent


def _load(roots: list[Path] | None) -> Corpus:
    corpus = load_corpus(roots or [kit_cases()])
    if corpus.problems:
        _usage("\n".join(map(str, corpus.problems)))
    return corpus


def _ledger(folder: Path | None) -> tuple[Entry, ...]:
    try:
        return read_ledger(folder or kit_ledger())
    except InvalidFilesError as error:
        _usage(str(error))


def _chosen(corpus: Corpus, only: list[str] | None, profile: ProfileName | None) -> list[Case]:
    chosen = corpus.only(only or []).cases
    if not chosen:
        close = get_close_matches((only or [""])[0], [case.id for case in corpus.cases])
        hint = f"did you mean {' or '.join(close)}?" if close else "see `list`"
        _usage(f"no case is named {' or '.join(only or [])} ({hint})")
    of_profile = [case for case in chosen if profile is None or case.profile == profile]
    if not of_profile:
        _usage(f"none of these cases is of the profile {profile}")
    return of_profile


def _known(path: Path | None) -> Known:
    if path is None:
        return {}
    try:
        return read_known(path)
    except InvalidFilesError as error:
        _usage(str(error))


def _unknown(known: Known, cases: set[str], backends: set[str]) -> list[str]:
    return [
        f"{backend} {case}"
        for backend, reasons in known.items()
        if backend in backends
        for case in reasons
        if case not in cases
    ]


def _summary(case: Case) -> dict[str, object]:
    return {
        "id": case.id,
        "chapter": case.chapter,
        "subject": case.subject,
        "cites": list(case.cites),
        "needs": list(dict.fromkeys((*case.needs, *implied_needs(case)))),
        "profile": case.profile,
        "file": case.place.file,
        "line": case.place.line,
    }


def _write(path: Path, text: str) -> None:
    try:
        write_whole(path, text)
    except OSError as error:
        _usage(f"{path}: cannot be written: {error.strerror or error}")


def _usage(message: str) -> NoReturn:
    """Print a message about wrong usage, and end with exit code 2."""
    print(message, file=sys.stderr)
    raise typer.Exit(EXIT_USAGE)
