"""Describe an event in words, for timelines and lists of events."""

from collections.abc import Callable

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
    sender,
)


def event_words(event: Event, time: Callable[[str], str], *rows: str) -> tuple[str, ...]:
    """An event as texts that are written side by side: its input, and what happens at the input.

    ``time`` returns the text of a timestamp.  ``rows`` are the texts of the rows that arrive.
    """
    match event:
        case Load(name, loaded):
            return name, f"{len(loaded)} row{'' if len(loaded) == 1 else 's'} from before"
        case Rows(name, _, producer):
            return sender(name, producer), *rows
        case Bound(name, at, strict, producer):
            return sender(name, producer), f"{'strict ' if strict else ''}bound {time(at)}"
        case OpenProducer(name, producer):
            return sender(name, producer), "opens"
        case CloseProducer(name, producer):
            return sender(name, producer), "closes"
        case Now(at):
            return "the session's clock", time(at)
        case Elapse(span):
            return "wall clock", f"{span} pass"
        case End(name):
            return ("end of all input",) if name is None else (name, "ends")
