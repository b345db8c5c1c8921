"""CREATE, DROP and ALTER: what the catalog holds afterwards (S-301)."""

import pytest

from algebra.catalog import Column, History, Ordering, Profile, Stream, Table
from algebra.prepare import prepare
from algebra.types import INTEGER, TIMESTAMP
from grammar.codes import Code
from tests.algebra.page_schema import ORDERS, guilty, ready, refusal


def stream(ddl: str, profile: Profile = Profile.CALCITE) -> Stream:
    """The stream S that the script declares."""
    found = prepare(ddl, None, profile).catalog.objects[("S",)]
    assert isinstance(found, Stream)
    return found


def table(ddl: str) -> Table:
    """The table T that the script declares."""
    found = prepare(ddl, None, Profile.CALCITE).catalog.objects[("T",)]
    assert isinstance(found, Table)
    return found


@pytest.mark.parametrize(
    ("column", "ordering"),
    [
        ("TIMESTAMP(3) ASCENDING", Ordering()),
        ("TIMESTAMP(3) DESCENDING", Ordering(descending=True)),
        ("INTEGER ASCENDING STRICT", Ordering(strict=True)),
        ("TIMESTAMP(3) ASCENDING WITHIN INTERVAL '10' SECOND", Ordering(slack=10_000)),
        ("DATE ASCENDING WITHIN INTERVAL '2' DAY", Ordering(slack=2)),
        ("INTEGER ASCENDING WITHIN 100", Ordering(slack=100)),
        ("TIMESTAMP(3) ASCENDING WITHIN 5 ROWS", Ordering(rows=5)),
        ("TIMESTAMP(3) ASCENDING PUNCTUATED", Ordering(punctuated=True)),
        ("VARCHAR(3) ASCENDING", Ordering()),
    ],
)
def test_an_order_is_declared_and_its_column_is_not_null(column: str, ordering: Ordering) -> None:
    (found,) = stream(f"CREATE STREAM s (a {column})").columns
    assert found.ordering == ordering
    assert not found.type.nullable


@pytest.mark.parametrize(
    ("clause", "history"),
    [
        ("", None),
        ("WITH HISTORY", History()),
        ("WITH HISTORY INTERVAL '24' HOUR", History(86_400_000)),
    ],
)
def test_a_stream_has_the_history_it_declares(clause: str, history: History | None) -> None:
    assert stream(f"CREATE STREAM s (a INTEGER) {clause}").history == history


def test_a_stream_of_sqlstream_has_a_leading_implicit_rowtime() -> None:
    rowtime = Column("ROWTIME", TIMESTAMP.as_nullable(False), Ordering(), implicit=True)
    assert stream("CREATE STREAM s (a INTEGER)", Profile.SQLSTREAM).columns == (
        rowtime,
        Column("A", INTEGER),
    )
    declared = stream("CREATE STREAM s (rowtime TIMESTAMP(3) ASCENDING)", Profile.SQLSTREAM)
    assert [each.implicit for each in declared.columns] == [False]


def test_a_table_has_its_key_period_checks_and_defaults() -> None:
    found = table(
        "CREATE TABLE t (a INTEGER CHECK (a > 0), b TIMESTAMP(3), c TIMESTAMP(3), "
        "d INTEGER DEFAULT 7, PRIMARY KEY (d, a), PERIOD (b, c), CHECK (b < c))"
    )
    assert found.primary_key == (3, 0)
    assert found.period == (1, 2)
    assert len(found.checks) == 2
    assert [each.type.nullable for each in found.columns] == [False, True, True, False]
    assert found.columns[3].default is not None


def test_a_schema_holds_objects_and_set_schema_finds_them() -> None:
    ddl = (
        "CREATE SCHEMA sales; CREATE TABLE sales.t (a INTEGER); SET SCHEMA 'SALES'; "
        "CREATE VIEW v AS SELECT a FROM t;"
    )
    objects = prepare(ddl, "SELECT sales.t.a FROM t", Profile.CALCITE).catalog.objects
    assert list(objects) == [("SALES",), ("SALES", "T"), ("SALES", "V")]


def test_or_replace_takes_the_place_of_its_kind() -> None:
    ddl = "CREATE TABLE t (a INTEGER); CREATE OR REPLACE TABLE t (b INTEGER, c INTEGER);"
    assert [each.name for each in table(ddl).columns] == ["B", "C"]


def test_drop_cascade_takes_along_what_uses_the_object() -> None:
    ddl = ORDERS + "CREATE VIEW Twice AS SELECT * FROM ByProduct; DROP STREAM Orders CASCADE;"
    objects = ready(None, ddl=ddl).catalog.objects
    assert {("ORDERS",), ("BYPRODUCT",), ("TWICE",), ("HOURLYORDERTOTALS",)}.isdisjoint(objects)
    assert ("PRODUCTS",) in objects


def test_drop_if_exists_of_nothing_does_nothing() -> None:
    with_it = ready(None, ddl=ORDERS + "DROP VIEW IF EXISTS Nothing").catalog
    assert with_it.objects.keys() == ready(None).catalog.objects.keys()


def test_a_view_over_a_stream_alone_is_legal() -> None:
    ddl = ORDERS + "CREATE VIEW Shipped AS SELECT STREAM orderId FROM Shipments;"
    assert ready("SELECT STREAM * FROM Shipped", ddl=ddl).query is not None
    assert refusal("SELECT * FROM Shipped", ddl=ddl).code is Code.STREAM_TO_TABLE


@pytest.mark.parametrize(
    ("statement", "code", "at"),
    [
        ("CREATE TABLE Orders (a INTEGER)", Code.DUPLICATE_NAME, "Orders"),
        ("CREATE OR REPLACE TABLE Orders (a INTEGER)", Code.DUPLICATE_NAME, "Orders"),
        ("CREATE TABLE t (a INTEGER, a INTEGER)", Code.DUPLICATE_NAME, "a"),
        ("CREATE TABLE nowhere.t (a INTEGER)", Code.UNKNOWN_OBJECT, "nowhere"),
        ("CREATE TABLE t (a INTEGER, PRIMARY KEY (b))", Code.UNKNOWN_COLUMN, "b"),
        ("CREATE TABLE t (a INTEGER, b INTEGER, PERIOD (a, b))", Code.TYPE_MISMATCH, "a"),
        ("CREATE TABLE t (a INTEGER CHECK (b > 1))", Code.UNKNOWN_COLUMN, "b"),
        ("CREATE TABLE t (a INTEGER CHECK (a))", Code.TYPE_MISMATCH, "a"),
        ("CREATE TABLE t (a INTEGER DEFAULT 'x')", Code.TYPE_MISMATCH, "'x'"),
        ("CREATE STREAM t (a BOOLEAN ASCENDING)", Code.TYPE_MISMATCH, "ASCENDING"),
        ("CREATE STREAM t (a TIMESTAMP(3) ASCENDING WITHIN 7)", Code.TYPE_MISMATCH, "7"),
        ("CREATE STREAM t (a INTEGER PRIMARY KEY)", Code.NOT_SUPPORTED, "a INTEGER PRIMARY KEY"),
        ("CREATE STREAM t (a INTEGER) WITH HISTORY INTERVAL '2' MONTH", Code.TYPE_MISMATCH,
         "INTERVAL '2' MONTH"),
        ("CREATE VIEW v AS SELECT nope FROM Orders", Code.UNKNOWN_COLUMN, "nope"),
        ("CREATE VIEW v (a, b) AS SELECT units FROM Orders", Code.COLUMN_COUNT, "a, b"),
        ("CREATE OR REPLACE VIEW ByProduct AS SELECT * FROM ByProduct", Code.UNKNOWN_OBJECT,
         "ByProduct"),
        ("CREATE FUNCTION f (x INTEGER) RETURNS INTEGER RETURN y", Code.UNKNOWN_COLUMN, "y"),
        ("CREATE PUMP p AS INSERT INTO Suppliers VALUES (1, 'x')", Code.NO_STREAMING_INPUT,
         "VALUES (1, 'x')"),
        ("DROP TABLE Nowhere", Code.UNKNOWN_OBJECT, "Nowhere"),
        ("DROP TABLE Orders", Code.WRONG_OBJECT, "Orders"),
        ("DROP STREAM Orders", Code.WRONG_OBJECT, "Orders"),
        ("ALTER PUMP Orders START", Code.WRONG_OBJECT, "Orders"),
        ("SET SCHEMA 'NOWHERE'", Code.UNKNOWN_OBJECT, "'NOWHERE'"),
        ("SELECT * FROM Orders JOIN f ON TRUE", Code.UNKNOWN_OBJECT, "f"),
    ],
)  # fmt: skip
def test_what_cannot_be_defined_is_refused_at_its_fault(
    statement: str, code: Code, at: str
) -> None:
    error = refusal(None, ddl=ORDERS + statement)
    assert (error.code, guilty(error)) == (code, at)


@pytest.mark.parametrize(
    ("column", "hint"),
    [
        ("TIMESTAMP(3) ASCENDING WITHIN 7", "WITHIN INTERVAL '10' SECOND, or WITHIN 5 ROWS"),
        ("DATE ASCENDING WITHIN INTERVAL '1' HOUR", "WITHIN INTERVAL '1' DAY, or WITHIN 5 ROWS"),
        ("INTERVAL YEAR ASCENDING WITHIN 7", "WITHIN INTERVAL '1' MONTH, or WITHIN 5 ROWS"),
        ("INTEGER ASCENDING WITHIN INTERVAL '1' DAY", "WITHIN 100, or WITHIN 5 ROWS"),
        ("VARCHAR(5) ASCENDING WITHIN 7", "a number of rows: 5 ROWS"),
        ("TIMESTAMP(3), WATERMARK FOR a AS a - 7", "INTERVAL '10' SECOND"),
        ("DATE, WATERMARK FOR a AS a - INTERVAL '1' HOUR", "INTERVAL '1' DAY"),
        ("INTERVAL YEAR, WATERMARK FOR a AS a - 7", "INTERVAL '1' MONTH"),
        ("INTEGER, WATERMARK FOR a AS a - INTERVAL '1' DAY", "100"),
        ("VARCHAR(5), WATERMARK FOR a AS a - 7",
         "texts have no distance: leave the subtraction out"),
    ],
)  # fmt: skip
def test_the_hint_for_a_wrong_slack_is_one_that_the_column_can_have(column: str, hint: str) -> None:
    assert refusal(None, ddl=f"CREATE STREAM t (a {column})").hint == hint


@pytest.mark.parametrize(
    ("statement", "hint"),
    [
        ("ALTER PUMP nowhere START", "CREATE PUMP"),
        ("ALTER PUMP Orders STOP", "CREATE PUMP"),
        ("DROP TABLE nowhere", "DROP … IF EXISTS"),
        ("DROP STREAM Orders", "write DROP TABLE ORDERS"),
    ],
)
def test_the_hint_fits_the_statement(statement: str, hint: str) -> None:
    ddl = "CREATE TABLE Orders (a INTEGER);" if "STREAM" in statement else ORDERS
    assert refusal(None, ddl=ddl + statement).hint.startswith(hint)
