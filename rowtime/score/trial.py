"""A wrong backend on trial: which cases fail it, at which tiers."""

import signal
import time
from collections.abc import Container, Generator, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from types import FrameType
from typing import Final

from rowtime.score.baseline import Baseline, fails, start_reference
from rowtime.score.change import apply
from rowtime.score.mistake import Mistake
from tck.protocol import TIERS, Tier
from tck.run import grade_case

#: Seconds of work that a case may take on a wrong backend: the right one takes half a second at
#: most.
_CASE_SECONDS: Final = 2.0
#: The number of cases without an end after which a wrong backend is not tried any more.
_MOST_HUNG: Final = 2


@dataclass(frozen=True, slots=True)
class Kill:
    """A case that a wrong backend fails, and the tiers at which it fails."""

    case: str
    tiers: tuple[Tier, ...]


@dataclass(frozen=True, slots=True)
class Pass:
    """A case that does not detect the mistake: it was run, or does not reach the mistake."""

    case: str


class _HungError(BaseException):
    """A case takes too long; not an `Exception`, so that no backend can catch it."""


@dataclass(frozen=True, slots=True)
class Limits:
    """The limits after which a wrong backend is not tried further.

    ``seconds`` are its seconds of work. ``kills`` is the number of cases that must kill it at
    ``exact``; for a mistake of timing only transcripts count (`Baseline.transcripts`).  0: all
    cases are run.
    """

    seconds: float
    kills: int


def kills(
    mistake: Mistake, right: Baseline, limits: Limits, first: Sequence[str], spared: Container[str]
) -> Iterator[Kill | Pass]:
    """A kill or a pass for each case, in the order of running, until the limits are reached.

    The cases whose ids are in ``first`` are run first; one that does not reach the mistake passes
    without being run.  After the wanted number of kills, only the cases that are not in ``spared``
    are run.

    This process is that backend from then on.  A case that does not end fails it at all tiers;
    after a second such case it is not tried further.  Raises `ChangeError`.
    """
    apply(mistake.change)
    running = start_reference(right.plans)
    failed: tuple[Tier, ...]
    until, hung = time.process_time() + limits.seconds, 0
    left = limits.kills or len(right.cases) + 1
    reaching = list(right.reaching(mistake.change, first))
    reached = {case.id for case, _ in reaching}
    yield from (Pass(id) for id in first if id in right.reach and id not in reached)
    for case, anew in reaching:
        if time.process_time() >= until or hung >= _MOST_HUNG:
            return
        if left <= 0 and case.id in spared:
            continue
        right.plans.anew = anew
        try:
            with _limited(_CASE_SECONDS):
                grade = grade_case(running, case, "exact")
        except (_HungError, MemoryError, RecursionError):
            hung += 1
            running = start_reference(right.plans)
            failed = TIERS
        else:
            failed = tuple(tier for tier in TIERS if fails(grade.at[tier]))
        yield Kill(case.id, failed) if failed else Pass(case.id)
        # Of a mistake of timing only the kills by transcripts are wanted.
        if "exact" in failed and (case.id in right.transcripts or not mistake.timing):
            left -= 1


@contextmanager
def _limited(seconds: float) -> Generator[None]:
    """A context that is interrupted with `_HungError` after ``seconds`` seconds of work."""

    def ring(_signal: int, _frame: FrameType | None) -> None:
        raise _HungError

    before = signal.signal(signal.SIGPROF, ring)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)
