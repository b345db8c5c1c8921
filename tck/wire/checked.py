"""Check each answer of a backend before the kit uses it.

`CheckedBackend` stands for the backend at the other end of a channel, which may be faulty.
"""

import re
import time
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from typing import Final, TypeVar

from tck.corpus.needs import CHANGELOGS, WALL_CLOCK, emits_changes
from tck.corpus.values import UnreadableError, complete_timestamp
from tck.protocol import (
    Accepted,
    Event,
    Hello,
    LateRow,
    Load,
    Open,
    OpenProducer,
    Output,
    Refused,
    Rows,
    Unsupported,
    weighted,
)
from tck.terminal.printable import printable
from tck.wire.channel import Channel
from tck.wire.faults import BackendFault, breach, nearest, shown
from tck.wire.messages import (
    MOST_BYTES,
    MOST_ROWS,
    PROTOCOL,
    Answer,
    Close,
    Done,
    Error,
    Explain,
    Object,
    Poll,
    Request,
    Start,
    Stop,
    Text,
    VersionedHello,
    kind_of,
    read_answer,
)
from tck.wire.properties import FORM, PROPERTIES, QUIET, property_seconds, seconds_of

A = TypeVar("A", bound=Answer)

PROFILES: Final = ("calcite", "sqlstream")
_MONOTONICITIES: Final = (
    "CONSTANT",
    "INCREASING",
    "STRICTLY_INCREASING",
    "DECREASING",
    "STRICTLY_DECREASING",
    "NOT_MONOTONIC",
)
_METADATA: Final = ("collation", "sortable", "latency", "state")
_LATE_CODES: Final = ("LATE", "BAD_ROW")
_WARNING_CODES: Final = ("BOUND_BACKWARDS",)

#: By version of the protocol: the capability that it has added, and a name of it for a message.
_ADDED: Final[Mapping[int, tuple[str, str]]] = {
    2: (CHANGELOGS, "changelogs"),
    3: (WALL_CLOCK, "event elapse"),
}

#: The greatest number of seconds between two polls while the output is not complete.
_PAUSE: Final = 0.01


def _accept_all_words(_: Iterable[str]) -> str:
    """Accept all words as names of capabilities."""
    return ""


@dataclass(slots=True)
class CheckedBackend:
    """The backend at the other end of a channel, with the methods of `tck.protocol.Backend`.

    If an answer is faulty, the method raises `BackendFault`.

    ``unknown_word`` returns a text about the first of some words that does not name a capability;
    empty if all are known.  An answer to a poll may have at most ``most_rows`` rows, and the output
    may be pending for at most ``seconds``.
    """

    channel: Channel
    unknown_word: Callable[[Iterable[str]], str] = _accept_all_words
    most_rows: int = MOST_ROWS
    seconds: float = 60.0
    #: The declared seconds without output after which the output is complete (`QUIET`).
    _quiet: float = 0.0
    #: The open query, its number of columns, and the number of events that it was fed.
    _request: Open = field(default=Open("", None))
    _width: int = 0
    _events: int = 0
    #: The number of rows that were fed to each input.
    _fed: Counter[str] = field(default_factory=Counter[str])
    #: The number of rows that each table and history had before the first event.
    _loaded: Counter[str] = field(default_factory=Counter[str])
    #: The inputs for which a producer was opened; the places of their late rows may be unknown.
    _with_producers: set[str] = field(default_factory=set[str])

    def start(self) -> Hello:
        """Start the backend, and return its description of itself.

        If that is faulty, the backend is ended.
        """
        try:
            return self._ask_hello()
        except BaseException:
            self.channel.end()
            raise

    def _ask_hello(self) -> Hello:
        """Send the request `Start`, and check the answer.

        The capabilities that newer versions of the protocol have added become gaps.
        """
        hello = self._ask(Start(PROTOCOL, self.most_rows, MOST_BYTES), VersionedHello)
        if not hello.name:
            raise breach("hello.name is empty")
        for profile in hello.profiles:
            _check_word("hello.profiles", profile, PROFILES)
        unknown = self.unknown_word(hello.gaps)
        if unknown:
            raise breach(f"hello.gaps has {unknown}")
        for word, reason in hello.gaps.items():
            if not reason.strip():
                raise breach(f"hello.gaps gives no reason for {word}")
        for name, span in hello.properties.items():
            _check_word("hello.properties", name, PROPERTIES)
            if seconds_of(span) is None:
                raise breach(f"hello.properties.{name} must be {FORM}, gave {shown(span)}")
        self._quiet = property_seconds(hello.properties, QUIET) or 0.0
        described = Hello(**{each.name: getattr(hello, each.name) for each in fields(Hello)})
        speaks = f"the backend speaks version {hello.protocol} of the protocol"
        added = {
            need: f"{speaks}, which has no {what}"
            for version, (need, what) in _ADDED.items()
            if version > hello.protocol
        }
        return replace(described, gaps={**added, **hello.gaps})

    def open(self, request: Open) -> Accepted | Refused | Unsupported:
        """Analyse a query, and check the answer."""
        self._request, self._width = request, 0
        self._fed, self._loaded = Counter(), Counter()
        self._with_producers, self._events = set(), 0
        answer = self._answer(request)
        assert isinstance(answer, Accepted | Refused | Unsupported), "no other answer is read"
        match answer:
            case Accepted():
                self._width = len(answer.columns)
                _check_accepted(answer)
            case Refused():
                self._check_refused(answer, "refused")
            case Unsupported():
                self._check_unsupported(answer)
        return answer

    def feed(self, event: Event) -> Unsupported | None:
        """Process an event; `Unsupported` if the backend does not implement such an event."""
        if isinstance(event, Rows):
            self._fed[event.input] += len(event.rows)
        elif isinstance(event, Load):
            self._loaded[event.object] += len(event.rows)
        elif isinstance(event, OpenProducer):
            self._with_producers.add(event.input)
        self._events += 1
        answer = self._answer(event)
        assert isinstance(answer, Done | Unsupported), "no other answer is read"
        if isinstance(answer, Done):
            return None
        self._check_unsupported(answer)
        return answer

    def poll(self) -> Output:
        """The output of the query since the last poll.

        The backend is polled until the output is complete, and the outputs are joined.  The output
        is complete if it is not pending, and if the backend has emitted nothing for the time that
        it declares as `QUIET`.
        """
        until, quiet = time.monotonic() + self.seconds, self._quiet
        output = self._poll_once()
        quiet_until = time.monotonic() + quiet  # the time of quiet begins again at each output
        while output.error is None and (output.pending or time.monotonic() < quiet_until):
            if time.monotonic() > until:
                raise BackendFault(f"poll was pending for {self.seconds:g} s")
            time.sleep(min(_PAUSE, quiet) or _PAUSE)
            more = self._poll_once()
            # An output that only repeats the bound and the state does not end the quiet.
            without_news = Output(bound=more.bound, state=more.state)
            if more != without_news or more.bound not in (None, output.bound):
                quiet_until = time.monotonic() + quiet
            output = _joined(output, more)
            for name, items in _lists_of(output):
                if len(items) > self.most_rows:
                    what = f"poll gave {len(items)} {name} while it was pending"
                    raise breach(f"{what}, at most {self.most_rows} are allowed")
        return output

    def _poll_once(self) -> Output:
        """Poll, and check the output."""
        output = self._ask(Poll(), Output)
        self._check_output(output)
        return output

    def explain(self, row: int | None = None) -> str:
        """The plan of the open query; or, with ``row``, why that row was emitted, as text."""
        return self._ask(Explain(row), Text).text

    def close(self) -> None:
        """Discard the open query and its state."""
        self._ask(Close(), Done)

    def stop(self) -> None:
        """Release all resources; the backend's process ends."""
        try:
            self._ask(Stop(), Done)
        finally:
            self.channel.end()

    def _ask(self, request: Request, record: type[A]) -> A:
        """Send a request, and return its answer, which is always of the class ``record``."""
        answer = self._answer(request)
        assert isinstance(answer, record), "no other answer is read"
        return answer

    def _answer(self, request: Request) -> Answer:
        """Send a request, and read its answer.

        Raises `BackendFault` if the answer is an `Error`, or is not valid.
        """
        requested = kind_of(request)
        message = self.channel.ask(request)
        try:
            answer = read_answer(requested, message, self.most_rows)
        except BackendFault as fault:
            raise replace(fault, detail=_lines_of_error(message)) from None
        if isinstance(answer, Error):
            raise BackendFault(answer.message, answer.trace, answer.code)
        return answer

    def _check_unsupported(self, unsupported: Unsupported) -> None:
        """Check that a reason is given, and that the named gaps are capabilities."""
        if not unsupported.reason.strip():
            raise breach("unsupported.reason is empty")
        if unknown := self.unknown_word(unsupported.gaps):
            raise breach(f"unsupported.gaps has {unknown}")

    def _check_refused(self, refused: Refused, name: str) -> None:
        """Check an error of the query; ``name`` is its name in messages."""
        if not refused.code:
            raise breach(f"{name}.code is empty")
        text = self._request.ddl if refused.in_ddl else self._request.sql or ""
        start, end = refused.at
        if not 0 <= start <= end <= len(text):
            where = "the DDL" if refused.in_ddl else "the query"
            hint = "" if refused.in_ddl else "; of a place in the DDL, in_ddl is true"
            raise breach(
                f"{name}.at is {start} to {end}: {where} has {len(text)} code points{hint}"
            )

    def _check_output(self, output: Output) -> None:
        """Check the parts of an output against the query and the events that were fed."""
        for place, row in enumerate(output.rows):
            if len(row) != self._width:
                values = f"{len(row)} value{'' if len(row) == 1 else 's'}"
                raise breach(f"output.rows[{place}] has {values}, the result {self._width} columns")
        if output.weights and len(output.weights) != len(output.rows):
            counts = f"{len(output.weights)} weights for {len(output.rows)} rows"
            raise breach(f"output.weights has {counts}")
        for place, weight in enumerate(output.weights):
            if weight not in (1, -1):
                raise breach(f"output.weights[{place}] must be 1 or -1, gave {weight}")
            if weight < 0 and not emits_changes(self._request.sql):
                what = "-1, a delete, but the query has no EMIT CHANGES"
                raise breach(f"output.weights[{place}] is {what}")
        if output.bound is not None:
            _check_bound(output.bound)
        for place, late in enumerate(output.late):
            self._check_late(late, f"output.late[{place}]")
        if output.error:
            self._check_refused(output.error, "output.error")
        for place, warning in enumerate(output.warnings):
            name = f"output.warnings[{place}]"
            _check_word(f"{name}.code", warning.code, _WARNING_CODES)
            if not 0 <= warning.event < self._events:
                raise breach(f"{name}.event is {warning.event}: {self._events} events were fed")
        state = output.state
        if state and min(state.rows, state.groups) < 0:
            raise breach(f"output.state is {state.rows} rows and {state.groups} groups")

    def _check_late(self, late: LateRow, name: str) -> None:
        """Check the report of a dropped row; ``name`` is its name in messages."""
        _check_word(f"{name}.code", late.code, _LATE_CODES)
        if late.place is None:
            if late.input not in self._with_producers and not _writes_into(
                self._request.ddl, late.input
            ):
                what = "no statement of the script, and no producer, writes into"
                raise breach(f"{name}.place is missing: {what} {shown(late.input)}")
            return
        fed, loaded = self._fed[late.input], self._loaded[late.input]
        if fed <= late.place < loaded:
            row = f"row {late.place + 1} of its contents in the case"
            raise breach(f"{late.input}: {row} is dropped ({late.code}), so the case is not valid")
        inputs = self._fed.keys() | self._loaded.keys()
        if late.input not in inputs:
            hint = nearest(late.input, inputs)
            raise breach(f"{name}.input is {shown(late.input)}{hint}, which was not fed")
        if not 0 <= late.place < fed:
            raise breach(f"{name}.place is {late.place}: {late.input} was fed {fed} rows")


def _lists_of(output: Output) -> tuple[tuple[str, Sequence[object]], ...]:
    """The lists of an output that grow with each poll, each with its name."""
    return ("rows", output.rows), ("late rows", output.late), ("warnings", output.warnings)


def _joined(first: Output, more: Output) -> Output:
    """The outputs of two polls, one after the other, as one output."""
    return Output(
        rows=(*first.rows, *more.rows),
        bound=first.bound if more.bound is None else more.bound,
        late=(*first.late, *more.late),
        error=more.error,
        state=more.state or first.state,
        warnings=(*first.warnings, *more.warnings),
        pending=more.pending,
        weights=_joined_weights(first, more),
    )


def _joined_weights(first: Output, more: Output) -> tuple[int, ...]:
    """The weights of the rows of two outputs; empty if neither output has weights."""
    if not first.weights and not more.weights:
        return ()
    both = (*weighted(first.rows, first.weights), *weighted(more.rows, more.weights))
    return tuple(weight for _, weight in both)


def _check_accepted(accepted: Accepted) -> None:
    """Check the columns, the key and the deduced properties of an accepted query."""
    names = {column.name for column in accepted.columns}
    for place, column in enumerate(accepted.columns):
        if not column.type.strip():
            raise breach(f"accepted.columns[{place}].type is empty")
    for name, order in accepted.monotonicity.items():
        if name not in names:
            hint = nearest(name, names)
            raise breach(f"accepted.monotonicity has {shown(name)}{hint}, which is not a column")
        _check_word(f"accepted.monotonicity.{name}", order, _MONOTONICITIES)
    for place in accepted.key or ():
        if not 0 <= place < len(accepted.columns):
            columns = f"the result has {len(accepted.columns)} columns"
            raise breach(f"accepted.key has {place}: {columns}, counted from 0")
    for key in accepted.metadata:
        _check_word("accepted.metadata", key, _METADATA)


def _writes_into(script: str, name: str) -> bool:
    """Whether a script seems to have a statement that writes into an object, such as INSERT INTO.

    The script is not parsed: the last part of the name must follow INTO, possibly after a schema.
    """
    last = re.escape(name.rpartition(".")[2])
    return re.search(rf'\bINTO\s+([\w$"]+\.)*"?{last}\b', script, re.IGNORECASE) is not None


def _check_bound(bound: str) -> None:
    """Raise a breach of the protocol if a bound is neither a whole timestamp nor ``end``."""
    if bound == "end":
        return
    try:
        complete_timestamp(bound, None)
    except UnreadableError:
        expected = "a timestamp, as '2015-02-15 10:17:00' is, or 'end'"
        raise breach(f"output.bound must be {expected}, gave {shown(bound)}") from None


def _check_word(name: str, word: str, known: Iterable[str]) -> None:
    """Raise a breach of the protocol if a word is not one of the ``known`` words.

    ``name`` is the name, in messages, of the field that has the word.
    """
    words = tuple(known)
    if word not in words:
        hint = nearest(word, words) or f": there are {', '.join(words)}"
        raise breach(f"{name} has {shown(word)}{hint}")


def _lines_of_error(message: Object) -> tuple[str, ...]:
    """The lines in an invalid message that was meant as an `Error`; empty for any other message.

    They show why the engine failed, although the message has a wrong shape.
    """
    texts = (message.get(name) for name in ("message", "trace") if message.get("answer") == "error")
    return tuple(printable(line) for each in texts for line in str(each).splitlines())
