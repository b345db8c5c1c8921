"""The command `tck run`: run cases against backends."""

import json
import signal
from collections import Counter
from collections.abc import Generator, Iterable, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import replace
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console

from tck import kit_version
from tck.backends import COMMAND, SECONDS, Wiring
from tck.collection import rare_collection
from tck.commands.earlier_runs.resume import Resumed, require_the_same_backend, resume
from tck.commands.earlier_runs.update import keep_what_holds
from tck.commands.options import (
    Backends,
    Core,
    Exclude,
    InProcess,
    Kinds,
    MostRows,
    Needs,
    Only,
    Profile,
    Requirements,
    Roots,
    TierName,
    Timeout,
    Without,
    chosen_cases,
    load,
    require_words,
    selection,
    usage_error,
    with_requirements,
    write_file,
)
from tck.corpus.document import InvalidFilesError
from tck.corpus.needs import known_words
from tck.corpus.selected.core import core_ids, kit_core
from tck.corpus.selected.selection import Selection, with_some_lines
from tck.exit_codes import EXIT_FAILURES, EXIT_INCOMPLETE, EXIT_OK
from tck.judging.known_failures import Known, expand_series, failures_on, known_text, read_known
from tck.judging.verdict import Result
from tck.processes import (
    NotStarted,
    Progress,
    RunPlan,
    Started,
    cases_by_backend,
    run_backends,
    run_in_processes,
)
from tck.protocol import Hello
from tck.reasons import REFERENCE
from tck.report.console import (
    ConsoleListener,
    print_core_note,
    print_core_only,
    print_report,
    print_written_gaps,
)
from tck.report.gaps.lacks import judged_cases, lacking
from tck.report.json_lines import JsonLinesFile
from tck.report.junit import JUnitFile
from tck.report.run_file import RunFile, RunFiles, UnwritableFileError, writing
from tck.report.tally import Report
from tck.result_types import typed
from tck.run import SLOW, Listener
from tck.terminal.messages import print_message
from tck.variants.share import with_some_variants
from tck.variants.variants import large_variants, with_variants
from tck.wire.factory import installed
from tck.wire.faults import BackendStartError, UnknownBackendError
from tck.wire.messages import MOST_ROWS

if TYPE_CHECKING:
    from tck.corpus.load import Corpus
    from tck.protocol import Tier


def run(
    backend: Backends = None,
    cases: Roots = None,
    only: Only = None,
    exclude: Exclude = None,
    needs: Needs = None,
    without: Without = None,
    kind: Kinds = None,
    profile: Profile = None,
    core: Core = False,
    core_for: Annotated[
        list[str] | None,
        typer.Option(
            "--core-for",
            metavar="BACKEND",
            help="Run only the core of these cases on this backend, and all on the others.",
        ),
    ] = None,
    gap: Annotated[
        list[str] | None,
        typer.Option("--gap", metavar="CAPABILITY", help="Treat this as missing from the backend."),
    ] = None,
    ask_gaps: Annotated[
        bool,
        typer.Option(
            "--ask-gaps", help="Also run the cases that need what the backend declares as a gap."
        ),
    ] = False,
    requirements: Requirements = None,
    lines: Annotated[
        int | None,
        typer.Option("--lines", metavar="N", min=1, help="Run only N cases of each series."),
    ] = None,
    variants: Annotated[
        bool | None,
        typer.Option(
            "--variants/--no-variants",
            help="Run all variants of each case (other inputs with the same result), or none; "
            "default: one variant of a tenth of the cases, if all cases of the kit are run.",
        ),
    ] = None,
    variants_seed: Annotated[
        int,
        typer.Option("--variants-seed", metavar="N", help="The number that draws the variants."),
    ] = 0,
    large: Annotated[
        int | None,
        typer.Option(
            "--large",
            metavar="ROWS",
            min=1,
            help="Run a variant with this many rows of each kind of query, and no case as it is.",
        ),
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
    resume_file: Annotated[
        Path | None,
        typer.Option(
            "--resume",
            metavar="FILE",
            help="Continue a run that did not reach its end, from the JSON lines it wrote.",
        ),
    ] = None,
    update_file: Annotated[
        Path | None,
        typer.Option(
            "--update",
            metavar="FILE",
            help="Run the cases that are new, changed or failed since a run, and bring the JSON "
            "lines that it wrote up to date.",
        ),
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
    write_gaps: Annotated[
        Path | None,
        typer.Option(
            "--write-gaps",
            metavar="FILE",
            help="Write the backend's gaps as JSON: those it declares, and those that follow from "
            "its answers `unsupported`.",
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
            help="Divide the cases among N processes, each with its own backend.",
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

    Exit code: 0 if no case failed, known failures aside; 1 if cases failed; 2 usage; 3 if a
    backend could not be started; 4 if the run did not reach its end; 5 if no case was judged on a
    backend; 130 interrupted.
    """
    if sum(map(bool, (resume_file, update_file, jsonl_file))) > 1:
        usage_error("give one of --jsonl, --resume and --update: each writes its file")
    console = Console()
    selected = selection(only, exclude, needs, without, kind, profile, core)
    # An update loads all cases, because the results of those that are left out must not be lost.
    corpus = load(cases, None if update_file else selected, gap or ())
    chosen = chosen_cases(corpus, selected)
    chosen = with_requirements(chosen, requirements)
    chosen = chosen if lines is None else with_some_lines(chosen, lines)
    require_words(corpus, gap)
    gaps = dict.fromkeys(gap or (), "given as a gap on the command line")
    known = expand_series(_read_known(known_file), corpus.cases)
    judged: Tier | None = tier.value if tier else None
    wiring = Wiring(in_process, seconds, None, most_rows, known_words(corpus.cases), gaps, ask_gaps)
    typed_cases = tuple(map(typed, chosen))
    failing = {case for reasons in known.values() for case in reasons}
    if large is not None:
        passing = (case for case in typed_cases if case.id not in failing)
        typed_cases = tuple(large_variants(passing, large))
    elif variants:
        typed_cases = tuple(with_variants(typed_cases))
    elif variants is None and selected.whole and not cases and lines is None:
        typed_cases = tuple(with_some_variants(typed_cases, variants_seed, failing))
    backends = _chosen_backends(backend)
    plan = RunPlan(backends, typed_cases, known, slow, judged, wiring, seconds=run_seconds)
    plans = _divided(plan, core_for or ())
    if write_gaps and len(backends) > 1:
        usage_error("--write-gaps: give one --backend, whose gaps are written")
    version = kit_version()
    if update_file:
        left_out = {case.id for case in corpus.cases if not selected.selects(case)}
        keep_what_holds(update_file, plans, version, left_out)
        resume_file = update_file
    resumed = resume(resume_file, plans, version) if resume_file else Resumed(plans)
    report = Report(dict(resumed.hellos), list(resumed.results), dict(resumed.tiers), slow=slow)
    files = _opened_files(plans, resumed, version, junit_file, jsonl_file, resume_file)
    try:
        with closing(files):
            try:
                with _interrupted_by_sigterm(), rare_collection():
                    _run(console, report, files, backend, plans, resumed, quiet, processes)
            except KeyboardInterrupt:
                report.interrupted = True
            whole = selected.whole and not report.interrupted
            if whole and known_file:
                ids = {case.id for case in (*corpus.cases, *typed_cases)}
                report.unknown = _known_without_case(known, ids, report.hellos)
            if known_file:
                report.unlisted = _unlisted(known, report)
            print_report(console, report, quiet)
            if core:
                print_core_note(console, len(chosen), _count_without_core(corpus, selected, lines))
            if core_for:
                count = _case_counts(plans)[core_for[0]]
                print_core_only(console, core_for, count, len(plan.cases))
            code = report.exit_code
            if not report.interrupted:
                if write_gaps:
                    _write_gaps(console, write_gaps, report)
                if write_known:
                    write_file(write_known, known_text(report.results, known, _own_names(report)))
                    code = EXIT_OK if code == EXIT_FAILURES else code
                files.ended(report, code)
    except UnwritableFileError as error:
        print_message(str(error))
        raise typer.Exit(EXIT_INCOMPLETE) from None
    raise typer.Exit(code)


def _write_gaps(console: Console, path: Path, report: Report) -> None:
    """Write the gaps of the only backend of a run, each with its reason.

    Reasons that no gap explains are printed, and features that may be gaps.  If the backend was not
    started, nothing is written.
    """
    for backend, hello in report.hellos.items():
        found = lacking(judged_cases(report.of(backend)), hello.gaps)
        write_file(path, f"{json.dumps(dict(found.gaps), indent=2, ensure_ascii=False)}\n")
        print_written_gaps(console, path, found)


def _count_without_core(corpus: "Corpus", selected: Selection, lines: int | None) -> int:
    """The number of cases that the options would choose without ``--core``."""
    cases = chosen_cases(corpus, replace(selected, core=None))
    return len(cases if lines is None else with_some_lines(cases, lines))


def _divided(plan: RunPlan, core_for: Sequence[str]) -> tuple[RunPlan, ...]:
    """The plan, divided into several ones if some backends (``core_for``) run only the core.

    The order of the backends stays.  Ends with exit code 2 if one of ``core_for`` is not a backend
    of the plan, or if none of the plan's cases is in the core.
    """
    for backend in core_for:
        if backend not in plan.backends:
            usage_error(f"--core-for {backend}: the run has {', '.join(plan.backends)}")
    listed = core_ids(kit_core()) if core_for else frozenset[str]()
    core = replace(plan, cases=tuple(case for case in plan.cases if case.id in listed))
    if core_for and not core.cases:
        usage_error(f"none of these cases is in the core: leave out --core-for {core_for[0]}")
    return tuple(
        replace(core if in_core else plan, backends=tuple(backends))
        for in_core, backends in groupby(plan.backends, key=lambda each: each in core_for)
    )


def _case_counts(plans: Iterable[RunPlan]) -> dict[str, int]:
    """By backend: the number of cases that the plans run on it."""
    return {backend: len(cases) for backend, cases in cases_by_backend(plans).items()}


def _opened_files(
    plans: Sequence[RunPlan],
    resumed: Resumed,
    version: str,
    junit_file: Path | None,
    jsonl_file: Path | None,
    resume_file: Path | None,
) -> RunFiles:
    """Open the files that the run writes, with the results of ``resumed``; or exit with code 2."""
    files: dict[Path, RunFile] = {}
    try:
        if junit_file:
            with writing(junit_file):
                files[junit_file] = junit = JUnitFile(junit_file)
                for result in resumed.results:
                    junit.finished(result)
        if jsonl_file:
            with writing(jsonl_file):
                files[jsonl_file] = JsonLinesFile.begin(jsonl_file, version, _case_counts(plans))
        if resume_file:
            with writing(resume_file):
                files[resume_file] = JsonLinesFile.resume(resume_file)
    except UnwritableFileError as error:
        RunFiles(files).close()
        usage_error(str(error))
    return RunFiles(files)


def _run(
    console: Console,
    report: Report,
    files: RunFiles,
    requested: list[str] | None,
    plans: Sequence[RunPlan],
    resumed: Resumed,
    quiet: bool,
    processes: int,
) -> None:
    """Run the remaining cases in ``processes`` processes; add the results to report and files.

    ``requested`` are the backends that the user has named; None: all installed ones are run.  If
    there are several backends, the counts of the first are printed as soon as all its cases have
    results.  In the end the results of the report are in the order of the plans.
    """
    by_backend = cases_by_backend(plans)
    sizes = Counter(
        (backend, case.chapter) for backend, cases in by_backend.items() for case in cases
    )
    first, *others = by_backend
    done = Counter(result.backend for result in report.results)
    count = sum(len(each.cases) * len(each.backends) for each in resumed.remaining)
    listener = ConsoleListener(console, count, quiet, sizes)
    try:
        with listener, closing(_progress(resumed.remaining, listener, processes)) as progress:
            for each in progress:
                match each:
                    case Started(backend, hello, tier):
                        report.start(backend, hello, tier)
                        require_the_same_backend(resumed, backend, report.hellos[backend])
                        files.started(backend, report.hellos[backend], tier)
                    case NotStarted(backend, error):
                        _report_not_started(report, backend, error, requested=requested is not None)
                    case Result(backend):
                        files.finished(each)
                        report.results.append(replace(each, transcript=None))
                        done[backend] += 1
                        if backend == first and others and done[first] == len(by_backend[first]):
                            listener.print_counts(report, first)
    finally:
        order = {backend: place for place, backend in enumerate(by_backend)}
        places = {
            (backend, case.id): place
            for backend, cases in by_backend.items()
            for place, case in enumerate(cases)
        }
        report.hellos = dict(sorted(report.hellos.items(), key=lambda each: order[each[0]]))
        report.results.sort(
            key=lambda each: (order[each.backend], places[each.backend, each.case.id])
        )


@contextmanager
def _interrupted_by_sigterm() -> Generator[None]:
    """A context in which SIGTERM, by which a CI server ends a job, acts like Ctrl-C.

    So the processes of backends are ended, too.
    """
    before = signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def _progress(plans: Sequence[RunPlan], listener: Listener, processes: int) -> Generator[Progress]:
    """The progress of the runs of some plans, one after the other, in ``processes`` processes."""
    for plan in plans:
        count = min(processes, len(plan.cases))
        yield from (
            run_in_processes(plan, listener, count) if count > 1 else run_backends(plan, listener)
        )


def _chosen_backends(requested: list[str] | None) -> tuple[str, ...]:
    """The backends to run, each once; if none is requested, all installed, the reference first."""
    names = dict.fromkeys(requested or sorted(installed(), key=lambda each: each != REFERENCE))
    if not names:
        usage_error("no backend is installed (give --backend module:Class)")
    return tuple(names)


def _report_not_started(
    report: Report, spec: str, error: BackendStartError | UnknownBackendError, *, requested: bool
) -> None:
    """Report why a backend is not run; ends with exit code 2 if there is no backend of this name.

    The run fails, unless the backend is merely not installed and was not ``requested`` by name.
    """
    if isinstance(error, UnknownBackendError):
        usage_error(str(error))
    report.absent[spec] = error.explained
    report.failed = report.failed or requested or not error.absent


def _read_known(path: Path | None) -> Known:
    """The known failures in a file; none without a file.  Exit code 2 if it is invalid."""
    if path is None:
        return {}
    try:
        return read_known(path)
    except InvalidFilesError as error:
        usage_error(str(error))


def _known_without_case(known: Known, ids: set[str], hellos: Mapping[str, Hello]) -> list[str]:
    """The known failures of the backends, as ``backend case``, whose case does not exist."""
    return [
        f"{backend} {case}"
        for backend, hello in hellos.items()
        for case in failures_on(known, backend, hello.name)
        if case not in ids
    ]


def _unlisted(known: Known, report: Report) -> list[str]:
    """A line for each backend that fails cases, but has no entry in a file that has entries."""
    bad = {result.backend for result in report.bad}
    return [
        f"none is listed for {backend}{named}, only for {', '.join(known)}"
        for backend, hello in report.hellos.items()
        for named in ["" if hello.name == backend else f", named {hello.name}"]
        if backend in bad and known and not failures_on(known, backend, hello.name)
    ]


def _own_names(report: Report) -> dict[str, str]:
    """By backend that is started by a command (``cmd:…``): the name that it gives itself."""
    return {
        backend: hello.name
        for backend, hello in report.hellos.items()
        if backend.startswith(COMMAND)
    }
