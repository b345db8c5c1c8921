"""Case files and fixtures become cases, or problems that say where and what."""

import re
from pathlib import Path

import pytest

from tck.corpus.case import ExpectedLate
from tck.corpus.load import load_corpus
from tck.protocol import Bound, ColumnInfo, End, Load, Now, Rows
from tests.tck.corpora import load_case, load_cases, problems, write_cases

DAY = "2015-02-15"
STREAM = Rows(
    "ORDERS",
    ((f"{DAY} 10:00:00", 10, 4), (f"{DAY} 10:00:00", 20, 1), (f"{DAY} 10:05:00", 10, 7)),
)

STEPS = """
id: steps
cites: [CAL-019, E-01]
sql: SELECT STREAM * FROM Orders
STEPS
"""


def with_steps(steps: str) -> str:
    return STEPS.replace("STEPS", f"steps: {steps}")


def test_the_example_of_the_documentation_is_valid(tmp_path: Path) -> None:
    page = (Path(__file__).parents[3] / "docs" / "case-format.md").read_text()
    cases, fixture, series, *_ = re.findall(r"```yaml\n(.*?)```", page, re.DOTALL)
    (tmp_path / "cases" / "fixtures").mkdir(parents=True)
    (tmp_path / "cases" / "tumble.yaml").write_text(cases)
    (tmp_path / "cases" / "windows.yaml").write_text(series)
    (tmp_path / "cases" / "fixtures" / "orders.yaml").write_text(fixture)
    corpus = load_corpus([tmp_path / "cases"])
    assert not corpus.problems
    assert [case.id for case in corpus.cases] == [
        "tumble-hour-by-product",
        "group-by-product-is-refused",
        *(f"floor-hour-{line}" for line in ("row-before", "row-at", "strict", "end")),
    ]
    assert corpus.cases[0].all_rows[-1] == ("12:00:00", 10, 1, 6)


def test_what_happens_in_a_step_is_in_the_order_now_feed_bound_end(tmp_path: Path) -> None:
    steps = """
    - end: true
      bound: {Orders: {at: '10:10', strict: true}}
      feed: {Orders: [['10:06', 10, null]]}
      now: '11:00'
    """
    case = load_case(tmp_path, with_steps(steps))
    assert case.steps[0].events == (
        Now(f"{DAY} 11:00:00"),
        Rows("ORDERS", ((f"{DAY} 10:06:00", 10, None),)),
        Bound("ORDERS", f"{DAY} 10:10:00", strict=True),
        End(),
    )
    assert case.ended


def test_all_feeds_the_rows_of_the_fixture(tmp_path: Path) -> None:
    steps = "[{feed: all}, {feed: {orders: all}}, {end: Orders}]"
    case = load_case(tmp_path, with_steps(steps))
    assert [step.events for step in case.steps] == [(STREAM,), (STREAM,), (End("ORDERS"),)]
    assert not case.ended


def test_a_case_s_own_tables_stand_in_place_of_the_fixture_s(tmp_path: Path) -> None:
    own, none, given = load_cases(
        tmp_path,
        "id: own\ncites: [S-1]\nsql: SELECT * FROM Orders\nrows: []\n"
        "tables: {Orders: [['08:00', 1, 2]]}",
        "id: none\ncites: [S-1]\nsql: SELECT * FROM Orders\nrows: []\ntables: {Orders: []}",
        "id: given\ncites: [S-1]\nsql: SELECT * FROM Orders\nrows: []",
    )
    assert own.tables == (Load("ORDERS", ((f"{DAY} 08:00:00", 1, 2),)),)
    assert none.tables == ()
    assert given.tables == (Load("ORDERS", ((f"{DAY} 09:00:00", 10, 1),)),)


def test_the_nearest_date_completes_times(tmp_path: Path) -> None:
    case = load_case(tmp_path, with_steps("[{bound: {Orders: '10:00'}}]") + "date: 2020-02-29\n")
    assert case.steps[0].events == (Bound("ORDERS", "2020-02-29 10:00:00"),)
    assert case.streams == (STREAM,)


def test_late_rows_are_read_as_the_rows_that_are_fed(tmp_path: Path) -> None:
    steps = """
    - feed: {Orders: [['09:00', 10, 1], ['x', 10]]}
      late: {Orders: [['09:00:00', 10, 1], {row: ['x', 10], code: BAD_ROW}]}
    """
    (step,) = load_case(tmp_path, with_steps(steps)).steps
    assert step.late == (
        ExpectedLate("ORDERS", (f"{DAY} 09:00:00", 10, 1), place=0),
        ExpectedLate("ORDERS", ("x", 10), "BAD_ROW", place=1),
    )
    assert step.events == (Rows("ORDERS", ((f"{DAY} 09:00:00", 10, 1), ("x", 10))),)


def test_the_sound_cells_of_a_bad_row_are_read_by_their_types(tmp_path: Path) -> None:
    """Else a row against a CHECK would be dropped for its time, which lacks the date."""
    steps = """
    - feed: {Orders: [['09:00', x, 0], ['09:01', 1, 2, 3]]}
      late:
        Orders:
        - {row: ['09:00', x, 0], code: BAD_ROW}
        - {row: ['09:01', 1, 2, 3], code: BAD_ROW}
    """
    (step,) = load_case(tmp_path, with_steps(steps)).steps
    assert step.events == (
        Rows("ORDERS", ((f"{DAY} 09:00:00", "x", 0), (f"{DAY} 09:01:00", 1, 2, 3))),
    )


def test_of_equal_rows_the_last_ones_are_dropped(tmp_path: Path) -> None:
    steps = """
    - feed: {Orders: [['09:00', 1, 1], ['09:00', 1, 1], ['09:05', 1, 1], ['09:00', 1, 1]]}
      late: {Orders: [['09:00', 1, 1], ['09:00', 1, 1]]}
    - feed: {Orders: [['09:06', 1, 1], ['09:00', 1, 1]]}
      late: {Orders: [['09:00', 1, 1]]}
    """
    found = load_case(tmp_path, with_steps(steps)).steps
    assert [each.place for step in found for each in step.late] == [1, 3, 5]


def test_the_schema_is_written_as_in_sql(tmp_path: Path) -> None:
    case = load_case(
        tmp_path,
        """
        id: schema
        cites: [S-205]
        sql: SELECT STREAM * FROM Orders
        schema: [rowtime TIMESTAMP(3) NOT NULL, '"c" DECIMAL(10,2)', 'EXPR$0 INTERVAL DAY TO HOUR']
        """,
    )
    assert case.schema == (
        ColumnInfo("ROWTIME", "TIMESTAMP(3)", False),
        ColumnInfo("c", "DECIMAL(10, 2)", True),
        ColumnInfo("EXPR$0", "INTERVAL DAY TO HOUR", True),
    )


def test_the_span_of_an_error_is_the_first_occurrence_of_its_text_in_the_whole_script(
    tmp_path: Path,
) -> None:
    in_sql, in_ddl = load_cases(
        tmp_path,
        "id: sql\ncites: [S-1]\nsql: SELECT x, x FROM Orders\nerror: {code: C, at: x}",
        "id: ddl\ncites: [S-1]\nddl: CREATE Orders\nerror: {code: C, at: Orders}",
    )
    assert in_sql.error is not None
    assert in_sql.error.span == (7, 8)
    assert in_ddl.error is not None
    assert in_ddl.error.span is not None
    assert in_ddl.error.in_ddl
    start, end = in_ddl.error.span
    assert in_ddl.ddl[start - 7 : end] == "CREATE Orders"


def test_a_failure_can_be_in_the_script(tmp_path: Path) -> None:
    case = load_case(
        tmp_path,
        """
        id: view
        cites: [S-1]
        ddl: CREATE VIEW V AS SELECT units / 0 FROM Orders
        sql: SELECT * FROM V
        steps: [{end: true, error: {code: DIVISION_BY_ZERO, at: units / 0, in: ddl}}]
        """,
    )
    assert case.failure is not None
    assert case.failure.span is not None
    assert case.failure.in_ddl
    assert case.ddl[slice(*case.failure.span)] == "units / 0"


def test_chapters_are_folders_and_a_single_file_is_a_root(tmp_path: Path) -> None:
    root = write_cases(tmp_path / "mine", "id: a\ncites: [S-1]\nsql: S\naccepted: true")
    assert [case.chapter for case in load_corpus([root]).cases] == ["chapter"]
    (tmp_path / "mine" / "chapter" / "fixtures").mkdir()
    (root / "fixtures" / "few.yaml").rename(root / "chapter" / "fixtures" / "few.yaml")
    corpus = load_corpus([root / "chapter" / "subject.yaml"])
    assert [(case.id, case.chapter) for case in corpus.cases] == [("a", "chapter")]


def test_fixtures_are_found_beside_the_root(tmp_path: Path) -> None:
    root = write_cases(tmp_path / "mine", "id: a\ncites: [S-1]\nsql: S\naccepted: true")
    (root / "fixtures").rename(tmp_path / "fixtures")
    assert not load_corpus([root]).problems


def test_only_takes_ids_and_chapters(tmp_path: Path) -> None:
    root = write_cases(
        tmp_path,
        *(f"id: {id}\ncites: [S-1]\nsql: S\naccepted: true" for id in ("hop-a", "hop-b", "cup")),
    )
    corpus = load_corpus([root])
    assert [case.id for case in corpus.only(["hop-*"]).cases] == ["hop-a", "hop-b"]
    assert [case.id for case in corpus.only(["chapter/*p", "hop-b"]).cases] == ["hop-b", "cup"]
    assert corpus.only([]) is corpus


@pytest.mark.parametrize(
    ("case", "message"),
    [
        ("id: a\ncites: [S-1]\nsql: S", "4: cases.0: a case that expects nothing cannot fail"),
        ("id: a\ncites: [S-1]\nrows: []", '4: cases.0: "sql" is a required property'),
        ("id: a\ncites: [S-1]\naccepted: true", "4: cases.0: a case needs `sql`, or `ddl` alone"),
        ("id: a\ncites: []\nsql: S\naccepted: true", "5: cases.0.cites: [] has less than 1 item"),
        ("id: a\nsql: S\naccepted: true", '4: cases.0: "cites" is a required property'),
        ("id: A b\ncites: [S-1]\nsql: S\naccepted: true", '4: cases.0.id: "A b" is not as it must'),
        (
            "id: a\ncites: [S-1]\nsql: S\nacepted: true\nrows: []",
            "4: cases.0: Additional properties are not allowed ('acepted' was unexpected)",
        ),
        (
            "id: a\ncites: [S-1]\nsql: S\nerror: {code: C, at: S}\nrows: []",
            "4: cases.0: what is refused with `error` has no rows",
        ),
        (
            "id: a\ncites: [S-1]\nsql: S\nerror: {code: C, at: T}",
            "7: the case's sql has no text 'T'",
        ),
        (
            "id: a\ncites: [S-1]\nsql: S\nrows: []\ngiven: many",
            "4: no fixture is named many (there are: ",
        ),
        (
            "id: a\ncites: [S-1]\nsql: S\nrows: []\ngiven: ../fixtures/few",
            "4: no fixture is named ../fixtures/few (there are: ",
        ),
        (with_steps("[{feed: {Shipments: [[1]]}}]"), "7: the columns of Shipments are not known"),
        (with_steps("[{end: Shipments}]"), "7: the columns of Shipments are not known"),
        (
            with_steps("[{bound: {Shipments: '10:00'}}]"),
            "7: the columns of Shipments are not known",
        ),
        (with_steps("[{feed: {Orders: [[1]]}}]"), "7: 1 values for 3 columns: ROWTIME, PRODUCTID"),
        (
            with_steps("[{feed: {Orders: [['10:00', '1', 2]]}}]"),
            "7: column PRODUCTID: '1' is not a value of INTEGER",
        ),
        (
            with_steps("\n- feed:\n    Orders:\n    - ['10:00', 1, 2]\n    - ['25:00', 1, 2]"),
            "11: column ROWTIME: '25:00' is not a time of day",
        ),
        (with_steps("[{bound: {Orders: '99:00'}}]"), "7: '99:00' is not a time of day"),
        (with_steps("[{bound: {Orders: end}}]"), '7: cases.0.steps.0.bound.Orders: "end" does not'),
        (with_steps("[{feed: {Shipments: all}}]"), "7: no fixture of this case has `streams` of"),
        (with_steps("[{feed: some}]"), '7: cases.0.steps.0.feed: "some" is not "all"'),
        (
            with_steps("[{emit: [[1]]}]") + "rows: []",
            "4: `rows` is the whole result, and so are the rows its steps emit",
        ),
        (
            with_steps("[{may_emit: [[1]]}]") + "order: exact",
            "4: `may_emit` leaves the order open, `order: exact` does not",
        ),
        (with_steps("[{emit_by: [[1]]}]"), "4: `emit_by` without `may_emit`: [1]"),
        (
            with_steps("[{error: {code: C}}, {end: true}]"),
            "4: nothing happens after the step that fails: make it the last",
        ),
    ],
)
def test_an_invalid_case_is_one_line_with_its_place(
    case: str, message: str, tmp_path: Path
) -> None:
    found = problems(tmp_path, case)
    assert found[0].startswith(f"chapter/subject.yaml:{message}")
    assert all("\n" not in line for line in found)


def test_one_invalid_case_leaves_the_others(tmp_path: Path) -> None:
    root = write_cases(
        tmp_path,
        "id: bad\ncites: [S-1]\nsql: S\nerror: {code: C, at: T}",
        "id: good\ncites: [S-1]\nsql: S\naccepted: true",
    )
    corpus = load_corpus([root])
    assert [case.id for case in corpus.cases] == ["good"]
    assert len(corpus.problems) == 1


def test_an_id_that_is_used_twice_is_refused_with_both_places(tmp_path: Path) -> None:
    case = "id: a\ncites: [S-1]\nsql: S\naccepted: true"
    found = problems(tmp_path, case, case)
    assert len(found) == 1
    assert found[0].startswith("chapter/subject.yaml:8: the id a is taken (by the case at ")
    assert found[0].endswith("subject.yaml:4)")


def test_an_invalid_fixture_is_reported_once_with_its_own_line(tmp_path: Path) -> None:
    case = "id: a\ncites: [S-1]\nsql: S\naccepted: true"
    root = write_cases(tmp_path, case, case.replace("id: a", "id: b"))
    fixture = root / "fixtures" / "few.yaml"
    fixture.write_text(fixture.read_text().replace("['10:05', 10, 7]", "['10:05', 10, x]"))
    found = [str(problem).replace(f"{root}/", "") for problem in load_corpus([root]).problems]
    assert found == [
        "fixtures/few.yaml:9: column UNITS: 'x' is not a value of INTEGER",
        "chapter/subject.yaml:8: the fixture few cannot be read",
    ]


@pytest.mark.parametrize("name", ["nowhere", "."])
def test_a_root_without_cases_is_a_problem(name: str, tmp_path: Path) -> None:
    (problem,) = load_corpus([tmp_path / name]).problems
    assert "there " in problem.message
