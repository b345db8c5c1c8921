"""Channels, which carry requests to a backend and bring back its answers.

`LocalChannel` is for a backend in this process; `tck.wire.child` has the channel to a backend in a
process of its own.
"""

from collections.abc import Callable, Sized
from traceback import clear_frames
from types import NoneType
from typing import Final, Protocol

from tck.protocol import (
    Accepted,
    Backend,
    Bound,
    CloseProducer,
    Elapse,
    End,
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
from tck.wire.faults import (
    BackendFault,
    BackendStartError,
    FaultCode,
    UnknownBackendError,
    breach,
    described,
    innermost_frames,
    shown,
)
from tck.wire.messages import (
    MOST_ROWS,
    PROTOCOL,
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
    answer_object,
)
from tck.wire.shapes import as_json

#: By method of a backend in Python: the classes that its result may have.
_RETURNS: Final[dict[str, tuple[type, ...]]] = {
    "start": (Hello,),
    "open": (Accepted, Refused, Unsupported),
    "feed": (Unsupported, NoneType),
    "poll": (Output,),
    "explain": (str,),
}


class Channel(Protocol):
    """A connection to one backend, which starts at the request `Start` and ends after `Stop`."""

    def ask(self, request: Request) -> Object:
        """Send a request, and return the JSON object of the answer; its fields are not checked.

        Raises `BackendFault` if the backend gives no answer; the fault is ``over`` if the backend
        has ended.
        """
        ...

    def end(self) -> None:
        """End the backend without a further request.  May be called several times."""
        ...


class LocalChannel:
    """The channel to a backend in this process: it calls the backend's methods.

    An exception of a method becomes the answer `Error`.  Nothing guards the kit against a backend
    that hangs, or that ends the process.
    """

    def __init__(self, make: Callable[[], Backend]) -> None:
        """``make`` returns a new backend; it is called at the request `Start`."""
        self._make = make
        self._backend: Backend | None = None
        self._most_rows = MOST_ROWS

    def ask(self, request: Request) -> Object:
        """Call the method for this request, and return its result as an answer's JSON object."""
        try:
            return self._call(request)
        except KeyboardInterrupt:
            raise
        except UnknownBackendError as error:
            return answer_object(0, Error(str(error), code="unknown"))
        except BackendStartError as error:
            code: FaultCode = "absent" if error.absent else "failed"
            return answer_object(0, Error(str(error), error.detail, code))
        except BackendFault as fault:
            return answer_object(0, Error(fault.reason, fault.detail, "breach"))
        except BaseException as error:  # every exception of a backend is its error
            clear_frames(error.__traceback__)  # the values of these frames may fill the memory
            return answer_object(0, Error(described(error), innermost_frames(error)))

    def end(self) -> None:
        """Drop the reference to the backend, without a call of its methods."""
        self._backend = None

    def _call(self, request: Request) -> Object:
        """Call the method for a request, check the class of its result, and return the answer.

        Raises a breach of the protocol if the result has a wrong class or too many rows, or if
        there is no backend.  Exceptions of the method pass through.
        """
        if isinstance(request, Start):
            self._backend, self._most_rows = self._make(), request.most_rows
        if self._backend is None:
            raise breach("there is no backend: it has not been started, or was stopped")
        backend = self._backend
        match request:
            case Start():
                hello = _checked_result("start", backend.start())
                return _object("hello", hello, protocol=PROTOCOL)
            case Open():
                answer = _checked_result("open", backend.open(request))
                return _object(type(answer).__name__.lower(), answer)
            case (
                Load()
                | Rows()
                | Bound()
                | OpenProducer()
                | CloseProducer()
                | Now()
                | Elapse()
                | End()
            ):
                return _feed_answer(backend.feed(request))
            case Poll():
                output = _checked_result("poll", backend.poll())
                self._check_size(output)
                return _object("output", output)
            case Explain(row):
                text = _checked_result("explain", backend.explain(row))
                return _object("text", Text(str(text)))
            case Close():
                backend.close()
            case Stop():
                backend.stop()
                self._backend = None
        return _object("done", Done())

    def _check_size(self, output: object) -> None:
        """Raise a breach of the protocol if an output has too many rows, before they are copied."""
        count = len(output.rows) if isinstance(output, Output) and _is_sized(output.rows) else 0
        if count > self._most_rows:
            raise breach(f"poll gave {count} rows, at most {self._most_rows} are allowed")


def _is_sized(rows: object) -> bool:
    """Whether rows can be counted.  A backend can return rows that are not a tuple."""
    return isinstance(rows, Sized)


def _checked_result(method: str, value: object) -> object:
    """The result ``value`` of a method; raises a breach of the protocol if it has a wrong class."""
    classes = _RETURNS[method]
    if not isinstance(value, classes):
        names = " or ".join("None" if each is NoneType else each.__name__ for each in classes)
        found = "None" if value is None else f"{type(value).__name__} {shown(value)}"
        raise breach(f"{method} must give {names}, gave {found}")
    return value


def _feed_answer(result: object) -> Object:
    """The JSON object of the answer to an event; ``result`` is that of the method ``feed``."""
    answer = _checked_result("feed", result)
    return _object("done", Done()) if answer is None else _object("unsupported", answer)


def _object(kind: str, record: object, **more: object) -> Object:
    """The JSON object of an answer of this kind, with the fields of ``record`` and ``more`` fields.

    The sequence number is 0, because a channel in a process needs none.
    """
    fields = as_json(record)
    assert isinstance(fields, dict), "a message is a record"
    return {"seq": 0, "answer": kind, **more, **fields}
