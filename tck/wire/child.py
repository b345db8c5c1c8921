"""The channel to a backend in a process of its own.

The process reads requests from its descriptor 0, and writes answers to its descriptor 3.  The
engine can print to the descriptors 1 and 2; the last lines of this output are shown with a fault.
"""

import fcntl
import os
import selectors
import signal
import time
import uuid
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Final, NoReturn

from tck.wire.faults import BackendFault, BackendStartError, FaultCode, shown
from tck.wire.leftovers import MARK, kill_all
from tck.wire.messages import (
    MOST_BYTES,
    Object,
    Request,
    Start,
    Stop,
    kind_of,
    line_of,
    object_of,
    request_object,
)

#: The descriptor on which a backend writes its answers.
ANSWERS: Final = 3

#: The seconds that a backend has to answer `Stop`, and to end after that; and the seconds within
#: which an answer must follow if the backend has printed it on its standard output.
_PATIENCE: Final = 3.0
#: The greatest number of seconds between two looks whether the process has ended.
_PAUSE: Final = 0.2
#: The seconds that a process has to end after it has closed its answers.
_CLOSING: Final = 1.0
#: The greatest number of bytes that one read returns.
_CHUNK: Final = 2**16
#: A number of reads that is sufficient to empty any pipe.
_READS: Final = 32
#: The number of bytes of a backend's output that are retained, and of lines that are shown.
_TAIL_BYTES: Final = 2**13
_TAIL_LINES: Final = 16


class ChildChannel:
    """The channel to a command, which is started at the request `Start`.

    ``seconds`` is the time limit for each answer.  ``until``, in the time of `time.monotonic`, is
    the end of the run; None: no limit.  ``environment`` has further environment variables of the
    command.  If the child gives a faulty answer or none, it is killed with all processes that it
    has started.
    """

    def __init__(
        self,
        command: Sequence[str],
        seconds: float,
        until: float | None = None,
        environment: Mapping[str, str] | None = None,
    ) -> None:
        self._command = tuple(command)
        self._seconds = seconds
        self._until = until
        self._environment = environment or {}
        self._child: _Child | None = None
        self._seq = 0

    def ask(self, request: Request) -> Object:
        """Send a request, and return the JSON object of the answer.  Raises `BackendFault`."""
        if isinstance(request, Start):
            self._child = _Child(self._command, self._environment)
        if self._child is None:
            raise BackendFault("there is no process: it has not been started", over=True)
        requested = kind_of(request)
        self._seq += 1
        seconds, limit = self._limit(_PATIENCE if isinstance(request, Stop) else self._seconds)
        try:
            line = self._child.exchange(line_of(request_object(self._seq, request)), seconds)
        except _TooLongError:
            self._fail(f"{requested} gave an answer of more than {MOST_BYTES >> 20} MiB", "breach")
        except _OnStdoutError:
            self._fail(
                f"{requested} was answered on standard output: write answers to descriptor "
                f"{ANSWERS} (>&{ANSWERS} in a shell, /dev/fd/{ANSWERS} as a file in Java)",
                "breach",
            )
        except _TooMuchError as error:
            self._fail(f"{requested} gave more than one line: {shown(str(error))}", "breach")
        except TimeoutError:
            self._fail(f"{requested} was not answered within {limit}")
        except _EndedError as error:
            self._fail(f"the process ended {error} when it was to {requested}")
        except KeyboardInterrupt:
            self._child.end(0.0)  # nobody waits for its answer any more
            self._child = None
            raise
        try:
            message = object_of(line)
        except BackendFault as fault:
            self._fail(f"{requested}: {fault.reason}", "breach")
        seq = message.get("seq")
        if type(seq) is not int or seq != self._seq:  # 1.0 and true equal 1
            found = shown(seq)
            self._fail(
                f"{requested} has the sequence number {self._seq}, its answer {found}", "breach"
            )
        return message

    def end(self) -> None:
        """Wait at most `_PATIENCE` until the process ends by itself; then kill the rest.

        The rest are the process, if it has not ended, and the processes that it has started.
        """
        if self._child:
            self._child.end(_PATIENCE)
        self._child = None

    def _limit(self, seconds: float) -> tuple[float, str]:
        """The seconds that an answer may take, at most ``seconds``; and this limit in words."""
        left_of_run = seconds if self._until is None else self._until - time.monotonic()
        if left_of_run < seconds:
            return max(left_of_run, 0.0), "the time of the run"
        return seconds, f"{seconds:g} s"

    def _fail(self, reason: str, code: FaultCode = "failed") -> NoReturn:
        """Kill the process, and raise a `BackendFault` with the last lines that it printed."""
        assert self._child is not None, "a request was made"
        self._child.end(0.0)
        tail = self._child.last_lines()
        self._child = None
        raise BackendFault(reason, tail, code, over=True)


class _TooLongError(Exception):
    """The answer is longer than `MOST_BYTES`."""


class _TooMuchError(Exception):
    """Further bytes follow the line of the answer; the message has the first of them."""


class _OnStdoutError(Exception):
    """The process printed the answer on its standard output, not on the descriptor `ANSWERS`."""


class _EndedError(Exception):
    """The process has ended; the message says how: ``with exit status 1``."""


class _Child:
    """A process in a session of its own, and the four pipes to it.

    The environment variable `MARK` identifies the process and those that it starts.
    """

    def __init__(self, command: Sequence[str], environment: Mapping[str, str]) -> None:
        """Start the process.  Raises `BackendStartError`."""
        self._mark = str(uuid.uuid4())
        theirs: list[int] = []
        ours: list[int] = []
        for descriptor in (0, 1, 2, ANSWERS):
            reader, writer = os.pipe()
            own, other = (writer, reader) if descriptor == 0 else (reader, writer)
            # At least 16, so that it is none of the descriptors that the child gets below.
            theirs.append(fcntl.fcntl(other, fcntl.F_DUPFD_CLOEXEC, 16))
            os.close(other)
            os.set_blocking(own, False)
            ours.append(own)
        self._requests, *outputs, self._answers = ours  # the outputs are standard output and error
        self._tails = {each: bytearray() for each in outputs}
        self._output = outputs[0]
        self._buffer = bytearray()
        self._status: int | None = None
        try:
            self.pid = os.posix_spawnp(
                command[0],
                list(command),
                {**os.environ, **environment, MARK: self._mark},
                file_actions=[
                    (os.POSIX_SPAWN_DUP2, each, to)
                    for each, to in zip(theirs, (0, 1, 2, ANSWERS), strict=True)
                ],
                setsid=True,
                setsigdef=[signal.SIGPIPE],  # Python ignores it, and a child would inherit that
            )
        except OSError as error:
            for each in ours:
                os.close(each)
            reason = error.strerror or str(error)
            raise BackendStartError(f"{command[0]} cannot be started: {reason}") from None
        finally:
            for each in theirs:
                os.close(each)

    def exchange(self, line: bytes, seconds: float) -> bytes:
        """Write a line, and return the line that answers it, without its end.

        The answer may take ``seconds``.  The time is shorter if the process closes its answers, or
        if it prints an answer on its standard output.

        Raises `TimeoutError`, `_TooLongError` or `_TooMuchError`; `_EndedError` if the process
        ended without an answer, and `_OnStdoutError` if it printed the answer on its standard
        output.
        """
        until = time.monotonic() + seconds
        # Whether the process has closed its answers, and printed an answer on its standard output.
        closed = printed = False
        unsent = memoryview(line)
        with selectors.DefaultSelector() as selector:
            selector.register(self._requests, selectors.EVENT_WRITE)
            for each in (self._answers, *self._tails):
                selector.register(each, selectors.EVENT_READ)
            # A read adds at most one chunk, so only the last chunk can have the end of the line.
            while b"\n" not in self._buffer[-_CHUNK:]:
                left = until - time.monotonic()
                if left <= 0 and printed:
                    raise _OnStdoutError
                if left <= 0 and closed:
                    raise _EndedError(f"its answers (descriptor {ANSWERS} is closed)")
                if left <= 0:
                    raise TimeoutError
                ready = selector.select(min(left, _PAUSE))
                for key, _ in ready:
                    if key.fd == self._requests:
                        unsent = unsent[self._write(unsent) :]
                        if not unsent:
                            selector.unregister(self._requests)
                    elif not self._read(key.fd):
                        selector.unregister(key.fd)
                        if key.fd == self._answers:
                            closed, until = True, min(until, time.monotonic() + _CLOSING)
                    elif key.fd == self._output and not printed and self._has_printed(line):
                        # It may be a copy; then the answer itself follows soon.
                        printed, until = True, min(until, time.monotonic() + _PATIENCE)
                silent = self._answers not in {key.fd for key, _ in ready}
                # If the process has ended, an answer can still have arrived after `select`.
                if silent and self._has_ended() and not self._read(self._answers):
                    self._drain()
                    if self._has_printed(line):
                        raise _OnStdoutError
                    raise _EndedError(self._how_it_ended())
        answer, _, rest = bytes(self._buffer).partition(b"\n")
        self._buffer.clear()
        if rest:
            raise _TooMuchError(rest[:100].decode(errors="replace"))
        return answer

    def end(self, seconds: float) -> None:
        """Wait at most ``seconds`` for the end of the process; then kill it, and its children."""
        with suppress(OSError):
            os.close(self._requests)
        until = time.monotonic() + seconds
        while not self._has_ended() and time.monotonic() < until:
            self._drain()
            time.sleep(0.005)
        kill_all(self.pid, self._mark)
        if self._status is None:
            self._status = os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1])
        self._drain()
        for each in (self._answers, *self._tails):
            os.close(each)

    def last_lines(self) -> tuple[str, ...]:
        """The last lines that the process printed on its standard output and error."""
        lines: list[str] = []
        for name, tail in zip(("stdout", "stderr"), self._tails.values(), strict=True):
            text = tail.decode(errors="backslashreplace").splitlines()[-_TAIL_LINES:]
            lines += [f"{name}: {line}" for line in text]
        return tuple(lines)

    def _has_printed(self, request: bytes) -> bool:
        """Whether one of the last lines of the standard output is an answer to the request."""
        for line in self._tails[self._output].splitlines()[-_TAIL_LINES:]:
            with suppress(BackendFault):
                message = object_of(bytes(line))
                if "answer" in message and message.get("seq") == object_of(request).get("seq"):
                    return True
        return False

    def _drain(self) -> None:
        """Read the output that the process has printed and that is still in the pipes."""
        for each in self._tails:
            for _ in range(_READS):
                if not self._read(each):
                    break

    def _write(self, data: memoryview) -> int:
        """Write bytes of a request, and return their number.

        If the process has closed its end of the pipe, all bytes count as written.
        """
        try:
            return os.write(self._requests, data)
        except BlockingIOError:
            return 0
        except BrokenPipeError:
            return len(data)

    def _read(self, descriptor: int) -> bool:
        """Read bytes from a pipe into the buffer of answers, or into the tail of the output.

        False: there was nothing to read, or the pipe is closed.
        """
        try:
            data = os.read(descriptor, _CHUNK)
        except BlockingIOError:
            return False
        if descriptor == self._answers:
            self._buffer += data
            if len(self._buffer) > MOST_BYTES:
                raise _TooLongError
        else:
            tail = self._tails[descriptor]
            tail += data
            del tail[:-_TAIL_BYTES]
        return bool(data)

    def _has_ended(self) -> bool:
        """Whether the process has ended.

        It stays a zombie (WNOWAIT), so that its process id is not given to another process.
        """
        flags = os.WEXITED | os.WNOHANG | os.WNOWAIT
        return self._status is not None or os.waitid(os.P_PID, self.pid, flags) is not None

    def _how_it_ended(self) -> str:
        """The rest of a sentence about the end of the process, such as ``by SIGKILL``."""
        found = os.waitid(os.P_PID, self.pid, os.WEXITED | os.WNOWAIT)
        assert found is not None, "it has ended"
        if found.si_code == os.CLD_EXITED:
            return f"with exit status {found.si_status}"
        return f"by {signal.Signals(found.si_status).name}"
