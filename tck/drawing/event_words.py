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
    """The texts of an event, to be written side by side.

    The first text names the input or the clock.  The next text says what happens; if rows arrive,
    the ``rows``, which are their texts, follow in its place.  The end of all inputs is one text.
    ``time`` returns the text of a timestamp.
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
