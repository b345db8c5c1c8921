"""Known failures are a file that the kit reads and writes."""

from pathlib import Path

import pytest

from tck.corpus.document import InvalidFilesError
from tck.judging.known_failures import (
    expand_series,
    failures_on,
    known_text,
    read_known,
)
from tck.judging.verdict import (
    PASSED,
    VERDICTS,
    Kind,
    KnownFailure,
    Outcome,
    Result,
    Verdict,
    failed,
    skipped,
)
from tck.report.tally import tally
from tests.tck.corpora import load_cases


def read(folder: Path, text: str) -> dict[str, dict[str, str | KnownFailure]]:
    """The reasons in a file; whole entries where the case fails sometimes."""
    (folder / "known.yaml").write_text(text)
    return {
        backend: {id: each if each.sometimes else each.reason for id, each in failures.items()}
        for backend, failures in read_known(folder / "known.yaml").items()
    }


def test_what_is_written_is_what_went_wrong_and_can_be_read(tmp_path: Path) -> None:
    names = ("a", "b", "c", "d", "e")
    a, b, c, d, e = load_cases(
        tmp_path, *(f"id: {n}\ncites: [S-1]\nsql: S\nrows: []" for n in names)
    )
    wrong = failed(Kind.ORDER, "row 2: 'is' #another")
    results = [
        Result("spark", a, PASSED),
        Result("spark", b, wrong),
        Result("spark", c, wrong),
        Result("spark", d, Verdict(Outcome.ERROR, None, "boom")),
        Result("spark", e, skipped("no")),
    ]
    before = {
        "spark": {id: KnownFailure(why) for id, why in OLD.items()},
        "toy": {"a": KnownFailure("x")},
    }
    assert read(tmp_path, known_text(results, before)) == {
        "spark": {
            "b": "ORDER: row 2: 'is' #another",
            "c": "ours",
            "d": "ERROR: boom",
            "e": "stays",
            "z": "not run",
        },
        "toy": {"a": "x"},
    }


OLD = {"a": "old", "c": "ours", "e": "stays", "z": "not run"}


@pytest.mark.parametrize("verdict", [PASSED, failed(Kind.ORDER, "row 2 is another")])
def test_what_fails_sometimes_stays_in_the_list_and_fails_no_run(
    verdict: Verdict, tmp_path: Path
) -> None:
    (case,) = load_cases(tmp_path, "id: a\ncites: [S-1]\nsql: S\nrows: []")
    before = {"toy": {"a": KnownFailure("threads race", sometimes=True)}}
    result = Result("toy", case, verdict, known=before["toy"]["a"])
    assert not result.bad
    assert read(tmp_path, known_text([result], before)) == before
    assert tally([result]).failed == 0


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("- a\n", "1: known failures are written"),
        ("spark: a\n", "1: known failures are written"),
        ("spark:\n  a: why\n  b:\n", "3: b is known to fail, but not why"),
        ("spark: {a: 1, a: 2}\n", "1: the key a stands twice"),
        ("spark:\n  a: {sometimes: ' '}\n", "2: a is known to fail, but not why"),
        ("spark:\n  a: {often: why}\n", "2: a is known to fail, but not why"),
        ("spark:\n  a: {sometimes: why, always: no}\n", "2: a is known to fail, but not why"),
    ],
)
def test_a_file_of_another_form_is_refused(text: str, problem: str, tmp_path: Path) -> None:
    with pytest.raises(InvalidFilesError) as caught:
        read(tmp_path, text)
    assert str(caught.value).startswith(f"{tmp_path}/known.yaml:{problem}")


@pytest.mark.parametrize("verdict", VERDICTS)
def test_each_verdict_of_the_table_may_be_given(verdict: str, tmp_path: Path) -> None:
    (tmp_path / "known.yaml").write_text(f"toy: {{a: {{verdict: {verdict}, reason: r}}}}")
    assert read_known(tmp_path / "known.yaml")["toy"]["a"].verdict == verdict


def test_an_entry_may_say_whose_difference_it_is(tmp_path: Path) -> None:
    entries = (
        "a: {verdict: dialect, reason: no AVG}, b: {verdict: open, reason: r, sometimes: true}"
    )
    (tmp_path / "known.yaml").write_text(f"toy: {{{entries}}}")
    known = read_known(tmp_path / "known.yaml")
    assert known["toy"] == {
        "a": KnownFailure("no AVG", verdict="dialect"),
        "b": KnownFailure("r", sometimes=True, verdict="open"),
    }
    (tmp_path / "again.yaml").write_text(known_text([], known))
    assert read_known(tmp_path / "again.yaml") == known


@pytest.mark.parametrize("entry", ["{verdict: theirs, reason: r}", "{verdict: open}"])
def test_a_verdict_is_one_of_the_table_and_has_a_reason(entry: str, tmp_path: Path) -> None:
    (tmp_path / "known.yaml").write_text(f"toy:\n  a: {entry}\n")
    with pytest.raises(InvalidFilesError, match="a is known to fail, but not why"):
        read_known(tmp_path / "known.yaml")


def test_a_series_that_is_known_to_fail_is_each_of_its_lines(tmp_path: Path) -> None:
    series = """
    id: s
    cites: [S-1]
    sql: SELECT 1
    rows: $rows
    series:
    - [id, rows]
    - [one, []]
    - [two, []]
    """
    cases = load_cases(tmp_path, series, "id: t\ncites: [S-1]\nsql: S\nrows: []")
    listed = {
        "toy": {"s": KnownFailure("all"), "s-two": KnownFailure("its own"), "t": KnownFailure("no")}
    }
    assert expand_series(listed, cases) == {
        "toy": {
            "s-one": KnownFailure("all"),
            "s-two": KnownFailure("its own"),
            "t": KnownFailure("no"),
        }
    }


def test_a_command_has_the_known_failures_of_its_name_wherever_it_is() -> None:
    here, moved = "cmd:node engine.mjs", "cmd:node /elsewhere/engine.mjs"
    named, own = {"a": KnownFailure("named")}, {"b": KnownFailure("own")}
    known = {"tumbler": named, here: own}
    assert failures_on(known, moved, "tumbler") == named
    assert failures_on(known, here, "tumbler") == {**named, **own}
    assert failures_on(known, moved, "another") == {}


def test_a_new_failure_is_written_where_the_backend_has_some_else_under_its_name(
    tmp_path: Path,
) -> None:
    names = ("a", "b")
    a, b = load_cases(tmp_path, *(f"id: {n}\ncites: [S-1]\nsql: S\nrows: []" for n in names))
    wrong = failed(Kind.ORDER, "row 2")
    results = [Result("cmd:x", a, PASSED), Result("cmd:x", b, wrong)]
    table: list[tuple[dict[str, dict[str, KnownFailure]], dict[str, dict[str, str]]]] = [
        ({}, {"X": {"b": "ORDER: row 2"}}),
        ({"X": {"a": KnownFailure("old")}}, {"X": {"b": "ORDER: row 2"}}),
        ({"cmd:x": {"a": KnownFailure("old")}}, {"cmd:x": {"b": "ORDER: row 2"}}),
        ({"X": {"b": KnownFailure("why")}}, {"X": {"b": "why"}}),
    ]
    for before, after in table:
        assert read(tmp_path, known_text(results, before, {"cmd:x": "X"})) == after
