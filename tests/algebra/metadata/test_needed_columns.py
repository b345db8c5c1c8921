"""The columns of a table or stream that queries, statements and declarations need (S-613.k)."""

import pytest

from algebra.catalog import Profile, Stream, Table
from algebra.metadata.needed_columns import needed_columns
from algebra.prepare import prepare

DDL = """
CREATE STREAM S (rowtime TIMESTAMP(3) NOT NULL ASCENDING, a INTEGER, b INTEGER, c INTEGER,
  d VARCHAR(3)) WITH HISTORY;
CREATE TABLE T (k INTEGER PRIMARY KEY, x INTEGER, y INTEGER, CHECK (y > 0), z INTEGER NOT NULL);
CREATE VIEW V AS SELECT STREAM * FROM S;
CREATE STREAM Out (rowtime TIMESTAMP(3) NOT NULL ASCENDING, n BIGINT);
CREATE STREAM C (k INTEGER, v INTEGER) WITH CHANGES KEY (k);
"""
_HOUR = "TUMBLE(rowtime, INTERVAL '1' HOUR)"
#: A query, and the columns that it needs of S in addition to ROWTIME, whose order is declared.
QUERIES = (
    ("SELECT STREAM rowtime FROM S", ""),
    ("SELECT STREAM * FROM S", "ABCD"),
    ("SELECT STREAM rowtime, a FROM S WHERE b > 0", "AB"),
    ("SELECT STREAM rowtime, a FROM V", "A"),
    ("SELECT STREAM rowtime FROM (SELECT STREAM rowtime, a, b / c AS q FROM S)", "BC"),
    (f"SELECT STREAM TUMBLE_END(rowtime, INTERVAL '1' HOUR) AS r FROM S GROUP BY {_HOUR}", ""),
    (f"SELECT STREAM SUM(a) FILTER (WHERE b > 0) AS s FROM S GROUP BY {_HOUR}, c", "ABC"),
    ("SELECT STREAM rowtime, SUM(a) OVER (PARTITION BY b ORDER BY rowtime) AS s FROM S", "AB"),
    ("SELECT STREAM s.rowtime, T.x FROM S JOIN T ON s.a = T.k", "A"),
    ("SELECT STREAM rowtime FROM S WHERE EXISTS (SELECT * FROM T WHERE T.x = S.c)", "C"),
    ("SELECT STREAM rowtime, (SELECT MAX(x) FROM T WHERE T.k = S.b) AS m FROM S", "B"),
    ("SELECT a FROM (SELECT a, b FROM S UNION ALL SELECT c, c FROM S)", "AC"),
    ("SELECT COUNT(*) AS n FROM (SELECT a, b FROM S UNION SELECT c, c FROM S)", "ABC"),
    ("SELECT COUNT(*) AS n FROM (SELECT DISTINCT a FROM S)", "A"),
    ("SELECT d FROM S ORDER BY a LIMIT 2", "AD"),
    ("SELECT COUNT(*) AS n FROM T WHERE x IN (SELECT b FROM S)", "B"),
    ("SELECT COUNT(*) AS n FROM T", ""),
    ("SELECT STREAM a, COUNT(*) AS n FROM S GROUP BY a EMIT CHANGES", "A"),
)


def needed(name: str, query: str | None, more: str = "") -> str:
    """The letters of the columns, without ROWTIME."""
    prepared = prepare(DDL + more, query, Profile.CALCITE)
    source = prepared.catalog.objects[(name,)]
    assert isinstance(source, Table | Stream)
    places = needed_columns(source, prepared.standing, prepared.query)
    names = [column.name for place, column in enumerate(source.columns) if place in places]
    assert (names[:1] == ["ROWTIME"]) == (source.columns[0].name == "ROWTIME")
    return "".join(each for each in names if each != "ROWTIME")


@pytest.mark.parametrize(("query", "columns"), QUERIES)
def test_a_query_needs_the_columns_that_it_reads(query: str, columns: str) -> None:
    assert needed("S", query) == columns


def test_a_declaration_needs_its_key_its_checks_and_the_columns_without_null() -> None:
    assert needed("T", None) == "KYZ"
    assert needed("T", "SELECT x FROM T") == "KXYZ"


def test_a_standing_statement_needs_what_it_reads_and_all_of_its_target() -> None:
    hour = "CEIL(rowtime TO HOUR)"
    insert = f"INSERT INTO Out SELECT STREAM {hour}, COUNT(a) FROM S GROUP BY {hour};"
    assert needed("S", None, insert) == "A"
    assert needed("OUT", None) == ""
    assert needed("OUT", None, insert) == "N"


def test_a_stream_with_changes_needs_all_columns() -> None:
    """A change deletes the row that is equal in all of them."""
    assert needed("C", None) == "KV"
