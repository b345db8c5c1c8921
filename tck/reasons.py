"""Explain a failure of a backend by the reference's reasons for the rows that the case expects.

If the case expects an error, the reason is the error message of the reference.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final, Protocol

from tck.backends import RunningBackend, start_backend
from tck.corpus.case import Case, CellRow
from tck.corpus.steps.texts import step_name
from tck.judging.rows.reading import ReadRow, read_rows, row_text, same_row
from tck.judging.verdict import Kind, Verdict
from tck.protocol import Accepted, Output, Refused
from tck.transcript import Missing, converse
from tck.wire.factory import installed
from tck.wire.faults import BackendStartError, UnknownBackendError

#: The entry point of the backend that explains.
REFERENCE: Final = "reference"

#: The greatest number of rows of one failure that are explained.
_MOST: Final = 3


class Explainer(Protocol):
    """An object that can explain a failure."""

    def why(self, case: Case, verdict: Verdict) -> tuple[str, ...]:
        """Lines that explain why the rows at fault (``verdict.concerns``) should be emitted.

        Empty if there is no explanation.
        """
        ...


@dataclass(slots=True)
class ReferenceExplainer:
    """The reference as explainer, which is started when it is first needed.

    ``running`` None: it is not started.  ``absent``: it is not installed, cannot be started, or has
    crashed; then it explains nothing.
    """

    running: RunningBackend | None = None
    absent: bool = False

    def why(self, case: Case, verdict: Verdict) -> tuple[str, ...]:
        """The reference's reasons for the rows at fault, or its error message for the query."""
        about_refusal = verdict.kind in (Kind.ACCEPTED, Kind.WRONG_CODE) and case.error is not None
        if not (verdict.concerns or about_refusal) or not self._start_once():
            return ()
        assert self.running is not None
        try:
            return reasons(self.running, case, verdict.concerns)
        except Exception:  # a reference that crashes must not fail another backend's run
            self.absent = True
            return ()

    def stop(self) -> None:
        """Release the reference's resources."""
        if self.running:
            self.running.stop()

    def _start_once(self) -> bool:
        """Start the reference if that has not been tried; whether it is usable."""
        if self.running is None and not self.absent:
            try:
                self.running = start_backend(REFERENCE) if REFERENCE in installed() else None
            except (BackendStartError, UnknownBackendError):
                self.running = None
            self.absent = self.running is None
        return not self.absent


def reasons(running: RunningBackend, case: Case, concerns: tuple[CellRow, ...]) -> tuple[str, ...]:
    """Run a case on the reference, and return its reasons for some expected rows, as lines.

    If the reference refuses the query, the lines are its error message.  ``concerns`` are the rows,
    as the case writes them.
    """
    # For each explained row: its text, the step that emitted it, and its place among all emitted
    # rows.  The place is None if the row was not emitted.
    looked_up: list[tuple[str, int, int | None]] = []

    def look_up(answer: Accepted, outputs: tuple[Output, ...]) -> tuple[int, ...]:
        """Fill ``looked_up``, and return the places in it that are not None.

        Equal rows have different places.
        """
        columns = case.result or answer.columns
        emitted = [
            (row, step)
            for step, output in enumerate(outputs)
            for row in read_rows(output.rows, columns, None, answer.columns)
        ]
        taken: set[int] = set()  # the places of the rows that have been looked up
        for cells in dict.fromkeys(concerns[:_MOST]):
            (row,) = read_rows([cells], columns, case.date)
            place = next(_places_of(row, emitted, taken), None)
            step = len(outputs) if place is None else emitted[place][1]
            looked_up.append((row_text(row), step, place))
            if place is not None:
                taken.add(place)
        return tuple(place for _, _, place in looked_up if place is not None)

    transcript = converse(running.backend, case, case.sql, look_up)
    if isinstance(transcript, Missing):
        return (f"the reference does not implement it: {transcript.answer.reason}",)
    if isinstance(transcript.answer, Refused):
        rendered = transcript.answer.rendered or transcript.answer.message
        return ("the reference refuses it:", *(f"  {line}" for line in rendered.splitlines()))
    lines: list[str] = []
    for text, step, place in looked_up:
        reason = "" if place is None else transcript.reasons[place].strip("\n")
        if place is None:
            lines.append(f"the reference has no row {text}")
        elif reason:
            lines.append(f"why the reference has {text}, at {step_name(case, step)}:")
            lines += [f"  {line}" for line in reason.splitlines()]
    return tuple(lines)


def _places_of(row: ReadRow, emitted: list[tuple[ReadRow, int]], taken: set[int]) -> Iterator[int]:
    """The places of the emitted rows equal to ``row`` that are not ``taken``, ascending."""
    return (
        place
        for place, (other, _) in enumerate(emitted)
        if place not in taken and same_row(row, other)
    )
