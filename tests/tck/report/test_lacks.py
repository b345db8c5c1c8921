"""The features that a backend lacks follow from its answers, and so does which to add next."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from tck.cli import app
from tck.judging.verdict import PASSED, Kind, Verdict, failed, skipped, unsupported
from tck.protocol import Unsupported
from tck.report.gaps.lacks import JudgedCase, Lack, Unexplained, lacking
from tck.report.gaps.next_gaps import NextGap, next_gaps
from tck.report.record import read_record
from tests.tck.corpora import write_cases

NO_HOP = unsupported(Unsupported("no HOP"))


def asked(verdict: Verdict, *needs: str, chapter: str = "a") -> JudgedCase:
    return JudgedCase(chapter, needs, verdict)


def test_a_capability_that_some_accepted_query_needs_is_not_lacking() -> None:
    found = lacking([asked(NO_HOP, "streaming", "hop"), asked(PASSED, "streaming")], {})
    assert found.gaps == {"hop": "no HOP"}
    assert found.lacks == (Lack("a", frozenset({"hop"})),)
    assert not found.unexplained


@pytest.mark.parametrize("verdict", [failed(Kind.REFUSED, "no"), skipped("bounds: none")])
def test_a_refused_or_skipped_query_shows_no_capability(verdict: Verdict) -> None:
    found = lacking([asked(NO_HOP, "hop"), asked(verdict, "hop")], {})
    assert found.gaps == {"hop": "no HOP"}


def test_a_wrong_answer_shows_a_capability() -> None:
    wrong = asked(failed(Kind.WRONG_ROWS, "1 row missing"), "streaming")
    assert list(lacking([asked(NO_HOP, "streaming", "hop"), wrong], {}).gaps) == ["hop"]


def test_of_several_possible_gaps_a_certain_one_explains_the_others() -> None:
    cases = [asked(NO_HOP, "hop", "uneven-hop"), asked(NO_HOP, "hop")]
    assert list(lacking(cases, {}).gaps) == ["hop"]


def test_of_several_possible_gaps_the_one_that_the_reason_names_is_taken() -> None:
    cases = [
        asked(NO_HOP, "hop", "rank"),
        asked(NO_HOP, "hop", "ntile"),
        asked(unsupported(Unsupported("no MERGE")), "merge", "dml"),
    ]
    assert lacking(cases, {}).gaps == {"hop": "no HOP", "merge": "no MERGE"}


def test_a_capability_that_only_some_cases_of_a_reason_need_is_not_a_gap() -> None:
    cases = [
        asked(NO_HOP, "hop", "aligned-windows"),
        asked(NO_HOP, "hop", "aligned-windows"),
        asked(NO_HOP, "hop", "rank"),
        asked(unsupported(Unsupported("no RANK")), "rank"),
    ]
    found = lacking(cases, {})
    assert found.gaps == {"hop": "no HOP", "rank": "no RANK"}
    assert found.lacks[2] == Lack("a", frozenset({"hop", "rank"}))


def test_cases_of_one_reason_may_have_several_gaps() -> None:
    parse = unsupported(Unsupported("does not parse"))
    found = lacking([asked(parse, "rank"), asked(parse, "ntile")] * 2, {})
    assert found.gaps == {"ntile": "does not parse", "rank": "does not parse"}


def test_of_equal_gaps_the_one_that_a_reason_names_is_taken() -> None:
    answer = unsupported(Unsupported("no GROUPING SETS, and no CUBE"))
    assert list(lacking([asked(answer, "aggregates", "grouping-sets")], {}).gaps) == [
        "grouping-sets"
    ]


def test_an_answer_may_name_its_gaps() -> None:
    named = unsupported(Unsupported("no windows", ("hop", "tumble")))
    found = lacking([asked(named, "hop", "rank", "tumble")], {})
    assert found.gaps == {"hop": "no windows", "tumble": "no windows"}


def test_an_event_that_is_not_implemented_shows_only_gaps_of_events() -> None:
    answer = Unsupported("no watermarks from outside")
    cases = [
        asked(unsupported(answer, ("bounds", "producers")), "hop", "bounds", "producers"),
        asked(unsupported(answer, ("bounds",)), "bounds", "rank"),
    ]
    assert lacking(cases, {}).gaps == {"bounds": "no watermarks from outside"}


def test_an_event_that_is_implemented_elsewhere_shows_no_gap() -> None:
    strict = unsupported(Unsupported("no strict bounds"), ("bounds",))
    found = lacking([asked(strict, "tumble", "bounds"), asked(PASSED, "bounds")], {})
    assert found.gaps == {}
    assert found.unexplained == (Unexplained("no strict bounds", 1, 1, ""),)


def test_an_answer_that_no_capability_explains_stands_for_itself() -> None:
    found = lacking([asked(NO_HOP, "streaming"), asked(PASSED, "streaming")], {})
    assert found.gaps == {}
    assert found.unexplained == (Unexplained("no HOP", 1, 1, ""),)
    assert found.lacks == (Lack("a", frozenset({"no HOP"})),)


def test_declared_gaps_come_first_and_keep_their_reasons() -> None:
    cases = [asked(skipped("bounds: theirs"), "bounds", "hop"), asked(NO_HOP, "hop")]
    found = lacking(cases, {"bounds": "theirs"})
    assert list(found.gaps.items()) == [("bounds", "theirs"), ("hop", "no HOP")]
    assert set(found.lacks) == {
        Lack("a", frozenset({"bounds", "hop"})),
        Lack("a", frozenset({"hop"})),
    }


def test_a_case_that_is_skipped_for_its_tier_lacks_nothing() -> None:
    assert lacking([asked(skipped("tier: its claims"), "bounds")], {"bounds": "no"}).lacks == ()


def test_a_query_that_is_wrongly_accepted_shows_no_refusals() -> None:
    cases = [
        *[asked(unsupported(Unsupported("it rejects")), "refusals", "hop")] * 2,
        asked(failed(Kind.ACCEPTED, "accepted, but must be refused"), "refusals", "hop"),
    ]
    assert lacking(cases, {}).gaps == {"refusals": "it rejects"}


WRONG = failed(Kind.WRONG_METADATA, "X is INCREASING, the backend says nothing")


def reporting(verdict: Verdict, **reported: bool) -> JudgedCase:
    named = {name.replace("_", "-"): there for name, there in reported.items()}
    return JudgedCase("a", tuple(named), verdict, named)


def test_a_property_of_which_no_answer_says_anything_is_a_gap() -> None:
    cases = [reporting(WRONG, monotonicity=False), reporting(WRONG, monotonicity=False)]
    found = lacking(cases, {})
    assert found.gaps == {"monotonicity": "reports the monotonicity of no column"}
    assert found.silent == ("monotonicity",)
    assert not found.unexplained


def test_a_property_of_which_one_answer_says_something_is_no_gap() -> None:
    cases = [reporting(WRONG, monotonicity=False), reporting(WRONG, monotonicity=True)]
    assert lacking(cases, {}).gaps == {}


def test_the_parts_of_the_metadata_are_gaps_if_the_whole_is_not() -> None:
    state = reporting(WRONG, metadata=True, metadata_collation=True, metadata_state=False)
    assert list(lacking([state], {}).gaps) == ["metadata-state"]
    nothing = reporting(WRONG, metadata=False, metadata_collation=False, metadata_state=False)
    assert list(lacking([nothing], {}).gaps) == ["metadata"]


def test_a_declared_gap_keeps_its_reason_when_no_answer_is_given() -> None:
    found = lacking([reporting(WRONG, not_null=False)], {"not-null": "theirs"})
    assert found.gaps == {"not-null": "theirs"}
    assert found.silent == ()


def lack(chapter: str, *gaps: str) -> Lack:
    return Lack(chapter, frozenset(gaps))


def test_the_next_gap_unlocks_the_most_cases_after_those_before_it() -> None:
    lacks = [
        *[lack("w", "hop")] * 3,
        *[lack("j", "joins", "hop")] * 4,
        *[lack("s", "rank")] * 2,
        lack("j", "joins", "rank", "merge"),
    ]
    assert next_gaps(lacks) == (
        NextGap("hop", {"w": 3}),
        NextGap("joins", {"j": 4}),
        NextGap("rank", {"s": 2}),
        NextGap("merge", {"j": 1}),
    )
    assert [each.gap for each in next_gaps(lacks, most=2)] == ["hop", "joins"]
    assert next_gaps([]) == ()


def test_where_no_gap_unlocks_a_case_alone_a_pair_is_begun() -> None:
    lacks = [lack("a", "x", "y"), lack("b", "x", "z"), lack("c", "u", "v", "w")]
    found = next_gaps(lacks)
    assert [(each.gap, each.cases) for each in found[:3]] == [("x", 0), ("y", 1), ("z", 1)]


GOOD = """
id: good
cites: [CAL-010]
sql: SELECT STREAM * FROM Orders
rows: [['10:00', 10, 4], ['10:00', 20, 1], ['10:05', 10, 7]]
"""
FILTER = """
id: filter
cites: [CAL-010]
needs: [hop]
sql: SELECT STREAM * FROM Orders WHERE units > 5
rows: [['10:05', 10, 7]]
"""


def test_the_command_writes_the_gaps_and_prints_the_next(tmp_path: Path) -> None:
    write_cases(tmp_path / "cases", GOOD, FILTER.replace("needs: [hop]\n", "needs: [where]\n"))
    gaps, lines = tmp_path / "gaps.json", tmp_path / "r.jsonl"
    run = ["run", "--in-process", "-b", "tests.tck.toy:Lacks", "-c", str(tmp_path / "cases")]
    result = CliRunner().invoke(app, [*run, "--write-gaps", str(gaps), "--jsonl", str(lines)])
    assert result.exit_code == 0, result.output
    assert json.loads(gaps.read_text()) == {"hop": "the toy has no windows", "where": "no WHERE"}
    assert "1. where: unlocks 1 case: chapter 1" in result.output
    assert "MISSING tests.tck.toy:Lacks: no WHERE: filter" in result.output
    assert "1 passed, 1 missing" in result.output
    assert [each.verdict.missing for each in read_record(lines).entries] == [False, True]


BOUNDED = """
id: bounded
cites: [CAL-010]
sql: SELECT STREAM * FROM Orders
steps: [{bound: {Orders: '09:00'}}, {now: '10:00'}, {end: true}]
rows: []
"""


def test_the_gap_of_an_event_is_written_and_read_from_the_file_of_the_run(tmp_path: Path) -> None:
    write_cases(tmp_path / "cases", GOOD, BOUNDED)
    gaps, lines = tmp_path / "gaps.json", tmp_path / "r.jsonl"
    run = ["run", "--in-process", "-b", "tests.tck.toy:LacksBounds", "-c", str(tmp_path / "cases")]
    result = CliRunner().invoke(app, [*run, "--write-gaps", str(gaps), "--jsonl", str(lines)])
    assert result.exit_code == 0, result.output
    written = {"hop": "the toy has no windows", "bounds": "watermarks come from rows"}
    assert json.loads(gaps.read_text()) == written
    assert "1 passed, 1 missing" in result.output
    _, entry = read_record(lines).entries
    assert (entry.verdict.missing, entry.verdict.needs) == (True, ("bounds",))


PROPERTIES = """
id: properties
cites: [CAL-034]
sql: SELECT STREAM * FROM Orders
monotonicity: {rowtime: INCREASING}
metadata: {collation: ROWTIME}
schema: [ROWTIME TIMESTAMP(3) NOT NULL, PRODUCTID INTEGER NOT NULL, UNITS INTEGER]
"""


def test_a_backend_that_says_nothing_fails_no_case_with_the_gaps_that_are_written(
    tmp_path: Path,
) -> None:
    write_cases(tmp_path / "cases", GOOD, PROPERTIES)
    gaps, lines = tmp_path / "gaps.json", tmp_path / "r.jsonl"
    run = ["run", "--in-process", "-b", "tests.tck.toy:SaysNothing", "-c", str(tmp_path / "cases")]
    written = ["--write-gaps", str(gaps), "--jsonl", str(lines)]
    result = CliRunner().invoke(app, [*run, *written, "--quiet"])
    assert result.exit_code == 1, result.output
    assert "toy:SaysNothing: no answer reports: monotonicity, metadata, schema;" in result.output
    assert ": 1 of 1 failures are in cases that need them" in result.output
    written = json.loads(gaps.read_text())
    assert list(written) == ["hop", "monotonicity", "metadata", "schema"]
    _, entry = read_record(lines).entries
    assert entry.reported == {
        "monotonicity": False,
        "metadata": False,
        "metadata-collation": False,
        "schema": False,
    }
    declared = [option for gap in written for option in ("--gap", gap)]
    result = CliRunner().invoke(app, [*run, *declared])
    assert result.exit_code == 0, result.output
    assert "1 passed, 1 skipped" in result.output


def test_a_declared_gap_is_disproved_when_it_is_asked_for(tmp_path: Path) -> None:
    write_cases(tmp_path / "cases", GOOD.replace("sql:", "needs: [hop]\nsql:"), FILTER)
    gaps = tmp_path / "gaps.json"
    run = ["run", "--in-process", "-b", "tests.tck.toy:Faithful", "-c", str(tmp_path / "cases")]
    result = CliRunner().invoke(app, [*run, "--write-gaps", str(gaps)])
    assert "2 skipped" in result.output
    assert json.loads(gaps.read_text()) == {"hop": "the toy has no windows"}
    result = CliRunner().invoke(app, [*run, "--ask-gaps", "--write-gaps", str(gaps)])
    assert result.exit_code == 0, result.output
    assert "2 passed" in result.output
    assert json.loads(gaps.read_text()) == {}
    result = CliRunner().invoke(app, [*run, "--ask-gaps", "--gap", "hop"])
    assert "2 skipped" in result.output


def test_a_gap_by_which_cases_are_judged_less_strictly_stays_declared(tmp_path: Path) -> None:
    write_cases(tmp_path / "cases", GOOD)
    gaps = tmp_path / "gaps.json"
    run = ["run", "--in-process", "-b", "tests.tck.toy:Unordered", "-c", str(tmp_path / "cases")]
    result = CliRunner().invoke(app, [*run, "--ask-gaps", "--write-gaps", str(gaps)])
    assert result.exit_code == 0, result.output
    assert json.loads(gaps.read_text()) == {"ordered-output": "rows come as they finish"}


def test_the_gaps_of_several_backends_are_not_written(tmp_path: Path) -> None:
    run = ["run", "-b", "reference", "-b", "spark", "--only", "values/*"]
    result = CliRunner().invoke(app, [*run, "--write-gaps", str(tmp_path / "g")])
    assert result.exit_code == 2
    assert "--write-gaps: give one --backend" in result.output
