"""Backends, found by the name of an entry point, as ``module:Class`` or as a command, and started.

Backends that are not part of this distribution run in a process of their own.
"""

import shlex
import sys
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cache, partial
from types import MappingProxyType
from typing import Final

from tck.corpus.load import kit_corpus
from tck.corpus.needs import EASING, known_words
from tck.protocol import Backend, Hello
from tck.wire import serve
from tck.wire.channel import Channel, LocalChannel
from tck.wire.checked import CheckedBackend
from tck.wire.child import ChildChannel
from tck.wire.factory import entry_point, factory
from tck.wire.faults import (
    BackendFault,
    BackendStartError,
    UnknownBackendError,
    described,
    nearest,
    shown,
)
from tck.wire.messages import MOST_ROWS
from tck.wire.properties import implied_gaps

#: The distribution whose backends run in this process.
OURS: Final = "rowtime"
#: The prefix of a backend's name that is a command.
COMMAND: Final = "cmd:"
#: Seconds that a backend has for an answer.
SECONDS: Final = 60.0


@dataclass(frozen=True, slots=True)
class Wiring:
    """How backends are reached.

    ``in_process``: those written in Python are called in this process, so that a debugger sees
    them; but one that hangs cannot be stopped.  ``seconds`` is the time for each answer of a
    process, and ``until``, in the time of `time.monotonic`, the end of the run; None: it has none.
    ``most_rows`` may answer a poll.  ``words`` name capabilities besides those of the kit's cases.
    ``gaps`` are capabilities that a backend is taken to lack, each with the reason; ``ask_gaps``:
    it is not taken to lack those that it declares.
    """

    in_process: bool = False
    seconds: float = SECONDS
    until: float | None = None
    most_rows: int = MOST_ROWS
    words: frozenset[str] = field(default=frozenset(), repr=False)
    gaps: Mapping[str, str] = field(default_factory=dict[str, str])
    ask_gaps: bool = False


@dataclass(slots=True)
class RunningBackend:
    """A backend that has been started, and can be replaced by a new one, which ``make`` starts.

    ``hello`` is the answer in which it has declared its capabilities.  ``over``: it has crashed in
    such a way that a new one is needed. ``crashes`` is the number of consecutive cases in which it
    has crashed, without cases that it was not asked. ``gaps`` are capabilities that it is taken to
    lack, besides those that it declares; ``ask_gaps``: without those.
    """

    name: str
    make: Callable[[], Backend]
    backend: Backend
    hello: Hello
    over: bool = False
    crashes: int = 0
    gaps: Mapping[str, str] = field(default_factory=dict[str, str])
    ask_gaps: bool = False

    def stop(self) -> None:
        """Release the backend's resources; if that fails, they stay until the process ends."""
        with suppress(Exception):
            self.backend.stop()

    def restart(self) -> None:
        """Replace the backend by a new one.

        Raises `BackendStartError`, also if the new one describes itself differently: cases that
        need its new gaps would be skipped.
        """
        if not self.over:
            self.stop()
        fresh = start(self.name, self.make, self.gaps, ask_gaps=self.ask_gaps)
        if fresh.hello != self.hello:
            fresh.stop()
            raise BackendStartError(f"{self.name} has another hello than when it was first started")
        self.backend, self.over = fresh.backend, False


def start_backend(spec: str, wiring: Wiring | None = None) -> RunningBackend:
    """The backend of a name, started, each of whose answers is checked.

    ``spec`` is an entry point's name, ``module:Class``, or ``cmd:`` and a command with arguments.
    Raises `UnknownBackendError` if there is none, `BackendStartError` if it cannot be started.
    """
    chosen = wiring or Wiring()
    channel = _channel(spec, chosen)
    unknown = partial(unknown_word, chosen.words)

    def make() -> CheckedBackend:
        return CheckedBackend(channel(), unknown, chosen.most_rows, chosen.seconds)

    return start(spec, make, chosen.gaps, ask_gaps=chosen.ask_gaps)


def start(
    name: str,
    make: Callable[[], Backend],
    gaps: Mapping[str, str] = MappingProxyType({}),
    *,
    ask_gaps: bool = False,
) -> RunningBackend:
    """The backend that ``make`` returns, started; ``gaps`` are further capabilities that it lacks.

    ``ask_gaps``: the gaps that it declares are not in its hello, besides those by which a case is
    judged less strictly, and those that follow from its properties.
    Raises `BackendStartError`, or `UnknownBackendError` if its process finds no such class.
    """
    try:
        backend = make()
        hello = backend.start()
        implied = implied_gaps(hello.properties)
        declared = {gap: why for gap, why in hello.gaps.items() if not ask_gaps or gap in EASING}
        hello = replace(hello, gaps={**implied, **declared, **gaps})
        return RunningBackend(name, make, backend, hello, gaps=gaps, ask_gaps=ask_gaps)
    except BackendFault as fault:
        if fault.code == "unknown":
            raise UnknownBackendError(fault.reason) from None
        absent = fault.code == "absent"
        message = fault.reason if absent else f"{name} cannot be started: {fault.reason}"
        raise BackendStartError(message, absent, fault.detail, fault.code) from None
    except (BackendStartError, UnknownBackendError):
        raise
    except Exception as error:
        raise BackendStartError(f"{name} cannot be started: {described(error)}") from error


def _channel(spec: str, wiring: Wiring) -> Callable[[], Channel]:
    """The maker of the channels to a backend: a new one when the last one has ended."""
    if spec.startswith(COMMAND):
        try:
            command = shlex.split(spec.removeprefix(COMMAND))
        except ValueError as error:
            raise UnknownBackendError(f"{spec} is not a command: {error}") from None
        if not command:
            raise UnknownBackendError("there is no command", "give 'cmd:java -jar engine.jar'")
        return lambda: ChildChannel(command, wiring.seconds, wiring.until)
    point = None if ":" in spec else entry_point(spec)
    path = point.value if point else spec
    ours = point is not None and point.dist is not None and point.dist.name == OURS
    if ours or wiring.in_process:
        return lambda: LocalChannel(factory(spec, path))
    # -P: a package of the current folder may have the name of one of the kit's.
    serving = [sys.executable, "-P", "-u", "-X", "faulthandler", "-m", serve.__name__, path, spec]
    return lambda: ChildChannel(serving, wiring.seconds, wiring.until)


def unknown_word(words: frozenset[str], listed: Iterable[str]) -> str:
    """The first of the listed words that names no capability, as `CheckedBackend` shows it."""
    for word in listed:
        if word not in words and word not in known_words(()) and word not in _words_of_the_kit():
            return f"{shown(word)}{nearest(word, words | _words_of_the_kit())}, no capability"
    return ""


@cache
def _words_of_the_kit() -> frozenset[str]:
    """The capabilities that the kit's own cases need; it takes a second to read them."""
    return known_words(kit_corpus().cases)
