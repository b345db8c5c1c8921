"""Send a query of a case, and its events, to a backend, and record the answers as a transcript."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

from tck.corpus.case import Case
from tck.corpus.needs import says_stream
from tck.corpus.steps.texts import moment
from tck.protocol import (
    Accepted,
    Backend,
    End,
    Event,
    LateRow,
    Open,
    Output,
    Refused,
    Unsupported,
    WireRow,
)


@dataclass(frozen=True, slots=True)
class Transcript:
    """The answers of a backend about one query.

    ``outputs`` has the output of each poll: one for each step, and one more if the kit has ended
    the inputs; fewer if the query failed.  ``plan`` is empty if the case has no plan to compare.
    ``reasons`` has the explanations of rows, by the place of the row among all emitted rows.
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
        """All rows dropped at ingress, in the order of the outputs."""
        return tuple(row for output in self.outputs for row in output.late)

    @property
    def failure(self) -> Refused | None:
        """The error at run time; None: the query did not fail."""
        return next((output.error for output in self.outputs if output.error), None)


@dataclass(frozen=True, slots=True)
class Missing:
    """The record that a backend answered `Unsupported` to a query, or to one of its events.

    ``event`` is this event; None: the answer was to the query itself.  No query is open afterwards.
    """

    answer: Unsupported
    event: Event | None = None


#: Chooses the emitted rows to be explained, by their places among all emitted rows.
RowChoice: TypeAlias = Callable[[Accepted, tuple[Output, ...]], tuple[int, ...]]


def converse(
    backend: Backend, case: Case, sql: str | None, choose_rows: RowChoice | None = None
) -> Transcript | Missing:
    """Run a query on the catalog and input of a case, and return the transcript, or `Missing`.

    ``sql`` None: only the case's script is run.  ``choose_rows`` None: no row is explained.
    Exceptions of the backend pass through; those at an event, or at the poll after it, have a note
    that names the step.
    """
    answer = backend.open(Open(case.ddl, sql, case.profile))
    match answer:
        case Unsupported():
            return Missing(answer)
        case Refused():
            return Transcript(answer)
        case Accepted():
            plan = backend.explain() if case.plan is not None else ""
            outputs = _feed_events(backend, case) if case.runs else ()
            if isinstance(outputs, Missing):
                backend.close()
                return outputs
            places = choose_rows(answer, outputs) if choose_rows else ()
            reasons = {place: backend.explain(place) for place in places}
            backend.close()
            return Transcript(answer, outputs, plan, reasons)


def _feed_events(backend: Backend, case: Case) -> tuple[Output, ...] | Missing:
    """Feed the events step by step, and return the output of the poll after each step.

    After a failure of the query no further steps are fed.  `Missing` if an event is unsupported.
    """
    outputs: list[Output] = []
    for number, events in enumerate(events_by_step(case)):
        try:
            loads = case.tables if number == 0 else ()  # the contents of tables come first
            for event in (*loads, *events):
                if answer := backend.feed(event):
                    return Missing(answer, event)
            outputs.append(backend.poll())
        except Exception as error:
            error.add_note(f"at {moment(case, number)}")
            raise
        if outputs[-1].error:
            break
    return tuple(outputs)


def events_by_step(case: Case) -> Iterator[tuple[Event, ...]]:
    """The events of each step; a last step that ends all inputs is added if no step ends them.

    A case without steps has one step, which ends all inputs; before that, a query with SELECT
    STREAM gets all rows of the fixtures' streams.
    """
    if not case.steps:
        yield (*(case.streams if says_stream(case.sql or "") else ()), End())
        return
    for step in case.steps:
        yield step.events
    if not any(End() in step.events for step in case.steps):
        yield (End(),)
