"""The runner: cases against a backend in this process."""

import time
import traceback
from collections.abc import Generator, Iterable, Iterator, Mapping
from contextlib import contextmanager
from threading import Timer
from typing import Final, Protocol

from tck.backends import BackendStartError, RunningBackend, described
from tck.corpus.case import Case
from tck.corpus.needs import implied_needs
from tck.judging.judge import judge
from tck.judging.verdict import Grade, Outcome, Result, Verdict, skipped
from tck.protocol import TIERS, Hello, Tier
from tck.reasons import Explainer
from tck.transcript import converse

#: Seconds after which a case is reported as slow.
SLOW: Final = 30.0


class Listener(Protocol):
    """Who is told how a run goes, case by case."""

    def started(self, backend: str, case: Case) -> None:
        """A case begins."""
        ...

    def slow(self, backend: str, case: Case, seconds: float) -> None:
        """A case has not ended after so many seconds; told by another thread."""
        ...

    def finished(self, result: Result) -> None:
        """A case has ended."""
        ...


def run_cases(
    running: RunningBackend,
    cases: Iterable[Case],
    listener: Listener,
    known: Mapping[str, str],
    slow: float = SLOW,
    tier: Tier | None = None,
    explainer: Explainer | None = None,
) -> Iterator[Result]:
    """The results, case by case, in the order of the cases.

    They are judged at ``tier``, else at the one that the backend declares.  ``explainer`` is asked
    why the rows that a failure is about should have come.  A backend in the same process cannot be
    stopped when it hangs; the listener is told.
    """
    judged: Tier = tier or running.hello.tier
    for case in cases:
        listener.started(running.name, case)
        begun = time.perf_counter()
        with _watched(listener, running.name, case, slow):
            grade = grade_case(running, case, judged)
        seconds = time.perf_counter() - begun
        why = explainer.why(case, grade.verdict) if explainer else ()
        result = Result(
            running.name, case, grade.verdict, seconds, known.get(case.id), judged, grade.at, why
        )
        listener.finished(result)
        yield result


def run_case(running: RunningBackend, case: Case, tier: Tier | None = None) -> Verdict:
    """The verdict on one case at a tier, else at the one that the backend declares."""
    return grade_case(running, case, tier or running.hello.tier).verdict


def grade_case(running: RunningBackend, case: Case, tier: Tier) -> Grade:
    """The grade of one case, which is run once.

    A backend that crashes is told to forget it, or started anew.
    """
    reason = skip_reason(running.hello, case)
    if reason:
        return _same_at_every_tier(skipped(reason))
    try:
        transcript = converse(running.backend, case, case.sql)
        other = converse(running.backend, case, case.equal_to) if case.equal_to else None
        at: dict[Tier, Verdict] = {}
        for each in TIERS:
            unjudged = unjudged_reason(case, each)
            at[each] = skipped(unjudged) if unjudged else judge(case, transcript, other, each)
        return Grade(at[tier], at)
    except (Exception, SystemExit) as error:  # whatever a backend throws is its error
        verdict = _crashed(error)
    try:
        running.backend.close()
    except (Exception, SystemExit):
        try:
            running.restart()
        except BackendStartError as error:
            verdict = Verdict(Outcome.ERROR, None, f"{verdict.reason}; {error}", verdict.detail)
    return _same_at_every_tier(verdict)


def _same_at_every_tier(verdict: Verdict) -> Grade:
    """What is so at every tier."""
    return Grade(verdict, dict.fromkeys(TIERS, verdict))


def skip_reason(hello: Hello, case: Case) -> str:
    """Why a backend is not asked about a case; empty where it is."""
    if case.profile not in hello.profiles:
        return f"has no profile {case.profile}"
    needs = (*case.needs, *implied_needs(case))
    for need in needs:
        if need in hello.gaps:
            return f"{need}: {hello.gaps[need]}"
    if "producers" in needs:
        return "producers: the protocol has none yet"
    return ""


def unjudged_reason(case: Case, tier: Tier) -> str:
    """Why a tier can say nothing of a case: that nothing comes yet is told above ``final``."""
    rows = case.all_rows or case.failure or any(step.late for step in case.steps)
    judged_anyway = case.ended or rows or _is_judged_unrun(case)
    if tier == "final" and case.runs and not judged_anyway:
        return "tier: what it says of an open input, no tier below bounded can tell"
    return ""


def _is_judged_unrun(case: Case) -> bool:
    """Whether something besides the rows is asked for."""
    return bool(case.schema or case.monotonicity or case.metadata or case.plan or case.equal_to)


def _crashed(error: BaseException) -> Verdict:
    """The error with the last places of the backend that it came through."""
    frames = traceback.extract_tb(error.__traceback__)
    places = [f"{frame.filename}:{frame.lineno} in {frame.name}" for frame in frames[-3:]]
    return Verdict(Outcome.ERROR, None, described(error), tuple(places))


@contextmanager
def _watched(listener: Listener, backend: str, case: Case, slow: float) -> Generator[None]:
    """Tells the listener if what is inside takes longer than ``slow`` seconds."""
    timer = Timer(slow, listener.slow, (backend, case, slow))
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
