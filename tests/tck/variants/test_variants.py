"""Variants of cases: their changed inputs, and the rows that a law demands."""

from pathlib import Path

import pytest
from typer.testing import CliRunner

from rowtime.score.baseline import fails, start_reference
from rowtime.score.plans import Plans
from tck.cli import app
from tck.corpus.case import Case
from tck.corpus.load import kit_corpus
from tck.protocol import Bound, End, Rows, weighted
from tck.result_types import typed
from tck.run import grade_case
from tck.variants.variants import LAWS, variants, with_variants
from tests.examples import scaled
from tests.tck.corpora import load_case, write_cases

COUNTED = """
id: counted
cites: [CAL-010]
sql: |
  SELECT STREAM TUMBLE_END(rowtime, INTERVAL '1' HOUR) AS rowtime, COUNT(*) AS c FROM Orders
  GROUP BY TUMBLE(rowtime, INTERVAL '1' HOUR)
steps:
- feed: {Orders: [['10:00', 10, 4], ['10:00', 20, 1]]}
- bound: {Orders: '11:00'}
  emit: [['11:00', 2]]
  clock: '12:00'
- end: true
  clock: end
"""


COUNTED_UNDER_OTHER_NAMES = """
  SELECT STREAM TUMBLE_END(rowtime, INTERVAL '1' HOUR) AS rowtime, COUNT(*) AS c FROM NAME_1
  GROUP BY TUMBLE(rowtime, INTERVAL '1' HOUR)
"""


def of(case: Case) -> dict[str, Case]:
    return {each.id.partition("~")[2]: each for each in variants(case)}


@pytest.fixture(name="counted")
def counted_case(tmp_path: Path) -> dict[str, Case]:
    return of(load_case(tmp_path, COUNTED))


def test_a_variant_is_named_by_its_case_and_its_law(counted: dict[str, Case]) -> None:
    assert {each.id for each in counted.values()} == {f"counted~{name}" for name in counted}
    assert set(counted) == set(LAWS) - {"inputs-reversed", "changes-undone"}


def test_a_bound_set_again_changes_nothing(counted: dict[str, Case]) -> None:
    bound = Bound("ORDERS", "2015-02-15 11:00:00")
    assert counted["bounds-again"].steps[1].events == (bound, bound)
    assert counted["bounds-again"].steps[1].emit == (("11:00", 2),)


def test_rows_of_a_sorted_stream_imply_their_bound(counted: dict[str, Case]) -> None:
    assert counted["implied-bounds"].steps[0].events[1] == Bound("ORDERS", "2015-02-15 10:00:00")


def test_without_bounds_the_rows_come_by_the_end(counted: dict[str, Case]) -> None:
    variant = counted["without-bounds"]
    assert variant.rows == (("11:00", 2),)
    assert not any(isinstance(e, Bound) for step in variant.steps for e in step.events)


def test_rows_arrive_one_by_one(counted: dict[str, Case]) -> None:
    first, second = counted["one-at-a-time"].steps[0].events
    assert isinstance(first, Rows)
    assert isinstance(second, Rows)
    assert len(first.rows) == len(second.rows) == 1


def test_in_one_step_all_rows_come_at_it(counted: dict[str, Case]) -> None:
    (step,) = counted["in-one-step"].steps
    assert step.emit == (("11:00", 2),)
    assert step.output_bound == "end"
    assert step.events[-1] == End()


def test_ties_arrive_in_reverse(counted: dict[str, Case]) -> None:
    (rows,) = counted["ties-reversed"].steps[0].events
    assert isinstance(rows, Rows)
    assert [row[1] for row in rows.rows] == [20, 10]


def test_four_centuries_later_all_is_four_centuries_later(counted: dict[str, Case]) -> None:
    variant = counted["four-centuries-later"]
    assert variant.date == "2415-02-15"
    assert variant.steps[1].events == (Bound("ORDERS", "2415-02-15 11:00:00"),)
    assert variant.steps[1].emit == (("11:00", 2),)  # on the variant's date


def test_a_query_that_names_a_time_is_not_shifted(tmp_path: Path) -> None:
    named = COUNTED.replace("FROM Orders\n", "FROM Orders WHERE rowtime > DATE '2015-01-01'\n")
    assert "four-centuries-later" not in of(load_case(tmp_path, named))


def test_a_window_that_does_not_divide_four_centuries_is_not_shifted(tmp_path: Path) -> None:
    fifth = COUNTED.replace("INTERVAL '1' HOUR", "INTERVAL '5' DAY")
    assert "four-centuries-later" not in of(load_case(tmp_path, fifth))


@pytest.mark.parametrize(("given", "shifted"), [("DATE", True), ("VARCHAR", False)])
def test_texts_that_are_read_as_times_are_not_shifted(
    tmp_path: Path, given: str, *, shifted: bool
) -> None:
    case = f"""
    id: read
    cites: [CAL-010]
    ddl: CREATE STREAM S (rowtime TIMESTAMP(3) ASCENDING, d DATE)
    columns: {{S: [rowtime TIMESTAMP(3), d {given}]}}
    sql: SELECT STREAM * FROM S
    steps:
    - feed: {{S: [['10:00', '2015-02-16']]}}
      emit: [['10:00', '2015-02-16']]
    - end: true
    """
    names = of(load_case(tmp_path, case)).keys()
    assert ({"in-many-copies", "four-centuries-later"} <= names) is shifted
    assert names.isdisjoint({"in-many-copies", "four-centuries-later"}) is not shifted


@pytest.mark.parametrize(("day", "copied"), [("2015-02-15", True), ("9999-12-31", False)])
def test_no_copy_of_a_row_has_a_date_beyond_the_calendar(
    tmp_path: Path, day: str, *, copied: bool
) -> None:
    case = """
    id: dated
    cites: [CAL-010]
    ddl: CREATE STREAM S (rowtime TIMESTAMP(3) ASCENDING, d DATE)
    sql: SELECT STREAM * FROM S
    steps:
    - feed: {S: [['10:00', DAY]]}
      emit: [['10:00', DAY]]
    - end: true
    """
    names = of(load_case(tmp_path, case.replace("DAY", f"'{day}'")))
    assert ("in-many-copies" in names) is copied


def test_late_rows_leave_their_stream_s_bounds_alone(tmp_path: Path) -> None:
    rows = "{Orders: [['10:30', 1, 1]]}"
    late = COUNTED.replace("- end: true", f"- feed: {rows}\n  late: {rows}\n- end: true")
    found = of(load_case(tmp_path, late))
    assert "implied-bounds" not in found
    assert "without-bounds" not in found


REFUSED = """
id: refused
cites: [CAL-040]
sql: SELECT STREAM units FROM Orders LIMIT 1
error: {code: STREAMING_LIMIT, at: LIMIT 1}
"""


def test_a_refused_query_is_refused_under_other_names_at_the_same_place(tmp_path: Path) -> None:
    (variant,) = of(load_case(tmp_path, REFUSED)).values()
    assert variant.sql == "SELECT STREAM NAME_3 FROM NAME_1 LIMIT 1"
    assert variant.error is not None
    assert variant.error.text == "LIMIT 1"
    assert variant.error.span == (33, 40)


def test_a_refusal_at_a_name_is_at_the_new_name(tmp_path: Path) -> None:
    at_name = REFUSED.replace("at: LIMIT 1", "at: units FROM")
    (variant,) = of(load_case(tmp_path, at_name)).values()
    assert variant.error is not None
    assert variant.error.text == "NAME_3 FROM"


def test_under_other_names_only_the_names_are_others(counted: dict[str, Case]) -> None:
    variant = counted["renamed"]
    assert variant.sql is not None
    assert variant.sql.split() == COUNTED_UNDER_OTHER_NAMES.split()
    assert [*variant.columns] == ["NAME_1"]
    assert [each.name for each in variant.columns["NAME_1"]] == ["ROWTIME", "NAME_2", "NAME_3"]
    assert variant.steps[1].events == (Bound("NAME_1", "2015-02-15 11:00:00"),)


def test_a_name_that_means_something_else_stays(tmp_path: Path) -> None:
    """DAY is a unit of time, COUNT a function; texts, comments and quoted words are not names."""
    case = """
    id: named
    cites: [CAL-010]
    given: []
    ddl: |
      CREATE STREAM S (rowtime TIMESTAMP(3) ASCENDING, day INTEGER, count INTEGER, k VARCHAR(9))
    sql: |
      SELECT STREAM rowtime, day, COUNT(*) OVER (ORDER BY rowtime) AS c, "K"
      FROM S WHERE k = 'k' -- k
    rows: []
    """
    variant = of(load_case(tmp_path, case))["renamed"]
    assert variant.sql is not None
    assert variant.sql.partition(" AS ")[0].endswith("day, COUNT(*) OVER (ORDER BY rowtime)")
    assert variant.sql.endswith(" AS c, NAME_2\nFROM NAME_1 WHERE NAME_2 = 'k' -- k\n")


def test_a_failing_variant_is_reported_by_its_case_and_its_law(tmp_path: Path) -> None:
    """The backend passes trains of two rows on, and loses all others."""
    good = """
    id: good
    cites: [CAL-010]
    sql: SELECT STREAM * FROM Orders
    steps:
    - feed: {Orders: [['10:00', 10, 4], ['10:00', 20, 1]]}
      emit: [['10:00', 10, 4], ['10:00', 20, 1]]
    - end: true
    """
    cases = write_cases(tmp_path, good)
    runner, backend = CliRunner(), "tests.tck.variants.half_a_train:HalfATrain"
    plain = runner.invoke(app, ["run", "-b", backend, "-c", str(cases)])
    assert plain.exit_code == 0, plain.output
    varied = runner.invoke(app, ["run", "-b", backend, "-c", str(cases), "--variants"])
    assert varied.exit_code == 1
    assert "good~one-at-a-time" in varied.output


def test_the_reference_passes_the_variants_of_the_kit() -> None:
    """Those of every four-hundredth case; nightly all.  `make tck` runs a tenth of them."""
    running = start_reference(Plans())
    cases = [*map(typed, kit_corpus().cases[:: scaled(400, 1)])]
    failed = [
        f"{case.id}: {verdict.label} {verdict.reason}"
        for case in with_variants(cases)
        if fails(verdict := grade_case(running, case, "exact").verdict)
    ]
    assert not failed


RETRACTED = """
id: retracted
cites: [S-1005]
ddl: |
  CREATE STREAM C (k INTEGER, v INTEGER) WITH CHANGES;
columns: {C: [K INTEGER, V INTEGER]}
sql: SELECT STREAM k, SUM(v) AS s FROM C GROUP BY k EMIT CHANGES
steps:
- feed: {C: [[1, 4], -: [1, 4], +: [1, 5]]}
  changes: [[1, 5]]
"""


def test_inserted_rows_are_deleted_and_inserted_again(tmp_path: Path) -> None:
    """S-1005: a row that is deleted already is left alone."""
    variant = of(load_case(tmp_path, RETRACTED))["changes-undone"]
    (event,) = variant.steps[0].events
    assert isinstance(event, Rows)
    twice = [((1, 4), 1), ((1, 4), -1), ((1, 4), 1)]
    again = [((1, 5), 1), ((1, 5), -1), ((1, 5), 1)]
    assert weighted(event.rows, event.weights) == [*twice, ((1, 4), -1), *again]


COMES_AND_GOES = """
id: comes-and-goes
cites: [S-1001]
ddl: CREATE STREAM C (n INTEGER) WITH CHANGES
sql: SELECT STREAM 10 / n AS q FROM C EMIT CHANGES
steps:
- feed: {C: [[5], [2]]}
  changes: [[2], [5]]
- feed: {C: [[0], -: [0]]}
  changes: []
- end: true
"""


def test_rows_that_come_and_go_together_do_not_arrive_one_at_a_time(tmp_path: Path) -> None:
    """S-1001.e: between the two events, the division would fail."""
    first, second, _ = of(load_case(tmp_path, COMES_AND_GOES))["one-at-a-time"].steps
    assert (len(first.events), len(second.events)) == (2, 1)
