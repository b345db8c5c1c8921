"""`rowtime test`: unit tests of a user's own SQL."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from rowtime.commands.options import Ddl, TierName
from tck.terminal.messages import print_message, print_text

if TYPE_CHECKING:
    from tck.corpus.case import Case
    from tck.judging.verdict import Result
    from tck.report.tally import Report


def unit_tests(
    paths: Annotated[
        list[Path] | None,
        typer.Argument(
            metavar="[PATH]...",
            help="Files of tests, or folders with them; default: this folder.",
            show_default=False,
        ),
    ] = None,
    ddl: Ddl = None,
    backend: Annotated[
        list[str] | None,
        typer.Option(
            "--backend",
            "-b",
            metavar="NAME|module:Class|cmd:…",
            help="The backend that runs the tests; default: reference.",
        ),
    ] = None,
    only: Annotated[
        list[str] | None,
        typer.Option("--only", "-k", metavar="GLOB", help="Only these tests: name, or file/name."),
    ] = None,
    tier: Annotated[
        TierName | None,
        typer.Option(help="When rows must be emitted; default: the tier the backend declares."),
    ] = None,
    timeout: Annotated[
        float | None,
        typer.Option(
            "--timeout",
            metavar="SECONDS",
            min=0.001,
            help="The time for each answer of a backend; default: a minute.",
        ),
    ] = None,
    junit_file: Annotated[
        Path | None, typer.Option("--junit", metavar="FILE", help="Write JUnit XML.")
    ] = None,
) -> None:
    """Run unit tests of your own SQL.

    A test has the rows of tables, the events of each step, and the rows that each step emits.
    Files are named NAME.test.yaml; unit tests of dbt are read, too.  See docs/unit-tests.md.

    Exit code: 0; 1 if a test fails; 2 usage, or a file is not valid; 3 no such backend; 5 no test
    was judged; 130 interrupted.
    """
    from rich.console import Console

    from tck.corpus.unit_tests.reading import read_unit_tests
    from tck.files import write_whole
    from tck.report.console import print_report
    from tck.report.junit import junit

    corpus = read_unit_tests(paths or [Path()], ddl or [])
    if corpus.problems:
        for problem in corpus.problems:
            print_message(str(problem))
        raise typer.Exit(2)
    cases = corpus.only(only or []).cases
    if not cases:
        raise typer.BadParameter(f"no test matches --only {' '.join(only or [])}")
    report = _run(cases, backend or ["reference"], tier, timeout)
    print_report(Console(highlight=False), report, quiet=True)
    if junit_file:
        write_whole(junit_file, junit(report, report.exit_code))
    raise typer.Exit(report.exit_code)


def _run(
    cases: "tuple[Case, ...]", backends: list[str], tier: TierName | None, seconds: float | None
) -> "Report":
    """Run the tests on the backends, one after the other, and return the report.

    ``tier`` None: the tier that each backend declares.  ``seconds`` is the time for each answer of
    a backend; None: the default.  After Ctrl-C, the report has the results so far.
    """
    from tck.backends import SECONDS, Wiring, start_backend
    from tck.corpus.needs import known_words
    from tck.reasons import ReferenceExplainer
    from tck.report.tally import Report
    from tck.run import SLOW, run_cases
    from tck.wire.faults import BackendStartError, UnknownBackendError

    report, explainer = Report(), ReferenceExplainer()
    try:
        for name in backends:
            try:
                running = start_backend(
                    name, Wiring(seconds=seconds or SECONDS, words=known_words(cases))
                )
            except (BackendStartError, UnknownBackendError) as error:
                report.absent[name], report.failed = error.explained, True
                continue
            try:
                report.start(name, running.hello, tier.value if tier else running.hello.tier)
                report.results += run_cases(
                    running, cases, _Lines(), {}, SLOW, tier.value if tier else None, explainer
                )
            finally:
                running.stop()
    except KeyboardInterrupt:
        report.interrupted = True
    finally:
        explainer.stop()
    return report


class _Lines:
    """A listener that prints a line for each test that has ended, with its time in seconds."""

    def started(self, backend: str, case: "Case") -> None:
        """Print nothing when a test begins."""

    def slow(self, backend: str, case: "Case", seconds: float) -> None:
        """Print that a test has not ended after ``seconds`` seconds."""
        print_text(f"SLOW {backend} {case.chapter}/{case.id}: still running after {seconds:g} s")

    def finished(self, result: "Result") -> None:
        """Print the result of a test that has ended."""
        name = f"{result.case.chapter}/{result.case.id}"
        print_text(f"{result.verdict.outcome.upper()} {name} ({result.seconds:.2f} s)")
