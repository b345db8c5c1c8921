"""The command line: exit codes, files, and one line for every mistake of its user."""

import json
import os
import re
from pathlib import Path
from xml.etree import ElementTree

import pytest
from typer.testing import CliRunner, Result

from reference.backend import ReferenceBackend
from tck.backends import RunningBackend, start_backend
from tck.cli import app
from tck.judging.known_failures import read_known
from tck.judging.verdict import KnownFailure
from tck.protocol import Open
from tck.report.record import read_record
from tests.tck import toy
from tests.tck.corpora import write_cases
from tests.tck.judging.test_tiers import BARE

GOOD = """
id: good
cites: [CAL-010]
sql: SELECT STREAM * FROM Orders
rows: [['10:00', 10, 4], ['10:00', 20, 1], ['10:05', 10, 7]]
"""
REFUSED = """
id: refused
cites: [CAL-040]
sql: SELECT STREAM productId FROM Orders GROUP BY productId
error: {code: NO_MONOTONIC_KEY, at: GROUP BY productId}
"""
LEDGER = "entries: [{id: CAL-010, source: Calcite, says: all rows come, check: [POS]}]"


@pytest.fixture
def cases(tmp_path: Path) -> Path:
    return write_cases(tmp_path / "cases", GOOD, REFUSED)


def tck(*arguments: object) -> Result:
    result = CliRunner().invoke(app, [str(argument) for argument in arguments])
    assert result.exception is None or isinstance(result.exception, SystemExit)
    assert "Traceback" not in result.output
    return result


def backend(name: str) -> str:
    return f"tests.tck.toy:{name}"


@pytest.mark.parametrize(
    ("name", "code"),
    [("Faithful", 0), ("Drops", 1), ("Crashes", 1), ("Unstartable", 3), ("LacksAll", 5)],
)
def test_the_exit_code_of_a_run(name: str, code: int, cases: Path) -> None:
    assert tck("run", "--backend", backend(name), "--cases", cases).exit_code == code


def test_several_backends_are_judged_side_by_side(cases: Path) -> None:
    result = tck("run", "-b", backend("Faithful"), "-b", backend("Drops"), "-c", cases)
    assert result.exit_code == 1
    assert "tests.tck.toy:Faithful: 2 passed" in result.output
    assert "tests.tck.toy:Drops: 1 failed, 1 passed" in result.output


def test_one_backend_that_does_not_start_leaves_the_others(cases: Path) -> None:
    result = tck("run", "-b", backend("Unstartable"), "-b", backend("Faithful"), "-c", cases)
    assert result.exit_code == 3
    assert "Unstartable was not run: " in result.output
    assert "tests.tck.toy:Faithful: 2 passed" in result.output


def test_what_the_process_of_a_backend_printed_before_it_ended_is_shown(cases: Path) -> None:
    result = tck("run", "-b", 'cmd:sh -c "echo boom >&2; exit 1"', "-c", cases)
    assert result.exit_code == 3
    assert "when it was to start\nstderr: boom" in result.output


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--backend", "nonsense"], "no backend is named nonsense"),
        (["--backend", "tests.tck.toy:Missing"], "tests.tck.toy has no class Missing"),
        (["--only", "goood"], "no case is named goood (did you mean good?)"),
        (["--profile", "sqlstream"], "none of these cases has the profile sqlstream"),
        (["--cases", "/nowhere"], "/nowhere:1: there is no such file or folder"),
        (["--known", "/nowhere"], "/nowhere:1: No such file or directory"),
        (["--junit", "/dev/null/x"], "/dev/null/x: cannot be written: "),
    ],
)
def test_a_wrong_call_is_one_line_and_exit_code_2(
    arguments: list[str], message: str, cases: Path
) -> None:
    given = ["run", "--backend", backend("Faithful"), "--cases", str(cases), "--quiet"]
    result = tck(*given, *arguments)
    assert result.exit_code == 2
    assert message in result.stderr
    assert len(result.stderr.splitlines()) == 1


@pytest.mark.parametrize("arguments", [["--tier", "sooner"], ["--profile", "x"], ["--frobnicate"]])
def test_a_wrong_option_is_exit_code_2(arguments: list[str], cases: Path) -> None:
    assert tck("run", "--cases", cases, *arguments).exit_code == 2


def test_an_invalid_file_is_named_with_its_line(cases: Path) -> None:
    file = cases / "chapter" / "subject.yaml"
    file.write_text(file.read_text() + "- {id: bad\n")
    for command in (["run", "-b", backend("Faithful")], ["list"], ["coverage"]):
        result = tck(*command, "--cases", cases)
        assert result.exit_code == 2
        assert result.stderr.startswith(f"{file}:")


def test_reports_are_written_to_files(cases: Path, tmp_path: Path) -> None:
    xml, lines = tmp_path / "new" / "r.xml", tmp_path / "r.jsonl"
    arguments = ["--junit", xml, "--jsonl", lines, "--only", "chapter/*"]
    assert tck("run", "-b", backend("Drops"), "-c", cases, *arguments).exit_code == 1
    assert ElementTree.parse(xml).getroot().attrib["failures"] == "1"
    record = read_record(lines)
    assert [entry.verdict.outcome for entry in record.entries] == ["fail", "pass"]
    assert (record.exit, record.cases) == (1, 2)
    assert sorted(os.listdir(tmp_path)) == ["cases", "new", "r.jsonl"]


LATE = """
id: late
cites: [CAL-012]
sql: SELECT STREAM * FROM Orders
steps:
- feed: {Orders: [['10:00', 1, 1], ['10:01', 1, 1]]}
  emit: [['10:00', 1, 1], ['10:01', 1, 1]]
- end: true
"""


@pytest.mark.parametrize(("tier", "code"), [("final", 0), ("bounded", 1), ("exact", 1), (None, 0)])
def test_the_requested_tier_is_judged_else_the_one_declared(
    tier: str | None, code: int, tmp_path: Path
) -> None:
    cases = write_cases(tmp_path / "cases", LATE)
    lines, xml = tmp_path / "r.jsonl", tmp_path / "r.xml"
    run = ["run", "-b", backend("AtEnd"), "-c", cases, "--jsonl", lines, "--junit", xml]
    assert tck(*run, *(["--tier", tier] if tier else [])).exit_code == code
    (entry,) = read_record(lines).entries
    assert (entry.bad, entry.tier) == (bool(code), tier or "final")
    assert {name: each.kind for name, each in entry.at.items()} == {
        "final": None,
        "bounded": "TOO_LATE",
        "exact": "TOO_LATE",
    }
    reported = {
        each.attrib["name"]: each.attrib["value"]
        for each in ElementTree.parse(xml).getroot().iter("property")
    }
    assert (reported["tier"], reported["judged at"]) == ("final", tier or "final")
    assert (reported["at final"], reported["at exact"]) == ("1 passed", "1 failed")


def test_the_tiers_are_side_by_side_with_the_judged_one_marked(tmp_path: Path) -> None:
    cases = write_cases(tmp_path / "cases", LATE)
    several = ["-b", backend("AtEnd"), "-b", backend("Faithful")]
    output = tck("run", *several, "-c", cases).output
    assert re.search(r"AtEnd +│ 1 / 0 / 0 / 0 \* │ 0 / 1 / 0 / 0 +│ 0 / 1 / 0 / 0 ", output)
    assert re.search(r"Faithful +│ 1 / 0 / 0 / 0 +│ 1 / 0 / 0 / 0 +│ 1 / 0 / 0 / 0 \*", output)


def test_a_failure_is_shown_with_the_reason_of_the_reference(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tck.reasons.installed", lambda: {"reference": backend("Hourly")})
    right = start_backend("tests.tck.toy_hours:Hourly")

    def start(name: str) -> RunningBackend:
        assert name == "reference"
        return right

    monkeypatch.setattr("tck.reasons.start_backend", start)
    cases = write_cases(tmp_path / "cases", BARE)
    lines, xml = tmp_path / "r.jsonl", tmp_path / "r.xml"
    files = ["--jsonl", lines, "--junit", xml]
    result = tck("run", "-b", "tests.tck.toy_hours:LateByOne", "-c", cases, *files)
    assert "why the reference has ('2015-02-15 11:00:00', 30, 3), at step 2" in result.output
    assert "released by the row 2015-02-15 11:02:00" in result.output
    assert "  window [10:00, 11:00)" in read_record(lines).entries[0].why
    assert "window [10:00, 11:00)" in xml.read_text()


def test_known_failures_go_full_circle(cases: Path, tmp_path: Path) -> None:
    known = tmp_path / "known.yaml"
    run = ["run", "-c", cases]
    assert tck(*run, "-b", backend("Drops"), "--write-known", known).exit_code == 0
    assert list(read_known(known)[backend("Drops")]) == ["good"]
    assert tck(*run, "-b", backend("Drops"), "--known", known).exit_code == 0
    known.write_text(known.read_text().replace("toy:Drops", "toy:Faithful"))
    stale = tck(*run, "-b", backend("Faithful"), "--known", known)
    assert stale.exit_code == 1
    assert "known to fail, but passes" in stale.output


def test_the_known_failures_of_an_engine_hold_by_its_name_and_others_are_named(
    cases: Path, tmp_path: Path
) -> None:
    known = tmp_path / "known.yaml"
    run = ["run", "--in-process", "-c", cases, "-b", backend("Drops"), "--known", known]
    known.write_text("toy: {good: it loses rows}\n")
    assert tck(*run).exit_code == 0
    known.write_text("tay: {good: it loses rows}\n")
    lost = tck(*run)
    assert lost.exit_code == 1
    line = f"known failures: none is listed for {backend('Drops')}, named toy, only for tay"
    assert line in lost.output.splitlines()


def test_a_backend_whose_failures_are_not_listed_is_named_once(tmp_path: Path) -> None:
    known = tmp_path / "known.yaml"
    known.write_text("tay: {good: it loses rows}\n")
    cases = write_cases(tmp_path / "cases", GOOD.replace("['10:00', 20, 1], ", ""))
    lost = tck("run", "-c", cases, "-b", "reference", "--known", known)
    assert lost.exit_code == 1
    line = "known failures: none is listed for reference, only for tay"
    assert line in lost.output.splitlines()


def test_a_known_failure_of_no_case_fails_the_run(cases: Path, tmp_path: Path) -> None:
    known = tmp_path / "known.yaml"
    known.write_text(f"'{backend('Faithful')}': {{gone: why}}\n")
    run = ["run", "-b", backend("Faithful"), "-c", cases, "--known", known]
    result = tck(*run)
    assert result.exit_code == 1
    assert "gone is known to fail, but there is no such case" in result.output
    assert tck(*run, "--only", "good").exit_code == 0


def test_a_line_that_is_not_chosen_is_a_case_all_the_same(tmp_path: Path) -> None:
    series = """
    id: s
    cites: [S-1]
    sql: SELECT $number AS n FROM Orders
    accepted: true
    series:
    - [id, number]
    - [one, 1]
    - [two, 2]
    """
    cases = write_cases(tmp_path / "cases", series)
    known = tmp_path / "known.yaml"
    known.write_text(f"'{backend('Faithful')}': {{s-one: why, s-two: why}}\n")
    run = ["run", "-b", backend("Faithful"), "-c", cases, "--known", known, "--lines", "1"]
    result = tck(*run)
    assert result.output.splitlines()[-1].endswith(": 1 known to fail")
    assert result.exit_code == 0


def test_an_interrupted_run_reports_what_it_has_and_writes_whole_files(
    cases: Path, tmp_path: Path
) -> None:
    toy.Interrupted.opened = 0
    xml, known, lines = tmp_path / "r.xml", tmp_path / "known.yaml", tmp_path / "r.jsonl"
    arguments = ["--in-process", "--junit", xml, "--write-known", known, "--jsonl", lines]
    result = tck("run", "-b", backend("Interrupted"), "-c", cases, *arguments)
    assert result.exit_code == 130
    assert "tests.tck.toy:Interrupted: 1 passed" in result.output
    assert "interrupted" in result.output
    listed = [each.attrib["name"] for each in ElementTree.parse(xml).iter("testcase")]
    assert listed == ["good", "run"]
    assert ElementTree.parse(xml).find(".//error[@type='INCOMPLETE']") is not None
    assert read_record(lines).exit is None
    assert not known.exists()


def test_an_interrupted_run_is_resumed_with_the_cases_that_are_missing(
    cases: Path, tmp_path: Path
) -> None:
    lines, xml = tmp_path / "r.jsonl", tmp_path / "r.xml"
    run = ["run", "--in-process", "-b", backend("Interrupted"), "-c", cases]
    toy.Interrupted.opened = 0
    assert tck(*run, "--jsonl", lines).exit_code == 130
    opened = toy.Interrupted.opened
    result = tck(*run, "--resume", lines, "--junit", xml)
    assert result.exit_code == 0
    assert "tests.tck.toy:Interrupted: 2 passed" in result.output
    assert toy.Interrupted.opened == opened + 1
    record = read_record(lines)
    assert [entry.case for entry in record.entries] == ["good", "refused"]
    assert record.exit == 0
    assert [each.attrib["name"] for each in ElementTree.parse(xml).iter("testcase")] == [
        "good",
        "refused",
    ]
    again = tck(*run, "--resume", lines)
    assert (again.exit_code, toy.Interrupted.opened) == (0, opened + 1)
    assert "tests.tck.toy:Interrupted: 2 passed" in again.output


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"-b": backend("Faithful")}, "its backends are tests.tck.toy:Drops"),
        ({"--only": "good"}, "it has 2 cases, this run has 1"),
        ({"--tier": "final"}, "it was judged at exact"),
        ({"--jsonl": "other.jsonl"}, "give one of --jsonl, --resume and --update"),
    ],
)
def test_another_run_is_not_resumed(
    change: dict[str, str], message: str, cases: Path, tmp_path: Path
) -> None:
    lines = tmp_path / "r.jsonl"
    options = {"-b": backend("Drops"), "-c": str(cases)}
    tck("run", *(each for pair in options.items() for each in pair), "--jsonl", lines)
    before = lines.read_text()
    changed = {**options, **change}
    result = tck("run", *(each for pair in changed.items() for each in pair), "--resume", lines)
    assert result.exit_code == 2
    assert message in result.stderr
    assert len(result.stderr.splitlines()) == 1
    assert lines.read_text() == before


def test_a_backend_of_another_version_does_not_resume_a_run(cases: Path, tmp_path: Path) -> None:
    lines = tmp_path / "r.jsonl"
    run = ["run", "-b", backend("Faithful"), "-c", cases]
    tck(*run, "--jsonl", lines)
    *first, _, _ = lines.read_text().splitlines(keepends=True)
    lines.write_text(
        "".join(first).replace('"version": "1.0", "language"', '"version": "0.9", "language"')
    )
    result = tck(*run, "--resume", lines)
    assert result.exit_code == 2
    assert "it was toy 0.9, now it is toy 1.0" in result.stderr


def test_an_updated_run_runs_what_is_new_changed_or_failed(tmp_path: Path) -> None:
    """A case that only says something else of itself is as it was; one that is gone goes."""
    lines, known = tmp_path / "r.jsonl", tmp_path / "known.yaml"
    run = ["run", "--in-process", "-b", backend("Counted"), "--known", known]
    known.write_text("{}")
    three = [GOOD, REFUSED, GOOD.replace("id: good", "id: goes")]
    tck(*run, "-c", write_cases(tmp_path / "before", *three), "--jsonl", lines)
    before = read_record(lines)
    toy.Counted.opened = 0
    renamed = GOOD + "why: said otherwise\n"
    changed = GOOD.replace("id: good", "id: goes").replace("['10:00', 20, 1], ", "")
    new = GOOD.replace("id: good", "id: new")
    after = write_cases(tmp_path / "after", renamed, REFUSED, changed, new)
    result = tck(*run, "-c", after, "--update", lines)
    assert "tests.tck.toy:Counted: 1 failed, 3 passed" in result.output
    assert (result.exit_code, toy.Counted.opened) == (1, 2)
    record = read_record(lines)
    assert [entry.case for entry in record.entries] == ["good", "refused", "goes", "new"]
    assert (record.cases, record.exit, record.date) == (4, 1, before.date)
    assert record.entries[:2] == before.entries[:2]
    known.write_text(f"'{backend('Counted')}': {{goes: why}}")
    result = tck(*run, "-c", after, "--update", lines)
    assert (result.exit_code, toy.Counted.opened) == (0, 2)
    assert read_record(lines).entries[2].known == KnownFailure("why")
    known.write_text("{}")
    assert tck(*run, "-c", after, "--update", lines).exit_code == 1
    assert toy.Counted.opened == 3


@pytest.mark.parametrize(
    ("gap", "asked_again"),
    [("refusals", 1), ("streaming", 2), ("ordered-output", 2), ("pumps", 0)],
)
def test_an_updated_run_asks_again_what_a_changed_gap_concerns(
    gap: str, asked_again: int, cases: Path, tmp_path: Path
) -> None:
    """A gap that is gone; `ordered-output`, which no case needs, takes from what all expect."""
    lines = tmp_path / "r.jsonl"
    run = ["run", "--in-process", "-b", backend("Counted"), "-c", cases]
    tck(*run, "--gap", gap, "--jsonl", lines)
    toy.Counted.opened = 0
    result = tck(*run, "--update", lines)
    assert (result.exit_code, toy.Counted.opened) == (0, asked_again)
    assert "tests.tck.toy:Counted: 2 passed" in result.output
    assert gap not in read_record(lines).hellos[backend("Counted")].gaps


def test_an_updated_run_skips_what_has_become_a_gap(cases: Path, tmp_path: Path) -> None:
    lines = tmp_path / "r.jsonl"
    run = ["run", "--in-process", "-b", backend("Counted"), "-c", cases]
    tck(*run, "--jsonl", lines)
    result = tck(*run, "--gap", "refusals", "--update", lines)
    assert "tests.tck.toy:Counted: 1 passed, 1 skipped" in result.output
    record = read_record(lines)
    assert [entry.verdict.reason for entry in record.entries] == [
        "",
        "refusals: given as a gap on the command line",
    ]
    assert "refusals" in record.hellos[backend("Counted")].gaps


def test_an_updated_run_asks_nothing_again_if_only_the_reason_of_a_gap_is_another(
    cases: Path, tmp_path: Path
) -> None:
    """The case that is skipped for the gap is skipped again, with the new reason."""
    lines = tmp_path / "r.jsonl"
    run = ["run", "--in-process", "-b", backend("Counted"), "-c", cases]
    tck(*run, "--gap", "refusals", "--gap", "ordered-output", "--jsonl", lines)
    now = "given as a gap on the command line"
    lines.write_text(lines.read_text().replace(now, "as it was said before"))
    toy.Counted.opened = 0
    result = tck(*run, "--gap", "refusals", "--gap", "ordered-output", "--update", lines)
    assert (result.exit_code, toy.Counted.opened) == (0, 0)
    assert {entry.verdict.reason for entry in read_record(lines).entries} == {
        "",
        f"refusals: {now}",
    }


def test_a_backend_of_another_version_does_not_update_a_run(cases: Path, tmp_path: Path) -> None:
    lines = tmp_path / "r.jsonl"
    run = ["run", "-b", backend("Faithful"), "-c", cases]
    tck(*run, "--jsonl", lines)
    before = lines.read_text().replace(
        '"version": "1.0", "language"', '"version": "0.9", "language"'
    )
    lines.write_text(before)
    result = tck(*run, "--update", lines)
    assert result.exit_code == 2
    assert "(it was toy 0.9, now it is toy 1.0): run it whole, with --jsonl" in result.stderr
    assert lines.read_text() == before


def test_a_run_stays_whose_backend_cannot_be_started_to_be_updated(
    cases: Path, tmp_path: Path
) -> None:
    lines = tmp_path / "r.jsonl"
    tck("run", "-b", backend("Faithful"), "-c", cases, "--jsonl", lines)
    before = lines.read_text().replace("Faithful", "Unstartable")
    lines.write_text(before)
    result = tck("run", "-b", backend("Unstartable"), "-c", cases, "--update", lines)
    assert result.exit_code == 3
    assert "tests.tck.toy:Unstartable was not run: " in result.stderr
    assert lines.read_text() == before


def test_another_run_is_not_updated(cases: Path, tmp_path: Path) -> None:
    lines = tmp_path / "r.jsonl"
    tck("run", "-b", backend("Drops"), "-c", cases, "--jsonl", lines)
    before = lines.read_text()
    result = tck("run", "-b", backend("Faithful"), "-c", cases, "--update", lines)
    assert result.exit_code == 2
    assert "its backends are tests.tck.toy:Drops" in result.stderr
    assert lines.read_text() == before


def test_list_shows_the_cases(cases: Path) -> None:
    assert tck("list", "-c", cases, "-k", "ref*").output.startswith("chapter/refused  CAL-040  ")
    (good, _) = json.loads(tck("list", "-c", cases, "--json").output)
    assert good["id"] == "good"
    assert good["cites"] == ["CAL-010"]
    assert good["line"] == 4


def test_coverage_counts_and_names_what_is_open(cases: Path, tmp_path: Path) -> None:
    (tmp_path / "ledger").mkdir()
    open_entry = ", {id: E-01, source: Calcite, says: x, right: y, check: [POS]}]"
    (tmp_path / "ledger" / "all.yaml").write_text(LEDGER.replace("]}]", "]}" + open_entry))
    arguments = ["coverage", "-c", cases, "--ledger", tmp_path / "ledger"]
    result = tck(*arguments)
    assert result.exit_code == 0
    assert "open: E-01" in result.output
    assert json.loads(tck(*arguments, "--json").output) == [
        {
            "id": "CAL-010",
            "status": "tested",
            "cases": ["good"],
            "reason": "",
            "independent": 1,
            "tests": [],
        },
        {
            "id": "E-01",
            "status": "open",
            "cases": [],
            "reason": "",
            "independent": 0,
            "tests": [],
        },
    ]


def test_a_case_that_every_backend_skips_tests_nothing(cases: Path, tmp_path: Path) -> None:
    (tmp_path / "ledger").mkdir()
    (tmp_path / "ledger" / "all.yaml").write_text(LEDGER)
    ledger = ["-c", cases, "--ledger", tmp_path / "ledger"]
    lacking = backend("LacksAll")
    result = tck("coverage", *ledger, "-b", lacking)
    assert result.exit_code == 0
    assert "skipped by all: CAL-010" in result.output
    assert (
        "skipped by all:" not in tck("coverage", *ledger, "-b", lacking, "-b", "reference").output
    )


def test_lint_lists_problems_and_fails(cases: Path, tmp_path: Path) -> None:
    (tmp_path / "ledger").mkdir()
    (tmp_path / "ledger" / "all.yaml").write_text(LEDGER)
    arguments = ["lint", "-c", cases, "--ledger", tmp_path / "ledger"]
    result = tck(*arguments)
    assert result.exit_code == 1
    assert "refused cites CAL-040, which is unknown" in result.output
    both = LEDGER.replace("]}]", "]}, {id: CAL-040, source: C, says: x, check: [NEG]}]")
    (tmp_path / "ledger" / "all.yaml").write_text(both)
    assert tck(*arguments).exit_code == 0


def failing_open(_self: ReferenceBackend, request: Open) -> object:
    raise ValueError(f"no meaning of {request.sql}")


def test_types_are_not_written_if_the_reference_fails_to_bind_a_query(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A case that is left out of the file would have no types; one that it refuses has none."""
    # The types of a query that another test has just asked for are remembered.
    cases = write_cases(tmp_path / "own", GOOD.replace("* FROM", "*   FROM"), REFUSED)
    file = cases / "result-types.json"
    file.write_text("as it was")
    with monkeypatch.context() as patched:
        patched.setattr(ReferenceBackend, "open", failing_open)
        result = tck("lint", "-c", cases, "--write-types")
        assert result.exit_code == 1
        message = "the reference fails on good: ValueError: no meaning of SELECT STREAM *   FROM"
        assert message in result.output
        assert file.read_text() == "as it was"
    assert tck("lint", "-c", cases, "--write-types").exit_code == 0
    assert list(json.loads(file.read_text())) == ["good"]


def test_a_case_whose_query_the_reference_fails_to_bind_is_an_error_and_the_run_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ReferenceBackend, "open", failing_open)
    once = write_cases(tmp_path / "once", GOOD.replace("* FROM", "*  FROM"), REFUSED)
    result = tck("run", "-b", backend("Faithful"), "-c", once)
    assert result.exit_code == 1
    assert "1 error, 1 passed\n" in result.output


def test_lint_takes_what_a_right_backend_does_not_meet_for_a_problem(
    cases: Path, tmp_path: Path
) -> None:
    (tmp_path / "ledger").mkdir()
    both = LEDGER.replace("]}]", "]}, {id: CAL-040, source: C, says: x, check: [NEG]}]")
    (tmp_path / "ledger" / "all.yaml").write_text(both)
    arguments = ["lint", "-c", cases, "--ledger", tmp_path / "ledger", "--against"]
    assert tck(*arguments, backend("Faithful")).exit_code == 0
    result = tck(*arguments, backend("Drops"))
    assert result.exit_code == 1
    assert f"good is not met by {backend('Drops')}: FAIL WRONG_ROWS" in result.output
    assert result.output.endswith("2 cases, 1 problems\n")
    assert tck(*arguments, backend("Unstartable")).exit_code == 3
    assert tck(*arguments, "nonsense").exit_code == 2


def test_the_protocol_says_which_fields_may_be_left_out() -> None:
    output = tck("protocol").output
    rows = "rows -> done or unsupported or error\n  fields: input, rows, producer, weights\n"
    assert f"\n{rows}  may be left out: producer, weights\n" in output
    assert "\nstop -> done or error\n  fields: none\n  The last request" in output
