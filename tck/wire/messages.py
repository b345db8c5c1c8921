"""The messages of the protocol: requests and answers, one JSON object a line.

A request carries a sequence number, which its answer echoes, and its kind::

    {"seq": 1, "request": "start", "protocol": 3}
    {"seq": 1, "answer": "hello", "protocol": 3, "name": "toy", …}

The other fields are those of the kind's record, in `tck.protocol` or below.
"""

import json
from collections.abc import Mapping, Sized
from dataclasses import dataclass, field
from typing import Final, TypeAlias, cast

from tck.protocol import (
    Accepted,
    Bound,
    CloseProducer,
    Elapse,
    End,
    Event,
    Hello,
    Load,
    Now,
    Open,
    OpenProducer,
    Output,
    Refused,
    Rows,
    Unsupported,
)
from tck.terminal.printable import printable
from tck.wire.faults import FaultCode, breach, nearest, shown
from tck.wire.shapes import as_json, from_json, schema_of

#: The version of the protocol that the kit speaks.  A new message or field does not raise it, as
#: long as conversations without them stay the same.
PROTOCOL: Final = 3
#: The versions that a backend may speak.
SERVED: Final = (1, 2, PROTOCOL)

#: The greatest number of rows of an answer to a poll, unless the user gives another number.
MOST_ROWS: Final = 100_000
#: The greatest number of bytes of any answer.
MOST_BYTES: Final = 32 * 2**20

#: A JSON object.
Object: TypeAlias = dict[str, object]


@dataclass(frozen=True, slots=True)
class Start:
    """The first request.  ``protocol`` is the version that the kit speaks.

    An answer to a poll has at most ``most_rows``, and any answer at most ``most_bytes``.
    """

    protocol: int
    most_rows: int
    most_bytes: int


@dataclass(frozen=True, slots=True)
class Poll:
    """Asks what the query has emitted since the last poll."""


@dataclass(frozen=True, slots=True)
class Explain:
    """Asks for the plan of the open query; or, with ``row``, why that row was emitted.

    ``row`` is the row's place among all rows that the query has emitted, from 0.
    """

    row: int | None = None


@dataclass(frozen=True, slots=True)
class Close:
    """Discards the open query and its state, if there is one."""


@dataclass(frozen=True, slots=True)
class Stop:
    """The last request: the backend answers, releases its resources, and ends its process."""


Request: TypeAlias = Start | Open | Event | Poll | Explain | Close | Stop


@dataclass(frozen=True, slots=True)
class VersionedHello(Hello):
    """The backend's description of itself.  ``protocol`` is the version that it speaks.

    It has a name, a version and a language, a tier, and the profiles that it supports.  ``gaps``
    maps each capability that it lacks to the reason: a case that needs one is skipped.
    """

    protocol: int = field(kw_only=True)


@dataclass(frozen=True, slots=True)
class Done:
    """The request was carried out, and there is no result."""


@dataclass(frozen=True, slots=True)
class Text:
    """A plan or a reason, for people; may be empty."""

    text: str


@dataclass(frozen=True, slots=True)
class Error:
    """The request could not be carried out: the case is an ERROR, and is closed.

    ``message`` is one line, ``trace`` an array of further lines; both are made printable.
    ``code`` is the fault: the engine ``failed``; its harness has no answer that the protocol allows
    (``breach``); there is no such backend (``unknown``); or a package that it needs is missing
    (``absent``).
    """

    message: str
    trace: tuple[str, ...] = ()
    code: FaultCode = "failed"

    def __post_init__(self) -> None:
        """Make the texts printable: they may have half of a surrogate pair, which is not JSON."""
        object.__setattr__(self, "message", printable(self.message))
        object.__setattr__(self, "trace", tuple(map(printable, self.trace)))


Answer: TypeAlias = VersionedHello | Accepted | Refused | Unsupported | Done | Output | Text | Error

#: By the kind of a request on the wire: its record.
REQUESTS: Final[Mapping[str, type[Request]]] = {
    "start": Start,
    "open": Open,
    "load": Load,
    "rows": Rows,
    "bound": Bound,
    "open_producer": OpenProducer,
    "close_producer": CloseProducer,
    "now": Now,
    "elapse": Elapse,
    "end": End,
    "poll": Poll,
    "explain": Explain,
    "close": Close,
    "stop": Stop,
}

#: By the kind of an answer on the wire: its record.
ANSWERS: Final[Mapping[str, type[Answer]]] = {
    "hello": VersionedHello,
    "accepted": Accepted,
    "refused": Refused,
    "unsupported": Unsupported,
    "done": Done,
    "output": Output,
    "text": Text,
    "error": Error,
}

#: By the kind of a request: the kinds of answers that it can have, besides ``error``.
ANSWERS_TO: Final[Mapping[str, tuple[str, ...]]] = {
    "start": ("hello",),
    "open": ("accepted", "refused", "unsupported"),
    "load": ("done", "unsupported"),
    "rows": ("done", "unsupported"),
    "bound": ("done", "unsupported"),
    "open_producer": ("done", "unsupported"),
    "close_producer": ("done", "unsupported"),
    "now": ("done", "unsupported"),
    "elapse": ("done", "unsupported"),
    "end": ("done", "unsupported"),
    "poll": ("output",),
    "explain": ("text",),
    "close": ("done",),
    "stop": ("done",),
}

_KIND_OF: Final = {record: kind for kind, record in {**REQUESTS, **ANSWERS}.items()}


def kind_of(message: Request | Answer) -> str:
    """The kind of a message, as the wire names it."""
    return _KIND_OF[type(message)]


def request_object(seq: int, request: Request) -> Object:
    """The JSON object of a request."""
    return {"seq": seq, "request": kind_of(request), **cast("Object", as_json(request))}


def answer_object(seq: int, answer: Answer) -> Object:
    """The JSON object of an answer."""
    return {"seq": seq, "answer": kind_of(answer), **cast("Object", as_json(answer))}


def read_request(message: Object) -> Request:
    """The request that a JSON object describes.  Raises `BackendFault` if it is not a request."""
    kind = message.get("request")
    if not isinstance(kind, str) or kind not in REQUESTS:
        raise breach(
            f"the kit requested for {shown(kind)}, which protocol {PROTOCOL} does not have"
        )
    rest = {key: value for key, value in message.items() if key not in ("seq", "request")}
    return from_json(REQUESTS[kind], rest, kind)


def read_answer(requested: str, message: Object, most_rows: int = MOST_ROWS) -> Answer:
    """The answer that a JSON object describes, to a request of the kind ``requested``.

    Raises `BackendFault` if the object is not an answer, if its kind does not fit the request, or
    if it has more than ``most_rows`` rows.
    """
    rows = message.get("rows")
    count = len(rows) if isinstance(rows, Sized) else 0
    if count > most_rows:
        raise breach(f"{requested} gave {count} rows, at most {most_rows} are allowed")
    kind = message.get("answer")
    allowed = ANSWERS_TO[requested]
    if kind != "error" and kind not in allowed:
        hint = nearest(kind, (*allowed, "error")) if isinstance(kind, str) else ""
        what = f"{requested} must be answered by {' or '.join(allowed)}"
        raise breach(f"{what}, gave {shown(kind)}{hint}")
    if kind == "hello" and message.get("protocol") not in SERVED:
        spoken, served = shown(message.get("protocol")), f"{SERVED[0]} to {PROTOCOL}"
        raise breach(f"the backend speaks version {spoken} of the protocol, the kit {served}")
    rest = {key: value for key, value in message.items() if key not in ("seq", "answer")}
    return from_json(ANSWERS[str(kind)], rest, f"{requested}'s answer {kind}")


def line_of(message: Object) -> bytes:
    """A message as a line, with its line break."""
    # `default` makes a dict of a mapping of another class, which a record can contain.
    text = json.dumps(message, ensure_ascii=True, allow_nan=False, default=dict)
    return text.encode() + b"\n"


def object_of(line: bytes) -> Object:
    """The JSON object on a line.  Raises `BackendFault` if the line is not a JSON object."""
    try:
        value: object = json.loads(line.decode(), parse_constant=_reject_constant)
    except UnicodeDecodeError as error:
        raise breach(f"a line is not UTF-8: {error.reason} at byte {error.start}") from None
    except (ValueError, RecursionError) as error:
        text = line[:60].decode(errors="replace").rstrip("\n")
        raise breach(f"a line is not JSON: {error}: {text!a}") from None
    if not isinstance(value, dict):
        raise breach(f"a line must be a JSON object, gave {shown(value)}")
    return cast("Object", value)


def protocol_schema() -> Object:
    """The JSON Schema of all messages, with one definition for each kind, under its name."""
    definitions: Object = {}
    for label, kinds in (("request", REQUESTS), ("answer", ANSWERS)):
        for kind, record in kinds.items():
            shape = schema_of(record)
            properties = cast("Object", shape["properties"])
            required = cast("list[str]", shape["required"])
            definitions[kind] = {
                **shape,
                "properties": {"seq": {"type": "integer"}, label: {"const": kind}, **properties},
                "required": ["seq", label, *required],
            }
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": f"rowtime's protocol between the kit and a backend, version {PROTOCOL}",
        "oneOf": [{"$ref": f"#/$defs/{kind}"} for kind in definitions],
        "$defs": definitions,
    }


def _reject_constant(text: str) -> float:
    """Raise an error for NaN and Infinity, which Python reads, but which are not JSON."""
    raise ValueError(f"JSON has no {text}; write it as text")
