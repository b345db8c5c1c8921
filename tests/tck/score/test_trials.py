"""Wrong backends on trial: killed by the cases that tell them, and by no others."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType

import pytest

from algebra import prepare
from rowtime.score.baseline import Baseline, baseline, in_turn
from rowtime.score.change import Change, clear_caches
from rowtime.score.killers import updated_text
from rowtime.score.mistake import Mistake
from rowtime.score.plans import remember_parsing
from rowtime.score.report import lines
from rowtime.score.survivors import Survivor
from rowtime.score.tally import killed_at, tally
from rowtime.score.trial import Kill, Limits
from rowtime.score.trials import Trial, trials
from tests.tck.corpora import load_cases

#: Passes rows on; says that ten and ten are twenty; counts by the hour.
CASES = (
    """
    id: passes
    cites: [CAL-010]
    sql: SELECT STREAM rowtime, units FROM Orders WHERE units > 1
    steps:
    - feed: all
      emit: [['10:00', 4], ['10:05', 7]]
    - end: true
    """,
    """
    id: adds
    cites: [CAL-010]
    sql: SELECT STREAM rowtime, units + 10 AS units FROM Orders
    steps:
    - feed: all
      emit: [['10:00', 14], ['10:00', 11], ['10:05', 17]]
    - end: true
    """,
    """
    id: counts
    cites: [CAL-010]
    sql: |
      SELECT STREAM FLOOR(rowtime TO HOUR) AS rowtime, COUNT(*) AS c FROM Orders
      GROUP BY FLOOR(rowtime TO HOUR)
    steps:
    - feed: all
    - bound: {Orders: '11:00'}
      emit: [['10:00', 3]]
      clock: '11:00'
    - end: true
    """,
)


def mistake(id: str, module: str, function: str, was: str, now: str) -> Mistake:
    return Mistake(id, "toys", "wrong", Change(module, function, was, now), "by hand", timing=True)


LATE = mistake(
    "late",
    "reference.incremental.runs",
    "Runs.passed",
    "while self._values and passed(self._values[0].value, limit, self.descending)",
    "while False",
)
MUTE = mistake(
    "mute",
    "reference.backend",
    "ReferenceBackend.poll",
    "bound = _bound_text(session.flow.bound)",
    "pass",
)
ROWLESS = mistake(
    "rowless", "reference.incremental.standing.query", "Flow.drained", "return emitted", "return []"
)
MINUS = mistake("minus", "reference.scalar.arithmetic", "_exact", "return a + b", "return a - b")
SAME = mistake("same", "reference.scalar.arithmetic", "_exact", "return a + b", "return b + a")
HANGS = mistake(
    "hangs", "reference.scalar.arithmetic", "_exact", "return a + b", "while True: pass"
)
STALE = mistake("stale", "reference.scalar.arithmetic", "_exact", "return a & b", "return 0")


@pytest.fixture(scope="module")
def right(tmp_path_factory: pytest.TempPathFactory) -> Baseline:
    return baseline(load_cases(tmp_path_factory.mktemp("toys"), *CASES))


def tried(
    right: Baseline,
    *mistakes: Mistake,
    kills: int = 0,
    killers: Mapping[str, Sequence[str]] = MappingProxyType({}),
    seek_idle: bool = False,
) -> dict[str, Trial]:
    done = trials(mistakes, right, 1, Limits(60.0, kills), killers, seek_idle=seek_idle)
    return {each.mistake.id: each for each in done}


def test_a_parse_is_remembered_when_the_caches_are_cleared() -> None:
    remember_parsing()
    first = vars(prepare)["parse_statement"]("SELECT 1")
    clear_caches()
    assert vars(prepare)["parse_statement"]("SELECT 1") is first


@pytest.fixture(scope="module")
def found(right: Baseline) -> Mapping[str, Trial]:
    """Some mistakes, tried by all cases that reach them."""
    return tried(right, MUTE, MINUS, SAME, ROWLESS, STALE)


def test_a_wrong_backend_is_killed_by_the_cases_that_tell_it(found: Mapping[str, Trial]) -> None:
    assert found["minus"].kills == (Kill("adds", ("final", "bounded", "exact")),)
    assert found["mute"].kills == (Kill("counts", ("exact",)),)
    assert found["same"].kills == ()


def test_a_trial_that_lasts_too_long_on_a_busy_machine_is_not_a_fault(
    right: Baseline, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("rowtime.score.trials._PATIENCE", 0)
    trial = tried(right, HANGS)["hangs"]
    assert (trial.fault, trial.kills) == ("", ())


def test_a_wrong_backend_is_tried_until_so_many_cases_have_killed_it(
    right: Baseline, found: Mapping[str, Trial]
) -> None:
    every = killed_at(found["rowless"], "exact")
    assert sorted(every) == ["adds", "counts", "passes"]
    assert killed_at(tried(right, ROWLESS, kills=2)["rowless"], "exact") == every[:2]


def test_a_mistake_of_timing_is_tried_until_so_many_transcripts_have_killed_it(
    right: Baseline, found: Mapping[str, Trial]
) -> None:
    only_counts = replace(right, transcripts=frozenset({right.cases[-1].id}))
    every = killed_at(found["rowless"], "exact")
    assert killed_at(tried(only_counts, ROWLESS, kills=1)["rowless"], "exact") == every


def test_what_killed_it_the_last_time_is_tried_first(right: Baseline) -> None:
    last = right.cases[-1].id
    (again,) = tried(right, ROWLESS, kills=1, killers={"rowless": [last]}).values()
    assert killed_at(again, "exact") == [last]


def test_cases_that_have_killed_nothing_are_tried_beyond_the_kills(right: Baseline) -> None:
    assert len(tried(right, ROWLESS, kills=1, seek_idle=True)["rowless"].kills) == 3
    second = tried(right, MINUS, ROWLESS, kills=1, seek_idle=True)["rowless"]
    assert {each.case for each in second.kills} | {"adds"} == {"adds", "counts", "passes"}


def test_killers_are_remembered_of_what_was_tried_and_else_kept() -> None:
    two = (Kill("adds", ("final", "bounded", "exact")), Kill("counts", ("exact",)))
    known = {"mute": ["passes"], "minus": ["passes"], "gone": ["passes"]}
    passed = frozenset({"passes"})
    tried = [Trial(LATE, two, 0.1), Trial(MINUS, (), 0.1, passed=passed)]
    text = updated_text(known, tried, frozenset({"counts"}), ["late", "minus", "mute"])
    assert json.loads(text) == {"late": ["counts", "adds"], "mute": ["passes"]}


def test_killers_of_mutants_that_were_not_drawn_are_kept() -> None:
    """`--mutants 0` draws none, and tells nothing of them."""
    known = {"late": ["counts"], "m:f: a  becomes  b": ["adds"], "gone": ["passes"]}
    text = updated_text(known, [], frozenset(), ["late"], has_all_mutants=False)
    assert list(json.loads(text)) == ["late", "m:f: a  becomes  b"]
    assert list(json.loads(updated_text(known, [], frozenset(), ["late"]))) == ["late"]


def test_this_process_stays_right(right: Baseline) -> None:
    tried(right, MINUS)
    assert tried(right, SAME)["same"].kills == ()


def test_only_cases_that_reach_the_function_are_run(right: Baseline) -> None:
    assert [case.id for case, _ in right.reaching(MINUS.change)] == ["adds"]
    assert [case.id for case, _ in right.reaching(LATE.change)] == ["counts"]


def test_the_first_case_of_each_file_comes_before_the_second_of_any(right: Baseline) -> None:
    passes, adds, counts = right.cases
    elsewhere = replace(counts, place=replace(counts.place, file="other.yaml"))
    assert [case.id for case in in_turn([passes, adds, elsewhere])] == ["passes", "counts", "adds"]


def test_a_case_without_an_end_fails_the_backend(right: Baseline) -> None:
    assert killed_at(tried(right, HANGS)["hangs"], "final") == ["adds"]


def test_a_mistake_that_cannot_be_made_is_a_fault(found: Mapping[str, Trial]) -> None:
    assert "0 times, not once" in found["stale"].fault


def test_the_tally_counts_what_is_killed_and_names_what_is_not() -> None:
    kill = Kill("counts", ("exact",))
    two = (kill, Kill("adds", ("final", "exact")))
    done = [Trial(LATE, (kill,), 0.1), Trial(MINUS, two, 0.1), Trial(SAME, (), 0.1)]
    known = {"same": Survivor("a sum is symmetric", equivalent=True)}
    found = tally(done, known, ["adds", "counts", "passes"], frozenset({"counts"}))
    assert found.whole.killed == {"final": 1, "bounded": 0, "exact": 2}
    assert [each.mistake.id for each in found.once] == ["late"]
    assert [each.mistake.id for each in found.equivalents] == ["same"]
    assert list(found.idle) == ["passes"]
    assert found.by_transcripts == 100.0
    assert found.as_known
    unknown = tally(done, {}, ["adds"], frozenset())
    assert [each.mistake.id for each in unknown.new] == ["same"]
    assert not unknown.as_known
    assert any("same: wrong" in line for line in lines(unknown, [], 3, 1.0))


def test_an_equivalent_that_is_killed_was_none() -> None:
    done = [Trial(MINUS, (Kill("adds", ("exact",)),), 0.1)]
    known = {"minus": Survivor("said to be the same", equivalent=True)}
    assert not tally(done, known, ["adds"], frozenset()).as_known


def test_a_missed_mistake_may_be_killed_by_a_new_case() -> None:
    done = [Trial(MINUS, (Kill("adds", ("exact",)),), 0.1)]
    known = {"minus": Survivor("no case adds", equivalent=False)}
    assert tally(done, known, ["adds"], frozenset()).as_known
