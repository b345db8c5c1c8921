"""Runs cases on one wrong backend, and finds the cases that it fails, with their tiers."""

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

#: Seconds of CPU time that a case may take on a wrong backend; the right one takes half a second.
_CASE_SECONDS: Final = 2.0
#: After this many cases that do not end, a wrong backend is not tried further.
_MOST_HUNG: Final = 2


@dataclass(frozen=True, slots=True)
class Kill:
    """A case that a wrong backend fails, and the tiers at which it fails."""

    case: str
    tiers: tuple[Tier, ...]


@dataclass(frozen=True, slots=True)
class Pass:
    """A case that does not detect the mistake: the backend passes it, or it need not be run.

    It need not be run if it does not reach the changed code.
    """

    case: str


class _HungError(BaseException):
    """A case takes too long; not an `Exception`, so that no backend can catch it."""


@dataclass(frozen=True, slots=True)
class Limits:
    """The limits after which a wrong backend is not tried further.

    ``seconds`` is the CPU time of all of its cases.  ``kills`` is the number of kills at tier
    ``exact`` that are enough; 0: all cases are run.  For a mistake of timing, only kills by
    transcripts count (`Baseline.transcripts`).
    """

    seconds: float
    kills: int


def kills(
    mistake: Mistake, right: Baseline, limits: Limits, first: Sequence[str], spared: Container[str]
) -> Iterator[Kill | Pass]:
    """Make this process the wrong backend, and run cases on it until the limits are reached.

    Yields a kill or a pass for each case that is run.  The cases whose ids are in ``first`` are run
    first; those of them that do not reach the changed code pass without a run.  After
    ``limits.kills`` kills, the cases whose ids are in ``spared`` are not run.

    The change remains in this process.  If a case does not end, the backend fails it at all tiers;
    after a second such case, the backend is not tried further.  Raises `ChangeError` if the change
    cannot be applied.
    """
    apply(mistake.change)
    running = start_reference(right.plans)
    failed: tuple[Tier, ...]
    until, hung = time.process_time() + limits.seconds, 0
    missing_kills = limits.kills or len(right.cases) + 1
    reaching = list(right.reaching(mistake.change, first))
    reached = {case.id for case, _ in reaching}
    yield from (Pass(id) for id in first if id in right.reach and id not in reached)
    for case, prepares_again in reaching:
        if time.process_time() >= until or hung >= _MOST_HUNG:
            return
        if missing_kills <= 0 and case.id in spared:
            continue
        right.plans.prepares_again = prepares_again
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
        # For a mistake of timing, only kills by transcripts count.
        if "exact" in failed and (case.id in right.transcripts or not mistake.timing):
            missing_kills -= 1


@contextmanager
def _limited(seconds: float) -> Generator[None]:
    """A context that is interrupted with `_HungError` after ``seconds`` seconds of CPU time."""

    def interrupt(_signal: int, _frame: FrameType | None) -> None:
        raise _HungError

    before = signal.signal(signal.SIGPROF, interrupt)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)
