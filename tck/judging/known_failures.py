"""Known failures: a file of cases that a backend is known to fail, each with the reason.

.. code-block:: yaml

    spark:                          # the backend
      hop-align-offset: WRONG_ROWS  # the case: the reason
"""

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TypeAlias

import yaml

from tck.corpus.document import InvalidFilesError, Part, Problem, read_document
from tck.judging.verdict import Outcome, Result

#: Reasons by backend, by case id.
Known: TypeAlias = Mapping[str, Mapping[str, str]]


def read_known(path: Path) -> Known:
    """The known failures in a file.  Raises `InvalidFilesError`."""
    document = read_document(path)
    problems: list[Problem] = []
    known: dict[str, dict[str, str]] = {}
    if not isinstance(document.data, dict):
        raise InvalidFilesError([Problem(document.place(), _FORM)])
    for backend, listed in Part(document, (), document.data).items:
        if not isinstance(listed.data, dict):
            problems.append(listed.problem(_FORM))
            continue
        known[backend] = {}
        for case, reason in listed.items:
            if isinstance(reason.data, str) and reason.text.strip():
                known[backend][case] = reason.text
            else:
                problems.append(reason.problem(f"{case} is known to fail, but not why"))
    if problems:
        raise InvalidFilesError(problems)
    return known


_FORM = "known failures are written `backend: {case-id: reason}`"


def known_text(results: Iterable[Result], before: Known) -> str:
    """The file after a run: what failed, with its old reason or, if it is new, what was wrong.

    What was known and was not run, or was skipped, stays; what passed goes.
    """
    after = {backend: dict(reasons) for backend, reasons in before.items()}
    for result in results:
        reasons = after.setdefault(result.backend, {})
        match result.verdict.outcome:
            case Outcome.PASS:
                reasons.pop(result.case.id, None)
            case Outcome.FAIL | Outcome.ERROR:
                kind = result.verdict.kind or "ERROR"
                reasons.setdefault(result.case.id, f"{kind}: {result.verdict.reason}")
            case Outcome.SKIP:
                pass
    listed = {name: dict(sorted(reasons.items())) for name, reasons in sorted(after.items())}
    text = yaml.safe_dump(listed, allow_unicode=True, sort_keys=False, width=100)
    return f"# Cases known to fail; one that passes fails the run.\n{text}"
