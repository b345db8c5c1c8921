"""Read and write files of known failures: by backend, the cases known to fail, with reasons.

.. code-block:: yaml

    spark:                                           # the backend, or the name it gives itself
      hop-align-offset: WRONG_ROWS                   # the case: the reason
      orders-of-two-streams: {sometimes: threads}    # it fails in some runs, and passes in others
      grid-tumble-statistics: no VAR_POP             # the series: each of its lines fails
    duckdb:
      average-of-decimals: {verdict: dialect, reason: AVG of DECIMAL is a DOUBLE}

A ``verdict`` names the kind of reason for the difference (`VERDICTS`); the kit only shows it.
An entry with a ``verdict`` may have ``sometimes: true``, too.
"""

from collections.abc import Iterable, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Final, TypeAlias

import yaml

from tck.corpus.case import Case
from tck.corpus.document import InvalidFilesError, Problem, YamlNode, read_document
from tck.judging.verdict import VERDICTS, KnownFailure, Outcome, Result

#: The known failures: by the backend as the file names it, then by the id of a case or series.
Known: TypeAlias = Mapping[str, Mapping[str, KnownFailure]]

_SOMETIMES: Final = "sometimes"
_FORM: Final = "known failures are written `backend: {case-id: reason}`"


def read_known(path: Path) -> Known:
    """The known failures in a file.  Raises `InvalidFilesError` if the file is not of this form."""
    document = read_document(path)
    problems: list[Problem] = []
    known: dict[str, dict[str, KnownFailure]] = {}
    if not isinstance(document.data, dict):
        raise InvalidFilesError([Problem(document.place(), _FORM)])
    for backend, listed in YamlNode(document, (), document.data).items:
        if not isinstance(listed.data, dict):
            problems.append(listed.problem(_FORM))
            continue
        known[backend] = {}
        for case, reason in listed.items:
            failure = _failure(reason)
            if failure is None:
                problems.append(reason.problem(f"{case} is known to fail, but not why"))
            else:
                known[backend][case] = failure
    if problems:
        raise InvalidFilesError(problems)
    return known


def failures_on(known: Known, backend: str, name: str) -> Mapping[str, KnownFailure]:
    """The known failures of one backend, by case id.

    The file lists them under ``backend``, the option that started it, which may be a command, or
    under ``name``, the name that the backend gives itself.  An entry under ``backend`` takes
    precedence.
    """
    return {**known.get(name, {}), **known.get(backend, {})}


def expand_series(known: Known, cases: Iterable[Case]) -> Known:
    """The known failures, with each entry for a series replaced by entries for its cases.

    A case of the series that has an entry of its own keeps it.  ``cases`` are those of the run; an
    entry for a series that none of them belongs to stays.
    """
    lines: dict[str, list[str]] = {}
    for case in cases:
        if case.series is not None:
            lines.setdefault(case.series, []).append(case.id)
    after: dict[str, dict[str, KnownFailure]] = {}
    for backend, failures in known.items():
        after[backend] = {
            id: failures.get(id, failure)
            for listed, failure in failures.items()
            for id in lines.get(listed, [listed])
        }
    return after


def _failure(node: YamlNode) -> KnownFailure | None:
    """The entry of a case, in one of the forms above; None: the entry is invalid."""
    match node.data:
        case str(reason) if reason.strip():
            return KnownFailure(reason)
        case {"verdict": str(verdict), "reason": str(reason), **others} if reason.strip():
            sometimes = others.pop(_SOMETIMES, False)
            if verdict not in VERDICTS or not isinstance(sometimes, bool) or others:
                return None
            return KnownFailure(reason, sometimes, verdict)
        case {"sometimes": str(reason), **others} if reason.strip() and not others:
            return KnownFailure(reason, sometimes=True)
        case _:
            return None


def known_text(
    results: Iterable[Result], before: Known, names: Mapping[str, str] = MappingProxyType({})
) -> str:
    """The text of the file of known failures after a run: ``before``, changed by the results.

    A case that failed is added, with the reason of its verdict; if it has an entry, the entry
    stays.  The entry of a case that passed is removed, unless it is known to fail sometimes.
    Entries of cases that were skipped or not run stay.

    New entries of a backend are added to its existing entries.  If it has none, they stand under
    its name in ``names`` (by the option that started it), or else under that option.
    """
    after = {backend: dict(failures) for backend, failures in before.items()}
    for result in results:
        name = names.get(result.backend, result.backend)
        # The keys under which the file lists the backend; for a new backend, its name.
        places = [key for key in (result.backend, name) if key in after] or [name]
        failures = after.setdefault(places[0], {})
        id = result.case.id
        match result.verdict.outcome:
            case Outcome.PASS:
                for key in places:
                    if id in after[key] and not after[key][id].sometimes:
                        del after[key][id]
            case Outcome.FAIL | Outcome.ERROR if all(id not in after[key] for key in places):
                kind = result.verdict.kind or "ERROR"
                failures[id] = KnownFailure(f"{kind}: {result.verdict.reason}")
            case Outcome.FAIL | Outcome.ERROR | Outcome.SKIP:
                pass
    listed = {
        backend: {id: _written(each) for id, each in sorted(failures.items())}
        for backend, failures in sorted(after.items())
    }
    text = yaml.safe_dump(listed, allow_unicode=True, sort_keys=False, width=100)
    return f"# Cases known to fail; one that passes fails the run.\n{text}"


def _written(each: KnownFailure) -> str | dict[str, str | bool]:
    """The entry as data for YAML, in the shortest form that the description of this module has."""
    if each.verdict is not None:
        sometimes = {_SOMETIMES: True} if each.sometimes else {}
        return {"verdict": each.verdict, "reason": each.reason, **sometimes}
    return {_SOMETIMES: each.reason} if each.sometimes else each.reason
