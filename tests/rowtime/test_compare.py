"""`rowtime compare`: the user's rows on the reference and on an engine that is right, or is not."""

import re
from dataclasses import replace
from pathlib import Path
from typing import Final

import pytest
from hypothesis import given
from hypothesis import strategies as st
from typer.testing import CliRunner, Result

from rowtime.cli import app
from rowtime.compare.case_text import case_text
from tck.corpus.case import Case, ExpectedLate, Place, Step
from tck.corpus.load import load_corpus
from tck.corpus.rows import catalog_name, name_text
from tck.protocol import ColumnInfo, End, Load, Now, Rows

ROOT: Final = Path(__file__).parents[2]
SCHEMA: Final = """\
CREATE STREAM Orders (rowtime TIMESTAMP(3) ASCENDING, productId INTEGER, units INTEGER);
CREATE STREAM Returns (rowtime TIMESTAMP(3) ASCENDING, orderId INTEGER);
"""
ORDERS: Final = """\
rowtime,productId,units
2015-02-15 10:17:00,30,4
2015-02-15 10:17:05,10,1
2015-02-15 11:02:00,10,6
"""
RETURNS: Final = "rowtime,orderId\n2015-02-15 10:17:02,1\n2015-02-15 10:40:00,2\n"
#: What `tests.tck.toy_hours` counts, whatever it is asked.
HOURS: Final = (
    "SELECT STREAM TUMBLE_END(rowtime, INTERVAL '1' HOUR) AS rowtime, productId, COUNT(*) AS c "
    "FROM Orders GROUP BY TUMBLE(rowtime, INTERVAL '1' HOUR), productId"
)


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current folder, with a schema and two files of rows; backends are found in the tests."""
    (tmp_path / "schema.sql").write_text(SCHEMA)
    (tmp_path / "orders.csv").write_text(ORDERS)
    (tmp_path / "returns.csv").write_text(RETURNS)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    return tmp_path


def compare(sql: str, backend: str, *options: str) -> Result:
    """The result of a comparison over the orders, which must not be a traceback."""
    files = ("--ddl", "schema.sql", "--data", "Orders=orders.csv")
    result = CliRunner().invoke(app, ["compare", *files, "--backend", backend, *options, sql])
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    return result


def toy(name: str) -> str:
    """One of the backends that count by the hour."""
    return f"tests.tck.toy_hours:{name}"


def test_an_engine_with_the_rows_of_the_reference_passes() -> None:
    result = compare(HOURS, toy("Hourly"), "--step", "1", "--tier", "bounded")
    assert (result.exit_code, result.stdout.count("\n")) == (0, 1), result.output
    assert "as the reference at tier bounded: 3 rows" in result.stdout


def test_the_first_difference_is_shown_with_the_reason_of_the_reference() -> None:
    """The row of 11:02 completes the hour; an engine that is a poll late has it only at the end."""
    result = compare(HOURS, toy("LateByOne"), "--step", "1")
    assert result.exit_code == 1
    assert result.stdout.startswith(f"FAIL TOO_LATE {toy('LateByOne')}")
    assert ": step 3: 2 rows too late\n" in result.stdout
    assert "why the reference has" in result.stdout


def test_without_steps_a_late_answer_is_the_same_answer() -> None:
    assert compare(HOURS, toy("LateByOne"), "--tier", "final").exit_code == 0
    assert compare(HOURS, toy("DropsLast"), "--tier", "final").exit_code == 1


def test_the_streams_arrive_in_rowtime_order() -> None:
    """The order of 10:17:05 comes between the two returns."""
    more = ("--data", "Returns=returns.csv", "--step", "5", "--record", "case.yaml")
    union = "SELECT STREAM rowtime FROM Orders UNION ALL SELECT STREAM rowtime FROM Returns"
    assert compare(union, "reference", *more).exit_code == 0
    (case,) = load_corpus([Path("case.yaml")]).cases
    fed = [event for step in case.steps for event in step.events if isinstance(event, Rows)]
    assert [(each.input, len(each.rows)) for each in fed] == [
        ("ORDERS", 1),
        ("RETURNS", 1),
        ("ORDERS", 1),
        ("RETURNS", 1),
        ("ORDERS", 1),
    ]


def test_a_stream_arrives_by_its_rowtime_whatever_other_times_its_rows_have() -> None:
    """The rows by their creation would be late; the bounds of the result are right."""
    made = "(made TIMESTAMP(3), rowtime TIMESTAMP(3) NOT NULL ASCENDING, id INTEGER)"
    Path("made.sql").write_text(f"CREATE STREAM O {made}; CREATE STREAM P {made};")
    day = "2024-05-01"
    Path("o.csv").write_text(
        f"made,rowtime,id\n{day} 10:00:00,{day} 10:05:00,1\n{day} 09:00:00,{day} 10:06:00,2\n"
    )
    Path("p.csv").write_text(f"made,rowtime,id\n{day} 09:30:00,{day} 10:05:30,3\n")
    files = ("--ddl", "made.sql", "--data", "O=o.csv", "--data", "P=p.csv")
    options = ("--step", "1", "--record", "made.yaml", "--backend", "reference")
    union = "SELECT STREAM made, id FROM O UNION ALL SELECT STREAM made, id FROM P"
    result = CliRunner().invoke(app, ["compare", *files, *options, union])
    assert result.exit_code == 0, result.output
    (case,) = load_corpus([Path("made.yaml")]).cases
    fed = [event for step in case.steps for event in step.events if isinstance(event, Rows)]
    assert [each.input for each in fed] == ["O", "P", "O"]


def test_a_recorded_case_passes_the_lint_and_the_reference() -> None:
    assert compare(HOURS, "reference", "--step", "1", "--record", "my hours.yaml").exit_code == 0
    kit = CliRunner()
    for command in (["lint"], ["run", "--backend", "reference"]):
        result = kit.invoke(app, ["tck", *command, "--cases", "my hours.yaml"])
        assert result.exit_code == 0, result.output
    (case,) = load_corpus([Path("my hours.yaml")]).cases
    assert case.id == "my-hours"
    assert [step.emit for step in case.steps] == [
        (),
        (),
        (("2015-02-15 11:00:00", 30, 1), ("2015-02-15 11:00:00", 10, 1)),
        (("2015-02-15 12:00:00", 10, 1),),
    ]
    assert [step.output_bound for step in case.steps][-2:] == ["2015-02-15 12:00:00", "end"]


def test_a_late_row_is_expected_to_be_dropped() -> None:
    with Path("orders.csv").open("a") as file:
        file.write("2015-02-15 11:01:00,10,6\n")
    assert "3 rows, 1 late" in compare(HOURS, toy("Hourly"), "--step", "1").stdout
    assert "NOT_LATE" in compare(HOURS, toy("KeepsLate"), "--step", "1").stdout


def test_what_the_backend_lacks_is_not_compared() -> None:
    class_of = "tests.rowtime.test_compare:NoTumble"
    result = compare(HOURS, class_of)
    assert (result.exit_code, result.stdout) == (
        2,
        f"{class_of}: not compared: tumble: no windows\n",
    )


def NoTumble() -> object:  # noqa: N802 - it is named as a backend's class is
    """A backend with the gap ``tumble``."""
    from tests.tck.toy_hours import Hourly

    class Lacking(Hourly):
        def start(self):  # type: ignore[no-untyped-def]  # as in Hourly
            return replace(super().start(), gaps={"tumble": "no windows"})

    return Lacking()


@pytest.mark.parametrize(
    ("sql", "options", "code", "message"),
    [
        ("SELECT STREAM x FROM Orders", (), 2, r"UNKNOWN_COLUMN.*\n.*\n +\^"),
        (
            HOURS,
            ("--data", "Nothing=orders.csv"),
            2,
            "there is no table or stream Nothing",
        ),
        (HOURS, ("--data", "Returns=missing.csv"), 2, "missing.csv"),
        (HOURS, ("--record", "orders.csv"), 2, "there is such a file"),
        (HOURS, ("--record", "nowhere/case.yaml"), 2, "no folder nowhere"),
        (HOURS, ("--step", "0"), 2, "--step"),
        (HOURS, ("--now", "noon"), 2, "--now"),
        (HOURS, ("--backend", "nothing"), 2, "no backend is named nothing"),
    ],
)
def test_mistakes_have_one_message(
    sql: str, options: tuple[str, ...], code: int, message: str
) -> None:
    result = compare(sql, toy("Hourly"), *options)
    assert result.exit_code == code, result.output
    assert re.search(message, result.output)


def test_an_engine_that_cannot_be_started_is_told_from_one_that_differs() -> None:
    assert compare(HOURS, "tests.rowtime.test_compare:refuse_to_start").exit_code == 3


def refuse_to_start() -> object:
    """Raises at once."""
    raise RuntimeError("no licence")


_COLUMNS: Final = {
    "S.T": (ColumnInfo("K", "INTEGER", True), ColumnInfo("v", "VARCHAR(9)", True)),
    "S": (ColumnInfo("ROWTIME", "TIMESTAMP(3)", False), ColumnInfo("V", "DOUBLE", True)),
}
_TEXTS: Final = st.text(st.characters(exclude_categories=["Cs"]), max_size=9) | st.sampled_from(
    ["null", "1e5", "007", "yes", "10:17", "#", "'", "\x7f\u2028\u0085"]
)


@given(_TEXTS, _TEXTS, st.floats(allow_nan=False, allow_infinity=False), st.booleans())
def test_a_recorded_case_is_read_as_it_was_judged(
    tmp_path_factory: pytest.TempPathFactory, text: str, sql: str, number: float, late: bool
) -> None:
    time = "2015-02-15 10:17:00"
    steps = (
        Step(0, (Now(time),), output_bound=time),
        Step(0, (Rows("S", ((time, number),)),), emit=((text, 1, None),)),
        Step(0, (End(),), late=(ExpectedLate("S", (time, 1.5), "LATE"),) if late else ()),
    )
    case = Case(
        id="a-case",
        chapter="",
        subject="a query, and the rows that the reference has",
        place=Place("", 0),
        cites=("S-303",),
        ddl="CREATE STREAM S;  \n  -- more\n",
        sql=f"SELECT '{sql}'",
        columns=_COLUMNS,
        tables=(Load("S.T", ((1, text), (None, None))),),
        steps=steps,
        why="recorded from the reference",
    )
    file = tmp_path_factory.mktemp("recorded") / "case.yaml"
    file.write_text(case_text(case), "utf-8")
    corpus = load_corpus([file])
    assert not corpus.problems, list(map(str, corpus.problems))
    (read,) = corpus.cases
    unplaced = tuple(replace(step, line=0) for step in read.steps)
    assert replace(read, chapter="", place=case.place, steps=unplaced) == case


@pytest.mark.parametrize("name", ["ORDERS", "SALES.Orders", 'a"b', "with space"])
def test_a_name_is_read_back_as_it_is_in_the_catalog(name: str) -> None:
    assert catalog_name(name_text(name)) == name
