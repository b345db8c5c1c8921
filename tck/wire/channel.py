"""The channel to a backend, which carries requests and answers; here: one in this process."""

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

#: The results of the methods of a backend in Python.
_RETURNS: Final[dict[str, tuple[type, ...]]] = {
    "start": (Hello,),
    "open": (Accepted, Refused, Unsupported),
    "feed": (Unsupported, NoneType),
    "poll": (Output,),
    "explain": (str,),
}


class Channel(Protocol):
    """The way to one backend, which lives from the request `Start` to `Stop`."""

    def ask(self, request: Request) -> Object:
        """The JSON object of the answer, whatever its contents are.

        Raises `BackendFault` if there is none; it is ``over`` if the backend has ended.
        """
        ...

    def end(self) -> None:
        """End the backend without a further request.  May be called several times."""
        ...


class LocalChannel:
    """A backend in this process: its methods are called, and their exceptions become an `Error`.

    Nothing guards the kit against one that hangs, or that ends the process.
    """

    def __init__(self, make: Callable[[], Backend]) -> None:
        self._make = make
        self._backend: Backend | None = None
        self._most_rows = MOST_ROWS

    def ask(self, request: Request) -> Object:
        """The JSON object of the result of the method for this request."""
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
        """Forget the backend."""
        self._backend = None

    def _call(self, request: Request) -> Object:
        if isinstance(request, Start):
            self._backend, self._most_rows = self._make(), request.most_rows
        if self._backend is None:
            raise breach("there is no backend: it has not been started, or was stopped")
        backend = self._backend
        match request:
            case Start():
                return _object("hello", _of("start", backend.start()), protocol=PROTOCOL)
            case Open():
                answer = _of("open", backend.open(request))
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
                return _fed(backend.feed(request))
            case Poll():
                return _object("output", self._limited(_of("poll", backend.poll())))
            case Explain(row):
                text = _of("explain", backend.explain(row))
                return _object("text", Text(str(text)))
            case Close():
                backend.close()
            case Stop():
                backend.stop()
                self._backend = None
        return _object("done", Done())

    def _limited(self, output: object) -> object:
        """The output, if it does not have too many rows; checked before the rows are copied."""
        count = len(output.rows) if isinstance(output, Output) and _is_sized(output.rows) else 0
        if count > self._most_rows:
            raise breach(f"poll gave {count} rows, at most {self._most_rows} are allowed")
        return output


def _is_sized(rows: object) -> bool:
    """Whether rows can be counted: they may not be a tuple, because they are not yet checked."""
    return isinstance(rows, Sized)


def _of(method: str, value: object) -> object:
    """The result of a method; a breach of the protocol if it has another class."""
    classes = _RETURNS[method]
    if not isinstance(value, classes):
        names = " or ".join("None" if each is NoneType else each.__name__ for each in classes)
        found = "None" if value is None else f"{type(value).__name__} {shown(value)}"
        raise breach(f"{method} must give {names}, gave {found}")
    return value


def _fed(answer: object) -> Object:
    """The JSON object of the answer to an event, which is None if the event was processed."""
    answer = _of("feed", answer)
    return _object("done", Done()) if answer is None else _object("unsupported", answer)


def _object(kind: str, record: object, **more: object) -> Object:
    fields = as_json(record)
    assert isinstance(fields, dict), "a message is a record"
    return {"seq": 0, "answer": kind, **more, **fields}
