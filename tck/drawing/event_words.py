"""An event in words, for timelines and lists of events."""

from collections.abc import Callable

from tck.protocol import (
    Bound,
    CloseProducer,
    End,
    Event,
    Load,
    Now,
    OpenProducer,
    Rows,
    sender,
)


def event_words(event: Event, time: Callable[[str], str], *rows: str) -> tuple[str, ...]:
    """Who, and what happens there, as texts to be put side by side.

    ``time`` is the text of a timestamp; ``rows`` are those of rows, as they are to be shown.
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
        case End(name):
            return ("end of all input",) if name is None else (name, "ends")
