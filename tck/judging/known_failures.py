"""Known failures: a file that lists, by backend, the cases known to fail, each with a reason.

.. code-block:: yaml

    spark:                          # the backend
      hop-align-offset: WRONG_ROWS  # the case: the reason
"""

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TypeAlias

import yaml

from tck.corpus.document import InvalidFilesError, Problem, YamlNode, read_document
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
    for backend, listed in YamlNode(document, (), document.data).items:
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
    """The text of the file after a run: ``before`` with the results put in.

    A case that failed is listed with its reason before or, if it is new, with that of its verdict.
    A case that passed is taken out.  One that was skipped or not run stays as it was.
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
