"""A conversation with a backend about one query, and what it said."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

from tck.corpus.case import Case
from tck.protocol import Accepted, Backend, End, Event, LateRow, Open, Output, Refused, WireRow


@dataclass(frozen=True, slots=True)
class Transcript:
    """What a backend said.

    ``outputs`` has one for each step, and one more where the kit ended the inputs itself; fewer
    where the query failed.  ``reasons`` are those of the rows that were asked about, by their
    places among all rows.
    """

    answer: Accepted | Refused
    outputs: tuple[Output, ...] = ()
    plan: str = ""
    reasons: Mapping[int, str] = field(default_factory=dict[int, str])

    @property
    def rows(self) -> tuple[WireRow, ...]:
        """All rows, in the order of emission."""
        return tuple(tuple(row) for output in self.outputs for row in output.rows)

    @property
    def late(self) -> tuple[LateRow, ...]:
        """All rows dropped at entry."""
        return tuple(row for output in self.outputs for row in output.late)

    @property
    def failure(self) -> Refused | None:
        """The error at run time."""
        return next((output.error for output in self.outputs if output.error), None)


#: Which of the rows that came are asked about, by their places among all.
RowChoice: TypeAlias = Callable[[Accepted, tuple[Output, ...]], tuple[int, ...]]


def converse(
    backend: Backend, case: Case, sql: str | None, choose_rows: RowChoice | None = None
) -> Transcript:
    """What a backend says of a query on what a case gives.  Its exceptions come through."""
    answer = backend.open(Open(case.ddl, sql, case.profile))
    match answer:
        case Refused():
            return Transcript(answer)
        case Accepted():
            plan = backend.explain() if case.plan is not None else ""
            outputs = tuple(_outputs(backend, case, answer.streaming)) if case.runs else ()
            places = choose_rows(answer, outputs) if choose_rows else ()
            reasons = {place: backend.explain(place) for place in places}
            backend.close()
            return Transcript(answer, outputs, plan, reasons)


def _outputs(backend: Backend, case: Case, streaming: bool) -> Iterator[Output]:
    for load in case.tables:
        backend.feed(load)
    for events in events_by_step(case, streaming):
        for event in events:
            backend.feed(event)
        output = backend.poll()
        yield output
        if output.error:
            return


def events_by_step(case: Case, streaming: bool) -> Iterator[tuple[Event, ...]]:
    """The events of each step; the inputs always end in the last."""
    if not case.steps:
        yield (*(case.streams if streaming else ()), End())
        return
    for step in case.steps:
        yield step.events
    if not any(End() in step.events for step in case.steps):
        yield (End(),)
