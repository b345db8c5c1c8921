"""Write the report as JUnit XML, with a test suite for each backend and chapter.

During a run the file grows case by case, and is well-formed at any time: the closing tags are
written after each case, and the next case overwrites them.  Until the run reaches its end, a test
with an error stands before the closing tags.  So no reader takes the file of a run that died for
the file of a complete run.
"""

import os
from itertools import groupby
from pathlib import Path
from typing import Final
from xml.etree.ElementTree import Element, SubElement, indent, tostring
from xml.sax.saxutils import quoteattr

from tck.exit_codes import EXIT_FAILURES, EXIT_NO_BACKEND, EXIT_NOTHING_JUDGED, EXIT_OK
from tck.files import write_whole
from tck.judging.verdict import Outcome, Result
from tck.protocol import TIERS, Hello, Tier
from tck.report.tally import Report, tally, tally_at
from tck.terminal.printable import printable

_HEAD: Final = '<?xml version="1.0" encoding="UTF-8"?>\n'

#: By exit status: the fault of a run in which no case fails the run.
_FAULTS: Final = {
    EXIT_FAILURES: "a case known to fail does not exist",
    EXIT_NO_BACKEND: "a backend could not be started",
    EXIT_NOTHING_JUDGED: "no case was judged on a backend",
}


class JUnitFile:
    """A file that is well-formed at any time.

    It gets its counts only at the end of the run.  Before the end, a suite can occur several times,
    if the run switches between backends or chapters.
    """

    def __init__(self, path: Path) -> None:
        """Begin the file; an existing file is replaced.  Raises `OSError`."""
        path.parent.mkdir(parents=True, exist_ok=True)
        self._path = path
        self._suite = ""
        self._file = path.open("wb", buffering=0)  # unbuffered: each write reaches the file
        self._add(f'{_HEAD}<testsuites name="tck">\n')

    def started(self, backend: str, hello: Hello, tier: Tier) -> None:
        """A backend has been started: nothing is written, until `ended` describes the backend."""

    def finished(self, result: Result) -> None:
        """Write the result of a case."""
        suite = _suite_name(result.backend, result.case.chapter)
        opening = ""
        if suite != self._suite:
            opening = "</testsuite>\n" if self._suite else ""
            opening += f"<testsuite name={quoteattr(suite)}>\n"
            self._suite = suite
        case = _case(suite, result)
        indent(case)
        self._add(f"{opening}{tostring(case, encoding='unicode')}\n")

    def ended(self, report: Report, status: int) -> None:
        """Replace the file by the whole document."""
        self._file.close()
        write_whole(self._path, junit(report, status))

    def close(self) -> None:
        """Close the file; if `ended` was not called, it has the error of an incomplete run."""
        self._file.close()

    def _add(self, text: str) -> None:
        """Write the text over the closing tags, and new closing tags after it, in one write."""
        incomplete = _run_fault("INCOMPLETE", "the run has not reached its end")
        closing = "</testsuite>\n" if self._suite else ""
        closing += f"{tostring(incomplete, encoding='unicode')}\n</testsuites>\n"
        data = (text + closing).encode()
        rest = memoryview(data)
        while rest:  # on a disk that is nearly full, a write takes only a part, and the next fails
            rest = rest[self._file.write(rest) :]
        self._file.seek(-len(closing.encode()), os.SEEK_END)


def junit(report: Report, status: int) -> str:
    """The document of a run that ended with an exit status.

    A known failure counts as skipped; if the case passes, it is a failure.  A failure of a case
    that is not required counts as skipped, too.  If the run failed although no case fails it, one
    more test has an error.
    """
    fault = status != EXIT_OK and not report.failing
    root = Element("testsuites", {"name": "tck"} | _counts(report.results, faults=int(fault)))
    suites = groupby(report.results, key=lambda result: (result.backend, result.case.chapter))
    for (backend, chapter), group in suites:
        results = list(group)
        name = _suite_name(backend, chapter)
        suite = SubElement(root, "testsuite", {"name": name} | _counts(results))
        hello = report.hellos.get(backend)
        if hello:
            properties = SubElement(suite, "properties")
            for key, value in (
                ("version", hello.version),
                ("tier", hello.tier),
                ("judged at", report.tiers.get(backend, hello.tier)),
                *((f"at {tier}", str(tally_at(results, tier))) for tier in TIERS),
            ):
                SubElement(properties, "property", {"name": key, "value": value})
        for result in results:
            suite.append(_case(name, result))
    if fault:
        root.append(_run_fault("RUN", _FAULTS.get(status, f"the exit status is {status}")))
    indent(root)
    return f"{_HEAD}{tostring(root, encoding='unicode')}\n"


def _suite_name(backend: str, chapter: str) -> str:
    return printable(f"{backend}.{chapter}")


def _run_fault(kind: str, message: str) -> Element:
    """A suite with one test, whose error of this kind is the fault of the run."""
    suite = Element("testsuite", {"name": "tck", "tests": "1", "errors": "1"})
    case = SubElement(suite, "testcase", {"classname": "tck", "name": "run"})
    SubElement(case, "error", {"type": kind, "message": message})
    return suite


def _case(suite: str, result: Result) -> Element:
    """The element of the test of a case."""
    case = Element(
        "testcase",
        {
            "classname": suite,
            "name": result.case.id,
            "time": f"{result.seconds:.3f}",
            "file": printable(result.case.place.file),
            "line": str(result.case.place.line),
        },
    )
    verdict = result.verdict
    match verdict.outcome:
        case _ if result.bad and not result.case.required:
            message = f"not required, {verdict.label}: {verdict.reason}"
            SubElement(case, "skipped", {"message": message})
        case Outcome.PASS if result.bad:
            message = f"passes, but is known to fail: {result.known}"
            SubElement(case, "failure", {"type": "KNOWN", "message": message})
        case Outcome.PASS:
            pass
        case Outcome.SKIP:
            SubElement(case, "skipped", {"message": verdict.reason})
        case Outcome.FAIL | Outcome.ERROR if result.known is not None:
            SubElement(case, "skipped", {"message": f"known to fail: {result.known}"})
        case Outcome.FAIL | Outcome.ERROR:
            tag = "failure" if verdict.outcome is Outcome.FAIL else "error"
            kind = verdict.kind or "ERROR"
            wrong = SubElement(case, tag, {"type": str(kind), "message": verdict.reason})
            wrong.text = "\n".join((*verdict.detail, *result.why))
    return case


def _counts(results: list[Result], faults: int = 0) -> dict[str, str]:
    """The attributes with the counts of some results and of ``faults`` of the run.

    Failures of cases that are not required count as skipped, as in `junit`.
    """
    counts = tally(each for each in results if each.case.required or not each.bad)
    not_required = sum(each.bad and not each.case.required for each in results)
    return {
        "tests": str(len(results) + faults),
        "failures": str(counts.failed),
        "errors": str(counts.errors + faults),
        "skipped": str(counts.skipped + counts.missing + counts.known + not_required),
        "time": f"{sum(result.seconds for result in results):.3f}",
    }
