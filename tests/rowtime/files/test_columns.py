"""The columns of a file are found by name; a name that is there twice is refused (S-607.l)."""

from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from tests.rowtime.files.entrances import command

pytestmark = pytest.mark.usefixtures("folder")


def write(path: str, names: list[str]) -> None:
    """A file with one row, whose values are the places of its columns."""
    values = list(range(1, len(names) + 1))
    match Path(path).suffix:
        case ".csv":
            Path(path).write_text(f"{','.join(names)}\n{','.join(map(str, values))}\n")
        case ".jsonl":
            pairs = zip(names, values, strict=True)
            members = ", ".join(f'"{name}": {value}' for name, value in pairs)
            Path(path).write_text(f"{{{members}}}\n")
        case _:
            arrow: Any = import_module("pyarrow")  # it has no types
            parquet: Any = import_module("pyarrow.parquet")
            arrays = [arrow.array([value]) for value in values]
            parquet.write_table(arrow.Table.from_arrays(arrays, names=names), path)


@pytest.mark.parametrize("path", ["x.csv", "x.jsonl", "x.parquet"])
@pytest.mark.parametrize(
    ("ddl", "names", "rows"),
    [
        ("id INTEGER", ["ID"], "1"),
        ("id INTEGER", ["id", "other", "Other"], "1"),
        ("id INTEGER", ["other", "Id"], "2"),
        ("id INTEGER", ["id", "ID"], None),
        ("id INTEGER", ["ID", "x", "id"], None),
        ("id INTEGER", ["Id", "iD"], None),
        ("id INTEGER", ["ID", "ID"], None),
        ('"id" INTEGER, "ID" INTEGER', ["ID", "id"], "2,1"),
        ('"id" INTEGER, "ID" INTEGER', ["id", "Id", "ID"], None),
    ],
)
def test_a_column_is_one_of_the_file(
    path: str, ddl: str, names: list[str], rows: str | None
) -> None:
    write(path, names)
    Path("x.sql").write_text(f"CREATE TABLE X ({ddl});")
    result = command(
        "run", "--ddl", "x.sql", "--data", f"X={path}", "--format", "csv", "SELECT * FROM X"
    )
    if rows is None:
        assert (result.exit_code, result.stdout) == (1, "")
        assert "is there twice" in result.stderr
        assert any(f"'{name}'" in result.stderr for name in names)
    else:
        assert result.stdout.splitlines()[1:] == [rows]


@pytest.mark.parametrize("name", ["x", "X", '"X"', '"x.y"', '"a""b"', '"say ""x."""'])
def test_data_names_a_table_as_sql_does(name: str) -> None:
    """In double quotes a name keeps its letters and dots, and a doubled quote is one quote."""
    write("x.csv", ["id"])
    Path("x.sql").write_text(f"CREATE TABLE {name} (id INTEGER);")
    query = f"SELECT * FROM {name}"
    result = command("run", "--ddl", "x.sql", "--data", f"{name}=x.csv", "--format", "csv", query)
    assert result.stdout.splitlines() == ["ID", "1"], result.stderr
