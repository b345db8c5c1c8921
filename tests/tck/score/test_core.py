"""The core: a greedy cover of its goals, the goals themselves, and the list that is committed."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from typer import Typer
from typer.testing import CliRunner

from rowtime.score.change import Change
from rowtime.score.core import command
from rowtime.score.core.command import chosen_core, core_text, without_killers
from rowtime.score.core.costs import costs
from rowtime.score.core.cover import Goal, cover
from rowtime.score.core.goals import goals
from rowtime.score.killers import known_killers
from rowtime.score.mistake import Mistake, by_hand
from rowtime.score.plans import Plans
from tck.corpus.case import Case
from tck.corpus.load import kit_corpus
from tck.corpus.selected.core import core_ids, kit_core
from tck.corpus.selected.selection import expectation_kind
from tests.examples import NIGHTLY
from tests.tck.corpora import load_cases

CLOCK = Mistake("slow", "bounds", "wrong", Change("m", "f", "a", "b"), "by hand", timing=True)


def goal(name: str, cases: str, count: int = 1) -> Goal:
    """A goal whose cases have names of one letter."""
    return Goal(name, frozenset(cases), count)


def test_the_case_that_brings_most_goals_nearer_is_chosen_first() -> None:
    asked = [goal("A", "ab"), goal("B", "bc"), goal("C", "c"), goal("D", "de", 2), goal("E", "")]
    assert cover(asked) == {"b": ["A", "B"], "c": ["C"], "d": ["D"], "e": ["D"]}


def test_of_equal_cases_the_first_by_id_is_chosen() -> None:
    assert cover([goal("A", "zyx")]) == {"x": ["A"]}


def test_of_cases_that_serve_the_same_goals_the_cheap_one_is_chosen() -> None:
    assert cover([goal("A", "ab"), goal("B", "ab")], {"a": 3, "b": 2}) == {"b": ["A", "B"]}


def test_two_cheap_cases_are_chosen_before_a_dear_one_that_serves_as_many_goals() -> None:
    asked = [goal("A", "am"), goal("B", "bm")]
    assert list(cover(asked, {"m": 2})) == ["a", "b"]
    assert list(cover(asked, {"m": 1})) == ["m"]


def test_of_cases_that_become_needless_the_dearest_is_left_out() -> None:
    """`q` and `p` are chosen first; in the end one of them is enough, and `p` is the dearer one."""
    shared = [goal(each, "pq"[each in "def"] + each) for each in "abcdef"]
    own = [goal(f"only {each}", each) for each in "abcdef"]
    costs = {**dict.fromkeys("abcdefq", 10), "p": 11}
    assert list(cover([*shared, *own, goal("G", "pq")], costs)) == [*"abcdefq"]


def test_a_case_that_later_ones_make_needless_is_left_out() -> None:
    """`m` has four of six goals, and is chosen first; `l` and `r` have all of them."""
    left = [goal("1", "ml"), goal("2", "ml"), goal("5", "l")]
    right = [goal("3", "mr"), goal("4", "mr"), goal("6", "r")]
    assert cover([*left, *right]) == {"l": ["1", "2", "5"], "r": ["3", "4", "6"]}


def test_a_goal_takes_the_cases_that_there_are() -> None:
    assert list(cover([goal("A", "ab", 3), goal("B", "bcd", 2)])) == ["a", "b", "c"]


def test_the_order_of_the_goals_changes_no_id() -> None:
    asked = [goal("A", "abc", 2), goal("B", "cd"), goal("C", "ade"), goal("D", "ef", 2)]
    assert list(cover(asked)) == list(cover(asked[::-1]))


#: A join of tables, a transcript of a tumbling window, a refusal, and a query of profile sqlstream.
CASES = (
    """
    id: joins
    cites: [S-1, S-1.a, CAL-010]
    sql: SELECT a.n FROM (VALUES (1)) AS a (n) LEFT JOIN (VALUES (2)) AS b (n) ON a.n = b.n
    rows: [[1]]
    """,
    """
    id: hours
    cites: [S-2.b]
    sql: |
      SELECT STREAM TUMBLE_END(rowtime, INTERVAL '1' HOUR) AS rowtime, COUNT(*) AS c
      FROM Orders GROUP BY TUMBLE(rowtime, INTERVAL '1' HOUR)
    schema: [rowtime TIMESTAMP(3) NOT NULL, c BIGINT NOT NULL]
    steps:
    - feed: all
    - bound: {Orders: '12:00'}
      emit: [['11:00', 3]]
      clock: '12:00'
    - end: true
    """,
    """
    id: refused
    cites: [S-2.b]
    sql: SELECT STREAM COUNT(*) FROM Orders
    error: {code: NO_MONOTONIC_KEY, at: COUNT(*)}
    """,
    """
    id: whole
    cites: [S-1.a]
    profile: sqlstream
    sql: SELECT STREAM units FROM Orders
    rows: [[4], [1], [7]]
    """,
)


def asked_of(folder: Path, killers: dict[str, Sequence[str]]) -> dict[str, tuple[str, int]]:
    """The goals of `CASES`: each with its cases and their number, by its name."""
    cases = load_cases(folder / "cases", *CASES)
    found = goals(cases, killers, [CLOCK], Plans())
    return {each.name: (" ".join(sorted(each.cases)), each.count) for each in found}


def test_the_goals_are_clauses_nodes_by_profile_and_operations_by_tier(tmp_path: Path) -> None:
    asked = asked_of(tmp_path, {})
    assert {name: cases for name, (cases, _) in asked.items() if name.startswith("S-")} == {
        "S-1": "joins",
        "S-1.a": "joins whole",
        "S-2.b": "hours refused",
    }
    assert asked["Project in profile calcite"] == ("hours joins", 1)
    assert asked["Project in profile sqlstream"] == ("whole", 1)
    assert {name: cases for name, (cases, _) in asked.items() if "judged at" in name} == {
        "LEFT JOIN of tables, judged at final": "joins",
        "TUMBLE, judged at final": "hours",
        "TUMBLE, judged at bounded": "hours",
    }


def test_a_mistake_is_to_be_killed_once_and_one_of_timing_by_two_transcripts(
    tmp_path: Path,
) -> None:
    """`gone` is an id that no case has."""
    killers = {"wrong": ["joins", "whole", "gone"], "slow": ["joins", "hours"]}
    cases = load_cases(tmp_path / "cases", *CASES)
    asked = goals(cases, killers, [CLOCK], Plans())
    found = [each for each in asked if each.name.startswith("mistake")]
    assert [(each.name, sorted(each.cases), each.count) for each in found] == [
        ("mistake slow", ["hours"], 2),
        ("mistake wrong", ["joins", "whole"], 1),
    ]


def test_a_mistake_of_timing_that_no_transcript_kills_is_killed_by_another_case(
    tmp_path: Path,
) -> None:
    cases = load_cases(tmp_path / "cases", *CASES)
    asked = goals(cases, {"slow": ["joins", "whole"]}, [CLOCK], Plans())
    (found,) = (each for each in asked if each.name.startswith("mistake"))
    assert (sorted(found.cases), found.count) == (["joins", "whole"], 1)


def test_a_case_costs_what_spark_evaluates_for_it(tmp_path: Path) -> None:
    """Tables once; a stream as a whole, and at each of three steps; a refused query, never."""
    cases = load_cases(tmp_path / "cases", *CASES)
    assert costs(cases, Plans()) == {"joins": 2, "hours": 5, "refused": 1, "whole": 3}


def test_all_regressions_are_goals(tmp_path: Path) -> None:
    cases = [replace(each, chapter="regressions") for each in load_cases(tmp_path / "c", *CASES)]
    (chapter,) = (each for each in goals(cases, {}, [], Plans()) if each.name.startswith("chapter"))
    assert (set(chapter.cases), chapter.count) == ({each.id for each in cases}, len(CASES))


def test_a_mistake_without_a_known_killer_is_named() -> None:
    assert without_killers(by_hand()) == []
    assert without_killers([*by_hand(), CLOCK]) == ["slow"]


def test_killers_are_listed_of_mistakes_by_hand_and_of_mutants_alone() -> None:
    by_name = {each.id for each in by_hand()}
    assert [each for each in known_killers() if each not in by_name and ": " not in each] == []


# --- the list that is committed ------------------------------------------------------------------


def test_every_mistake_is_killed_by_a_case_of_the_core() -> None:
    """By what is known of them.  Of timing by two transcripts, or by one where one is known."""
    ids, timing = core_ids(kit_core()), {each.id for each in by_hand() if each.timing}
    transcripts = {each.id for each in kit_corpus().cases if expectation_kind(each) == "timing"}
    short: list[str] = []
    for mistake, killers in known_killers().items():
        known, count = set(killers), 1
        if mistake in timing and known & transcripts:
            known, count = known & transcripts, 2
        if len(known & ids) < min(count, len(known)):
            short.append(mistake)
    assert short == []


def test_the_core_cites_every_clause_that_the_corpus_cites() -> None:
    ids, cases = core_ids(kit_core()), kit_corpus().cases
    everywhere = {rule for case in cases for rule in case.cites if rule.startswith("S-")}
    in_core = {rule for case in cases if case.id in ids for rule in case.cites}
    assert everywhere - in_core == set()


def test_the_core_has_all_regressions_and_a_case_of_each_chapter() -> None:
    ids = core_ids(kit_core())
    there = [each for each in kit_corpus().cases if each.id in ids]
    assert {each.chapter for each in there} == {each.chapter for each in kit_corpus().cases}
    regressions = {each.id for each in kit_corpus().cases if each.chapter == "regressions"}
    assert regressions <= ids


@pytest.mark.skipif(not NIGHTLY, reason=".ci/run calls `rowtime tck core`, which checks the list")
def test_the_core_is_the_one_that_is_chosen_from_what_is_known() -> None:
    """It has a case for each goal, and `rowtime tck core --write` has been run since.

    Plans are prepared and goals covered, and nothing is run: that takes a quarter of a minute.
    """
    cases, ids = kit_corpus().cases, core_ids(kit_core())
    plans = Plans()
    asked = goals(cases, known_killers(), by_hand(), plans)
    assert [e.name for e in asked if len(e.cases & ids) < min(e.count, len(e.cases))] == []
    assert core_text(cover(asked, costs(cases, plans))) == kit_core().read_text("utf-8")
    assert len(ids) < len(cases) / 12


def test_the_command_says_how_the_list_differs_and_writes_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "core.yaml"
    monkeypatch.setattr(command, "kit_core", lambda: file)

    def choose(_cases: Sequence[Case]) -> dict[str, list[str]]:
        return {"a": ["S-1.a"], "c": ["S-3"]}

    monkeypatch.setattr(command, "chosen_core", choose)
    run, app = CliRunner(), Typer()
    app.command()(command.core)
    file.write_text(core_text({"a": ["S-1.a"], "b": ["S-4"]}))
    stale = run.invoke(app)
    assert stale.exit_code == 1
    assert "-  b:" in stale.output
    assert "+  c:" in stale.output
    assert run.invoke(app, ["--write"]).exit_code == 0
    assert core_ids(file) == {"a", "c"}
    fresh = run.invoke(app)
    assert (fresh.exit_code, fresh.output) == (0, "")


def test_chosen_core_is_a_cover_of_the_cases(tmp_path: Path) -> None:
    assert list(chosen_core(load_cases(tmp_path / "cases", *CASES))) == ["hours", "joins", "whole"]
