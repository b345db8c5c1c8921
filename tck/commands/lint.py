"""The command `tck lint`: find the problems of the cases and the ledger."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from tck.backends import start_backend
from tck.commands.options import LedgerFolder, Roots, usage_error, write_file
from tck.corpus.case import Case
from tck.corpus.document import InvalidFilesError, Problem
from tck.corpus.ledger import kit_ledger, read_ledger
from tck.corpus.load import Corpus, kit_cases, load_corpus
from tck.corpus.selected.core import kit_core, vanished_from_core
from tck.corpus.selected.requirements import kit_requirements, vanished
from tck.corpus.types_file import TYPES_FILE, types_problems, types_text
from tck.exit_codes import EXIT_FAILURES, EXIT_NO_BACKEND
from tck.judging.lint import lint, result_problems, unmet_cases
from tck.judging.verdict import Result
from tck.report.console import ConsoleListener
from tck.result_types import deduced_types, typed
from tck.run import run_cases
from tck.terminal.messages import print_message, print_text
from tck.terminal.progress import progress
from tck.wire.faults import BackendFault, BackendStartError, UnknownBackendError


def lint_corpus(
    cases: Roots = None,
    ledger: LedgerFolder = None,
    against: Annotated[
        str | None,
        typer.Option(
            metavar="NAME|module:Class", help="Also run the cases: this backend must pass each."
        ),
    ] = None,
    write_types: Annotated[
        bool,
        typer.Option(
            "--write-types", help="Write the types of results, as the reference deduces them."
        ),
    ] = False,
) -> None:
    """Check the cases, and the ledger of the sources' statements.

    Exit code: 0; 1 if there are problems; 2 usage; 3 if the backend of --against cannot be started.
    """
    roots = cases or [kit_cases()]
    if write_types:
        with progress("deducing the types of results"):
            _write_types(roots)
    with progress("reading the cases") as line:
        corpus = load_corpus(roots)
        corpus = replace(corpus, cases=tuple(map(typed, corpus.cases)))
        line.show(f"checking {len(corpus.cases):,} cases", now=True)
        try:
            entries = read_ledger(ledger or kit_ledger())
        except InvalidFilesError as error:
            problems = [*corpus.problems, *error.problems]
        else:
            problems = [
                *corpus.problems,
                *lint(corpus.cases, entries),
                *result_problems(corpus.cases),
            ]
        if not cases:
            problems += _vanished(corpus.cases)
        for root in roots if not corpus.problems else ():
            problems += types_problems(_folder_of(root), load_corpus([root]).cases)
    if against:
        problems += unmet_cases(_results_of(against, corpus))
    for problem in problems:
        print_text(str(problem))
    print_text(f"{len(corpus.cases)} cases, {len(problems)} problems")
    raise typer.Exit(EXIT_FAILURES if problems else 0)


def _vanished(cases: Sequence[Case]) -> list[Problem]:
    """The ids in the requirements and in the core that are not cases any more, as problems."""
    problems: list[Problem] = []
    for file, found in ((kit_requirements(), vanished), (kit_core(), vanished_from_core)):
        try:
            problems.extend(found(file, cases))
        except InvalidFilesError as error:
            problems.extend(error.problems)
    return problems


def _write_types(roots: list[Path]) -> None:
    """Write the file of result types of each root, without regard to its old contents.

    Exit code 1, and the file stays as it was, if the reference fails to bind a query.
    """
    for root in roots:
        cases = [_with_deduced_types(case) for case in load_corpus([root]).cases]
        write_file(_folder_of(root) / TYPES_FILE, types_text(cases))


def _with_deduced_types(case: Case) -> Case:
    """The case with the types that the reference deduces for its result, if the case runs it.

    Ends with exit code 1 if the reference fails on the case.
    """
    try:
        return replace(case, result=deduced_types(case)) if case.runs else case
    except BackendFault as fault:
        lines = (f"{case.place}: the reference fails on {case.id}: {fault}", *fault.detail)
        print_text("\n  ".join(lines))
        raise typer.Exit(EXIT_FAILURES) from None


def _folder_of(root: Path) -> Path:
    """The folder of a root, which is a folder of cases or a single file: it has the types file."""
    return root if root.is_dir() else root.parent


def _results_of(spec: str, corpus: Corpus) -> list[Result]:
    """Run a corpus on a backend; ends with exit code 3 if the backend cannot be started."""
    listed = corpus.cases
    try:
        running = start_backend(spec)
    except UnknownBackendError as error:
        usage_error(str(error))
    except BackendStartError as error:
        print_message(error.explained)
        raise typer.Exit(EXIT_NO_BACKEND) from None
    try:
        with ConsoleListener(Console(stderr=True), len(listed), quiet=True) as listener:
            return list(run_cases(running, listed, listener, {}))
    finally:
        running.stop()
