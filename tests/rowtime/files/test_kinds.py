"""Each kind of value and each kind of file gets the same answer at every entrance.

The two tables are ``VALUES`` with `ENTRANCES`, and ``FAULTS`` with ``CALLS``.
"""

import gzip
from collections.abc import Callable
from importlib import import_module
from itertools import product
from pathlib import Path
from typing import Any, Final

import pytest

from algebra.records.opening import FileError, open_text
from tests.rowtime.files.entrances import ENTRANCES, REFUSED, command

pytestmark = pytest.mark.usefixtures("folder")

#: Kinds of values: the type of the column, the value, and what a query finds.
VALUES: Final[dict[str, tuple[str, object, str]]] = {
    "a time with an offset": ("TIMESTAMP(3)", "2026-01-01T10:00:00+02:00", "2026-01-01 08:00:00"),
    "a fraction of nine digits": ("TIME(3)", "10:00:00.123456789", "10:00:00.123"),
    "a date for a time": ("TIMESTAMP(3)", "2026-01-01", "2026-01-01 00:00:00"),
    "a number for a time": ("TIMESTAMP(3)", 1_767_261_600, REFUSED),
    "a day that there is not": ("DATE", "2026-02-30", REFUSED),
    "a whole number with a point": ("INTEGER", 1.0, "1"),
    "a number with a fraction": ("INTEGER", 1.5, REFUSED),
    "a number out of the range": ("INTEGER", 2**31, REFUSED),
    "the greatest number": ("BIGINT", 2**63 - 1, "9223372036854775807"),
    "a text that is too long": ("VARCHAR(2)", "abc", REFUSED),
    "a text that is padded": ("CHAR(4)", "ab", "ab  "),
    "a text without a character": ("VARCHAR(4)", "", ""),
    "the word NULL": ("VARCHAR(4)", "NULL", "NULL"),
    "a letter beyond ASCII": ("VARCHAR(4)", "é𝄞", "é𝄞"),
    "NULL": ("VARCHAR(4)", None, "null"),
    "NULL where it is not allowed": ("INTEGER NOT NULL", None, REFUSED),
    "a truth value": ("BOOLEAN", True, "true"),
}


@pytest.mark.parametrize(("entrance", "kind"), list(product(ENTRANCES, VALUES)))
def test_a_kind_of_value_is_read_alike_at_every_entrance(entrance: str, kind: str) -> None:
    """The driver and the kit write TRUE, and all digits of a time, because they cast to a text."""
    type, value, expected = VALUES[kind]
    if (entrance, kind) == ("case", "a whole number with a point"):
        expected = REFUSED  # S-613.i
    found = ENTRANCES[entrance](type, value).strip('"')
    found = found.encode().decode("unicode_escape") if "\\u" in found else found
    found = found.encode("utf-16", "surrogatepass").decode("utf-16")
    if type == "TIMESTAMP(3)":
        found = found.removesuffix(".000")
    assert (found.lower() if type == "BOOLEAN" else found) == expected


# --- files --------------------------------------------------------------------------------------


def _duplicate_csv() -> str:
    Path("x.csv").write_text("a,b,A\n1,2,3\n")
    return "x.csv"


def _duplicate_json() -> str:
    Path("x.jsonl").write_text('{"a": 1, "b": 2, "A": 3}\n')
    return "x.jsonl"


def _duplicate_parquet() -> str:
    arrow: Any = import_module("pyarrow")  # it has no types
    parquet: Any = import_module("pyarrow.parquet")
    parquet.write_table(arrow.table({"a": [1], "b": [2], "A": [3]}), "x.parquet")
    return "x.parquet"


def _written(name: str, data: bytes) -> Callable[[], str]:
    def write() -> str:
        Path(name).write_bytes(data)
        return name

    return write


def _with_a_file_of_bzip2() -> str:
    Path("in").mkdir()
    Path("in/1.csv").write_text("a,b\n1,2\n")
    Path("in/2.csv.bz2").write_bytes(b"")
    return "in"


#: Kinds of files that are refused: how one is made, and a part of the message.
FAULTS: Final[dict[str, tuple[Callable[[], str], str]]] = {
    "a file that does not exist": (lambda: "gone.csv", "gone.csv"),
    "a column twice in CSV": (_duplicate_csv, "there twice"),
    "a column twice in JSON": (_duplicate_json, "there twice"),
    "a column twice in Parquet": (_duplicate_parquet, "there twice"),
    "a column that is missing": (_written("x.csv", b"a\n1\n"), "there is no column B"),
    "a record that is too short": (
        _written("x.csv", b"a,b\n1\n"),
        "1 field where",
    ),
    "bytes that are not UTF-8": (_written("x.csv", b"a,b\n1,2\n\xe9,2\n"), "x.csv:3: not UTF-8"),
    "JSON that is cut": (_written("x.jsonl", b'{"a": 1, "b"'), "x.jsonl:1"),
    "JSON with other members alone": (
        _written("x.jsonl", b'{"a": 1}\n{"before": null, "after": {"a": 1, "b": 2}}\n'),
        "no member has the name of a column: before, after",
    ),
    "a compression that is not read": (_written("x.csv.bz2", b""), ".bz2 are not read or written"),
    "such a file in a folder": (_with_a_file_of_bzip2, "in/2.csv.bz2: files that end in .bz2"),
    "bytes that are not compressed": (_written("x.csv.gz", b"a,b\n1,2\n"), "not a whole .gz file"),
    "a file that is cut": (
        _written("x.csv.gz", gzip.compress(b"a,b\n1,2\n")[:-6]),
        "not a whole .gz",
    ),
    "a quote without its end": (_written("x.csv", b'a,b\n"1,2\n'), "not CSV"),
    "a header without an end": (_written("x.csv", b'a,"b\n1,2\n'), "not CSV"),
    "no header": (_written("x.csv", b""), "the file is empty"),
}
_COLUMNS: Final = "(rowtime TIMESTAMP(3) ASCENDING, a INTEGER, b INTEGER)"


def _run(file: str) -> list[str]:
    Path("x.sql").write_text("CREATE TABLE X (a INTEGER, b INTEGER);")
    return ["run", "--ddl", "x.sql", "--data", f"X={file}", "SELECT a, b FROM X"]


def _compare(file: str) -> list[str]:
    return ["compare", "--backend", "reference", *_run(file)[1:]]


def _import(file: str) -> list[str]:
    statements = f"CREATE TABLE X (a INTEGER, b INTEGER);\n.import {file} X\n"
    Path("import.sql").write_text(statements)
    return ["sql"]


def _describe(file: str) -> list[str]:
    return ["describe", file]


def _pipeline(file: str) -> list[str]:
    """The columns of the file are not those of the stream, but for the ones that are wrong."""
    format = "json" if "json" in file else "parquet" if "parquet" in file else "csv"
    Path("p.sql").write_text(
        f"CREATE FOREIGN STREAM X (a INTEGER ASCENDING, b INTEGER)"
        f" OPTIONS (path '{file}', format '{format}');"
        "CREATE FOREIGN STREAM Y (a INTEGER ASCENDING, b INTEGER) OPTIONS (path 'y.csv');"
        "INSERT INTO Y SELECT STREAM * FROM X;"
    )
    return ["run", "p.sql", "--once"]


CALLS: Final = {
    "run": _run,
    "compare": _compare,
    "pipeline": _pipeline,
    "import": _import,
    "describe": _describe,
}


#: Files that have other columns than the declaration, which `describe` does not have.
_DESCRIBED: Final = ("a column that is missing", "JSON with other members alone")


@pytest.mark.parametrize(("call", "fault"), list(product(CALLS, FAULTS)))
def test_a_kind_of_file_is_refused_by_every_command(call: str, fault: str) -> None:
    if call == "describe" and fault in _DESCRIBED:
        pytest.skip("a declaration is found for the columns that there are")
    make, message = FAULTS[fault]
    arguments = CALLS[call](make())
    input = Path("import.sql").read_text() if call == "import" else None
    result = command(*arguments, input=input)
    assert result.exit_code in (1, 2), result.stdout
    assert message in result.stderr
    assert not Path("y.csv").exists()


@pytest.mark.parametrize(
    ("data", "hint"),
    [
        (b"a\n1\n", "hint: this shows the columns of the file: rowtime describe x.csv"),
        (b"a,b\n\xe9,1\n", "hint: iconv -f latin1 -t utf-8 x.csv"),
        ("a,b\n1,x\n".encode("utf-16"), "hint: iconv -f utf-16 -t utf-8 x.csv"),
    ],
)
def test_the_hint_about_a_file_fits_its_fault(data: bytes, hint: str) -> None:
    Path("x.csv").write_bytes(data)
    result = command(*_pipeline("x.csv"))
    assert result.exit_code == 1
    assert result.stderr.count("hint: ") == 1
    assert hint in result.stderr


def test_a_file_without_the_right_to_read_it_is_no_fault_of_its_columns(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The user who runs the tests may be root, who may read everything."""

    def refuse(path: Path, *_: object) -> None:
        raise PermissionError(13, "Permission denied", str(path))

    monkeypatch.setattr("algebra.records.opening.Path.open", refuse)
    denied = r"x.csv: Permission denied\n  hint: chmod u\+r x.csv"
    with pytest.raises(FileError, match=denied), open_text(Path("x.csv")):
        pass


@pytest.mark.parametrize("name", ["x.csv", "x.csv.gz", "x.jsonl.zst", "x.parquet"])
@pytest.mark.parametrize("target", ["x", "nothing"])
def test_a_file_that_cannot_be_opened_has_one_message_for_all_formats(
    name: str, target: str
) -> None:
    """Pyarrow opens two of the formats, and has other words for the errors of the system."""
    path = Path(name)
    path.symlink_to(name if target == "x" else target)
    reason = "Too many levels of symbolic links" if target == "x" else "No such file or directory"
    for arguments in (["describe", name], ["run", f"SELECT * FROM '{name}'"]):
        result = command(*arguments)
        assert (result.exit_code, result.stderr) == (1, f"{name}: {reason}\n")
