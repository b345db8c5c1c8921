"""Pipelines on Spark: the same files as on one machine, checkpoints, and what is refused."""

import gzip
import json
import os
import random
import shutil
from collections.abc import Mapping
from contextlib import chdir
from datetime import datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Final

import pandas
import pytest
from pyspark.errors import IllegalArgumentException
from typer.testing import CliRunner

from rowtime.cli import app
from spark_backend.stream.connectors import pipeline, records
from tests.examples import NIGHTLY
from tests.rowtime import pipelines
from tests.rowtime.pipelines import COLUMNS, ORDERS, run_until, script

pytestmark = pytest.mark.spark

rowtime = partial(pipelines.rowtime, backend="spark")
refused = partial(pipelines.refused, backend="spark")

TUMBLE: Final = """
  SELECT STREAM TUMBLE_END(rowtime, INTERVAL '1' HOUR), productId, CAST(SUM(units) AS INTEGER)
  FROM Orders GROUP BY TUMBLE(rowtime, INTERVAL '1' HOUR), productId;
"""
SLIDE: Final = """
  SELECT STREAM rowtime, productId, CAST(SUM(units) OVER (PARTITION BY productId ORDER BY rowtime
    RANGE INTERVAL '1' HOUR PRECEDING) AS INTEGER) FROM Orders;
"""


#: This number of rows stays in Spark, by the fixture ``threshold``.
_MANY: Final = 11_000


def written(path: Path) -> list[str]:
    """The lines of a sink, those of a folder part by part, with the header once."""
    if path.is_file():
        return path.read_text().splitlines()
    lines: list[str] = []
    for part in sorted(each for each in path.iterdir() if each.name[0] not in "._"):
        own = part.read_text().splitlines()
        header = path.name.endswith("csv") and bool(lines)
        lines += own[header:]
    return lines


def both(text: str, sinks: tuple[str, ...], *options: str) -> Mapping[str, list[str]]:
    """What each sink has after the pipeline has run on Spark: what it has on one machine."""
    theirs, ours = (run_of(backend, text, sinks, *options) for backend in ("reference", "spark"))
    assert ours == theirs
    return ours


def run_of(backend: str, text: str, sinks: tuple[str, ...], *options: str) -> dict[str, list[str]]:
    """What each sink has after a run; it is put out of the way."""
    result = rowtime(text, *options, backend=backend)
    assert result.exit_code == 0, result.stderr
    found = {each: written(Path(each)) for each in sinks}
    for each in sinks:
        Path(each).rename(f"{each}.of-{backend}")
    return found


@pytest.fixture(params=["few", "many"] if NIGHTLY else ["many"])
def judged_as(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Records are judged by Spark where it can, as many are; nightly by Python, too, as few are.

    Python judges the few records of all other tests here.
    """
    if request.param == "many":
        monkeypatch.setattr(records, "FEW", 0)


@pytest.fixture
def threshold(monkeypatch: pytest.MonkeyPatch) -> None:
    """Fewer rows count as many; Spark treats them in the same way."""
    for module in ("runtime.session", "data.contents", "data.row_buffer", "stream.evaluator"):
        monkeypatch.setattr(f"spark_backend.{module}.MANY_ROWS", _MANY - 500)


# the same files


@pytest.mark.usefixtures("folder")
def test_a_tumble_goes_from_csv_to_csv() -> None:
    assert both(script(query=TUMBLE), ("out.csv",))["out.csv"] == [
        "ROWTIME,PRODUCTID,UNITS",
        "2015-02-15 11:00:00,30,4",
        "2015-02-15 11:00:00,10,1",
        "2015-02-15 12:00:00,10,6",
    ]


@pytest.mark.usefixtures("folder")
def test_statements_feed_one_another_and_several_sinks() -> None:
    """A stream that two statements feed merges them by rowtime; a sink is read on."""
    Path("more.csv").write_text(ORDERS.replace(":00,", ":01,"))
    text = f"""
      CREATE FOREIGN STREAM Orders {COLUMNS} OPTIONS (path 'orders.csv');
      CREATE FOREIGN STREAM More {COLUMNS} OPTIONS (path 'more.csv');
      CREATE STREAM Every {COLUMNS};
      CREATE FOREIGN STREAM Sink {COLUMNS} OPTIONS (path 'out.json');
      CREATE FOREIGN STREAM Next {COLUMNS} OPTIONS (path 'next.csv');
      CREATE PUMP a STARTED AS INSERT INTO Every SELECT STREAM * FROM Orders;
      CREATE PUMP b STARTED AS INSERT INTO Every SELECT STREAM * FROM More;
      CREATE PUMP c STARTED AS INSERT INTO Sink SELECT STREAM * FROM Every WHERE units > 1;
      CREATE PUMP d STARTED AS INSERT INTO Next SELECT STREAM * FROM Sink WHERE units = 6;
    """
    found = both(text, ("out.json", "next.csv"))
    times = [json.loads(line)["ROWTIME"][11:] for line in found["out.json"]]
    assert times == ["10:17:00", "10:17:01", "11:02:00", "11:02:01"]
    assert [line[11:19] for line in found["next.csv"][1:]] == ["11:02:00", "11:02:01"]


@pytest.mark.usefixtures("folder")
def test_tables_are_filled_by_the_script_files_and_statements() -> None:
    Path("products.csv").write_text("productId,name\n10,Beer\n")
    text = f"""
      CREATE FOREIGN STREAM Orders {COLUMNS} OPTIONS (path 'orders.csv');
      CREATE TABLE Products (productId INTEGER, name VARCHAR(20));
      CREATE TABLE Prices (productId INTEGER, price DECIMAL(4, 2));
      CREATE TABLE Latest (productId INTEGER PRIMARY KEY, units INTEGER);
      INSERT INTO Prices VALUES (10, 0.25), (30, 17);
      CREATE FOREIGN STREAM Sink (rowtime TIMESTAMP(3) ASCENDING, name VARCHAR(20),
        amount DECIMAL(14, 2)) OPTIONS (path 'out.csv');
      CREATE PUMP l STARTED AS UPSERT INTO Latest SELECT STREAM productId, units FROM Orders;
      INSERT INTO Sink SELECT STREAM o.rowtime, p.name, o.units * q.price
      FROM Orders AS o JOIN Products AS p ON o.productId = p.productId
        JOIN Prices AS q ON o.productId = q.productId;
    """
    found = both(text, ("out.csv",), "--data", "Products=products.csv")
    assert found["out.csv"][1:] == [
        "2015-02-15 10:17:05,Beer,0.25",
        "2015-02-15 11:02:00,Beer,1.50",
    ]


def test_a_folder_is_read_by_name_and_written_in_parts(folder: Path) -> None:
    (folder / "in").mkdir()
    rows = [
        {"rowtime": "2015-02-15T10:17:00", "PRODUCTID": 30, "units": 4, "more": [1]},
        {"rowtime": "2015-02-15 11:02:00", "productId": 10},
    ]
    for name, row in zip(("b.json", "a.json"), reversed(rows), strict=True):
        (folder / "in" / name).write_text(json.dumps(row) + "\n\n")
    (folder / "in" / "_log.json").write_text("no row")
    (folder / "in" / "readme.txt").write_text("no row")
    text = script("format 'json', path 'in'", "format 'csv', path 'out', header FALSE")
    found = both(text, ("out",), "--once")
    assert found["out"] == ["2015-02-15 10:17:00,30,4", "2015-02-15 11:02:00,10,"]


@pytest.mark.usefixtures("folder", "judged_as")
def test_values_that_are_unusually_written_are_read_alike() -> None:
    """Numbers with signs and blanks, quotes, empty and quoted fields, short fractions."""
    Path("in.csv").write_bytes(
        b"\xef\xbb\xbfd,extra,ROWTIME,n,t,x,b\r\n"
        b'1.50,?,2015-02-15T10:17:00.5,+7,"a ""b"", c",1e5,TRUE\r\n'
        b'.5,?,2015-02-15 10:17:01,,"two\nlines",+10.,false\r\n'
        b"-0,?,2015-02-15 10:17:01.040,007,,5E-324,\r\n"
    )
    columns = """(rowtime TIMESTAMP ASCENDING, d DECIMAL(5, 2), n BIGINT, t VARCHAR(9), x DOUBLE,
      b BOOLEAN)"""
    text = script("path 'in.csv'").replace(COLUMNS, columns)
    lines = both(text, ("out.csv",))["out.csv"]
    assert lines[1:] == [
        '2015-02-15 10:17:00.500,1.50,7,"a ""b"", c",100000.0,true',
        '2015-02-15 10:17:01,0.50,,"two',
        'lines",10.0,false',
        "2015-02-15 10:17:01.040,0.00,7,,5e-324,",
    ]


@pytest.mark.usefixtures("folder", "judged_as")
def test_lines_of_json_are_read_alike() -> None:
    lines = [
        '{"ROWTIME": "2015-02-15 10:17:00", "k": "a", "d": 0.250, "x": 1}',
        '{"rowTime": "2015-02-15T10:17:01", "K": "5", "d": "1.5", "x": 1e300}',
        '  {"rowtime": "2015-02-15 10:17:02", "k": "\\u00e4}{", "d": 3, "x": "NaN", "l": {"k": 1}}',
        '{"rowtime": "2015-02-15 10:17:03", "k": null}',
    ]
    Path("in.json").write_text("\n".join(lines))
    columns = "(rowtime TIMESTAMP ASCENDING, k VARCHAR, d DECIMAL(5, 2), x DOUBLE)"
    text = script("path 'in.json'", "path 'out.json'").replace(COLUMNS, columns)
    found = [json.loads(line) for line in both(text, ("out.json",))["out.json"]]
    assert [(each["K"], each["D"], each["X"]) for each in found] == [
        ("a", "0.25", 1.0), ("5", "1.50", 1e300), ("ä}{", "3.00", "NaN"), (None, None, None),
    ]  # fmt: skip


@pytest.mark.usefixtures("threshold")
def test_many_rows_go_the_same_way_as_few(folder: Path) -> None:
    """Many rows stay in Spark: late ones, ties, a sliding sum, and a merge of producers."""
    seed = random.Random(11)
    lines = [ORDERS.splitlines()[0]]
    second = 0
    for number in range(_MANY):
        second += seed.choice((0, 0, 1, 2))
        late = second - 100 if number % 1_999 == 1_998 else second
        moment = datetime(2015, 2, 15) + timedelta(seconds=late)
        lines.append(f"{moment:%Y-%m-%d %H:%M:%S},{seed.randrange(50)},{seed.randrange(100)}")
    (folder / "orders.csv").write_text("\n".join(lines) + "\n")
    text = (
        script(sink="format 'csv', path 'out.csv'", query=SLIDE)
        + f"""
      CREATE FOREIGN STREAM Hours {COLUMNS} OPTIONS (path 'hours.json');
      INSERT INTO Hours {TUMBLE}
    """
    )
    sinks = ("out.csv", "hours.json")
    theirs, ours = (run_of(backend, text, sinks) for backend in ("reference", "spark"))
    assert len(ours["out.csv"]) == 1 + _MANY - 5
    # By time in the same order; of ties the order is open (S-307).
    times = [[line[:19] for line in each["out.csv"]] for each in (theirs, ours)]
    assert times[0] == times[1]
    hours = [[json.loads(line)["ROWTIME"] for line in e["hours.json"]] for e in (theirs, ours)]
    assert hours[0] == hours[1]
    for each in sinks:
        assert sorted(ours[each]) == sorted(theirs[each])


def test_parquet_goes_in_and_out(folder: Path) -> None:
    """Into a folder on Spark."""
    frame = pandas.read_csv(folder / "orders.csv", parse_dates=["rowtime"])
    frame.to_parquet(folder / "orders.parquet")
    result = rowtime(script("path 'orders.parquet'", "path 'out.parquet'"))
    assert result.exit_code == 0, result.stderr
    found = pandas.read_parquet(folder / "out.parquet")
    assert [str(each) for each in found["ROWTIME"]] == [str(each) for each in frame["rowtime"]]
    assert list(found["UNITS"]) == [4, 1, 6]


@pytest.mark.usefixtures("folder")
def test_the_console_is_a_sink() -> None:
    result = rowtime(script(sink="format 'console'"))
    assert result.stdout == ORDERS.replace("rowtime,productId,units", "ROWTIME,PRODUCTID,UNITS")


# rows that are wrong


@pytest.mark.usefixtures("folder")
def test_late_rows_are_dropped_counted_and_named() -> None:
    Path("orders.csv").write_text(f"{ORDERS}2015-02-15 11:00:00,20,2\n2015-02-15 12:00:00,20,3\n")
    result = rowtime(script())
    assert result.exit_code == 0
    assert len(Path("out.csv").read_text().splitlines()) == 5
    warning, place, *_ = result.stderr.splitlines()
    assert warning == "warning: 1 row dropped from ORDERS (S-601)"
    assert place == "  orders.csv:5: ROWTIME is below its bound"


#: A record of each kind that is malformed.
MALFORMED: Final = (
    "2015-02-15 11:03:00,ten,5",
    "2015-02-15 11:03:00,10",
    ",10,5",
    "2015-02-15 11:03:00,1,99999999999",
)


@pytest.mark.parametrize("record", MALFORMED if NIGHTLY else MALFORMED[:1])
@pytest.mark.usefixtures("folder", "judged_as")
def test_a_malformed_record_ends_the_run_as_on_one_machine(record: str) -> None:
    Path("orders.csv").write_text(f"{ORDERS}{record}\n2015-02-15 12:00:00,1,1\n")
    ours, theirs = refused(script()), refused(script(), backend="reference")
    assert ours == theirs
    assert ours[0].startswith("BAD_ROW: ")
    assert not Path("out.csv").exists()


@pytest.mark.usefixtures("folder")
def test_a_row_against_a_check_is_malformed_with_its_line() -> None:
    text = script().replace("Orders (rowtime", "Orders (CHECK (units < 5), rowtime")
    first, line, *_ = refused(text)
    assert first.startswith("BAD_ROW: a CHECK")
    assert line == "orders.csv:4 | 2015-02-15 11:02:00,10,6"


@pytest.mark.usefixtures("folder", "judged_as")
def test_malformed_records_are_left_out_where_one_asks_for_it() -> None:
    """Each kind is found: were one not malformed, a row less would be dropped."""
    Path("orders.csv").write_text(ORDERS + "".join(f"{each}\n" for each in MALFORMED))
    result = rowtime(script("path 'orders.csv', on_error 'drop'"))
    assert result.exit_code == 0, result.stderr
    assert len(Path("out.csv").read_text().splitlines()) == 4
    assert "warning: 4 rows dropped from ORDERS (S-601)" in result.stderr
    assert "orders.csv:5: PRODUCTID: 'ten' is not a value of INTEGER" in result.stderr


# checkpoints


def two_files(folder: Path) -> None:
    """A folder with the first two orders; the third comes when ``third`` is called."""
    (folder / "in").mkdir()
    header, *rows = ORDERS.splitlines()
    (folder / "in" / "a.csv").write_text("\n".join([header, *rows[:2]]) + "\n")


def third(folder: Path) -> None:
    header, *rows = ORDERS.splitlines()
    (folder / "in" / "b.csv").write_text(f"{header}\n{rows[2]}\n")


#: The sums of the last hour over a folder of files.
FOLDER: Final = script("format 'csv', path 'in'", query=SLIDE)


@pytest.fixture(scope="module")
def begun_once(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """A folder in which `FOLDER` has read two files, and a copy of it.

    A checkpoint names the path of its folder, so all tests that start from it use this folder.
    """
    place = tmp_path_factory.mktemp("place") / "begun"
    place.mkdir()
    with chdir(place):
        two_files(place)
        first = run_until(FOLDER, lambda progress: progress.sources[0].rows == 2)
    assert [each.rows for each in first.sinks] == [1]  # that of 10:17:05 waits for its ties
    return place, Path(shutil.copytree(place, place.parent / "copy"))


@pytest.fixture
def begun(begun_once: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current folder, in which `FOLDER` has read two files."""
    place, copy = begun_once
    shutil.rmtree(place)
    shutil.copytree(copy, place)
    monkeypatch.chdir(place)
    return place


def test_a_second_run_goes_on_where_the_first_was(begun: Path) -> None:
    """The sums of the last hour reach back over the restart; the end comes once."""
    goes_on(FOLDER, begun)


def test_a_second_run_goes_on_in_a_folder(folder: Path) -> None:
    two_files(folder)
    text = script("format 'csv', path 'in'", "format 'csv', path 'out'", SLIDE)
    run_until(text, lambda progress: progress.sources[0].rows == 2)
    goes_on(text, folder)


def goes_on(text: str, folder: Path) -> None:
    """A second run, after the third order has come, and one for which there is nothing left."""
    third(folder)
    result = rowtime(text, "--checkpoint", "checkpoint", "--once")
    assert result.exit_code == 0, result.stderr
    (path,) = folder.glob("out*")
    end = ["2015-02-15 10:17:00,30,4", "2015-02-15 10:17:05,10,1", "2015-02-15 11:02:00,10,7"]
    rows = [line for line in written(path) if not line.startswith("ROWTIME")]
    assert rows == end
    assert "read 3 rows of ORDERS from in" in result.stderr
    again = rowtime(text, "--checkpoint", "checkpoint", "--once")
    assert again.exit_code == 0
    assert [line for line in written(path) if not line.startswith("ROWTIME")] == end


@pytest.mark.parametrize("way", ["corrected", "left out"] if NIGHTLY else ["left out"])
def test_after_a_malformed_record_the_pipeline_goes_on(way: str, begun: Path) -> None:
    """Nothing is lost: the file is read again when it is correct, or without the record."""
    folder, text = begun, FOLDER
    third(folder)
    sound = (folder / "in" / "b.csv").read_text()
    (folder / "in" / "b.csv").write_text(f"{sound}2015-02-15 11:03:00,ten,5\n")
    before = (folder / "out.csv").read_text()
    first, line, *_ = refused(text, "--checkpoint", "checkpoint", "--once")
    assert first == "BAD_ROW: PRODUCTID: 'ten' is not a value of INTEGER"
    assert line == "in/b.csv:3 | 2015-02-15 11:03:00,ten,5"
    assert (folder / "out.csv").read_text() == before
    if way == "corrected":
        (folder / "in" / "b.csv").write_text(sound)
    else:
        text = text.replace("path 'in'", "path 'in', on_error 'drop'")
    result = rowtime(text, "--checkpoint", "checkpoint", "--once")
    assert result.exit_code == 0, result.stderr
    assert written(folder / "out.csv")[1:] == [
        "2015-02-15 10:17:00,30,4",
        "2015-02-15 10:17:05,10,1",
        "2015-02-15 11:02:00,10,7",
    ]


def test_after_a_file_that_cannot_be_read_the_pipeline_goes_on(folder: Path) -> None:
    """It is named; put right under its name, it is read."""
    (folder / "in").mkdir()
    (folder / "in" / "a.parquet").write_bytes(b"PAR1 no footer")
    text = script("format 'parquet', path 'in'")
    lines = refused(text, "--checkpoint", "checkpoint", "--once")
    assert "a.parquet" in " ".join(lines)
    frame = pandas.read_csv(folder / "orders.csv", parse_dates=["rowtime"])
    frame.to_parquet(folder / "in" / "a.parquet")
    result = rowtime(text, "--checkpoint", "checkpoint", "--once")
    assert result.exit_code == 0, result.stderr
    assert len(written(folder / "out.csv")) == 4


@pytest.mark.usefixtures("begun")
def test_a_changed_statement_is_refused_and_a_changed_comment_is_not() -> None:
    before = Path("out.csv").read_text()
    lines = refused(FOLDER.replace("'1' HOUR", "'2' HOUR"), "--checkpoint", "checkpoint")
    assert "statement 1 (into SINK) changed since it was begun" in lines[0]
    assert "begin with a new checkpoint" in lines[1]
    assert Path("out.csv").read_text() == before
    source = "format 'csv', path 'in', on_error 'drop'"
    same = "-- in other words\n" + script(source, query=SLIDE.replace("SELECT", "select"))
    assert rowtime(same, "--checkpoint", "checkpoint", "--once").exit_code == 0


def test_a_folder_that_is_no_checkpoint_is_refused(folder: Path) -> None:
    (folder / "mine").mkdir()
    (folder / "mine" / "thesis.txt").write_text("years of work")
    lines = refused(script(), "--checkpoint", "mine")
    assert "is not empty, and no checkpoint of a pipeline" in lines[0]
    assert [each.name for each in (folder / "mine").iterdir()] == ["thesis.txt"]
    assert not (folder / "out.csv").exists()


@pytest.mark.parametrize("what", ["words", "rows", "gone"])
def test_a_damaged_checkpoint_is_refused(what: str, begun: Path) -> None:
    for each in (begun / "checkpoint" / "state").iterdir():
        for file in [each / "words"] if what == "words" else [*each.rglob("*.parquet")]:
            if what == "gone":
                file.unlink()
            else:
                file.write_bytes(b"\0" * file.stat().st_size)
    third(begun)
    lines = refused(FOLDER, "--checkpoint", "checkpoint", "--once")
    assert "is damaged" in lines[0]
    assert any("hint: " in line for line in lines)


def test_a_sink_that_was_cut_is_refused(begun: Path) -> None:
    (begun / "out.csv").write_text("")
    lines = refused(FOLDER, "--checkpoint", "checkpoint", "--once")
    assert "out.csv has 0 bytes; when the checkpoint was written it had" in lines[0]


# names and texts that look like something else


HOSTILE: Final = "'; DROP TABLE x; --\"`$" + "{env:HOME} \\ \N{SNOWMAN}\n%{}[a]*?"


def test_hostile_names_and_texts_are_names_and_texts(folder: Path) -> None:
    """As identifiers, literals, option values, paths and data."""
    name = '\'; DROP ""x"" `${env:HOME}` \N{SNOWMAN}.%[a]*{b}'
    exact = name.replace('""', '"')
    path = "we'ird `$x` {a,b} [c]* \N{SNOWMAN} %41.csv"
    literal = HOSTILE.replace("'", "''")
    with (folder / path).open("w", newline="") as file:
        pandas.DataFrame(
            {"rowtime": ["2015-02-15 10:00:00", "2015-02-15 10:00:01"], exact: [HOSTILE, "x"]}
        ).to_csv(file, index=False)
    columns = f'(rowtime TIMESTAMP ASCENDING, "{name}" VARCHAR)'
    quoted = path.replace("'", "''")
    text = f"""
      CREATE FOREIGN STREAM "S{name}" {columns} OPTIONS (path '{quoted}', null_text 'q`''');
      CREATE FOREIGN STREAM "T{name}" {columns} OPTIONS (path 'out {quoted}');
      CREATE FOREIGN STREAM J {columns} OPTIONS (path 'out.json');
      INSERT INTO "T{name}" SELECT STREAM rowtime, "{name}" || '{literal}' FROM "S{name}"
        WHERE "{name}" = '{literal}';
      INSERT INTO J SELECT STREAM rowtime, MAX("{name}") FROM "S{name}" GROUP BY rowtime;
    """
    both(text, (f"out {path}", "out.json"))
    found = pandas.read_csv(folder / f"out {path}.of-spark")
    assert list(found[exact]) == [HOSTILE * 2]


# what is refused


@pytest.mark.parametrize(
    ("source", "code", "hint"),
    [
        ("path 'gone.csv'", "BAD_OPTION", "has: orders.csv, p.sql"),
        ("format 'kafka', subscribe 't'", "NOT_SUPPORTED", "spark.jars.packages=org.apache.spark"),
        ("format 'delta', path 't'", "NOT_SUPPORTED", "spark.jars.packages=io.delta"),
        ("format 'rate'", "BAD_OPTION", "(rowtime TIMESTAMP(3) ASCENDING, number"),
    ],
)
@pytest.mark.usefixtures("folder")
def test_a_source_that_is_none_is_refused_at_its_option(source: str, code: str, hint: str) -> None:
    file, first, line, caret, shown, *_ = refused(script(source))
    assert file == "p.sql:"
    assert first.startswith(f"{code}: ")
    assert line[caret.index("^") : caret.rindex("^") + 1] in source
    assert hint in shown
    assert not Path("out.csv").exists()


@pytest.mark.parametrize(
    ("options", "backend", "message"),
    [
        (["--conf", "spark.sql.ansi.enabled=false"], "spark", "exact answers need"),
        (["--conf", "spark.x=1"], "reference", "is one process, without --conf"),
        (["--master", "local[4]"], "reference", "is one process, without --master"),
        (["--checkpoint", "c"], "reference", "or --backend spark"),
    ],
)
@pytest.mark.usefixtures("folder")
def test_settings_without_a_meaning_are_refused(
    options: list[str], backend: str, message: str
) -> None:
    lines = refused(script(), *options, backend=backend)
    assert message in " ".join(lines)


@pytest.mark.usefixtures("folder")
def test_a_socket_goes_with_no_checkpoint() -> None:
    lines = refused(script("format 'socket', port 9"), "--checkpoint", "c")
    assert lines[1] == "NOT_SUPPORTED: a socket does not send its rows again"


@pytest.mark.usefixtures("folder")
def test_a_setting_that_is_none_of_sparks_is_a_usage_error() -> None:
    assert rowtime(script(), "--conf", "memory=4g").exit_code == 2


@pytest.mark.usefixtures("folder")
def test_a_sink_whose_package_is_not_there_is_refused_before_anything_is_read() -> None:
    lines = refused(script(sink="format 'iceberg', path 't'"), "--checkpoint", "c")
    assert lines[1] == "NOT_SUPPORTED: Spark has no package for 'iceberg'"
    assert not Path("c").exists()


def test_a_sink_folder_that_is_not_empty_is_refused(folder: Path) -> None:
    (folder / "out").mkdir()
    (folder / "out" / "part-00000.csv").write_text("of yesterday")
    lines = refused(script(sink="format 'csv', path 'out'"))
    assert lines[1] == "BAD_OPTION: the folder out is not empty"


def test_explain_says_which_rows_are_retained() -> None:
    """A sum over the last hour keeps the rows from an hour before the bound."""
    sql = (
        "SELECT STREAM rowtime, SUM(units) OVER (ORDER BY rowtime RANGE INTERVAL '1' HOUR "
        "PRECEDING) FROM Orders"
    )
    result = CliRunner().invoke(app, ["explain", "--backend", "spark-stream", sql])
    assert result.exit_code == 0, result.stderr
    assert "  ORDERS: ROWTIME >= b - 1 hour" in result.stdout.splitlines()


def test_explain_says_what_each_operator_keeps() -> None:
    """The last five hours of a product, over the open groups of an hour."""
    sql = (
        "SELECT STREAM rowtime, AVG(c) OVER (PARTITION BY productId ORDER BY rowtime ROWS 4"
        " PRECEDING) AS c FROM (SELECT CEIL(rowtime TO HOUR) AS rowtime, productId, COUNT(*) AS c"
        " FROM Orders GROUP BY CEIL(rowtime TO HOUR), productId)"
    )
    result = CliRunner().invoke(app, ["explain", "--backend", "spark-stream", sql])
    lines = [line.strip() for line in result.stdout.splitlines()]
    window = next(i for i, line in enumerate(lines) if line.startswith("LogicalWindow"))
    groups = next(i for i, line in enumerate(lines) if line.startswith("LogicalAggregate"))
    assert lines[window + 1] == "│ state rows of 4 rows per (PRODUCTID)"
    of_hour = "an accumulator per (CEIL(ROWTIME TO HOUR), PRODUCTID) for 1 HOUR"
    assert lines[groups + 1] == f"│ state {of_hour}"
    # A row at b or later is of a group that was open when b was there: 1 ms is the granularity.
    groups = lines.index("kept between micro-batches by stage 1:")
    assert lines[groups + 1] == "ORDERS: ROWTIME >= b - 3599999 ms"
    window = lines.index("kept between micro-batches by stage 2:")
    back = "those from b on, and as many before b as their frames reach back"
    assert lines[window + 1] == f"stage 1: of each partition {back}"


@pytest.mark.parametrize(
    ("call", "rows"),
    [
        ("units", "ROWTIME > b"),
        ("COUNT(*) OVER (ORDER BY rowtime)", "one total for each partition, and ROWTIME >= b"),
        (
            "COUNT(DISTINCT units) OVER (ORDER BY rowtime)",
            "the past rows of each partition that functions can still read, and ROWTIME >= b",
        ),
        (
            "COUNT(*) OVER (ORDER BY rowtime), LAG(units) OVER (ORDER BY rowtime)",
            (
                "one total for each partition, and the past rows of each partition that functions"
                " can still read, and ROWTIME >= b"
            ),
        ),
        ("LEAD(units, 2) OVER (ORDER BY rowtime)", "ROWTIME >= b"),
        (
            "SUM(units) OVER (ORDER BY rowtime RANGE INTERVAL '1' MONTH PRECEDING)",
            "ROWTIME >= b - 31 day",
        ),
        (
            "VAR_POP(units) OVER (ORDER BY rowtime)",
            "one total for each partition, and ROWTIME >= b",
        ),
        (
            "MEDIAN(units) OVER (PARTITION BY FLOOR(rowtime TO DAY) ORDER BY rowtime)",
            "of each partition all rows, until it is complete",
        ),
        (
            "SUM(units) OVER (ORDER BY rowtime ROWS 9 PRECEDING)",
            "of each partition those from b on, and as many before b as their frames reach back",
        ),
    ],
)
def test_explain_says_what_replaces_rows(call: str, rows: str) -> None:
    sql = f"SELECT STREAM rowtime, {call} FROM Orders"
    result = CliRunner().invoke(app, ["explain", "--backend", "spark-stream", sql])
    assert f"  ORDERS: {rows}" in result.stdout.splitlines()


def test_explain_says_what_each_stage_retains(tmp_path: Path) -> None:
    """A MONOTONIC of what another has let pass: each measures by a row of its own."""
    ddl = tmp_path / "ddl.sql"
    ddl.write_text("CREATE STREAM S (rowtime TIMESTAMP(3) ASCENDING, id INTEGER, v INTEGER)")
    risen = "SELECT STREAM rowtime, MONOTONIC(id) AS id, v FROM S"
    sql = f"SELECT STREAM rowtime, id, MONOTONIC(v) AS v FROM ({risen})"
    arguments = ["explain", "--backend", "spark-stream", "--ddl", str(ddl), sql]
    result = CliRunner().invoke(app, arguments)
    measures = "the last row, with which MONOTONIC compares, and those not yet emitted, from b on"
    lines = result.stdout.splitlines()
    assert lines[lines.index("kept between micro-batches by stage 1:") + 1] == f"  S: {measures}"
    last = lines.index("kept between micro-batches by stage 2:")
    assert lines[last + 1] == f"  stage 1: {measures}"


# files of other forms


@pytest.mark.usefixtures("folder")
def test_compressed_files_are_read_and_other_compressions_are_refused() -> None:
    """S-607.o, S-607.t: in a folder with a file whose ending is in upper case."""
    lines = ORDERS.splitlines(keepends=True)
    Path("in").mkdir()
    Path("in/9.CSV").write_text("".join(lines[:2]))
    Path("in/10.csv.gz").write_bytes(gzip.compress("".join([lines[0], *lines[2:]]).encode()))
    text = script(source="path 'in', format 'csv'")
    assert both(text, ("out.csv",), "--once")["out.csv"] == ORDERS.upper().splitlines()
    Path("one.csv.gz").write_bytes(gzip.compress(ORDERS.encode()))
    found = both(script(source="path 'one.csv.gz'"), ("out.csv",), "--once")
    assert found["out.csv"] == ORDERS.upper().splitlines()
    for ending in ("zst", "bz2"):
        Path(f"in/11.csv.{ending}").write_bytes(b"x")
        result = rowtime(text, "--once")
        assert result.exit_code == 1
        assert f"in/11.csv.{ending}: Spark does not read files in .{ending}" in result.stderr
        Path(f"in/11.csv.{ending}").unlink()


@pytest.mark.usefixtures("folder")
def test_what_spark_cannot_tell_from_null_and_pipes_are_refused() -> None:
    """S-607.m: a quoted field of a text column is never NULL."""
    columns = "(rowtime TIMESTAMP(3) ASCENDING, v VARCHAR)"
    Path("in.csv").write_text("rowtime,v\n2026-01-01 00:00:00,NA\n2026-01-01 00:00:01,x\n")
    text = f"""
      CREATE FOREIGN STREAM X {columns} OPTIONS (path 'in.csv', null_text 'NA');
      CREATE FOREIGN STREAM Y {columns} OPTIONS (path 'out.csv');
      INSERT INTO Y SELECT STREAM * FROM X;
    """
    assert both(text, ("out.csv",))["out.csv"][1:] == [
        "2026-01-01 00:00:00,",
        "2026-01-01 00:00:01,x",
    ]
    with Path("in.csv").open("a") as file:
        file.write('2026-01-01 00:00:02,"NA"\n')
    result = rowtime(text)
    assert result.exit_code == 1
    assert 'NOT_SUPPORTED: in.csv has "NA", which Spark reads as NULL' in result.stderr
    os.mkfifo("pipe.csv")
    result = rowtime(text.replace("in.csv", "pipe.csv"))
    assert result.exit_code == 1
    assert "NOT_SUPPORTED: Spark does not read pipes" in result.stderr


@pytest.mark.usefixtures("folder")
def test_strict_times_refuse_the_old_times_of_a_file_and_parts_of_a_millisecond() -> None:
    """S-613.c: Spark would cut the nanoseconds of the old form (INT96)."""
    Path("in").mkdir()
    columns = "(rowtime TIMESTAMP(3) ASCENDING)"
    text = f"""
      CREATE FOREIGN STREAM X {columns} OPTIONS (path 'in', format 'parquet', strict_times TRUE);
      CREATE FOREIGN STREAM Y {columns} OPTIONS (path 'out.csv');
      INSERT INTO Y SELECT STREAM * FROM X;
    """
    at = datetime(2026, 1, 1)

    def write(name: str, *moments: datetime, old: bool = False) -> None:
        frame = pandas.DataFrame({"rowtime": pandas.array(moments, dtype="datetime64[us]")})
        frame.to_parquet(f"in/{name}.parquet", use_deprecated_int96_timestamps=old)

    write("1", at)
    write("2", at + timedelta(seconds=1))
    assert len(both(text, ("out.csv",), "--once")["out.csv"]) == 3
    write("2", at + timedelta(microseconds=1_000_001))
    fine = rowtime(text, "--once")
    assert fine.exit_code == 1
    assert "BAD_ROW" in fine.stderr
    write("2", at + timedelta(seconds=1), old=True)
    old = rowtime(text, "--once")
    assert old.exit_code == 1
    assert "NOT_SUPPORTED: Spark reads old timestamps of Parquet (INT96) without" in old.stderr


#: Each type with two values as JSON has them, at the ends of its range.
ENDS: Final[Mapping[str, tuple[object, object]]] = {
    "BOOLEAN": (True, False),
    "TINYINT": (127, -128),
    "BIGINT": (2**63 - 1, -(2**63)),
    "DECIMAL(9, 4)": ("99999.9999", "-0.0001"),
    "REAL": (3.4028234663852886e38, "NaN"),
    "DOUBLE": (1.7976931348623157e308, "-Infinity"),
    "VARCHAR(9)": ("", "NULL"),
    "VARCHAR(8)": ('a "b"', "c,\n;\td"),
    "CHAR(3)": ("a  ", "   "),
    "VARBINARY(3)": ("00FF", ""),
    "DATE": ("0001-01-01", "9999-12-31"),
    "TIME(3)": ("23:59:59.999", "00:00:00"),
    "TIMESTAMP(3)": ("9999-12-31 23:59:59.999", "1969-12-31 23:59:59.001"),
    "INTERVAL DAY TO SECOND(3)": ("1 02:03:04.500", "-9 23:59:59.999"),
    "INTERVAL YEAR TO MONTH": ("9-11", "-0-01"),
}


@pytest.mark.usefixtures("folder")
def test_spark_reads_what_it_has_written_in_each_format_and_type() -> None:
    """S-607.n."""
    names = [f"C{place}" for place in range(len(ENDS))]
    rows = [
        {"ROWTIME": f"2026-01-01 00:00:0{row}"}
        | {
            name: ends[row] if row < 2 else None
            for name, ends in zip(names, ENDS.values(), strict=True)
        }
        for row in range(3)
    ]
    lines = [json.dumps(row) for row in rows]
    Path("in.json").write_text("".join(f"{line}\n" for line in lines))
    declared = ", ".join(f"{name} {type}" for name, type in zip(names, ENDS, strict=True))
    columns = f"(rowtime TIMESTAMP(3) ASCENDING, {declared})"

    def foreign(name: str, path: str) -> str:
        known = columns.replace("TIME(3),", "VARCHAR,") if "parquet" in path else columns
        return f"CREATE FOREIGN STREAM {name} {known} OPTIONS (path '{path}');"

    # Spark has no TIME in Parquet: there it is a text.
    time = names[list(ENDS).index("TIME(3)")]
    in_parquet = ", ".join(f"CAST({n} AS VARCHAR)" if n == time else n for n in names)
    out_of_parquet = ", ".join(f"CAST({n} AS TIME(3))" if n == time else n for n in names)
    sinks = {"C": "a.csv", "J": "a.json", "P": "a.parquet"}
    there = "".join(foreign(name, path) for name, path in sinks.items())
    back = "".join(foreign(f"{name}2", f"{name}.json") for name in sinks)
    written = rowtime(
        f"{foreign('X', 'in.json')}{there}"
        "INSERT INTO C SELECT STREAM * FROM X; INSERT INTO J SELECT STREAM * FROM X;"
        f"INSERT INTO P SELECT STREAM rowtime, {in_parquet} FROM X;"
    )
    assert written.exit_code == 0, written.stderr
    again = rowtime(
        f"{there}{back}INSERT INTO C2 SELECT STREAM * FROM C;"
        "INSERT INTO J2 SELECT STREAM * FROM J;"
        f"INSERT INTO P2 SELECT STREAM rowtime, {out_of_parquet} FROM P;",
        "--once",
    )
    assert again.exit_code == 0, again.stderr
    columns = "(rowtime TIMESTAMP(3) ASCENDING, t TIME(3))"
    for source, sink in (("in.json", "b.parquet"), ("a.parquet", "b.csv")):
        result = rowtime(
            f"{foreign('X', source)}{foreign('Y', sink)}INSERT INTO Y SELECT STREAM * FROM X;"
        )
        assert result.exit_code == 1
        assert "NOT_SUPPORTED: Spark has no TIME(3) in Parquet" in result.stderr
    for name in sinks:
        found = [json.loads(line) for line in Path(f"{name}.json").read_text().splitlines()]
        assert found == rows, name


def test_a_setting_that_spark_rejects_is_named(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Spark reads some settings only when a new session is first used."""

    def rejects(*_: object) -> None:
        raise IllegalArgumentException("The value 'abc' in the config \"c\" is invalid.\n\tat java")

    monkeypatch.setattr(pipeline, "spark_session", rejects)
    lines = refused(script(), "--conf", "spark.c=abc")
    assert lines[0] == "--conf: The value 'abc' in the config \"c\" is invalid."
    assert not (folder / "out.csv").exists()


def test_a_file_that_is_not_parquet_is_named(folder: Path) -> None:
    (folder / "bad.parquet").write_bytes(b"PAR1" + bytes(range(256)) * 8)
    lines = refused(script("path 'bad.parquet'"))
    assert "bad.parquet: Parquet magic bytes not found" in " ".join(lines)
    assert "java" not in " ".join(lines)
