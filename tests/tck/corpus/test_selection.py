"""Cases are selected by name, by what they need, by what they expect, and by profile."""

from dataclasses import replace
from pathlib import Path

import pytest

from tck.corpus.case import Case
from tck.corpus.load import kit_corpus
from tck.corpus.selected.selection import (
    KINDS,
    Selection,
    expectation_kind,
    with_some_lines,
)
from tests.tck.corpora import load_case, load_cases

STREAM = "sql: SELECT STREAM * FROM Orders"


@pytest.mark.parametrize(
    ("expects", "kind"),
    [
        (f"{STREAM}\nrows: []", "rows"),
        (f"{STREAM}\nequal_to: SELECT STREAM rowtime, productId, units FROM Orders", "rows"),
        (f"{STREAM}\nsteps: [{{feed: all, emit: [['10:00', 1, 1]]}}]", "timing"),
        (f"{STREAM}\nsteps: [{{feed: all, clock: '10:00'}}]\nrows: []", "timing"),
        (f"{STREAM}\nsteps: [{{feed: all}}]\nrows: []", "rows"),
        (f"{STREAM}\nsteps: [{{end: true, error: {{code: OVERFLOW}}}}]", "failure"),
        (f"{STREAM}\nerror: {{code: TYPE_MISMATCH, at: STREAM}}", "refusal"),
        (f"{STREAM}\nmonotonicity: {{ROWTIME: INCREASING}}", "metadata"),
        ("ddl: CREATE TABLE t (a INTEGER)\naccepted: true", "script"),
    ],
)
def test_a_case_is_of_the_kind_of_what_it_expects(expects: str, kind: str, tmp_path: Path) -> None:
    assert expectation_kind(load_case(tmp_path, f"id: a\ncites: [S-1]\n{expects}")) == kind


def test_the_kit_has_cases_of_every_kind() -> None:
    assert {expectation_kind(case) for case in kit_corpus().cases} == set(KINDS)


@pytest.fixture
def three(tmp_path: Path) -> tuple[Case, ...]:
    return load_cases(
        tmp_path,
        f"id: plain\ncites: [S-1]\n{STREAM}\nrows: []",
        f"id: bounded\ncites: [S-1]\nprofile: sqlstream\n{STREAM}\n"
        "steps: [{bound: {Orders: '10:00'}, clock: '10:00'}]\nrows: []",
        "id: ranked\ncites: [S-1]\nsql: SELECT RANK() OVER (ORDER BY units) AS r FROM Orders\n"
        "rows: []",
    )


@pytest.mark.parametrize(
    ("selection", "ids"),
    [
        (Selection(), ["plain", "bounded", "ranked"]),
        (Selection(only=["p*", "chapter/b*"]), ["plain", "bounded"]),
        (Selection(exclude=["p*"]), ["bounded", "ranked"]),
        (Selection(needs=["rank", "bounds"]), ["bounded", "ranked"]),
        (Selection(without=["streaming"]), ["ranked"]),
        (Selection(without=["bounds", "rank"]), ["plain"]),
        (Selection(kinds=["timing"]), ["bounded"]),
        (Selection(profile="sqlstream"), ["bounded"]),
        (Selection(needs=["streaming"], exclude=["bounded"]), ["plain"]),
    ],
)
def test_all_conditions_of_a_selection_hold(
    selection: Selection, ids: list[str], three: tuple[Case, ...]
) -> None:
    assert [case.id for case in three if selection.selects(case)] == ids
    assert selection.whole is (len(ids) == len(three))


@pytest.mark.parametrize(
    ("most", "chosen"), [(1, [0, 5]), (2, [0, 3, 5]), (4, [0, 2, 3, 4, 5]), (9, [0, 1, 2, 3, 4, 5])]
)
def test_some_lines_of_a_series_are_evenly_spaced(
    most: int, chosen: list[int], tmp_path: Path
) -> None:
    """The first five cases are lines of one series, the sixth stands alone."""
    names = "abcdef"
    loaded = load_cases(tmp_path, *(f"id: {n}\ncites: [S-1]\nsql: S\nrows: []" for n in names))
    cases = [replace(each, series="s" if each.id != "f" else None) for each in loaded]
    assert with_some_lines(cases, most) == [cases[i] for i in chosen]
