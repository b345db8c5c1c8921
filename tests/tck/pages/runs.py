"""Runs of small cases, written by hand, and the site that shows them."""

import base64
import json
import re
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from tck.corpus.case import Case, Place
from tck.corpus.ledger import Entry as Statement
from tck.corpus.needs import needs_of
from tck.corpus.selected.digest import digest_of
from tck.judging.verdict import Kind, KnownFailure, Mark, Marks, Outcome, Verdict
from tck.pages.engines import engines_of
from tck.pages.items import items_of
from tck.pages.site import Site
from tck.protocol import Accepted, ColumnInfo, Hello, Output, WireRow
from tck.report.record import Entry, RunRecord
from tck.report.transcript_fields import transcript_fields
from tck.transcript import Transcript
from tests.tck.corpora import load_cases

COLUMNS = (
    ColumnInfo("ROWTIME", "TIMESTAMP(3)", nullable=False),
    ColumnInfo("PRODUCTID", "INTEGER", nullable=False),
    ColumnInfo("UNITS", "INTEGER", nullable=True),
)

HELLO = Hello("toy", "1.0", "Python", "exact", ("calcite",), {"over": "no windows"})

#: Three cases: a stream in three steps, its history, and a refusal.
CASES = (
    """
    id: all-orders
    cites: [CAL-001]
    why: every order comes out
    sql: SELECT STREAM * FROM Orders
    steps:
    - feed: {Orders: [['10:00', 10, 4], ['10:05', 20, 1]]}
      emit: [['10:00', 10, 4], ['10:05', 20, 1]]
    - feed: {Orders: [['10:10', 30, 2]]}
      emit: [['10:10', 30, 2]]
    - end: true
    """,
    """
    id: history-of-orders
    cites: [CAL-002, S-203.a]
    sql: SELECT * FROM Orders
    rows: [['09:00', 10, 1]]
    """,
    """
    id: groups-without-time
    cites: [CAL-002]
    sql: SELECT STREAM productId, COUNT(*) FROM Orders GROUP BY productId
    error: {code: NO_MONOTONIC_KEY, at: GROUP BY}
    """,
)


def cases_in(folder: Path) -> dict[str, Case]:
    """The cases of `CASES` by id."""
    found = load_cases(folder, *CASES)
    return {each.id: replace(each, result=COLUMNS if each.runs else None) for each in found}


def transcript(*steps: Sequence[WireRow], columns: Sequence[ColumnInfo] = COLUMNS) -> Transcript:
    """An answer that emits these rows, step by step."""
    outputs = tuple(Output(tuple(rows)) for rows in steps)
    return Transcript(Accepted(True, tuple(columns)), outputs)


def entry(
    case: Case,
    outcome: Outcome = Outcome.PASS,
    kind: Kind | None = None,
    *,
    backend: str = "toy",
    reason: str = "",
    known: str | None = None,
    known_verdict: str | None = None,
    marks: Marks | None = None,
    answer: Transcript | None = None,
) -> Entry:
    """A result on a case; without ``marks`` all three are judged, and pass."""
    verdict = Verdict(outcome, kind, reason, (f"detail of {reason}",) if reason else ())
    return Entry(
        backend,
        case.chapter,
        case.id,
        case.cites,
        needs_of(case),
        verdict,
        "exact",
        {"final": verdict, "bounded": verdict, "exact": verdict},
        (),
        marks or Marks(Mark.PASS, Mark.PASS, Mark.PASS),
        None if known is None else KnownFailure(known, verdict=known_verdict),
        case.required,
        0.001,
        case.place,
        transcript_fields(answer) if answer else None,
    )


def record(
    *entries: Entry,
    backend: str = "toy",
    hello: Hello = HELLO,
    file: str = "toy.jsonl",
    cases: int | None = None,
    status: int | None = 0,
) -> RunRecord:
    """A run of one backend, by default of that name; ``status`` None: it did not reach its end."""
    return RunRecord(
        Path(file),
        "0.1.0",
        len(entries) if cases is None else cases,
        (backend,),
        {backend: replace(hello, name=backend) if hello is HELLO else hello},
        {backend: "exact"},
        tuple(replace(each, backend=backend) for each in entries),
        status,
    )


def page_data(page: str) -> Any:
    """The data from which the script of a page draws, of the page itself or of a file of cases."""
    pattern = r'<script type="text/plain" id="data">(.*)</script>|^receive\("(.*)"\);$'
    ((in_page, in_file),) = re.findall(pattern, page)
    coded = in_page or in_file
    return json.loads(zlib.decompress(base64.b64decode(coded)))


def site(cases: Mapping[str, Case], *records: RunRecord) -> Site:
    """The site of some runs, with a ledger of two statements."""
    says = {"CAL-001": "a query may be streaming", "CAL-002": "a history is a <table>"}
    statements = {
        id: Statement(id, "Calcite, Streaming", text, ("POS",), Place("cal.yaml", 1))
        for id, text in says.items()
    }
    engines = engines_of(records)
    digests = {id: digest_of(case) for id, case in cases.items()}
    return Site(engines, items_of(engines, cases.values()), statements, digests)
