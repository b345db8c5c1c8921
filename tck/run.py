"""The runner: it runs cases on one backend, has each answer judged, and returns the results."""

import time
from collections.abc import Generator, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from threading import Timer
from typing import Final, Protocol

from tck.backends import RunningBackend
from tck.corpus.case import Case
from tck.corpus.needs import BOUNDS, emits_changes, needs_of, needs_of_event
from tck.judging.judge import Judgement, judge_at_tiers
from tck.judging.leniency import judged_case
from tck.judging.verdict import (
    NOT_RUN,
    Grade,
    KnownFailure,
    Outcome,
    Result,
    Verdict,
    skipped,
    unsupported,
)
from tck.protocol import CONSISTENCY, TIERS, Accepted, Elapse, Hello, Tier
from tck.reasons import Explainer
from tck.reported import reported_properties
from tck.result_types import typed
from tck.transcript import Missing, converse
from tck.variants.bounds import without_bounds
from tck.variants.variants import with_steps
from tck.wire.faults import BackendFault, BackendStartError, described, innermost_frames
from tck.wire.properties import IDLE_TIMEOUT, property_seconds, seconds_of
from tck.wire.window_spelling import with_size_first, with_table_functions

#: Seconds after which a case is reported as slow.
SLOW: Final = 30.0

#: The number of restarts after crashes in a row; a case without a crash starts the count again.
RESTARTS: Final = 3

_UNTYPED: Final = "the types of its result are not known: give the case a `schema`"


class Listener(Protocol):
    """The receiver of the progress of a run, case by case."""

    def started(self, backend: str, case: Case) -> None:
        """A case begins."""
        ...

    def slow(self, backend: str, case: Case, seconds: float) -> None:
        """A case has not ended after ``seconds`` seconds; called from another thread."""
        ...

    def finished(self, result: Result) -> None:
        """A case has ended."""
        ...


def run_cases(
    running: RunningBackend,
    cases: Iterable[Case],
    listener: Listener,
    known: Mapping[str, KnownFailure],
    slow: float = SLOW,
    tier: Tier | None = None,
    explainer: Explainer | None = None,
    until: float | None = None,
) -> Iterator[Result]:
    """Run cases, and yield their results in the order of the cases.

    - If the backend answers a query or an event by `Unsupported`, the case is run again after all
      others, and the second result counts: the answer must not depend on the cases before.  If an
      interrupt ends the run before the second result, the first result counts.  The results of such
      cases are yielded last.
    - A case that fails after more time than the idle time-out that the backend declares is an
      error: the time-out may be the reason of the failure.
    - No case begins after ``until`` (a time of `time.monotonic`), or after `RESTARTS` restarts in a
      row.  The cases that do not begin are errors.

    ``known`` are the known failures by case id.  ``listener`` hears of each begin and end of a
    case, and of a case that has not ended after ``slow`` seconds.  ``tier`` None: the cases are
    judged at the tier that the backend declares.  ``explainer`` explains the wrong rows of
    failures; None: no row is explained.
    """
    idle = property_seconds(running.hello.properties, IDLE_TIMEOUT)

    def run_and_grade(case: Case) -> tuple[Grade, float]:
        """The grade of a case, and the seconds that it took."""
        begun = time.perf_counter()
        if until is not None and time.monotonic() >= until:
            grade = _not_run("the time of the run is over")
        elif running.crashes > RESTARTS:
            grade = _not_run(f"the backend has crashed in {running.crashes} cases in a row")
        else:
            with _watched(listener, running.name, case, slow):
                grade = grade_case(running, case, tier or declared_tier(running.hello, case))
        seconds = time.perf_counter() - begun
        failed = grade.verdict.outcome is Outcome.FAIL
        if failed and idle is not None and seconds > idle:
            took = f"the case took {seconds:.1f} s, more than the idle time-out of {idle:g} s"
            grade = _same_at_every_tier(Verdict(Outcome.ERROR, None, took, grade.verdict.detail))
        return grade, seconds

    def finish(case: Case, grade: Grade, seconds: float) -> Result:
        """Make the result of a case, and report it to the listener."""
        result = Result(
            running.name,
            case,
            grade.verdict,
            seconds,
            known=known.get(case.id),
            tier=grade.tier or tier or declared_tier(running.hello, case),
            at=grade.at,
            why=explainer.why(case, grade.verdict) if explainer else (),
            marks=grade.marks,
            transcript=grade.transcript,
            reported=reported_properties(case, grade.transcript) if grade.transcript else {},
        )
        listener.finished(result)
        return result

    # The cases that the backend does not implement, with the grade and seconds of the first run.
    missing: list[tuple[Case, Grade, float]] = []
    try:
        for case in map(typed, cases):
            listener.started(running.name, case)
            grade, seconds = run_and_grade(case)
            if grade.verdict.missing:
                missing.append((case, grade, seconds))
            else:
                yield finish(case, grade, seconds)
        while missing:
            case, first, before = missing[0]
            grade, seconds = run_and_grade(case)
            del missing[0]  # only now: after an interrupt before this, the first result counts
            yield finish(case, first if grade.verdict.not_run else grade, before + seconds)
    except KeyboardInterrupt:
        for case, first, seconds in missing:
            yield finish(case, first, seconds)
        raise


def declared_tier(hello: Hello, case: Case) -> Tier:
    """The tier that a backend declares for a case.

    For a changelog it is the tier of the declared consistency, if the backend declares one.
    """
    if emits_changes(case.sql):
        for tier in TIERS:
            if CONSISTENCY[tier] == hello.consistency:
                return tier
    return hello.tier


def run_case(running: RunningBackend, case: Case, tier: Tier | None = None) -> Verdict:
    """Run one case, and return its verdict; ``tier`` None: the tier that the backend declares."""
    return grade_case(running, typed(case), tier or declared_tier(running.hello, case)).verdict


def grade_case(running: RunningBackend, case: Case, tier: Tier) -> Grade:
    """Run one case once, and return the verdict at ``tier`` and those at all tiers.

    A backend that has crashed before is first replaced by a new backend.  After an exception of the
    backend the query is closed; if closing fails, too, the backend has crashed.  The case is an
    error if the backend accepts the query, but the types of the result are not known
    (`tck.result_types.typed`).

    If the case cannot be run only because the backend lacks `BOUNDS`, and its rows do not depend on
    the bounds, it is run without the bounds, and judged only at ``final``.
    """
    reason = skip_reason(running.hello, case)
    if reason and (variant := variant_without_bounds(running.hello, case)):
        return _judged_only_at_final(grade_case(running, variant, "final"), reason)
    if reason:
        return _same_at_every_tier(skipped(reason))
    try:
        if running.over:
            running.restart()
        sent_case = replace(case, ddl=in_hop_order(case.ddl, running.hello))
        transcript = converse(running.backend, sent_case, spelled(case, case.sql, running.hello))
        # The query that must return equal rows, if the case has one.
        equal = spelled(case, case.equal_to, running.hello)
        other = converse(running.backend, sent_case, equal) if equal else None
        running.crashes = 0
    except BackendStartError as error:
        running.crashes += 1
        return _same_at_every_tier(Verdict(Outcome.ERROR, None, str(error), error.detail))
    except (Exception, SystemExit) as error:  # every exception of a backend is its error
        _close(running, error)
        running.crashes = running.crashes + 1 if running.over else 0
        return _same_at_every_tier(_crashed(error))
    if isinstance(transcript, Missing):
        return _same_at_every_tier(_missing(case, transcript))
    if isinstance(other, Missing):
        return _same_at_every_tier(_missing(case, other))
    if case.runs and case.result is None and isinstance(transcript.answer, Accepted):
        return _same_at_every_tier(Verdict(Outcome.ERROR, None, _UNTYPED))
    try:
        judged_part = judged_case(case, transcript, running.hello.gaps)
        judged = judge_at_tiers(judged_part, transcript, other, TIERS)
    except Exception as error:  # a fault of the kit, which must not end the run
        reason = f"the kit cannot judge the answer, which is a fault of its own: {described(error)}"
        return _same_at_every_tier(Verdict(Outcome.ERROR, None, reason, innermost_frames(error)))
    for each in TIERS:
        if unjudged := unjudged_reason(case, each):
            judged[each] = Judgement(skipped(unjudged))
    at: dict[Tier, Verdict] = {each: judged[each].verdict for each in TIERS}
    return Grade(at[tier], at, judged[tier].marks, transcript)


def _close(running: RunningBackend, error: BaseException) -> None:
    """Close the query after an exception.

    The backend has crashed (``running.over``) if the exception says so, or if closing fails.
    """
    running.over = isinstance(error, BackendFault) and error.over
    if running.over:
        return
    try:
        running.backend.close()
    except (Exception, SystemExit):
        running.stop()
        running.over = True


def _same_at_every_tier(verdict: Verdict) -> Grade:
    """The grade with this verdict at every tier, without marks and transcript."""
    return Grade(verdict, dict.fromkeys(TIERS, verdict))


def skip_reason(hello: Hello, case: Case) -> str:
    """The reason why a case is not run on a backend, such as a gap; empty: it is run."""
    if case.profile not in hello.profiles:
        return f"has no profile {case.profile}"
    for need in needs_of(case):
        if need in hello.gaps:
            return f"{need}: {hello.gaps[need]}"
    idle, elapsed = property_seconds(hello.properties, IDLE_TIMEOUT), elapsed_seconds(case)
    if idle is not None and elapsed >= idle:
        declared = hello.properties[IDLE_TIMEOUT]
        return f"{IDLE_TIMEOUT}: {declared}, and the case lets {elapsed:g} s pass"
    return ""


def elapsed_seconds(case: Case) -> float:
    """The seconds of wall-clock time that a case lets pass."""
    events = [event for step in case.steps for event in step.events]
    return sum(seconds_of(each.span) or 0.0 for each in events if isinstance(each, Elapse))


def spelled(case: Case, sql: str | None, hello: Hello) -> str | None:
    """A query of the case, with windows in the spelling that the backend has declared.

    Windows stay as they are written if the case expects an error, because its place is counted in
    the text, or if the case expects names of columns.  But the order of HOP's intervals is changed
    in any case.  None if ``sql`` is None.
    """
    if sql is None:
        return None
    as_written = case.error is not None or case.failure is not None or case.schema is not None
    text = sql if hello.windows == "functions" or as_written else with_table_functions(sql)
    return in_hop_order(text, hello)


def in_hop_order(text: str, hello: Hello) -> str:
    """A query or script with the intervals of HOP in the order that a backend has declared."""
    return with_size_first(text) if hello.hop == "size-first" else text


def variant_without_bounds(hello: Hello, case: Case) -> Case | None:
    """The case without its bounds, for a backend that cannot set bounds but lacks nothing else.

    None if the backend can set bounds or lacks something else, if the case has no bounds or has
    producers, or if its rows may depend on the bounds (`without_bounds`).
    """
    if BOUNDS not in hello.gaps or BOUNDS not in needs_of(case) or case.has_producers:
        return None
    variant = without_bounds(with_steps(case))
    return None if variant is None or skip_reason(hello, variant) else variant


def _judged_only_at_final(grade: Grade, reason: str) -> Grade:
    """The grade of a case that was run without its bounds: above ``final`` the case is skipped.

    ``grade`` is that of the run, and ``reason`` is the reason why the backend cannot set bounds.
    """
    not_judged = skipped(f"{reason}; without its bounds the case is judged at final alone")
    at: dict[Tier, Verdict] = {"final": grade.verdict, "bounded": not_judged, "exact": not_judged}
    return replace(grade, at=at, tier="final")


def unjudged_reason(case: Case, tier: Tier) -> str:
    """The reason why a case is run, but not judged at a tier; empty: it is judged.

    A case with an open input that expects no row, report, failure or property only claims that no
    row is emitted too early.  At ``final`` such a claim is not judged.
    """
    has_reports = any(step.late or step.warnings for step in case.steps)
    has_output = case.all_rows or case.failure or has_reports
    can_be_judged = case.ended or has_output or _expects_properties(case)
    if tier == "final" and case.runs and not can_be_judged:
        return "tier: its claims about an open input need the tier bounded or above"
    return ""


def _expects_properties(case: Case) -> bool:
    """Whether a case has expectations that can be judged before the query runs."""
    return bool(case.schema or case.monotonicity or case.metadata or case.plan or case.equal_to)


def _crashed(error: BaseException) -> Verdict:
    """The verdict on an exception of the backend: its message and the step, and further details.

    The details are the last lines that the backend's process printed, or the place in its code.
    """
    step = getattr(error, "__notes__", ())  # a note of `converse` names the step
    if isinstance(error, BackendFault):
        return Verdict(Outcome.ERROR, None, error.reason, (*step, *error.detail))
    return Verdict(Outcome.ERROR, None, described(error), (*step, *innermost_frames(error)))


def _missing(case: Case, missing: Missing) -> Verdict:
    """The verdict on a case whose query, or one of whose events, is not implemented."""
    needs = () if missing.event is None else needs_of_event(case, missing.event)
    return unsupported(missing.answer, needs)


def _not_run(reason: str) -> Grade:
    """The grade of a case that is not run because of the state of the run, not because of a gap."""
    return _same_at_every_tier(Verdict(Outcome.ERROR, None, f"{NOT_RUN}{reason}"))


@contextmanager
def _watched(listener: Listener, backend: str, case: Case, slow: float) -> Generator[None]:
    """A context for the run of a case: after ``slow`` seconds the listener hears of the case."""
    timer = Timer(slow, listener.slow, (backend, case, slow))
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
