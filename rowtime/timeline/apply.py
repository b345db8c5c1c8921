"""Applies the events of a play (`Play`: a query and its events) to a session of the reference."""

from reference.acceptance import DroppedRow
from reference.engine.session import Session
from rowtime.timeline.values import millis
from tck.protocol import (
    Bound,
    CloseProducer,
    Elapse,
    End,
    Event,
    Load,
    Now,
    OpenProducer,
    Rows,
)


def apply_event(event: Event, session: Session) -> tuple[list[DroppedRow], str]:
    """Apply an event to a session.

    Returns the rows that are dropped, and the error code of a bound that is ignored, or "".  Raises
    the run-time errors of the query.
    """
    names = {".".join(each): each for each in session.names}
    match event:
        case Load(name, rows):
            return session.load(names[name], rows), ""
        case Rows(name, rows, producer, weights):
            return session.take_rows(names[name], rows, producer, weights), ""
        case OpenProducer(name, producer):
            session.open_producer(names[name], producer)
        case CloseProducer(name, producer):
            session.close_producer(names[name], producer)
        case Bound(name, at, strict, producer):
            error = session.set_bound(names[name], millis(at) + strict, producer)
            return [], "" if error is None else str(error.code)
        case Now(at):
            session.set_clock(millis(at))
        case Elapse():
            pass  # nothing reads a wall clock (S-106.b)
        case End(name):
            session.end(None if name is None else names[name])
    return [], ""
