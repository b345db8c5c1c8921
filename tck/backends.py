"""Find and start the backend that a user names.

A name is that of an entry point, ``module:Class``, or ``cmd:`` and a command.  A backend that does
not belong to this distribution runs in a process of its own.
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
#: A name with this prefix is a command: ``cmd:java -jar engine.jar``.
COMMAND: Final = "cmd:"
#: The seconds that a backend has for each answer, unless the user gives another number.
SECONDS: Final = 60.0


@dataclass(frozen=True, slots=True)
class Wiring:
    """How backends are reached.

    ``in_process``: backends written in Python are called in this process, so that a debugger sees
    them; but a backend that hangs cannot be stopped.  ``seconds`` is the time limit for each answer
    of a process.  ``until`` is the end of the run, in the time of `time.monotonic`; None: no limit.
    ``most_rows`` is the greatest number of rows in the answer to a poll.  ``words`` are names of
    capabilities besides those of the kit's cases.  For ``gaps`` and ``ask_gaps`` see `start`.
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
    """A backend that has been started; `restart` replaces it by a new one, which ``make`` returns.

    ``hello`` is its description of itself, with the gaps that `start` adds or leaves out.
    ``over``: the backend has crashed, and must be replaced before the next query.  ``crashes`` is
    the number of cases in a row in which it has crashed; skipped cases are not counted.  ``gaps``
    and ``ask_gaps`` are those of `start`.
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

        Raises `BackendStartError` if the new one cannot be started, or if its hello differs: with
        other gaps, other cases would be skipped in the midst of a run.
        """
        if not self.over:
            self.stop()
        fresh = start(self.name, self.make, self.gaps, ask_gaps=self.ask_gaps)
        if fresh.hello != self.hello:
            fresh.stop()
            raise BackendStartError(f"{self.name} has another hello than when it was first started")
        self.backend, self.over = fresh.backend, False


def start_backend(spec: str, wiring: Wiring | None = None) -> RunningBackend:
    """Start the backend that ``spec`` names; the kit checks each of its answers.

    ``spec`` is an entry point's name, ``module:Class``, or ``cmd:`` and a command with arguments.
    ``wiring`` None: that of the defaults.  Raises `UnknownBackendError` if there is no such
    backend, `BackendStartError` if it cannot be started.
    """
    chosen = wiring or Wiring()
    make_channel = _channel_maker(spec, chosen)
    unknown = partial(unknown_word, chosen.words)

    def make() -> CheckedBackend:
        return CheckedBackend(make_channel(), unknown, chosen.most_rows, chosen.seconds)

    return start(spec, make, chosen.gaps, ask_gaps=chosen.ask_gaps)


def start(
    name: str,
    make: Callable[[], Backend],
    gaps: Mapping[str, str] = MappingProxyType({}),
    *,
    ask_gaps: bool = False,
) -> RunningBackend:
    """Start the backend that ``make`` returns; ``name`` is its name in messages.

    ``gaps`` are capabilities that it is taken to lack besides those that it declares, each with the
    reason; they are added to its hello.  ``ask_gaps``: the gaps that it declares are left out of
    its hello, so that it is asked the cases that need them.  Two sorts of declared gaps stay: those
    because of which cases are judged less strictly (`EASING`), and those that follow from its
    properties.

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


def _channel_maker(spec: str, wiring: Wiring) -> Callable[[], Channel]:
    """A function that opens a new channel to the backend at each call: for the start and restarts.

    Raises `UnknownBackendError` if ``spec`` is not the name of a backend.
    """
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
    # -P: a package in the current folder may have the same name as a package of the kit.
    serving = [sys.executable, "-P", "-u", "-X", "faulthandler", "-m", serve.__name__, path, spec]
    return lambda: ChildChannel(serving, wiring.seconds, wiring.until)


def unknown_word(words: frozenset[str], listed: Iterable[str]) -> str:
    """A text about the first of the ``listed`` words that does not name a capability, or "".

    The text is a part of an error message of `CheckedBackend`, and has the most similar capability.
    ``words`` are names of capabilities besides those of the kit's cases.
    """
    implied = known_words(())  # looked up first, because they are known without reading the cases
    for word in listed:
        if word not in words and word not in implied and word not in _words_of_the_kit():
            return f"{shown(word)}{nearest(word, words | _words_of_the_kit())}, no capability"
    return ""


@cache
def _words_of_the_kit() -> frozenset[str]:
    """The capabilities that the kit's own cases need; reading these cases takes a second."""
    return known_words(kit_corpus().cases)
