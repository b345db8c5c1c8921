"""Tries all wrong backends, each in a fork of a process that has run the corpus once."""

import gc
import resource
import time
from collections.abc import Container, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from multiprocessing import get_context
from multiprocessing.connection import Connection, wait
from multiprocessing.context import ForkProcess
from typing import Final

from rowtime.score.baseline import Baseline
from rowtime.score.change import ChangeError, read_source
from rowtime.score.mistake import Mistake
from rowtime.score.survivors import identity
from rowtime.score.trial import Kill, Limits, Pass, kills
from tck.collection import rare_collection

#: The memory that a wrong backend may take, in bytes, because it may collect rows for ever.
_MEMORY: Final = 4 << 30
#: A fork is killed after this many times the limit of its processor time, because the machine may
#: be busy.
_PATIENCE: Final = 10


@dataclass(frozen=True, slots=True)
class Trial:
    """A wrong backend, the cases that it fails, and the seconds of processor time of the trial.

    ``passed`` has the ids of the cases that it passes.  ``fault`` is the reason why the mistake
    could not be made, so that nothing was tried; empty if it was made.
    """

    mistake: Mistake
    kills: tuple[Kill, ...]
    seconds: float
    fault: str = ""
    passed: frozenset[str] = frozenset()


@dataclass(slots=True)
class _Running:
    """A wrong backend in a fork.

    ``kills`` and ``passed`` are the cases that it fails and passes so far.  ``begun`` is in the
    time of `time.monotonic`.  ``seconds`` is the processor time of the whole trial, and ``fault``
    the reason why it has failed; both are received at its end.
    """

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
    """Try the wrong backends, ``processes`` at a time; yield each trial when it ends.

    A trial that lasts too long on a busy machine ends with the cases that it has run until then.
    ``killers`` has for each mistake, by its identity, the cases to run first.  ``seek_idle``: each
    wrong backend also runs the cases that have found no mistake so far, so that the cases that find
    no mistake at all are known in the end.
    """
    for each in mistakes:
        read_source(each.change)  # once for all forks, before the file can be edited
    gc.collect()
    gc.freeze()  # forks share memory as long as the garbage collector does not write to it
    fork = get_context("fork")
    left = list(reversed(mistakes))
    # The cases that need not be run after the wanted number of kills.  If idle cases are sought,
    # these are only the cases that have found a mistake.
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
                    # It was killed here: that the process died is not a fault.
                    yield replace(_ended(running.pop(reader), reader), fault="")
    finally:
        for reader, trial in running.items():
            trial.process.kill()
            _ended(trial, reader)
        gc.unfreeze()


def _receive(reader: Connection, to: _Running) -> bool:
    """Take one message of a fork; return whether it may send more."""
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

    If the process died before it reported a kill or a fault, its death is the fault.
    """
    each.process.join()
    reader.close()
    fault = each.fault
    if each.process.exitcode and not fault and not each.kills:
        fault = f"its process died with exit status {each.process.exitcode}"
    passed = frozenset(each.passed)
    return Trial(each.mistake, tuple(each.kills), each.seconds, fault, passed)


@rare_collection()
def _try(
    mistake: Mistake,
    right: Baseline,
    limits: Limits,
    first: Sequence[str],
    spared: Container[str],
    to: Connection,
) -> None:
    """In a fork: send the kills and passes of a wrong backend, then its seconds of work."""
    with suppress(ValueError):  # the existing limit is lower
        resource.setrlimit(resource.RLIMIT_AS, (_MEMORY, _MEMORY))
    try:
        for each in kills(mistake, right, limits, first, spared):
            to.send(each)
        to.send(time.process_time())
    except ChangeError as error:
        to.send(str(error))
    finally:
        to.close()
