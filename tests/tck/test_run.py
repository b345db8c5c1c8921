"""The runner skips what it cannot judge, survives crashes, and says what is slow."""

# ruff: noqa: D102 - the methods are the protocol's, and documented there

import time
from dataclasses import replace
from pathlib import Path
from typing import ClassVar

import pytest

from tck.backends import RunningBackend, start, start_backend
from tck.corpus.case import Case
from tck.judging.verdict import Kind, KnownFailure, Mark, Outcome, Result
from tck.protocol import (
    Accepted,
    Bound,
    Event,
    Hello,
    Open,
    Output,
    Refused,
    Tier,
    Unsupported,
)
from tck.report.tally import Tally, tally
from tck.run import grade_case, run_case, run_cases, skip_reason, unjudged_reason
from tck.wire.faults import BackendStartError, UnknownBackendError
from tests.tck import toy
from tests.tck.corpora import load_case, load_cases

GOOD = """
id: good
cites: [CAL-010]
sql: SELECT STREAM * FROM Orders
rows: [['10:00', 10, 4], ['10:00', 20, 1], ['10:05', 10, 7]]
"""

HELLO = toy.Faithful().start()


class Listening:
    """Records its calls."""

    def __init__(self) -> None:
        self.reported: list[str] = []

    def started(self, backend: str, case: Case) -> None:
        """Begins."""
        self.reported.append(f"started {backend} {case.id}")

    def slow(self, backend: str, case: Case, seconds: float) -> None:
        """Takes long."""
        self.reported.append(f"slow {backend} {case.id} {seconds}")

    def finished(self, result: Result) -> None:
        """Ends."""
        self.reported.append(f"finished {result.backend} {result.case.id}")


def running(backend: type[toy.Faithful]) -> RunningBackend:
    made = backend()
    return RunningBackend("toy", backend, made, made.start())


@pytest.mark.parametrize(
    ("more", "reason"),
    [
        ("", ""),
        ("needs: [tumble]", ""),
        ("needs: [tumble, hop]", "hop: the toy has no windows"),
        ("profile: sqlstream", "has no profile sqlstream"),
    ],
)
def test_a_case_is_skipped_for_want_of_what_it_needs(
    more: str, reason: str, tmp_path: Path
) -> None:
    assert skip_reason(HELLO, load_case(tmp_path, f"{GOOD}{more}")) == reason


@pytest.mark.parametrize(
    ("expectation", "need"),
    [
        ("monotonicity: {units: CONSTANT}", "monotonicity"),
        ("metadata: {latency: none}", "metadata"),
        ("metadata: {latency: none}", "metadata-latency"),
        ("plan: Scan", "plan"),
        ("steps: [{now: '10:00'}, {end: true}]", "now"),
        ("steps: [{late: {Orders: [['10:00', 1, 2]]}}]", "late"),
        ("steps: [{producer: p, feed: all}, {end: true}]", "producers"),
        ("steps: [{bound: {Orders: '10:00'}, warn: {Orders: BOUND_BACKWARDS}}]", "warnings"),
        ("steps: [{open: {Orders: p}}, {end: true}]", "producers"),
    ],
)
def test_what_a_case_asks_it_needs(expectation: str, need: str, tmp_path: Path) -> None:
    case = load_case(
        tmp_path, f"id: asks\ncites: [S-1]\nsql: SELECT STREAM * FROM Orders\n{expectation}"
    )
    lacking: Hello = replace(HELLO, gaps={need: "not yet"})
    assert skip_reason(lacking, case) == f"{need}: not yet"


def test_an_open_input_without_rows_cannot_be_judged_at_tier_final(tmp_path: Path) -> None:
    silent = load_case(
        tmp_path, "id: a\ncites: [S-1]\nsql: SELECT STREAM * FROM Orders\nsteps: [{feed: all}]"
    )
    ended = load_case(
        tmp_path,
        "id: a\ncites: [S-1]\nsql: SELECT STREAM * FROM Orders\nsteps: [{feed: all}, {end: true}]",
    )
    assert unjudged_reason(silent, "final").startswith("tier: ")
    assert unjudged_reason(silent, "bounded") == unjudged_reason(silent, "exact") == ""
    assert unjudged_reason(ended, "final") == ""


def test_a_backend_is_judged_at_its_declared_tier_or_at_the_requested_one(
    tmp_path: Path,
) -> None:
    class Boasting(toy.AtEnd):
        """Promises more than it does."""

        def start(self) -> Hello:
            return replace(super().start(), tier="exact")

    case = load_case(
        tmp_path,
        "id: a\ncites: [S-1]\nsql: SELECT STREAM * FROM Orders\nsteps:\n"
        "- {feed: {Orders: [['10:00', 1, 1]]}, emit: [['10:00', 1, 1]]}\n- end: true",
    )
    late, right = (Outcome.FAIL, Kind.TOO_LATE), (Outcome.PASS, None)
    table: list[tuple[type[toy.Faithful], Tier | None, tuple[Outcome, Kind | None]]] = [
        (Boasting, None, late),
        (Boasting, "final", right),
        (toy.AtEnd, None, right),
        (toy.AtEnd, "exact", late),
    ]
    for backend, tier, found in table:
        verdict = run_case(running(backend), case, tier)
        assert (verdict.outcome, verdict.kind) == found
        (result,) = run_cases(running(backend), [case], Listening(), {}, tier=tier)
        assert (result.verdict, result.at["exact"].kind) == (verdict, Kind.TOO_LATE)
        assert result.tier == (tier or backend().start().tier)


def test_what_is_skipped_or_crashes_is_so_at_every_tier(tmp_path: Path) -> None:
    skipped = grade_case(running(toy.Faithful), load_case(tmp_path, f"{GOOD}needs: [hop]"), "exact")
    crashed = grade_case(running(toy.Crashes), load_case(tmp_path, GOOD), "exact")
    assert {each.outcome for each in skipped.at.values()} == {Outcome.SKIP}
    assert {each.outcome for each in crashed.at.values()} == {Outcome.ERROR}
    assert len(skipped.at) == len(crashed.at) == 3


def test_a_crash_is_an_error_with_its_place_and_the_run_goes_on(tmp_path: Path) -> None:
    refused = (
        "id: b\ncites: [S-1]\nsql: SELECT x GROUP BY x\nerror: {code: NO_MONOTONIC_KEY, at: GROUP}"
    )
    cases = load_cases(tmp_path, GOOD, refused)
    first, second = run_cases(running(toy.Crashes), cases, Listening(), {})
    assert first.verdict.outcome is Outcome.ERROR
    assert first.verdict.reason == "RuntimeError: the toy is broken"
    assert "toy.py:" in first.verdict.detail[-1]
    assert second.verdict.outcome is Outcome.PASS


def test_a_backend_that_cannot_even_close_is_made_anew(tmp_path: Path) -> None:
    toy.Breaks.made = 0
    case = load_case(tmp_path, GOOD)
    broken = running(toy.Breaks)
    assert run_case(broken, case).outcome is Outcome.ERROR
    assert run_case(broken, case).outcome is Outcome.PASS
    assert toy.Breaks.made == 2


def test_a_backend_that_exits_is_an_error(tmp_path: Path) -> None:
    class Exits(toy.Faithful):
        """Ends the process."""

        def poll(self) -> Output:
            raise SystemExit(3)

    verdict = run_case(running(Exits), load_case(tmp_path, GOOD))
    assert (verdict.outcome, verdict.reason) == (Outcome.ERROR, "SystemExit: 3")


def test_the_listener_hears_of_a_slow_case_while_it_runs(tmp_path: Path) -> None:
    class Slow(toy.Faithful):
        """Thinks."""

        def poll(self) -> Output:
            time.sleep(0.2)
            return super().poll()

    listening = Listening()
    (result,) = run_cases(running(Slow), [load_case(tmp_path, GOOD)], listening, {}, slow=0.02)
    assert listening.reported == ["started toy good", "slow toy good 0.02", "finished toy good"]
    assert result.seconds >= 0.2


FILTER = """
id: filter
cites: [CAL-010]
sql: SELECT STREAM * FROM Orders WHERE units > 5
rows: [['10:05', 10, 7]]
"""


def test_an_unsupported_query_is_skipped_and_asked_once_more_after_all_others(
    tmp_path: Path,
) -> None:
    cases = load_cases(tmp_path, FILTER, GOOD)
    listening = Listening()
    backend = running(toy.Lacks)
    results = list(run_cases(backend, cases, listening, {"filter": KnownFailure("theirs")}))
    assert [(each.case.id, each.verdict.outcome) for each in results] == [
        ("good", Outcome.PASS),
        ("filter", Outcome.SKIP),
    ]
    missing = results[1]
    assert (missing.verdict.reason, missing.verdict.missing) == ("unsupported: no WHERE", True)
    assert not missing.bad
    assert {each.outcome for each in missing.at.values()} == {Outcome.SKIP}
    assert listening.reported[-1] == "finished toy filter"
    assert tally(results) == Tally(passed=1, missing=1)


BOUND_BEFORE_ROWS = """
id: bound-before-rows
cites: [S-304]
sql: SELECT STREAM * FROM Orders
steps:
- {bound: {Orders: '11:00'}}
- {feed: {Orders: [['11:00', 1, 3]]}, emit: [['11:00', 1, 3]]}
- end: true
"""


def test_a_case_with_an_unsupported_event_is_skipped_asked_again_and_its_query_is_closed(
    tmp_path: Path,
) -> None:
    class Closes(toy.LacksBounds):
        """Notes what is asked."""

        asked: ClassVar[list[str]] = []

        def feed(self, event: Event) -> Unsupported | None:  # type: ignore[override]
            self.asked.append(type(event).__name__)
            return super().feed(event)

        def poll(self) -> Output:
            self.asked.append("poll")
            return super().poll()

        def close(self) -> None:
            self.asked.append("close")

    backend = running(Closes)
    results = list(run_cases(backend, load_cases(tmp_path, BOUND_BEFORE_ROWS), Listening(), {}))
    (missing,) = results
    assert missing.verdict.reason == "unsupported: watermarks come from rows"
    assert (missing.verdict.missing, missing.verdict.needs) == (True, ("bounds",))
    assert not missing.bad
    assert {each.outcome for each in missing.at.values()} == {Outcome.SKIP}
    assert tally(results) == Tally(missing=1)
    assert Closes.asked == ["Load", "Bound", "close"] * 2
    assert not backend.over


class _Interrupted(toy.Lacks):
    """Lacks WHERE; Ctrl-C comes with the query number ``at``."""

    asked: ClassVar[list[str]] = []
    at: ClassVar[int]

    # A wider type than that of the toy: it may be unsupported, too.
    def open(self, request: Open) -> Accepted | Refused | Unsupported:  # type: ignore[override]
        self.asked.append(request.sql or "")
        if len(self.asked) == self.at:
            raise KeyboardInterrupt
        return super().open(request)


@pytest.mark.parametrize("at", [2, 3])
def test_an_interrupt_loses_no_answer_that_a_query_is_unsupported(tmp_path: Path, at: int) -> None:
    cases = load_cases(tmp_path, FILTER, GOOD)
    listening = Listening()
    found: list[Result] = []
    _Interrupted.asked, _Interrupted.at = [], at
    with pytest.raises(KeyboardInterrupt):
        found.extend(run_cases(running(_Interrupted), cases, listening, {}))
    assert [(each.case.id, each.verdict.missing) for each in found][-1] == ("filter", True)
    assert listening.reported[-1] == "finished toy filter"
    assert len(_Interrupted.asked) == at


def test_the_second_answer_to_an_unsupported_query_counts(tmp_path: Path) -> None:
    cases = load_cases(tmp_path, GOOD, FILTER)
    results = list(run_cases(running(toy.Busy), cases, Listening(), {}))
    assert [(each.case.id, each.verdict.outcome) for each in results] == [
        ("filter", Outcome.PASS),
        ("good", Outcome.PASS),
    ]


def test_the_first_answer_stands_if_there_is_no_time_to_ask_again(tmp_path: Path) -> None:
    class Slow(toy.Lacks):
        """Takes its time."""

        def open(self, request: Open) -> Accepted | Refused | Unsupported:  # type: ignore[override]
            time.sleep(0.2)
            return super().open(request)

    until = time.monotonic() + 0.1
    (result,) = run_cases(running(Slow), load_cases(tmp_path, FILTER), Listening(), {}, until=until)
    assert result.verdict.missing


def test_a_query_that_must_be_equal_may_be_unsupported(tmp_path: Path) -> None:
    case = load_case(
        tmp_path,
        f"{GOOD}equal_to: SELECT STREAM * FROM Orders WHERE units > 0",
    )
    assert run_case(running(toy.Lacks), case).missing
    assert run_case(running(toy.Faithful), case).outcome is Outcome.PASS


BOUNDED = """
id: bounded
cites: [S-304]
sql: SELECT STREAM * FROM Orders WHERE units > 2
steps:
- {feed: {Orders: [['10:00', 1, 4]]}, emit: [['10:00', 1, 4]]}
- {bound: {Orders: '11:00'}}
- {feed: {Orders: [['11:00', 1, 3]]}, emit: [['11:00', 1, 3]]}
- end: true
"""


class WithoutBounds(toy.Faithful):
    """Derives bounds from rows, and promises the tier bounded."""

    drops = False

    def start(self) -> Hello:
        gaps = {"bounds": "they follow from rows"}
        return replace(super().start(), tier="bounded", gaps=gaps)

    def feed(self, event: Event) -> None:
        assert not isinstance(event, Bound), "it is not asked for"
        super().feed(event)

    def poll(self) -> Output:
        output = super().poll()
        return replace(output, rows=output.rows[:-1]) if self.drops else output


class DropsWithoutBounds(WithoutBounds):
    """Loses rows, too."""

    drops = True


def test_a_case_is_run_without_its_bounds_and_judged_at_final_alone(tmp_path: Path) -> None:
    case = load_case(tmp_path, BOUNDED)
    (result,) = run_cases(running(WithoutBounds), [case], Listening(), {})
    assert (result.verdict.outcome, result.tier) == (Outcome.PASS, "final")
    assert (result.marks.rows, result.marks.time) == (Mark.PASS, Mark.NONE)
    above = result.at["bounded"]
    assert above.outcome is Outcome.SKIP
    assert above.reason.startswith("bounds: they follow from rows; without its bounds")
    (wrong,) = run_cases(running(DropsWithoutBounds), [case], Listening(), {})
    assert (wrong.verdict.kind, wrong.tier) == (Kind.WRONG_ROWS, "final")


@pytest.mark.parametrize(
    "change",
    [
        ("- end: true", "- {bound: {Orders: '12:00'}, clock: '12:00'}"),
        ("'11:00', 1, 3]]}, emit", "'10:59', 1, 3]]}, late: {Orders: [['10:59', 1, 3]]}, x"),
        ("cites: [S-304]", "cites: [S-304]\nneeds: [t-sort]"),
    ],
)
def test_a_case_that_rests_on_its_bounds_stays_skipped(
    tmp_path: Path, change: tuple[str, str]
) -> None:
    text = BOUNDED.replace(*change).replace(", x: [['11:00', 1, 3]]", "")
    verdict = run_case(running(WithoutBounds), load_case(tmp_path, text))
    assert (verdict.outcome, verdict.reason) == (Outcome.SKIP, "bounds: they follow from rows")


class Idles(toy.Drops):
    """Loses rows, slowly; and has an idle time-out."""

    def start(self) -> Hello:
        return replace(super().start(), properties={"idle-timeout": "100 ms"})

    def poll(self) -> Output:
        time.sleep(self.pause)
        return super().poll()

    pause = 0.2


class IdlesBriefly(Idles):
    """Loses rows at once."""

    pause = 0.0


def test_a_failure_after_the_idle_time_out_is_an_error(tmp_path: Path) -> None:
    case = load_case(tmp_path, GOOD)
    (slow,) = run_cases(running(Idles), [case], Listening(), {})
    (quick,) = run_cases(running(IdlesBriefly), [case], Listening(), {})
    assert (slow.verdict.outcome, quick.verdict.outcome) == (Outcome.ERROR, Outcome.FAIL)
    assert slow.verdict.reason.endswith("s, more than the idle time-out of 0.1 s")


def test_a_backend_that_allows_lateness_is_not_asked_to_drop_rows() -> None:
    class Lenient(toy.Faithful):
        """Accepts rows that are late."""

        def start(self) -> Hello:
            return replace(super().start(), properties={"allowed-lateness": "5 s"})

    assert start("toy", Lenient).hello.gaps["late"] == "allows a lateness of 5 s"
    assert "late" not in start("toy", toy.Faithful).hello.gaps


def test_a_known_failure_that_passes_is_bad_and_one_that_fails_is_not(tmp_path: Path) -> None:
    case = load_case(tmp_path, GOOD)
    known = {"good": KnownFailure("why")}
    (passed,) = run_cases(running(toy.Faithful), [case], Listening(), known)
    (failing,) = run_cases(running(toy.Drops), [case], Listening(), known)
    (unknown,) = run_cases(running(toy.Drops), [case], Listening(), {})
    assert (passed.bad, failing.bad, unknown.bad) == (True, False, True)


@pytest.mark.parametrize(
    ("spec", "error", "message"),
    [
        ("nonsense", UnknownBackendError, "no backend is named nonsense"),
        ("no_such_module:Class", UnknownBackendError, "there is no module no_such_module"),
        ("tests.tck.toy:Missing", UnknownBackendError, "tests.tck.toy has no class Missing"),
        ("tests.tck.toy:NOT_A_CLASS", UnknownBackendError, "tests.tck.toy has no class NOT_A"),
        (
            "tests.tck.toy:Unstartable",
            BackendStartError,
            "tests.tck.toy:Unstartable cannot be started: ConnectionError: no engine",
        ),
    ],
)
def test_a_backend_that_is_missing_or_does_not_start_is_reported_in_a_line(
    spec: str, error: type[Exception], message: str
) -> None:
    with pytest.raises(error) as caught:
        start_backend(spec)
    assert str(caught.value).startswith(message)
    assert "\n" not in str(caught.value)


def test_a_fault_of_the_judge_is_named_as_one_of_the_kit_and_the_run_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object) -> None:
        raise LookupError("a table has a gap")

    monkeypatch.setattr("tck.run.judged_case", broken)
    verdict = run_case(running(toy.Faithful), load_case(tmp_path, GOOD))
    assert verdict.outcome is Outcome.ERROR
    assert verdict.reason.startswith("the kit cannot judge the answer, which is a fault of its own")
    assert verdict.reason.endswith("LookupError: a table has a gap")


def test_a_backend_that_starts_anew_with_other_gaps_is_not_believed() -> None:
    """Else it could crash where it is wrong, and call the rest of what it lacks a gap."""

    class Retreats(toy.Faithful):
        """Lacks streaming once it has been started again."""

        starts = 0

        def start(self) -> Hello:
            Retreats.starts += 1
            gaps = {"streaming": "not today"} if Retreats.starts > 1 else {}
            return replace(super().start(), gaps=gaps)

    backend = running(Retreats)
    with pytest.raises(BackendStartError, match="another hello than when it was first started"):
        backend.restart()
    assert backend.hello.gaps == {}
