"""Where run-time errors are: at the expression that failed, however it is evaluated (S-802)."""

from typing import Final

import pytest

from reference.backend import ReferenceBackend
from reference.definitions import DEFINITIONS
from reference.environment import Forms
from reference.fast.forms import FAST
from tck.protocol import Accepted, Bound, End, Event, Load, Now, Open, Refused, Rows

DDL: Final = """\
CREATE STREAM Orders (rowtime TIMESTAMP(3) ASCENDING, productId INTEGER, units BIGINT)
  WITH HISTORY INTERVAL '1' HOUR;
CREATE TABLE Products (productId INTEGER PRIMARY KEY, name VARCHAR(20), price DECIMAL(38, 2));
CREATE VIEW Shares AS SELECT STREAM rowtime, 100 / units AS share FROM Orders;
CREATE FUNCTION share (u BIGINT) RETURNS BIGINT RETURN 100 / u;
"""
#: The sum of the last two units overflows a BIGINT; the first are 0.
ORDERS: Final = (
    ("2015-02-15 10:00:00", 10, 0),
    ("2015-02-15 10:10:00", 10, 2**63 - 1),
    ("2015-02-15 10:20:00", 10, 2**63 - 2),
)
PRODUCTS: Final = ((10, "Beer", "9" * 36), (20, None, "9" * 36))
EVENTS: Final[tuple[Event, ...]] = (
    Load("PRODUCTS", PRODUCTS),
    Rows("ORDERS", ORDERS),
    Bound("ORDERS", "2015-02-15 12:00:00"),
    End(),
)
BOTH_FORMS: Final = pytest.mark.parametrize("forms", [DEFINITIONS, FAST], ids=["defined", "fast"])


def failure_of(
    sql: str, forms: Forms, ddl: str = DDL, events: tuple[Event, ...] = EVENTS
) -> Refused:
    """The error at run time of a query over these rows."""
    backend = ReferenceBackend(forms)
    answer = backend.open(Open(ddl, sql))
    assert isinstance(answer, Accepted), answer
    for event in events:
        backend.feed(event)
        if (error := backend.poll().error) is not None:
            return error
    raise AssertionError("it came to its end")


#: A query, its code, and the text of the expression that fails, whose first occurrence it is.
FAILURES: Final = [
    ("SELECT STREAM rowtime, 1 / units AS x FROM Orders", "DIVISION_BY_ZERO", "1 / units"),
    ("SELECT STREAM * FROM Orders WHERE MOD(7, units) > 2", "DIVISION_BY_ZERO", "MOD(7, units)"),
    ("SELECT STREAM rowtime, units * 2 AS x FROM Orders", "OVERFLOW", "units * 2"),
    (
        "SELECT STREAM rowtime, CASE WHEN units > 0 THEN -units - 2 END AS x FROM Orders",
        "OVERFLOW",
        "-units - 2",
    ),
    (
        (
            "SELECT STREAM TUMBLE_END(rowtime, INTERVAL '1' HOUR) AS rowtime, SUM(units) AS s"
            " FROM Orders GROUP BY TUMBLE(rowtime, INTERVAL '1' HOUR)"
        ),
        "OVERFLOW",
        "SUM(units)",
    ),
    (
        (
            "SELECT STREAM TUMBLE_END(rowtime, INTERVAL '1' HOUR) AS rowtime,"
            " SUM(units) FILTER (WHERE 1 / units = 0) AS s"
            " FROM Orders GROUP BY TUMBLE(rowtime, INTERVAL '1' HOUR)"
        ),
        "DIVISION_BY_ZERO",
        "1 / units",
    ),
    (
        (
            "SELECT STREAM TUMBLE_END(rowtime, INTERVAL '1' HOUR) AS rowtime,"
            " COUNT(DISTINCT units) AS c, SUM(DISTINCT units) + 1 AS s"
            " FROM Orders GROUP BY TUMBLE(rowtime, INTERVAL '1' HOUR)"
        ),
        "OVERFLOW",
        "SUM(DISTINCT units)",
    ),
    (
        (
            "SELECT STREAM rowtime, COUNT(*) OVER w AS c, SUM(units) OVER w AS s"
            " FROM Orders WINDOW w AS (ORDER BY rowtime ROWS 1 PRECEDING)"
        ),
        "OVERFLOW",
        "SUM(units) OVER w",
    ),
    (
        (
            "SELECT STREAM rowtime,"
            " NTH_VALUE(units, units) OVER (ORDER BY rowtime ROWS 1 PRECEDING) AS n FROM Orders"
        ),
        "INVALID_ARGUMENT",
        "NTH_VALUE(units, units) OVER (ORDER BY rowtime ROWS 1 PRECEDING)",
    ),
    (
        (
            "SELECT STREAM rowtime, LAG(units, -productId) OVER w AS n FROM Orders"
            " WINDOW w AS (PARTITION BY FLOOR(rowtime TO HOUR))"
        ),
        "INVALID_ARGUMENT",
        "LAG(units, -productId) OVER w",
    ),
    (
        (
            "SELECT STREAM HOP_END(rowtime, INTERVAL '1' MONTH, INTERVAL '5000' YEAR(4)) AS rowtime"
            " FROM Orders GROUP BY HOP(rowtime, INTERVAL '1' MONTH, INTERVAL '5000' YEAR(4))"
        ),
        "OVERFLOW",
        "HOP(rowtime, INTERVAL '1' MONTH, INTERVAL '5000' YEAR(4))",
    ),
    (
        "SELECT STREAM rowtime, (SELECT name FROM Products) AS n FROM Orders",
        "SCALAR_SUBQUERY_ROWS",
        "(SELECT name FROM Products)",
    ),
    (
        (
            "SELECT STREAM o.rowtime FROM Orders AS o JOIN Products AS p"
            " ON o.productId = p.productId AND 1 / o.units = 1"
        ),
        "DIVISION_BY_ZERO",
        "1 / o.units",
    ),
    (
        (
            "SELECT name, (SELECT 1 / (p.productId - 10) FROM Products WHERE productId = 20) AS x"
            " FROM Products AS p"
        ),
        "DIVISION_BY_ZERO",
        "1 / (p.productId - 10)",
    ),
    ("SELECT SUM(price) + 1 AS s FROM Products", "OVERFLOW", "SUM(price)"),
    (
        "SELECT SUM(price) OVER (ORDER BY productId) AS s FROM Products",
        "OVERFLOW",
        "SUM(price) OVER (ORDER BY productId)",
    ),
    (
        "SELECT NTILE(productId - 10) OVER (ORDER BY productId) AS s FROM Products",
        "INVALID_ARGUMENT",
        "NTILE(productId - 10) OVER (ORDER BY productId)",
    ),
    (
        "SELECT productId FROM Products WHERE CAST(name AS INTEGER) = 1 OR name IS NULL",
        "INVALID_CAST",
        "CAST(name AS INTEGER)",
    ),
    (
        "SELECT name FROM Products ORDER BY 1 / (productId - 10)",
        "DIVISION_BY_ZERO",
        "1 / (productId",
    ),
    (
        "SELECT productId FROM Products GROUP BY productId HAVING 1 / (productId - 20) < 5",
        "DIVISION_BY_ZERO",
        "1 / (productId - 20)",
    ),
    (
        "SELECT price + 1 AS x FROM Products UNION SELECT price FROM Products",
        "OVERFLOW",
        "price + 1",
    ),
    (
        "SELECT CEIL(TIMESTAMP '9999-12-31 00:00:01' TO YEAR) AS y FROM Products",
        "OVERFLOW",
        "CEIL(TIMESTAMP '9999-12-31 00:00:01' TO YEAR)",
    ),
    (
        "SELECT name FROM Products WHERE name LIKE 'B%' ESCAPE name",
        "INVALID_ARGUMENT",
        "name LIKE 'B%' ESCAPE name",
    ),
]


@BOTH_FORMS
@pytest.mark.parametrize(("sql", "code", "text"), FAILURES, ids=[each[2] for each in FAILURES])
def test_a_failure_is_at_its_expression(sql: str, code: str, text: str, forms: Forms) -> None:
    error = failure_of(sql, forms)
    start, end = error.at
    assert (error.code, error.in_ddl) == (code, False)
    assert sql[start:end].startswith(text) or text.startswith(sql[start:end])
    assert start == sql.index(text)
    assert "^" in error.rendered


@BOTH_FORMS
def test_a_failure_inside_a_view_is_in_the_text_of_the_view(forms: Forms) -> None:
    error = failure_of("SELECT STREAM * FROM Shares", forms)
    assert error.in_ddl
    assert DDL[slice(*error.at)] == "100 / units"


@BOTH_FORMS
def test_a_failure_inside_a_function_is_in_the_text_of_the_function(forms: Forms) -> None:
    error = failure_of("SELECT STREAM rowtime, share(units) AS s FROM Orders", forms)
    assert error.in_ddl
    assert DDL[slice(*error.at)] == "100 / u"


@BOTH_FORMS
def test_an_argument_that_fails_is_in_the_text_of_the_call(forms: Forms) -> None:
    sql = "SELECT STREAM rowtime, share(units * 2) AS s FROM Orders WHERE units > 0"
    error = failure_of(sql, forms)
    assert (error.in_ddl, sql[slice(*error.at)]) == (False, "units * 2")


@BOTH_FORMS
def test_a_failure_of_a_standing_statement_is_in_its_text(forms: Forms) -> None:
    script = DDL + (
        "CREATE STREAM Doubles (rowtime TIMESTAMP(3) ASCENDING, u INTEGER);\n"
        "INSERT INTO Doubles SELECT STREAM rowtime, units FROM Orders;\n"
    )
    error = failure_of("SELECT STREAM * FROM Doubles", forms, script)
    assert (error.code, error.in_ddl) == ("OVERFLOW", True)
    assert script[slice(*error.at)] == "units"
    assert error.at[0] > script.index("INSERT")


@BOTH_FORMS
def test_a_history_that_is_too_short_is_at_the_stream(forms: Forms) -> None:
    sql = "SELECT COUNT(*) AS c FROM Orders"
    error = failure_of(sql, forms, events=(*EVENTS[:2], Now("2015-02-15 12:00:00"), *EVENTS[2:]))
    assert (error.code, sql[slice(*error.at)]) == ("INSUFFICIENT_HISTORY", "Orders")


#: Statements of a script that fail, and the text at fault.
SCRIPTS: Final = [
    ("INSERT INTO Products VALUES (1, 'Tea', 1 / 0);", "DIVISION_BY_ZERO", "1 / 0"),
    ("INSERT INTO Products VALUES (NULL, 'Tea', 1);", "BAD_ROW", "VALUES (NULL, 'Tea', 1)"),
    ("INSERT INTO Products VALUES (1, 'Tea', 1), (1, 'Ale', 1);", "BAD_ROW", "VALUES (1,"),
    (
        "INSERT INTO Products VALUES (1, 'Tea', 1); UPDATE Products SET price = 1 / (price - 1);",
        "DIVISION_BY_ZERO",
        "1 / (price - 1)",
    ),
    (
        "INSERT INTO Products VALUES (1, 'Tea', 1); UPDATE Products SET productId = NULL;",
        "BAD_ROW",
        "UPDATE Products SET productId = NULL",
    ),
    (
        "INSERT INTO Products VALUES (1, 'Tea', 1); DELETE FROM Products WHERE 1 / (price - 1) = 1",
        "DIVISION_BY_ZERO",
        "1 / (price - 1)",
    ),
]


@pytest.mark.parametrize(("statement", "code", "text"), SCRIPTS)
def test_a_failure_of_a_statement_is_at_its_expression_or_its_rows(
    statement: str, code: str, text: str
) -> None:
    script = DDL + statement
    answer = ReferenceBackend().open(Open(script, None))
    assert isinstance(answer, Refused)
    assert (answer.code, answer.in_ddl) == (code, True)
    assert answer.at[0] == script.index(text)
