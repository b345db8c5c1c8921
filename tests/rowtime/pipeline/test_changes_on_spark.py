"""Pipelines of changes on Spark: a micro-batch is an event, and its changes are in one commit."""

import json
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Final

import pytest

from algebra.records.pipeline import PipelineProgress
from tests.examples import NIGHTLY
from tests.rowtime.pipelines import refused, rowtime, run_until

pytestmark = [pytest.mark.spark, pytest.mark.usefixtures("folder", "file_by_file")]

ACCOUNTS = "CREATE FOREIGN STREAM Accounts (id INTEGER, owner VARCHAR, total INTEGER) WITH CHANGES"
FROM = "OPTIONS (format 'debezium', path 'accounts')"
TOTALS = (
    "CREATE FOREIGN STREAM Totals (owner VARCHAR, total BIGINT) WITH CHANGES KEY (owner)\n"
    "  OPTIONS (format 'debezium', path 'totals');\n"
    "INSERT INTO Totals SELECT STREAM owner, SUM(total) FROM Accounts GROUP BY owner EMIT CHANGES;"
)
PIPELINE = f"{ACCOUNTS} KEY (id) {FROM};\n{TOTALS}"
#: Two micro-batches; the second one moves all of bob's money to ada, in three records.
BATCHES = (
    (
        {"op": "c", "after": {"id": 1, "owner": "ada", "total": 50}},
        {"op": "c", "after": {"id": 2, "owner": "bob", "total": 20}},
    ),
    (
        {"op": "u", "after": {"id": 1, "owner": "ada", "total": 60}},
        {"op": "u", "after": {"id": 1, "owner": "ada", "total": 70}},
        {"op": "d", "before": {"id": 2}},
    ),
)
#: By hand: an update for ada, and not one for each record.
RECORDS = (
    [("c", None, 50), ("c", None, 20)],
    [("u", 50, 70), ("d", 20, None)],
)


def write(number: int, records: Sequence[object], folder: str = "accounts") -> None:
    """The file of a micro-batch; Spark reads the oldest first."""
    Path(folder).mkdir(exist_ok=True)
    file = Path(folder) / f"{number}.jsonl"
    file.write_text("".join(f"{json.dumps(each)}\n" for each in records))
    os.utime(file, (number + 1, number + 1))


def totals(number: int) -> list[tuple[str, object, object]]:
    """The records of a micro-batch in the sink: op, the total before, the total after."""
    lines = Path(f"totals/part-{number:05}.json").read_text().splitlines()
    found = [json.loads(line) for line in lines]

    def side(of: dict[str, object] | None) -> object:
        return None if of is None else of["TOTAL"]

    return [(each["op"], side(each["before"]), side(each["after"])) for each in found]


def test_the_changes_of_a_micro_batch_are_those_of_one_event() -> None:
    """S-1001.b, S-1009.e, S-1009.f: at each commit the sink holds an answer that was true."""
    for number, records in enumerate(BATCHES):
        write(number, records)
    result = rowtime(PIPELINE, "--once", backend="spark")
    assert result.exit_code == 0, result.stderr
    assert "read 5 rows of ACCOUNTS from accounts" in result.stderr
    assert "wrote 4 rows of TOTALS to totals" in result.stderr
    assert sorted(totals(0), key=repr) == sorted(RECORDS[0], key=repr)
    assert sorted(totals(1), key=repr) == sorted(RECORDS[1], key=repr)


def test_a_pipeline_that_is_started_again_has_its_rows_and_its_last_answer() -> None:
    """The valid rows and the answer come from the checkpoint: the second run sees one file."""

    def read(rows: int, done: PipelineProgress) -> bool:
        return done.sources[0].rows == rows

    write(0, BATCHES[0])
    assert run_until(PIPELINE, lambda done: read(2, done)).sinks[0].rows == 2
    write(1, BATCHES[1])
    assert run_until(PIPELINE, lambda done: read(5, done)).sinks[0].rows == 4
    assert sorted(totals(1), key=repr) == sorted(RECORDS[1], key=repr)


def test_statements_feed_one_another_in_one_micro_batch() -> None:
    """S-1008.d: the rows of a statement, a join over them, and a count over its changes."""
    Path("orders.csv").write_text(
        "rowtime,id,units\n2015-02-15 10:17:00,1,4\n2015-02-15 10:18:00,3,5\n"
    )
    write(0, BATCHES[0])
    script = f"""
      CREATE FOREIGN STREAM Orders (rowtime TIMESTAMP(3) ASCENDING, id INTEGER, units INTEGER)
        OPTIONS (path 'orders.csv');
      CREATE STREAM Great (rowtime TIMESTAMP(3) ASCENDING, id INTEGER, units INTEGER);
      INSERT INTO Great SELECT STREAM * FROM Orders WHERE units > 3;
      {ACCOUNTS} KEY (id) {FROM};
      CREATE STREAM Pairs (owner VARCHAR, units INTEGER) WITH CHANGES;
      CREATE FOREIGN STREAM Counts (n BIGINT, named BIGINT) WITH CHANGES
        OPTIONS (format 'debezium', path 'counts.jsonl');
      INSERT INTO Counts SELECT STREAM COUNT(*), COUNT(owner) FROM Pairs EMIT CHANGES;
      INSERT INTO Pairs SELECT STREAM owner, units
        FROM Great LEFT JOIN Accounts ON Great.id = Accounts.id EMIT CHANGES;
    """
    result = rowtime(script, "--once", backend="spark")
    assert result.exit_code == 0, result.stderr
    (line,) = Path("counts.jsonl").read_text().splitlines()
    assert json.loads(line) == {"before": None, "after": {"N": 2, "NAMED": 1}, "op": "c"}


#: A record of each kind that is refused, and a part of its reason.
BAD: Final = (
    ({"op": "d", "before": {"id": 7}}, "there is no such row to delete"),
    ({"op": "c", "after": {"owner": "ada"}}, "NULL"),
    ({"op": "x"}, "op: 'x' is not c (create)"),
)


@pytest.mark.parametrize(("record", "reason"), BAD if NIGHTLY else BAD[:1])
def test_a_bad_record_is_shown_with_its_line(record: object, reason: str) -> None:
    """S-1009.b, S-1005.e: file and line; nothing is written."""
    write(0, [*BATCHES[0], record])
    message, shown, _, hint, *_ = refused(PIPELINE, "--once", backend="spark")
    assert reason in message
    assert shown.startswith("accounts/0.jsonl:3 | {")
    assert "on_error 'drop'" in hint
    assert not list(Path().glob("totals/part*"))


def test_a_bad_record_is_left_out_if_the_stream_says_so() -> None:
    """S-607.g: each kind is found; were one not refused, a row less would be dropped."""
    write(0, [*BATCHES[0], *(record for record, _ in BAD)])
    script = PIPELINE.replace("path 'accounts'", "path 'accounts', on_error 'drop'")
    result = rowtime(script, "--once", backend="spark")
    assert result.exit_code == 0, result.stderr
    assert "3 rows dropped from ACCOUNTS" in result.stderr
    assert sorted(totals(0), key=repr) == sorted(RECORDS[0], key=repr)
