"""A case has of its fixtures only the tables and streams that it names."""

# ruff: noqa: E501 - a line of a table is a line

from pathlib import Path

import pytest

from tck.corpus.load import load_corpus
from tck.corpus.used_objects import statements_of

FIXTURE = """
fixture: three objects, and a view of one of them
date: 2015-02-15
ddl: |
  -- a comment; with a semicolon
  CREATE STREAM Orders (rowtime TIMESTAMP(3) ASCENDING, units INTEGER CHECK (units > -1));
  CREATE STREAM sales.Returns (rowtime TIMESTAMP(3) ASCENDING, why VARCHAR(9) DEFAULT ';');
  CREATE TABLE Products (id INTEGER, price DECIMAL(4, 2));
tables: {Products: [[1, 0.5]]}
streams:
  Orders: [['10:00', 1]]
  sales.Returns: [['10:00', 'old']]
"""
VIEW = "  CREATE VIEW Cheap AS SELECT id FROM Products WHERE price < 1;\n"


def case_of(folder: Path, text: str, fixture: str = FIXTURE) -> tuple[str, list[str], list[str]]:
    """The script of a case, what is loaded for it, and the streams whose rows `all` feeds."""
    for name in ("fixtures", "cases/chapter"):
        (folder / name).mkdir(parents=True)
    (folder / "fixtures" / "sales.yaml").write_text(fixture)
    (folder / "cases" / "chapter" / "a.yaml").write_text(
        f"subject: a\ngiven: sales\ncases:\n- id: a\n  cites: [S-1]\n{text}"
    )
    corpus = load_corpus([folder / "cases"])
    assert not corpus.problems
    (case,) = corpus.cases
    return case.ddl, [each.object for each in case.tables], [each.input for each in case.streams]


@pytest.mark.parametrize(
    ("text", "objects"),
    [
        ("  sql: SELECT STREAM units FROM Orders\n  rows: []\n", ["ORDERS"]),
        ('  sql: SELECT STREAM why FROM sales."RETURNS"\n  rows: []\n', ["RETURNS"]),
        ("  sql: SELECT STREAM units FROM Orders\n  steps: [{end: Products}]\n", ["ORDERS", "PRODUCTS"]),
        ("  sql: SELECT 1\n  equal_to: SELECT id FROM products\n", ["PRODUCTS"]),
        ("  ddl: CREATE VIEW v AS SELECT * FROM Orders\n  accepted: true\n", ["ORDERS"]),
        ("  sql: VALUES (1)\n  rows: []\n", []),
    ],
)  # fmt: skip
def test_the_script_has_what_the_case_names(text: str, objects: list[str], tmp_path: Path) -> None:
    ddl, loads, streams = case_of(tmp_path, text)
    made = [name for name, _ in statements_of(ddl) if name]
    assert made == objects
    assert loads == (["PRODUCTS"] if "PRODUCTS" in objects else [])
    assert [each.rpartition(".")[2] for each in streams] == [
        each for each in objects if each != "PRODUCTS"
    ]


def test_a_view_of_the_fixture_stays_with_the_objects_that_it_names(tmp_path: Path) -> None:
    text = "  sql: SELECT STREAM units FROM Orders\n  rows: []\n"
    fixture = FIXTURE.replace("tables: {", f"{VIEW}tables: {{")
    ddl, loads, _ = case_of(tmp_path, text, fixture)
    assert ("CREATE VIEW Cheap" in ddl, loads) == (True, ["PRODUCTS"])
    assert "Returns" not in ddl


def test_the_statements_of_a_script_make_it_up() -> None:
    script = "-- ;\nCREATE TABLE a (b VARCHAR(1) DEFAULT ';'); INSERT INTO a VALUES ('/*;')\n"
    listed = statements_of(script)
    assert [name for name, _ in listed] == ["A", None]
    assert "".join(text for _, text in listed) == script
