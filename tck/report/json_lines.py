"""Write the results of a run as JSON lines, case by case during the run.

The lines are, in this order:

1. the head: the cases and backends of the run;
2. for each backend, when it has been started: its description of itself, and then
3. for each case, when it has ended: its result;
4. the end, with the exit status.  If it is missing, the run did not reach its end.

``run.schema.json`` describes the lines, and `tck.report.record` reads them.
"""

import json
from collections.abc import Mapping
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from typing import Final, NotRequired, Self, TextIO, TypedDict

from tck.corpus.needs import needs_of
from tck.corpus.selected.digest import digest_of
from tck.judging.verdict import KnownFailure, Result, Verdict
from tck.protocol import Consistency, Hello, HopOrder, Tier, WindowSpelling
from tck.report.tally import Report, tally
from tck.report.transcript_fields import TranscriptFields, transcript_fields
from tck.report.unjudged import unjudged

#: The version of the format.
FORMAT: Final = 2


class Head(TypedDict):
    """The head: the backends of the run, and the numbers of cases (`NumbersOfCases`).

    ``version`` is that of the kit.  ``date`` is the day in UTC on which the run began; for a run
    that was updated, the day of its oldest part.
    """

    format: int
    version: str
    date: NotRequired[str]  # files of older versions lack it
    cases: int
    cases_on: NotRequired[dict[str, int]]
    backends: list[str]


class HeadLine(TypedDict):
    """The first line."""

    rowtime: Head


class NumbersOfCases(TypedDict):
    """The part of `Head` with the numbers of cases.

    ``cases_on`` has the numbers by backend; ``cases`` is the number on each other backend.
    """

    cases: int
    cases_on: NotRequired[dict[str, int]]


class HelloFields(TypedDict):
    """A backend's description of itself."""

    name: str
    version: str
    language: str
    tier: Tier
    profiles: list[str]
    gaps: dict[str, str]
    properties: NotRequired[dict[str, str]]  # missing if the backend declares none
    windows: NotRequired[WindowSpelling]  # missing if it has the default
    consistency: NotRequired[Consistency]  # missing if the tier determines it
    hop: NotRequired[HopOrder]  # missing if it has the default


class HelloLine(TypedDict):
    """The line when a backend has been started; it is judged at ``tier``."""

    hello: HelloFields
    backend: str
    tier: Tier


class VerdictFields(TypedDict):
    """A verdict without its detail."""

    outcome: str
    kind: str | None
    reason: str


class KnownFields(TypedDict):
    """The known failure of a case (`KnownFailure`): its reason, and its verdict.

    ``known`` None: the case is not known to fail.
    """

    known: str | None
    sometimes: bool
    known_verdict: NotRequired[str | None]  # files of older versions lack it


class MarkFields(TypedDict):
    """The marks of rows, order and time: each is ``pass``, ``fail``, or ``none`` (not judged)."""

    rows: str
    order: str
    time: str


class EntryLine(VerdictFields, KnownFields):
    """The line when a case has ended: its result (`tck.judging.verdict.Result`)."""

    backend: str
    chapter: str
    case: str
    cites: list[str]
    needs: list[str]
    detail: list[str]
    why: list[str]
    tier: Tier
    at: dict[Tier, VerdictFields]
    marks: MarkFields
    required: bool
    seconds: float
    file: str
    line: int
    transcript: TranscriptFields | None
    # Files of older versions lack the following.
    digest: NotRequired[str]
    gaps: NotRequired[list[str]]  # the gaps that an answer `Unsupported` names
    event_needs: NotRequired[list[str]]  # the needs of an unsupported event
    reported: NotRequired[dict[str, bool]]


class End(TypedDict):
    """The exit status of the run, and by backend the number of cases by outcome.

    ``unjudged`` has a line for each thing that was not judged (`tck.report.unjudged`), by backend.
    """

    exit: int
    counts: dict[str, dict[str, int]]
    unjudged: NotRequired[dict[str, list[str]]]  # files of older versions lack it


class EndLine(TypedDict):
    """The last line."""

    end: End


class JsonLinesFile:
    """A file that is written line by line: if the process dies, it has all lines until then."""

    def __init__(self, file: TextIO) -> None:
        self._file = file

    @classmethod
    def begin(cls, path: Path, version: str, numbers: Mapping[str, int]) -> Self:
        """Begin the file of a new run; an existing file is replaced.

        ``numbers`` are the numbers of cases by backend.  Raises `OSError`.
        """
        path.parent.mkdir(parents=True, exist_ok=True)
        date = datetime.now(UTC).date().isoformat()
        head = Head(
            format=FORMAT,
            version=version,
            date=date,
            **numbers_of_cases(numbers),
            backends=list(numbers),
        )
        begun = cls(path.open("w", encoding="utf-8", newline="\n"))
        begun._write(HeadLine(rowtime=head))
        return begun

    @classmethod
    def resume(cls, path: Path) -> Self:
        """Open the file of an earlier run for further lines.

        The line of its end is removed, and so is a last line without a line break.  Raises
        `OSError`.
        """
        with path.open("rb+") as file:
            text = file.read()
            end_of_lines = text.rfind(b"\n") + 1  # the place after the last line break
            start_of_last_line = text.rfind(b"\n", 0, end_of_lines - 1) + 1
            has_end = text.startswith(b'{"end"', start_of_last_line)
            file.truncate(start_of_last_line if has_end else end_of_lines)
        return cls(path.open("a", encoding="utf-8", newline="\n"))

    def started(self, backend: str, hello: Hello, tier: Tier) -> None:
        """Write that a backend has been started."""
        fields = HelloFields(
            name=hello.name,
            version=hello.version,
            language=hello.language,
            tier=hello.tier,
            profiles=list(hello.profiles),
            gaps=dict(hello.gaps),
        )
        if hello.properties:
            fields["properties"] = dict(hello.properties)
        if hello.windows != "functions":
            fields["windows"] = hello.windows
        if hello.consistency is not None:
            fields["consistency"] = hello.consistency
        if hello.hop != "step-first":
            fields["hop"] = hello.hop
        self._write(HelloLine(hello=fields, backend=backend, tier=tier))

    def finished(self, result: Result) -> None:
        """Write the result of a case."""
        self._write(_entry(result))

    def ended(self, report: Report, status: int) -> None:
        """Write that the run has reached its end."""
        counts = {name: asdict(tally(report.of(name))) for name in report.hellos}
        not_judged = {name: list(unjudged(report.of(name))) for name in report.hellos}
        self._write(EndLine(end=End(exit=status, counts=counts, unjudged=not_judged)))

    def close(self) -> None:
        """Close the file; if `ended` was not called, it is the file of an incomplete run."""
        self._file.close()

    def _write(self, line: HeadLine | HelloLine | EntryLine | EndLine) -> None:
        self._file.write(f"{json.dumps(line, ensure_ascii=False)}\n")
        self._file.flush()


def numbers_of_cases(numbers: Mapping[str, int]) -> NumbersOfCases:
    """The part of the head with the numbers of cases; ``numbers`` has them by backend.

    The greatest number becomes ``cases``, and the others are in ``cases_on``.
    """
    most = max(numbers.values(), default=0)
    fewer = {backend: number for backend, number in numbers.items() if number != most}
    return NumbersOfCases(cases=most, cases_on=fewer) if fewer else NumbersOfCases(cases=most)


def _entry(result: Result) -> EntryLine:
    """The line of a result."""
    case, verdict = result.case, result.verdict
    return EntryLine(
        backend=result.backend,
        chapter=case.chapter,
        case=case.id,
        cites=list(case.cites),
        needs=list(needs_of(case)),
        **_fields(verdict),
        detail=list(verdict.detail),
        why=list(result.why),
        tier=result.tier,
        at={tier: _fields(each) for tier, each in result.at.items()},
        marks=MarkFields(
            rows=str(result.marks.rows),
            order=str(result.marks.order),
            time=str(result.marks.time),
        ),
        **known_fields(result.known),
        required=case.required,
        seconds=round(result.seconds, 6),
        file=case.place.file,
        line=case.place.line,
        transcript=transcript_fields(result.transcript) if result.transcript else None,
        digest=digest_of(case),
        gaps=list(verdict.gaps),
        event_needs=list(verdict.needs),
        reported=dict(result.reported),
    )


def known_fields(known: KnownFailure | None) -> KnownFields:
    """The fields of a known failure; those of a case that is not known to fail are empty."""
    if known is None:
        return KnownFields(known=None, sometimes=False, known_verdict=None)
    return KnownFields(known=known.reason, sometimes=known.sometimes, known_verdict=known.verdict)


def _fields(verdict: Verdict) -> VerdictFields:
    return VerdictFields(
        outcome=str(verdict.outcome),
        kind=str(verdict.kind) if verdict.kind else None,
        reason=verdict.reason,
    )
