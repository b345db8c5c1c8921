"""The cases of rows against a CHECK are failed by a backend that has no CHECK."""

import re
from dataclasses import replace

from reference.backend import ReferenceBackend
from tck.backends import RunningBackend
from tck.corpus.load import kit_corpus
from tck.judging.verdict import Kind
from tck.protocol import Accepted, Open, Refused
from tck.run import run_case


class Unchecked(ReferenceBackend):
    """The reference without CHECK."""

    def open(self, request: Open) -> Accepted | Refused:
        """Open the query on a script without CHECK."""
        ddl = re.sub(r",?\s+CHECK \((?:[^()]|\([^()]*\))*\)", "", request.ddl)
        return super().open(replace(request, ddl=ddl))


def test_a_backend_without_check_fails_the_cases_of_it() -> None:
    cases = [
        case
        for case in kit_corpus().cases
        if "CHECK (" in case.ddl
        and case.id != "insert-of-a-bad-row-into-a-stream-null"  # a NULL alone makes its row bad
        and any(late.code == "BAD_ROW" for step in case.steps for late in step.late)
    ]
    made = Unchecked()
    running = RunningBackend("unchecked", Unchecked, made, made.start())
    assert cases
    # WRONG_CODE: a row that breaks a CHECK and is late, too.  REFUSED: a join of streams that a
    # CHECK alone keeps in lock step.
    wrong = {run_case(running, case).kind for case in cases}
    assert wrong == {Kind.NOT_LATE, Kind.WRONG_CODE, Kind.REFUSED}
