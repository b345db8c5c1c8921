"""A run of several backends, one after the other, in this process or divided among several."""

import os
import signal
import time
import uuid
from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from multiprocessing import get_context
from multiprocessing.process import BaseProcess
from queue import Empty
from typing import TYPE_CHECKING, Final, TypeAlias

from tck.backends import Wiring, start_backend
from tck.collection import rare_collection
from tck.corpus.case import Case
from tck.judging.known_failures import Known, of_backend
from tck.judging.verdict import Outcome, Result, Verdict
from tck.protocol import Hello, Tier
from tck.reasons import REFERENCE, ReferenceExplainer
from tck.run import Listener, run_cases
from tck.wire.faults import BackendStartError, UnknownBackendError
from tck.wire.leftovers import MARK, kill_all

if TYPE_CHECKING:
    from multiprocessing.queues import Queue


@dataclass(frozen=True, slots=True)
class RunPlan:
    """The plan of a run: each backend on all cases.

    ``known`` has the known failures by backend or its name, and by case id.  With ``tier`` None
    each backend is judged at the tier that it declares. ``slow`` is the number of seconds after
    which a case is slow. ``wiring`` defines how backends are reached. ``seconds`` is the time limit
    of the run on each backend; None: no limit.
    """

    backends: tuple[str, ...]
    cases: tuple[Case, ...]
    known: Known
    slow: float
    tier: Tier | None = None
    wiring: Wiring = field(default_factory=Wiring)
    seconds: float | None = None


def cases_by_backend(plans: Iterable[RunPlan]) -> dict[str, tuple[Case, ...]]:
    """The cases of each backend of a run, which may consist of several plans, in their order."""
    return {backend: plan.cases for plan in plans for backend in plan.backends}


@dataclass(frozen=True, slots=True)
class Started:
    """A backend has been started; it is judged at ``tier``."""

    backend: str
    hello: Hello
    tier: Tier


@dataclass(frozen=True, slots=True)
class NotStarted:
    """A backend cannot be started, or (`UnknownBackendError`) there is none of that name."""

    backend: str
    error: BackendStartError | UnknownBackendError


#: The reports of a run, in the order in which they happen.
Progress: TypeAlias = Started | NotStarted | Result


def run_backends(plan: RunPlan, listener: Listener) -> Generator[Progress]:
    """The progress of a run in this process: backend after backend, in the order of the cases."""
    explainer = ReferenceExplainer()
    try:
        for backend in plan.backends:
            until = None if plan.seconds is None else time.monotonic() + plan.seconds
            try:
                running = start_backend(backend, replace(plan.wiring, until=until))
            except (BackendStartError, UnknownBackendError) as error:
                yield NotStarted(backend, error)
                continue
            tier: Tier = plan.tier or running.hello.tier
            yield Started(backend, running.hello, tier)
            try:
                yield from run_cases(
                    running,
                    plan.cases,
                    listener,
                    of_backend(plan.known, backend, running.hello.name),
                    plan.slow,
                    tier,
                    explainer if backend != REFERENCE else None,
                    until,
                )
            finally:
                running.stop()
    finally:
        explainer.stop()


def run_in_processes(plan: RunPlan, listener: Listener, count: int) -> Generator[Progress]:
    """The same progress from ``count`` processes, each of which has every ``count``-th case.

    A backend is started in each of them, and reported once as `Started`.  If a process cannot start
    it, or has another hello than the first process that has started it, it is reported as
    `NotStarted`, too, once, and the cases of that process have no result: its gaps would decide
    which of them it is asked.  A process that dies leaves an ERROR for each of its cases that has
    no result yet; a backend that all processes die of before it has started is `NotStarted`.
    After an interrupt each process reports the answers that it still holds, as `run_cases` does.
    However the run ends, no process is left behind.
    """
    context = get_context("spawn")  # a fork would share the locks of the parent's threads
    messages: Queue[_Message] = context.Queue()
    mark = str(uuid.uuid4())
    shares = [plan.cases[number::count] for number in range(count)]
    processes: list[BaseProcess] = [
        context.Process(target=_work, args=(number, replace(plan, cases=share), messages, mark))
        for number, share in enumerate(shares)
    ]
    try:
        for each in processes:
            each.start()
        yield from _received(plan, shares, processes, messages, listener)
        for each in processes:
            each.join(_PATIENCE)
    finally:
        for each in processes:
            each.terminate()
        for each in processes:
            each.join(_PATIENCE)
            each.kill()
        kill_all(None, mark)  # a Java that is just starting does not notice its parent's end
        messages.cancel_join_thread()
        messages.close()


# --- between the processes ----------------------------------------------------------------------

#: Seconds that a process has to end by itself.
_PATIENCE: Final = 10.0
#: Seconds between two looks at whether a process has died.
_PAUSE: Final = 1.0


@dataclass(frozen=True, slots=True)
class _Slow:
    backend: str
    place: int
    seconds: float


@dataclass(frozen=True, slots=True)
class _Done:
    """A process has reported all of its results."""


#: The number of a process, and what it reports; a case is its place in the share of that process.
_Message: TypeAlias = tuple[int, "Started | NotStarted | _Slow | tuple[int, Result] | _Done"]


class _Sender:
    """A listener that reports slow cases to the parent process."""

    def __init__(self, number: int, places: Mapping[str, int], messages: "Queue[_Message]") -> None:
        self._number = number
        self._messages = messages
        self._places = places

    def started(self, backend: str, case: Case) -> None:
        """A case begins: the parent learns of its end."""

    def slow(self, backend: str, case: Case, seconds: float) -> None:
        """A case has not ended after ``seconds`` seconds."""
        self._messages.put((self._number, _Slow(backend, self._places[case.id], seconds)))

    def finished(self, result: Result) -> None:
        """A case has ended: its result is reported as progress."""


def _work(number: int, plan: RunPlan, messages: "Queue[_Message]", mark: str) -> None:
    """Run a share of the cases; the first interrupt, or the parent's end of the run, ends it.

    The processes that it starts have ``mark`` in their environment.
    """
    os.environ[MARK] = mark
    signal.signal(signal.SIGTERM, _interrupt_once)
    signal.signal(signal.SIGINT, _interrupt_once)
    try:
        places = {case.id: place for place, case in enumerate(plan.cases)}
        sender = _Sender(number, places, messages)
        with rare_collection(), closing(run_backends(plan, sender)) as progress:
            for each in progress:
                if isinstance(each, Result):
                    messages.put((number, (places[each.case.id], each)))
                elif isinstance(each, Started):
                    # Mappings of a backend's own may be of a kind that cannot be sent.
                    hello = each.hello
                    texts = dict(hello.properties)
                    plain = replace(hello, gaps=dict(hello.gaps), properties=texts)
                    messages.put((number, replace(each, hello=plain)))
                else:
                    messages.put((number, each))
    except KeyboardInterrupt:
        pass  # the remaining results have been sent
    messages.put((number, _Done()))


def _interrupt_once(_: int, __: object) -> None:
    """Interrupt the run; later signals do not, so that the results that are left are sent."""
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    raise KeyboardInterrupt


def _received(
    plan: RunPlan,
    shares: Sequence[tuple[Case, ...]],
    processes: Sequence[BaseProcess],
    messages: "Queue[_Message]",
    listener: Listener,
) -> Iterator[Progress]:
    """The progress of all processes, until all have ended.

    An interrupt ends them, and is raised again when they have reported what they still hold.
    """
    working = set(range(len(processes)))
    started: dict[str, Started] = {}  # by backend: as the first process has started it
    not_started: set[str] = set()  # the backends that have been reported as such
    unjudged: set[tuple[int, str]] = set()  # processes with a backend, whose results do not count
    # The places of the cases without a result, by process and backend.
    missing = {
        (number, backend): set(range(len(share)))
        for number, share in enumerate(shares)
        for backend in plan.backends
    }
    until: float | None = None  # the time at which an interrupted run waits no longer
    while working and (until is None or time.monotonic() < until):
        dead = {each for each in working if not processes[each].is_alive()}
        try:
            number, message = messages.get(timeout=_PAUSE)
        except Empty:
            working -= dead  # all that they had sent has been received
            continue
        except KeyboardInterrupt:
            if until is not None:
                raise
            until = time.monotonic() + _PATIENCE
            for each in processes:
                each.terminate()
            continue
        match message:
            case Started(backend) if backend not in started:
                started[backend] = message
                yield message
            case Started(backend) if started[backend] == message:
                pass
            case Started(backend) | NotStarted(backend):
                unjudged.add((number, backend))
                if backend not in not_started:
                    not_started.add(backend)
                    yield message if isinstance(message, NotStarted) else _another_hello(backend)
            case _Slow(backend, place, seconds):
                listener.slow(backend, shares[number][place], seconds)
            case _Done():
                working.discard(number)
            case (_, Result(backend)) if (number, backend) in unjudged:
                pass
            case (place, result):
                case = shares[number][place]
                missing[number, result.backend].discard(place)
                listener.started(result.backend, case)
                result = replace(result, case=case)
                listener.finished(result)
                yield result
    if until is not None:
        raise KeyboardInterrupt
    for (number, backend), places in missing.items():
        ended = f"its process ended with exit status {processes[number].exitcode}"
        if backend not in started:
            if backend not in not_started:
                not_started.add(backend)
                yield NotStarted(
                    backend, BackendStartError(f"{backend} cannot be started: {ended}")
                )
        elif (number, backend) not in unjudged:
            known = of_backend(plan.known, backend, started[backend].hello.name)
            for place in sorted(places):
                case = shares[number][place]
                result = Result(
                    backend,
                    case,
                    Verdict(Outcome.ERROR, None, ended),
                    known=known.get(case.id),
                    tier=started[backend].tier,
                )
                listener.finished(result)
                yield result


def _another_hello(backend: str) -> NotStarted:
    message = f"{backend} has another hello in one process than in another"
    return NotStarted(backend, BackendStartError(message))
