"""All wrong backends on trial, each in a fork of a process that has run the corpus once."""

import gc
import resource
import time
from collections.abc import Container, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from multiprocessing import get_context
from multiprocessing.connection import Connection, wait
from multiprocessing.context import ForkProcess
from typing import Final

from rowtime.score.baseline import Baseline
from rowtime.score.change import ChangeError, read_source
from rowtime.score.mistake import Mistake
from rowtime.score.survivors import identity
from rowtime.score.trial import Kill, Limits, Pass, kills

#: The memory that a wrong backend may take, in bytes: one that collects for ever ends early.
_MEMORY: Final = 4 << 30
#: How many times its seconds of work a fork may last, on a busy machine, before it is killed.
_PATIENCE: Final = 10


@dataclass(frozen=True, slots=True)
class Trial:
    """A wrong backend, the cases that fail it, and the seconds of work that this took.

    ``passed`` are the ids of the cases that were run on it and do not fail it.  ``fault``: why the
    mistake could not be made, and nothing was tried; empty: it was.
    """

    mistake: Mistake
    kills: tuple[Kill, ...]
    seconds: float
    fault: str = ""
    passed: frozenset[str] = frozenset()


@dataclass(slots=True)
class _Running:
    """A wrong backend in a fork."""

    mistake: Mistake
    process: ForkProcess
    kills: list[Kill]
    begun: float
    passed: set[str] = field(default_factory=set[str])
    seconds: float = 0.0
    fault: str = ""


def trials(
    mistakes: Sequence[Mistake],
    right: Baseline,
    processes: int,
    limits: Limits,
    killers: Mapping[str, Sequence[str]],
    *,
    seek_idle: bool,
) -> Iterator[Trial]:
    """The trials of wrong backends as they end, ``processes`` at a time.

    ``killers`` has the cases to run first, by the identity of a mistake. ``seek_idle``: a wrong
    backend is also tried by the cases that have killed none so far, so that the cases which kill
    none at all are found.
    """
    for each in mistakes:
        read_source(each.change)  # once for all forks, and before anyone edits it
    gc.collect()
    gc.freeze()  # forks share what is there, as long as no collector writes to it
    fork = get_context("fork")
    left = list(reversed(mistakes))
    spared = set[str]() if seek_idle else {each.id for each in right.cases}
    running: dict[Connection, _Running] = {}
    try:
        while left or running:
            while left and len(running) < processes:
                reader, writer = fork.Pipe(duplex=False)
                mistake = left.pop()
                first = killers.get(identity(mistake), ())
                process = fork.Process(
                    target=_try, args=(mistake, right, limits, first, spared, writer)
                )
                process.start()
                writer.close()
                running[reader] = _Running(mistake, process, [], time.monotonic())
            ready = set(wait([*running], timeout=1.0))
            for reader in [each for each in running if each in ready]:
                trial = running[reader]
                if not _receive(reader, trial):
                    spared |= {each.case for each in trial.kills}
                    yield _ended(running.pop(reader), reader)
            for reader, trial in list(running.items()):
                if time.monotonic() - trial.begun > _PATIENCE * limits.seconds:
                    trial.process.kill()
                    yield _ended(running.pop(reader), reader)
    finally:
        for reader, trial in running.items():
            trial.process.kill()
            _ended(trial, reader)
        gc.unfreeze()


def _receive(reader: Connection, to: _Running) -> bool:
    """Take what a fork has sent; whether it has more to send."""
    try:
        received = reader.recv()
    except EOFError:
        return False
    match received:
        case Kill():
            to.kills.append(received)
        case Pass(case):
            to.passed.add(case)
        case float():
            to.seconds = received
        case _:
            to.fault = str(received)
    return True


def _ended(each: _Running, reader: Connection) -> Trial:
    """The trial of a fork that has ended.

    One that has died, and not of a fault in the mistake, has taken the case at hand with it.
    """
    each.process.join()
    reader.close()
    fault = each.fault
    if each.process.exitcode and not fault and not each.kills:
        fault = f"its process died with exit status {each.process.exitcode}"
    passed = frozenset(each.passed)
    return Trial(each.mistake, tuple(each.kills), each.seconds, fault, passed)


def _try(
    mistake: Mistake,
    right: Baseline,
    limits: Limits,
    first: Sequence[str],
    spared: Container[str],
    to: Connection,
) -> None:
    """Send kills and passes of a wrong backend, then its seconds, from a fork of its own."""
    with suppress(ValueError):  # the limit that is there is lower
        resource.setrlimit(resource.RLIMIT_AS, (_MEMORY, _MEMORY))
    try:
        for each in kills(mistake, right, limits, first, spared):
            to.send(each)
        to.send(time.process_time())
    except ChangeError as error:
        to.send(str(error))
    finally:
        to.close()
