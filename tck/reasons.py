"""Why the rows that a failure is about should have come: the reference is asked."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final, Protocol

from tck.backends import (
    BackendStartError,
    RunningBackend,
    UnknownBackendError,
    installed,
    start_backend,
)
from tck.corpus.case import Case, CellRow
from tck.judging.matching import ReadRow, read_row, same_row
from tck.judging.timing import step_name
from tck.judging.verdict import Kind, Verdict
from tck.protocol import Accepted, Output, Refused
from tck.transcript import converse

#: The entry point of the backend whose reasons are asked for.
REFERENCE: Final = "reference"

#: Of a failure that is about more rows, the reasons of the first are enough.
_MOST: Final = 3


class Explainer(Protocol):
    """Who knows why rows come."""

    def why(self, case: Case, verdict: Verdict) -> tuple[str, ...]:
        """Why the expected rows that a verdict is about should have come, line by line."""
        ...


@dataclass(slots=True)
class ReferenceExplainer:
    """The reference, if it is installed; started when it is first asked."""

    running: RunningBackend | None = None
    absent: bool = field(default=False)

    def why(self, case: Case, verdict: Verdict) -> tuple[str, ...]:
        """What it says; nothing where it is absent, or cannot run the case."""
        about_refusal = verdict.kind in (Kind.ACCEPTED, Kind.WRONG_CODE) and case.error is not None
        if not (verdict.concerns or about_refusal) or not self._started():
            return ()
        assert self.running is not None
        try:
            return reasons(self.running, case, verdict.concerns)
        except Exception:  # a witness that breaks has nothing to say
            self.absent = True
            return ()

    def stop(self) -> None:
        """Have it give back what it holds."""
        if self.running:
            self.running.stop()

    def _started(self) -> bool:
        if self.running is None and not self.absent:
            try:
                self.running = start_backend(REFERENCE) if REFERENCE in installed() else None
            except (BackendStartError, UnknownBackendError):
                self.running = None
            self.absent = self.running is None
        return not self.absent


def reasons(running: RunningBackend, case: Case, concerns: tuple[CellRow, ...]) -> tuple[str, ...]:
    """What a backend says of rows that are expected of a case, or of its refusal, line by line."""
    asked: list[tuple[str, int, int | None]] = []

    def places(answer: Accepted, outputs: tuple[Output, ...]) -> tuple[int, ...]:
        came = [
            (read_row(row, answer.columns, None), step)
            for step, output in enumerate(outputs)
            for row in output.rows
        ]
        taken: set[int] = set()
        for cells in dict.fromkeys(concerns[:_MOST]):
            row = read_row(cells, answer.columns, case.date)
            place = next(_same_at_every_tier(row, came, taken), None)
            step = len(outputs) if place is None else came[place][1]
            asked.append(("  ".join(shown.text for shown in row), step, place))
            taken |= set() if place is None else {place}
        return tuple(place for _, _, place in asked if place is not None)

    transcript = converse(running.backend, case, case.sql, places)
    if isinstance(transcript.answer, Refused):
        rendered = transcript.answer.rendered or transcript.answer.message
        return ("the reference refuses it:", *(f"  {line}" for line in rendered.splitlines()))
    lines: list[str] = []
    for text, step, place in asked:
        reason = "" if place is None else transcript.reasons[place].strip("\n")
        if place is None:
            lines.append(f"the reference has no row {text}")
        elif reason:
            lines.append(f"why the reference has {text}, at {step_name(case, step)}:")
            lines += [f"  {line}" for line in reason.splitlines()]
    return tuple(lines)


def _same_at_every_tier(
    row: ReadRow, came: list[tuple[ReadRow, int]], taken: set[int]
) -> Iterator[int]:
    """The places of the rows that are the same, and not asked about yet."""
    return (
        place
        for place, (other, _) in enumerate(came)
        if place not in taken and same_row(row, other)
    )
