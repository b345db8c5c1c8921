"""`rowtime compare`: the verdict on one backend, with the user's rows in place of the kit's."""

import re
from pathlib import Path
from typing import TYPE_CHECKING, Final

from algebra.records.printing import whole_file
from rowtime.compare.case_text import case_text
from rowtime.compare.expected_case import Question, expected_case
from tck.backends import RunningBackend, Wiring, start, start_backend
from tck.corpus.case import Case
from tck.exit_codes import EXIT_FAILURES, EXIT_OK, EXIT_USAGE
from tck.judging.verdict import Outcome, Result
from tck.reasons import REFERENCE, ReferenceExplainer
from tck.run import SLOW, run_cases
from tck.terminal.messages import print_message, print_text
from tck.terminal.progress import progress
from tck.wire.factory import factory

if TYPE_CHECKING:
    from tck.protocol import Tier

#: The reference in the forms that are fast for many rows; their results equal those of its
#: definitions.
_FAST_REFERENCE: Final = "rowtime.backends.reference:fast_backend"

#: The greatest number of rows that the backend can return: a user's own query may have more rows
#: than a case of the kit.
_MOST_ROWS: Final = 10_000_000


def compare(question: Question, backend: str, tier: "Tier | None", record: Path | None) -> int:
    """Compare a backend with the reference, print the verdict, and return the exit code.

    It is 0 if the backend passes, 1 if it fails, and 2 if it lacks a feature of the query, so that
    nothing is judged.  ``tier`` None: the tier that the backend declares.  ``record`` is the file
    to which the case is written before the backend is started; None: the case is not written.
    """
    reference = start(REFERENCE, factory(REFERENCE, _FAST_REFERENCE))
    try:
        case = expected_case(question, reference.backend, _id(record))
        if record is not None:
            with whole_file(record) as to:
                to.write(case_text(case))
        with progress(f"starting {backend}"):
            running = start_backend(backend, Wiring(most_rows=_MOST_ROWS))
        try:
            result = _result(running, case, tier, ReferenceExplainer(reference))
        finally:
            running.stop()
    finally:
        reference.stop()
    for line in _report(result):
        print_text(line)
    match result.verdict.outcome:
        case Outcome.PASS:
            return EXIT_OK
        case Outcome.FAIL | Outcome.ERROR:
            return EXIT_FAILURES
        case Outcome.SKIP:
            return EXIT_USAGE


class _Quiet:
    """A listener that only prints that the backend is slow."""

    def started(self, backend: str, case: Case) -> None:
        """Print nothing when a case begins."""

    def slow(self, backend: str, case: Case, seconds: float) -> None:
        """Print that the case has not ended after ``seconds`` seconds."""
        del case
        print_message(f"{backend}: still running after {seconds:g} s")

    def finished(self, result: Result) -> None:
        """Print nothing when a case has ended."""


def _result(
    running: RunningBackend, case: Case, tier: "Tier | None", explainer: ReferenceExplainer
) -> Result:
    """Run the case on the backend, and return its result."""
    (result,) = run_cases(running, [case], _Quiet(), {}, SLOW, tier, explainer)
    return result


def _report(result: Result) -> list[str]:
    """The lines that are printed for the result of the comparison."""
    verdict, case = result.verdict, result.case
    match verdict.outcome:
        case Outcome.PASS:
            rows, late = len(case.all_rows), sum(len(step.late) for step in case.steps)
            dropped = f", {late} late or malformed" if late else ""
            failure = f", fails with {case.failure.code}" if case.failure else ""
            count = f"{rows:,} row{'' if rows == 1 else 's'}{dropped}{failure}"
            return [f"{result.backend}: as the reference at tier {result.tier}: {count}"]
        case Outcome.SKIP:
            return [f"{result.backend}: not compared: {verdict.reason}"]
        case Outcome.FAIL | Outcome.ERROR:
            return [
                f"{verdict.label} {result.backend}: {verdict.reason}",
                *(f"  {line}" for line in (*verdict.detail, *result.why)),
            ]


def _id(record: Path | None) -> str:
    """The id of the case: the name of the file ``record`` in the letters of ids, or ``query``."""
    name = re.sub("[^a-z0-9]+", "-", record.stem.lower()).strip("-") if record else ""
    return name or "query"
