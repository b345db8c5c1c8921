"""A site in which every text of an engine, and of a case, is hostile."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Final

from tck.judging.verdict import Kind, Outcome
from tck.pages.site import Site
from tck.protocol import Accepted, ColumnInfo, Hello, Output, Refused
from tck.transcript import Transcript
from tests.tck.corpora import load_case
from tests.tck.pages.runs import COLUMNS, cases_in, entry, record, site, transcript

#: A text that no page may contain as HTML, and no terminal as it is.  It would change the page's
#: title if it ran, and turn the rest of its line around.
HOSTILE: Final = (
    "<script>bad()</script><img src=x onerror=\"document.title='run'\"></script>"
    "<i title=\"'&amp;\x1b[31m\x00\u202e\u2067"
)

_QUERY: Final = "SELECT STREAM rowtime, productId AS p, '{}' AS t FROM Orders".format(
    HOSTILE.replace("'", "''")
)

#: A case whose own texts are hostile.
_CASE: Final = f"""
id: hostile-texts
cites: [CAL-001]
why: {json.dumps(HOSTILE)}
sql: {json.dumps(_QUERY)}
steps:
- feed: {{Orders: [['10:00', 10, 4]]}}
  emit: [['10:00', 10, {json.dumps(HOSTILE)}]]
- end: true
"""


def hostile_site(folder: Path) -> Site:
    """An engine all of whose texts are hostile, on cases and on one that no corpus has."""
    cases = cases_in(folder / "kit")
    own = load_case(folder / "own", _CASE)
    columns = (*COLUMNS[:2], ColumnInfo(HOSTILE, "VARCHAR(99)", nullable=True))
    cases[own.id] = replace(own, result=columns)
    rows = transcript([("2015-02-15 10:00:00", 10, HOSTILE)], [], [], columns=columns)
    refused = Transcript(
        Refused(HOSTILE, HOSTILE, (0, 3), hint=HOSTILE, rendered=f"{HOSTILE}\n{HOSTILE}")
    )
    failing = Transcript(
        Accepted(True, columns), (Output((), None, (), Refused(HOSTILE, HOSTILE)),)
    )
    wrong, failed = Kind.WRONG_ROWS, Outcome.FAIL
    entries = [
        entry(cases["all-orders"], failed, wrong, reason=HOSTILE, answer=rows),
        entry(cases["history-of-orders"], failed, reason=HOSTILE, known=HOSTILE, answer=failing),
        entry(cases["groups-without-time"], failed, Kind.WRONG_CODE, answer=refused),
        entry(own, failed, wrong, reason=HOSTILE, answer=rows),
    ]
    lacks = {HOSTILE: HOSTILE, "streaming": HOSTILE}
    hello = Hello(HOSTILE, HOSTILE, HOSTILE, "exact", (HOSTILE,), lacks)
    del cases["history-of-orders"]
    file = f"{HOSTILE[:9]}.jsonl"
    return site(cases, record(*entries, backend=HOSTILE, hello=hello, file=file))
