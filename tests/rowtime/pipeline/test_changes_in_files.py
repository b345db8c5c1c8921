"""Foreign streams WITH CHANGES: records of Debezium, in pipelines and queries (S-1009)."""

import json
import os
import threading
from pathlib import Path

import pytest
from typer.testing import CliRunner

from rowtime.cli import app
from tests.rowtime.pipelines import refused, rowtime

COLUMNS = "(id INTEGER, owner VARCHAR(9), total INTEGER)"
ACCOUNTS = f"CREATE FOREIGN STREAM Accounts {COLUMNS} WITH CHANGES"
TOTALS = "CREATE FOREIGN STREAM Totals (owner VARCHAR(9), total BIGINT) WITH CHANGES"
SUMS = "SELECT STREAM owner, SUM(total) AS total FROM Accounts GROUP BY owner EMIT CHANGES"
FROM = "OPTIONS (format 'debezium', path 'accounts.jsonl')"
INTO = "OPTIONS (format 'debezium', path 'totals.jsonl')"


def account(id: int, owner: str, total: int | None) -> dict[str, object]:
    return {"id": id, "owner": owner, "total": total}


def record(op: str, before: object = None, after: object = None) -> dict[str, object]:
    return {"before": before, "after": after, "op": op}


def write(*records: object) -> None:
    Path("accounts.jsonl").write_text("".join(json.dumps(each) + "\n" for each in records))


def run(key: str = "KEY (id)", into: str = f"KEY (owner) {INTO}", source: str = FROM) -> str:
    """The standard error of a pipeline that has ended well."""
    text = f"{ACCOUNTS} {key} {source};\n{TOTALS} {into};\nINSERT INTO Totals {SUMS};"
    result = rowtime(text)
    assert result.exit_code == 0, result.stderr
    return result.stderr


def asked(ddl: str, query: str, *options: str) -> list[str]:
    """The lines of CSV of a query on files."""
    Path("script.sql").write_text(ddl)
    arguments = ["run", "--ddl", "script.sql", "--format", "csv", *options, query]
    result = CliRunner().invoke(app, arguments)
    assert result.exit_code == 0, result.output
    return result.stdout.splitlines()


def totals(path: Path = Path("totals.jsonl")) -> list[tuple[str, object, object]]:
    """The records of the sink: op, the total before, the total after."""
    found = [json.loads(line) for line in path.read_text().splitlines()]

    def side(of: dict[str, object] | None) -> object:
        return None if of is None else (of["OWNER"], of["TOTAL"])

    return [(each["op"], side(each["before"]), side(each["after"])) for each in found]


@pytest.mark.usefixtures("folder")
def test_each_record_is_an_event_and_a_change_of_a_key_is_an_update() -> None:
    """S-1009.b, S-1009.e, S-1009.f: by hand, total by total."""
    write(
        record("c", None, account(1, "ada", 50)),
        record("r", None, account(2, "bob", 20)),
        record("u", account(1, "ada", 50), account(1, "ada", 30)),
        record("u", account(2, "bob", 20), account(2, "ada", 20)),
        record("d", account(1, "ada", 30)),
    )
    assert run().splitlines() == [
        "read 5 rows of ACCOUNTS from accounts.jsonl",
        "wrote 6 rows of TOTALS to totals.jsonl",
    ]
    found = totals()
    assert found[:3] == [
        ("c", None, ("ada", 50)),
        ("c", None, ("bob", 20)),
        ("u", ("ada", 50), ("ada", 30)),
    ]
    moved = [("u", ("ada", 30), ("ada", 50)), ("d", ("bob", 20), None)]
    assert found[3:5] in (moved, moved[::-1])
    assert found[5:] == [("u", ("ada", 50), ("ada", 20))]


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize(
    ("declared", "file"),
    [
        (f"{ACCOUNTS} {FROM.replace('accounts', 'others')}", "accounts.jsonl"),
        (ACCOUNTS.replace("FOREIGN ", ""), "accounts.jsonl OPTIONS (format 'debezium')"),
    ],
)
def test_a_file_of_the_command_line_has_its_deletes(declared: str, file: str) -> None:
    """Whether it replaces the declared file, or feeds a stream that is not foreign."""
    write(record("c", None, account(1, "ada", 50)), record("d", account(1, "ada", 50)))
    text = f"{declared};\n{TOTALS} KEY (owner) {INTO};\nINSERT INTO Totals {SUMS};"
    result = rowtime(text, "--data", f"Accounts={file}")
    assert result.exit_code == 0, result.stderr
    assert totals() == [("c", None, ("ada", 50)), ("d", ("ada", 50), None)]


@pytest.mark.usefixtures("folder")
def test_a_sink_without_a_key_deletes_and_creates() -> None:
    """S-1009.f, S-1009.b: and a source without a key needs the whole row before."""
    write(
        record("c", None, account(1, "ada", 50)),
        record("u", account(1, "ada", 50), account(1, "ada", 30)),
    )
    run(key="", into=INTO)
    assert totals() == [
        ("c", None, ("ada", 50)),
        ("d", ("ada", 50), None),
        ("c", None, ("ada", 30)),
    ]


@pytest.mark.usefixtures("folder")
def test_with_a_key_an_update_needs_no_row_before_and_a_delete_needs_the_key() -> None:
    """S-1009.c, S-1005.d."""
    write(
        record("c", None, account(1, "ada", 50)),
        {"op": "u", "after": account(1, "ada", 70)},
        record("d", {"id": 1}),
        record("c", None, account(2, "ada", 1)),
    )
    run()
    assert totals()[-1] == ("c", None, ("ada", 1))


@pytest.mark.usefixtures("folder")
def test_an_update_that_moves_a_row_to_another_key_deletes_the_old_one() -> None:
    """S-1009.c."""
    write(
        record("c", None, account(1, "ada", 50)),
        record("u", account(1, "ada", 50), account(2, "ada", 50)),
        record("c", None, account(1, "ada", 5)),
    )
    run()
    assert totals() == [("c", None, ("ada", 50)), ("u", ("ada", 50), ("ada", 55))]


@pytest.mark.usefixtures("folder")
def test_a_payload_is_the_record_and_null_is_none() -> None:
    """S-1009.d: as Debezium writes with schemas, and after a delete."""
    write(
        {"schema": {"type": "struct"}, "payload": record("c", None, account(1, "ada", 50))},
        {"schema": {"type": "struct"}, "payload": record("d", account(1, "ada", 50))},
        None,
    )
    run()
    assert totals() == [("c", None, ("ada", 50)), ("d", ("ada", 50), None)]


@pytest.mark.usefixtures("folder")
def test_a_source_reads_what_a_sink_has_written() -> None:
    """S-607.n."""
    write(
        record("c", None, account(1, "ada", 50)),
        record("u", None, account(1, "ada", None)),
        record("u", None, account(1, "ada", 10)),
    )
    run()
    query = "SELECT owner, total FROM Totals"
    assert asked(f"{TOTALS} KEY (owner) {INTO}", query) == ["OWNER,TOTAL", "ada,10"]


@pytest.mark.usefixtures("folder")
def test_a_folder_is_a_sink_of_changes() -> None:
    write(record("c", None, account(1, "ada", 50)))
    run(into="KEY (owner) OPTIONS (format 'debezium', path 'totals')")
    assert totals(Path("totals/part-00000.json")) == [("c", None, ("ada", 50))]


@pytest.mark.usefixtures("folder")
def test_changes_are_read_from_a_pipe() -> None:
    """S-607.p."""
    os.mkfifo("pipe")
    line = json.dumps(record("c", None, account(1, "ada", 50)))
    writer = threading.Thread(target=lambda: Path("pipe").write_text(f"{line}\n"))
    writer.start()
    run(source="OPTIONS (format 'debezium', path 'pipe')")
    writer.join()
    assert totals() == [("c", None, ("ada", 50))]


@pytest.mark.parametrize(
    ("key", "line", "reason", "caret"),
    [
        ("", '{"op": "x"}', "op: 'x' is not c (create)", '"x"'),
        ("", '{"after": {}}', "the record has no member 'op'", '{"after": {}}'),
        ("", "[1]", "not a JSON object", "[1]"),
        ("", '{"op": "c", "after": 1}', "after: not a JSON object", "1"),
        ("", '{"op": "c"}', "op: 'c' needs the row 'after'", '"c"'),
        ("KEY (id)", '{"op": "d"}', "op: 'd' needs the row 'before'", '"d"'),
        ("", '{"op": "u", "after": {}}', "because the stream has no KEY", '"u"'),
        ("", '{"op": "d", "before": {"id": 7}}', "there is no such row to delete", ""),
        (
            "KEY (id)",
            '{"op": "u", "before": {"total": 1}, "after": {"id": 1, "total": "y"}}',
            "TOTAL: 'y' is not a value of INTEGER",
            '"y"',
        ),
    ],
)
@pytest.mark.usefixtures("folder")
def test_a_bad_record_is_shown_with_its_line(key: str, line: str, reason: str, caret: str) -> None:
    """S-607.e, S-1009.b, S-1009.c: file, line, and a caret below what is wrong."""
    good = json.dumps(record("c", None, account(1, "ada", 50)))
    Path("accounts.jsonl").write_text(f"{good}\n{line}\n")
    script = f"{ACCOUNTS} {key} {FROM};\n{TOTALS} {INTO};\nINSERT INTO Totals {SUMS};"
    message, shown, carets, hint, *_ = refused(script)
    assert reason in message
    assert shown == f"accounts.jsonl:2 | {line}"
    assert shown[carets.index("^") : carets.rindex("^") + 1] == (caret or line)
    assert "on_error 'drop'" in hint


@pytest.mark.usefixtures("folder")
def test_a_bad_record_is_left_out_if_the_stream_says_so() -> None:
    """S-607.g."""
    write(record("c", None, account(1, "ada", 50)), record("t"), record("d", account(9, "x", 1)))
    source = "OPTIONS (format 'debezium', path 'accounts.jsonl', on_error 'drop')"
    assert "2 rows dropped from ACCOUNTS" in run(source=source)
    assert totals() == [("c", None, ("ada", 50))]


@pytest.mark.usefixtures("folder")
def test_times_of_records_are_read_by_their_unit() -> None:
    """S-613: Debezium writes a TIMESTAMP as milliseconds or microseconds from 1970."""
    line = json.dumps(record("c", None, {"at": 1_767_225_600_000_000}))
    Path("times.jsonl").write_text(line + "\n")
    ddl = (
        "CREATE FOREIGN STREAM T (at TIMESTAMP(3)) WITH CHANGES "
        "OPTIONS (format 'debezium', path 'times.jsonl', time_unit 'us')"
    )
    found = asked(ddl, "SELECT STREAM at FROM T EMIT CHANGES")
    assert found == ["CHANGE,AT", "+,2026-01-01 00:00:00"]


@pytest.mark.usefixtures("folder")
def test_a_query_reads_records_that_are_named_beside_it() -> None:
    write(record("c", None, account(1, "ada", 50)), record("d", account(1, "ada", 50)))
    ddl = f"CREATE STREAM Accounts {COLUMNS} WITH CHANGES"
    query = "SELECT STREAM owner FROM Accounts EMIT CHANGES"
    data = "Accounts=accounts.jsonl OPTIONS (format 'debezium')"
    assert asked(ddl, query, "--data", data) == ["CHANGE,OWNER", "+,ada", "-,ada"]
