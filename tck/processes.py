"""Run cases on several backends, one after the other: in this process, or in several processes.

With several processes, each runs a share of the cases and sends its results to the parent process.
"""

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
from tck.judging.known_failures import Known, failures_on
from tck.judging.verdict import Outcome, Result, Verdict
from tck.protocol import Hello, Tier
from tck.reasons import REFERENCE, ReferenceExplainer
from tck.run import Listener, run_cases
from tck.wire.faults import BackendStartError, UnknownBackendError
from tck.wire.leftovers import MARK, kill_all

if TYPE_CHECKING:
    from multiprocessing.queues import Queue

#: The seconds that a process has to end by itself, before it is killed.
_PATIENCE: Final = 10.0
#: The seconds that the parent waits for a message before it looks which processes have died.
_PAUSE: Final = 1.0


@dataclass(frozen=True, slots=True)
class RunPlan:
    """The plan of a run: each backend on all cases.

    ``known`` has the known failures (`tck.judging.known_failures`).  ``slow`` is the number of
    seconds after which a case is reported as slow.  ``tier`` None: each backend is judged at the
    tier that it declares.  ``wiring`` defines how backends are reached.  ``seconds`` is the time
    limit for all cases on one backend; None: no limit.
    """

    backends: tuple[str, ...]
    cases: tuple[Case, ...]
    known: Known
    slow: float
    tier: Tier | None = None
    wiring: Wiring = field(default_factory=Wiring)
    seconds: float | None = None


def cases_by_backend(plans: Iterable[RunPlan]) -> dict[str, tuple[Case, ...]]:
    """By backend: the cases of its plan.  A run can have several plans, each with its backends."""
    return {backend: plan.cases for plan in plans for backend in plan.backends}


@dataclass(frozen=True, slots=True)
class Started:
    """The report that a backend has been started; it is judged at ``tier``."""

    backend: str
    hello: Hello
    tier: Tier


@dataclass(frozen=True, slots=True)
class NotStarted:
    """The report that a backend cannot be started, or that no backend has this name."""

    backend: str
    error: BackendStartError | UnknownBackendError


#: A report about a run: for each backend `Started` and the results of its cases, or `NotStarted`.
Progress: TypeAlias = Started | NotStarted | Result


def run_backends(plan: RunPlan, listener: Listener) -> Generator[Progress]:
    """Run all cases in this process, on one backend after the other, and yield the progress.

    ``listener`` hears when cases begin and end, and which are slow.
    """
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
                    failures_on(plan.known, backend, running.hello.name),
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
    """Run the cases in ``count`` processes, each with every ``count``-th case; yield the progress.

    Each process starts each backend; the backend is reported once as `Started`.  It is also
    reported, once, as `NotStarted` if some process cannot start it, or gets another hello than the
    first process that started it.  The cases of such a process have no result on this backend,
    because other gaps would skip other cases.

    If a process dies, each of its cases without a result is an ERROR.  If all processes die before
    they have started a backend, the backend is `NotStarted`.  After an interrupt each process sends
    the results that it has not reported yet, as `run_cases` does.  However the run ends, all
    processes are ended, too.
    """
    context = get_context("spawn")  # a fork would share the locks of the parent's threads
    messages: Queue[_Message] = context.Queue()
    mark = str(uuid.uuid4())
    shares = [plan.cases[number::count] for number in range(count)]
    processes: list[BaseProcess] = [
        context.Process(
            target=_run_share, args=(number, replace(plan, cases=share), messages, mark)
        )
        for number, share in enumerate(shares)
    ]
    try:
        for each in processes:
            each.start()
        yield from _receive_progress(plan, shares, processes, messages, listener)
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


@dataclass(frozen=True, slots=True)
class _Slow:
    """The message that a case, at ``place`` in the share of its process, is slow."""

    backend: str
    place: int
    seconds: float


@dataclass(frozen=True, slots=True)
class _Done:
    """The last message of a process: it has sent all of its results."""


#: A message to the parent: the number of the process, and a report.  A result is sent with the
#: place of its case in the share of the process; the parent uses its own copy of the case.
_Message: TypeAlias = tuple[int, "Started | NotStarted | _Slow | tuple[int, Result] | _Done"]


class _Sender:
    """The listener in a process: it sends messages about slow cases to the parent.

    It ignores the begin and the end of cases, which the parent reports when a result arrives.
    """

    def __init__(self, number: int, places: Mapping[str, int], messages: "Queue[_Message]") -> None:
        """``number`` is that of this process, and ``places`` has the places of cases by id."""
        self._number = number
        self._messages = messages
        self._places = places

    def started(self, backend: str, case: Case) -> None:
        """A case begins."""

    def slow(self, backend: str, case: Case, seconds: float) -> None:
        """A case has not ended after ``seconds`` seconds."""
        self._messages.put((self._number, _Slow(backend, self._places[case.id], seconds)))

    def finished(self, result: Result) -> None:
        """A case has ended."""


def _run_share(number: int, plan: RunPlan, messages: "Queue[_Message]", mark: str) -> None:
    """Run the share of one process, which is ``plan``, and send its progress to the parent.

    The first interrupt ends the run, also if the parent sends it.  The processes that this process
    starts have ``mark`` in their environment, so that the parent can find and kill them.
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
                    # A backend in Python can use a mapping of a class that cannot be pickled.
                    hello = each.hello
                    texts = dict(hello.properties)
                    plain = replace(hello, gaps=dict(hello.gaps), properties=texts)
                    messages.put((number, replace(each, hello=plain)))
                else:
                    messages.put((number, each))
    except KeyboardInterrupt:
        pass  # `run_backends` has yielded the remaining results before it raised this
    messages.put((number, _Done()))


def _interrupt_once(_: int, __: object) -> None:
    """Interrupt the run.  Later signals are ignored, so that the remaining results are sent."""
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    raise KeyboardInterrupt


def _receive_progress(
    plan: RunPlan,
    shares: Sequence[tuple[Case, ...]],
    processes: Sequence[BaseProcess],
    messages: "Queue[_Message]",
    listener: Listener,
) -> Iterator[Progress]:
    """The progress from the messages of all processes, until all have ended.

    An interrupt ends the processes; it is raised again when they have sent their remaining results.
    """
    working = set(range(len(processes)))  # the numbers of the processes that have not ended
    started: dict[str, Started] = {}  # by backend: the report of the first process that started it
    not_started: set[str] = set()  # the backends that have been reported as `NotStarted`
    # Pairs of a process and a backend: the results of this backend from this process do not count.
    unjudged: set[tuple[int, str]] = set()
    # By process and backend: the places of the cases that have no result yet.
    missing = {
        (number, backend): set(range(len(share)))
        for number, share in enumerate(shares)
        for backend in plan.backends
    }
    until: float | None = None  # after an interrupt: the time until which to wait for results
    while working and (until is None or time.monotonic() < until):
        dead = {each for each in working if not processes[each].is_alive()}
        try:
            number, message = messages.get(timeout=_PAUSE)
        except Empty:
            working -= dead  # the queue is empty: all messages of these processes have arrived
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
                pass  # another process has reported the same
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
    # The cases that still have no result are those of processes that died.
    for (number, backend), places in missing.items():
        ended = f"its process ended with exit status {processes[number].exitcode}"
        if backend not in started:
            if backend not in not_started:
                not_started.add(backend)
                yield NotStarted(
                    backend, BackendStartError(f"{backend} cannot be started: {ended}")
                )
        elif (number, backend) not in unjudged:
            known = failures_on(plan.known, backend, started[backend].hello.name)
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
    """The report about a backend whose hello in one process differs from that in another."""
    message = f"{backend} has another hello in one process than in another"
    return NotStarted(backend, BackendStartError(message))
