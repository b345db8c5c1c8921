"""Tries wrong backends, each in a fork of this process, which has run the cases once.

So a mistake cannot damage this process, and a fork has the caches that the first run has filled.
"""

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
#: A fork is killed if it lasts this many times as long as its limit of processor time.  On a busy
#: machine, a fork lasts longer than its processor time.
_PATIENCE: Final = 10


@dataclass(frozen=True, slots=True)
class Trial:
    """The result of running cases on one wrong backend.

    ``kills`` are the cases that the backend fails, and ``passed`` has the ids of those that it
    passes.  ``seconds`` is the processor time.  ``fault`` is the reason why nothing was tried:
    the change could not be applied, or the process died; empty if the backend was tried.
    """

    mistake: Mistake
    kills: tuple[Kill, ...]
    seconds: float
    fault: str = ""
    passed: frozenset[str] = frozenset()


@dataclass(slots=True)
class _Running:
    """A wrong backend in a fork.

    ``kills`` and ``passed`` are the cases that it fails and passes so far.  ``begun`` is the start
    by `time.monotonic`.  At the end, the fork sends ``seconds``, the processor time of the trial,
    or ``fault``, the reason why the change could not be applied.
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
    ``killers`` has the ids of the cases to run first, by the identity of the mistake.  If
    ``seek_idle``, each wrong backend also runs the cases that have killed nothing so far: at the
    end it is then known which cases kill nothing at all.
    """
    for each in mistakes:
        read_source(each.change)  # once for all forks, before the file can be edited
    gc.collect()
    gc.freeze()  # forks share memory as long as the garbage collector does not write to it
    fork = get_context("fork")
    pending = list(reversed(mistakes))
    # The cases that need not be run after ``limits.kills`` kills: all of them, or, if idle cases
    # are sought, only those that have killed a mistake.
    spared = set[str]() if seek_idle else {each.id for each in right.cases}
    running: dict[Connection, _Running] = {}
    try:
        while pending or running:
            while pending and len(running) < processes:
                reader, writer = fork.Pipe(duplex=False)
                mistake = pending.pop()
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
                    yield _end_trial(running.pop(reader), reader)
            for reader, trial in list(running.items()):
                if time.monotonic() - trial.begun > _PATIENCE * limits.seconds:
                    trial.process.kill()
                    # This process has killed it, so its death is not a fault.
                    yield replace(_end_trial(running.pop(reader), reader), fault="")
    finally:
        for reader, trial in running.items():
            trial.process.kill()
            _end_trial(trial, reader)
        gc.unfreeze()


def _receive(reader: Connection, to: _Running) -> bool:
    """Receive one message of a fork, and note it in ``to``.

    Returns False if there is none, because the fork has ended.
    """
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


def _end_trial(each: _Running, reader: Connection) -> Trial:
    """Wait until the process of a fork has ended, and return its trial.

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
    """The work of a fork: send the kills and passes of a wrong backend, then its processor time.

    If the change cannot be applied, send the reason as a text.
    """
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
