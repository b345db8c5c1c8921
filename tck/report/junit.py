"""The report as JUnit XML: a test suite for each backend and chapter."""

import re
from itertools import groupby
from typing import Final
from xml.etree.ElementTree import Element, SubElement, indent, tostring

from tck.judging.verdict import Outcome, Result
from tck.protocol import TIERS
from tck.report.tally import Report, Tally, tally, tally_at

#: The characters that XML 1.0 forbids.
_FORBIDDEN: Final = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def junit(report: Report) -> str:
    """The document.  A known failure counts as skipped; if it passes, it is a failure."""
    root = Element("testsuites", {"name": "tck"} | _counts(report.results))
    suites = groupby(report.results, key=lambda result: (result.backend, result.case.chapter))
    for (backend, chapter), group in suites:
        results = list(group)
        name = f"{backend}.{chapter}"
        suite = SubElement(root, "testsuite", {"name": _clean(name)} | _counts(results))
        hello = report.hellos.get(backend)
        if hello:
            properties = SubElement(suite, "properties")
            for key, value in (
                ("version", hello.version),
                ("tier", hello.tier),
                ("judged at", report.tiers.get(backend, hello.tier)),
                *((f"at {tier}", str(tally_at(results, tier))) for tier in TIERS),
            ):
                SubElement(properties, "property", {"name": key, "value": _clean(value)})
        for result in results:
            suite.append(_case(name, result))
    indent(root)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + tostring(root, encoding="unicode") + "\n"


def _case(suite: str, result: Result) -> Element:
    case = Element(
        "testcase",
        {
            "classname": _clean(suite),
            "name": result.case.id,
            "time": f"{result.seconds:.3f}",
            "file": _clean(result.case.place.file),
            "line": str(result.case.place.line),
        },
    )
    verdict = result.verdict
    match verdict.outcome:
        case Outcome.PASS if result.bad:
            message = f"passes, but is known to fail: {result.known}"
            SubElement(case, "failure", {"type": "KNOWN", "message": _clean(message)})
        case Outcome.PASS:
            pass
        case Outcome.SKIP:
            SubElement(case, "skipped", {"message": _clean(verdict.reason)})
        case Outcome.FAIL | Outcome.ERROR if result.known is not None:
            SubElement(case, "skipped", {"message": _clean(f"known to fail: {result.known}")})
        case Outcome.FAIL | Outcome.ERROR:
            tag = "failure" if verdict.outcome is Outcome.FAIL else "error"
            kind = verdict.kind or "ERROR"
            wrong = SubElement(case, tag, {"type": str(kind), "message": _clean(verdict.reason)})
            wrong.text = _clean("\n".join((*verdict.detail, *result.why)))
    return case


def _counts(results: list[Result]) -> dict[str, str]:
    counts: Tally = tally(results)
    return {
        "tests": str(len(results)),
        "failures": str(counts.failed),
        "errors": str(counts.errors),
        "skipped": str(counts.skipped + counts.known),
        "time": f"{sum(result.seconds for result in results):.3f}",
    }


def _clean(text: str) -> str:
    return _FORBIDDEN.sub("\ufffd", text)
