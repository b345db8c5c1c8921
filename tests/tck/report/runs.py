"""A small run with a result of every sort, and the files that it writes."""

from pathlib import Path

from tck.judging.verdict import (
    PASSED,
    Kind,
    KnownFailure,
    Outcome,
    Result,
    Verdict,
    failed,
    skipped,
)
from tck.protocol import Accepted, ColumnInfo, Hello, LateRow, Output
from tck.report.json_lines import JsonLinesFile
from tck.report.tally import Report
from tck.transcript import Transcript
from tests.tck.corpora import load_cases

HELLO = Hello("toy", "1.0", "python", "final", ("calcite",), {"hop": "no hop"})
#: What colours a terminal, ends a line, is half a character, and is markup.
NASTY = "\x1b[31m\n\ud800 <b>&\x00\u202e"
NASTY_SHOWN = r"\x1b[31m\n\ud800 <b>&\x00\u202e"
WRONG = failed(Kind.WRONG_ROWS, f"1 row {NASTY}", (f"- {NASTY}",))
CRASH = Verdict(Outcome.ERROR, None, "RuntimeError: boom", ("toy.py:1 in poll",))
ANSWER = Transcript(
    Accepted(True, (ColumnInfo("ROWTIME", "TIMESTAMP(3)", False), ColumnInfo("X", "DOUBLE", True))),
    (
        Output(
            (("2015-02-15 10:00:00", 1.5), ("2015-02-15 10:01:00", None)), "2015-02-15 10:01:00"
        ),
        Output(late=(LateRow("S", (NASTY, 1), 2, "LATE", "below the bound"),)),
    ),
)


def small_report(folder: Path) -> Report:
    """The report of six cases on a backend named toy: one of each sort of result."""
    names = ("a", "b", "c", "d", "e", "f")
    a, b, c, d, e, f = load_cases(
        folder, *(f"id: {n}\ncites: [S-1]\nneeds: [hop]\nsql: S\nrows: []" for n in names)
    )
    results = [
        Result("toy", a, PASSED, 0.5, transcript=ANSWER),
        Result("toy", b, WRONG, 0.25, at={"final": WRONG, "bounded": CRASH}, why=("why",)),
        Result("toy", c, CRASH),
        Result("toy", d, skipped("no windows")),
        Result("toy", e, WRONG, known=KnownFailure("issue of theirs")),
        Result("toy", f, PASSED, known=KnownFailure("was wrong")),
    ]
    report = Report(results=results)
    report.start("toy", HELLO, "final")
    return report


def write_lines(path: Path, report: Report, status: int | None = None) -> None:
    """Write the JSON lines of the report's run; ``status`` None: without its end."""
    file = JsonLinesFile.begin(path, "1.0", dict.fromkeys(report.hellos, len(report.results)))
    for backend, hello in report.hellos.items():
        file.started(backend, hello, report.tiers[backend])
    for result in report.results:
        file.finished(result)
    if status is not None:
        file.ended(report, status)
    file.close()
