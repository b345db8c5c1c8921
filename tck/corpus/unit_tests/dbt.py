"""Translate the unit tests of dbt into cases.

A test has a model (a query in a file), rows of its inputs (``given``), and expected rows
(``expect``).  If the script does not declare an input, the types of its columns are deduced from
its rows.
"""

import os
import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from tck.corpus.ddl import declared_columns
from tck.corpus.document import (
    Data,
    Document,
    InvalidFilesError,
    YamlNode,
    read_text,
    schema_problems,
)
from tck.corpus.rows import catalog_name
from tck.corpus.unit_tests.csv_rows import csv_rows
from tck.corpus.unit_tests.deduced_types import deduced_type
from tck.corpus.unit_tests.models import input_name, model_sql

#: The key of a dbt file that has the tests.
UNIT_TESTS: Final = "unit_tests"


def with_cases(document: Document, path: Path, script: str) -> Document:
    """The dbt file at ``path`` as a file of cases, each at the line of its test.

    ``script`` can declare inputs, whose types are then not deduced, and views that are models.
    Raises `InvalidFilesError`.
    """
    problems = schema_problems(document, "dbt.schema.json")
    if problems:
        raise InvalidFilesError(problems)
    listed = YamlNode(document, (), document.data).get(UNIT_TESTS)
    assert listed is not None, "the schema asks for it"
    cases: list[Data] = [_case(test, path, script) for test in listed.elements]
    lines = {
        ("cases", *keys[1:]): line
        for keys, line in document.lines.items()
        if keys[:1] == (UNIT_TESTS,) and len(keys) <= 2
    }
    return Document(document.file, {"cases": cases}, {(): 1, **lines})


@dataclass(frozen=True, slots=True)
class _Rows:
    """Rows, each by the names of its columns; or the ``query`` that returns them."""

    rows: list[dict[str, Data]]
    query: str | None = None

    @property
    def names(self) -> list[str]:
        """The names of all columns, in the order of their first occurrence in a row."""
        return list(dict.fromkeys(name for row in self.rows for name in row))

    def values(self, name: str) -> list[Data]:
        """The values of a column; NULL in a row that does not name the column."""
        return [row.get(name) for row in self.rows]


def _case(test: YamlNode, path: Path, script: str) -> Data:
    """The case for a test of the file at ``path``.

    Its script creates a table or view for each input, and a view for the model; its query selects
    the expected columns from this view.
    """
    declared = declared_columns(script)
    ddl: list[str] = []
    tables: dict[str, Data] = {}
    given = test.get("given")
    for each in given.elements if given and given.data else []:
        input, rows = _text(each, "input"), _rows(each, path)
        name = input_name(input)
        if name is None:
            raise InvalidFilesError([each.problem(f"the input {input} is neither ref nor source")])
        columns = declared.get(catalog_name(name))
        if rows.query is not None:
            ddl.append(f"CREATE VIEW {name} AS {rows.query};")
        elif columns is not None:
            _require_columns(each, name, rows, [column.name for column in columns])
            tables[name] = _listed(rows, [(column.name, column.type) for column in columns])
        else:
            types = [(column, deduced_type(rows.values(column))) for column in rows.names]
            ddl.append(f"CREATE TABLE {name} ({', '.join(_declaration(*each) for each in types)});")
            tables[name] = _listed(rows, types)
    model = _text(test, "model")
    if not _creates_view(script, model):
        ddl.append(f"CREATE VIEW {model} AS {model_sql(test.get('model') or test, path)};")
    expect = test.get("expect")
    assert expect is not None, "the schema asks for it"
    expected = _rows(expect, path)
    selected = ", ".join(map(_quoted, expected.names)) or "*"
    case: dict[str, Data] = {
        "id": re.sub(r"[^a-z0-9]+", "-", _text(test, "name").lower()).strip("-"),
        "sql": f"SELECT {selected} FROM {model}",
        "order": "any",
    }
    if description := test.get("description"):
        case["why"] = str(description.data)
    if ddl:
        case["ddl"] = "\n".join(ddl)
    if tables:
        case["tables"] = tables
    if expected.query is not None:
        case["equal_to"] = expected.query
    else:
        case["rows"] = [[row.get(name) for name in expected.names] for row in expected.rows]
    return case


def _rows(node: YamlNode, path: Path) -> _Rows:
    """The rows of an input or of the result, in one of dbt's formats: dict, csv or sql.

    They are written in ``node``, or in a file that it names as its fixture.  ``path`` is the file
    of the test.  Raises `InvalidFilesError`.
    """
    form, fixture, rows = (node.get(key) for key in ("format", "fixture", "rows"))
    text: Data = rows.data if rows else None
    if fixture is not None:
        text = read_text(_fixture(fixture, path))
    match form.data if form else "dict", text:
        case "sql", str():
            return _Rows([], text.strip().removesuffix(";"))
        case "csv", str():
            try:
                return _Rows(csv_rows(text))
            except ValueError as error:
                raise InvalidFilesError([node.problem(str(error))]) from None
        case "dict", list() | None:
            return _Rows([dict(row) for row in text or () if isinstance(row, dict)])
        case name, _:
            message = f"rows in the format {name} are a {'list' if name == 'dict' else 'text'}"
            raise InvalidFilesError([node.problem(message)])


def _fixture(node: YamlNode, path: Path) -> Path:
    """The file with the rows of a fixture of dbt.

    It is in ``fixtures`` or ``tests/fixtures`` in the folder of ``path``, or in one of the folders
    above.  Raises `InvalidFilesError` if there is none.
    """
    name = node.text
    names = [name] if name.endswith((".csv", ".sql")) else [f"{name}.csv", f"{name}.sql"]
    for folder in path.resolve().parents:
        for below in (folder / "fixtures", folder / "tests" / "fixtures"):
            for each in names:
                if os.path.isfile(below / each):  # False if the name is too long for a file
                    return below / each
    raise InvalidFilesError(
        [node.problem(f"there is no fixture {name}", "it is fixtures/NAME.csv")]
    )


def _require_columns(node: YamlNode, table: str, rows: _Rows, columns: Iterable[str]) -> None:
    """Raise `InvalidFilesError` if a row names a column that the table does not have."""
    known = list(columns)
    for name in rows.names:
        if catalog_name(name) not in known:
            message = f"{table} has no column {name}"
            raise InvalidFilesError([node.problem(message, f"it has: {', '.join(known)}")])


def _listed(rows: _Rows, columns: Iterable[tuple[str, str]]) -> Data:
    """The rows as lists of values, in the order of the columns, which are (name, type).

    A column that a row does not name is NULL.
    """
    types = list(columns)
    listed: list[Data] = []
    for row in rows.rows:
        by_name = {catalog_name(key): value for key, value in row.items()}
        listed.append([_cell(by_name.get(catalog_name(name)), type) for name, type in types])
    return listed


def _cell(value: Data, type: str) -> Data:
    """The value; in a column of texts, a number becomes the text of its digits, as in dbt."""
    is_text = type.startswith(("CHAR", "VARCHAR"))
    return str(value) if is_text and value is not None and not isinstance(value, str) else value


def _declaration(name: str, type: str) -> str:
    """A column in CREATE TABLE."""
    return f"{_quoted(name)} {type}"


def _quoted(name: str) -> str:
    """The column's name in quotes, so that it may be a reserved word."""
    return '"{}"'.format(catalog_name(name).replace('"', '""'))


def _creates_view(script: str, name: str) -> bool:
    """Whether a script creates a view with this name."""
    return (
        re.search(rf"(?i)\bCREATE\s+(?:OR\s+REPLACE\s+)?VIEW\s+{re.escape(name)}\b", script)
        is not None
    )


def _text(node: YamlNode, key: str) -> str:
    """The text of a key that the schema requires."""
    found = node.get(key)
    assert found is not None, "the schema asks for it"
    return found.text
