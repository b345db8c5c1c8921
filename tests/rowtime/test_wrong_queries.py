"""Wrong queries, tried by hand: each is told its code, its place and a hint."""

from collections.abc import Callable

import pytest
from typer.testing import CliRunner

from rowtime.cli import app

QUERIES = """\
SELECT STREAM * FORM Orders
SELECT STREAM rowtime units FROM Orders WHERE
SELECT DISTINCT STREAM productId FROM Orders
SELECT STREAM * FROM Oders
SELECT STREAM o.unit FROM Orders AS o
SELECT STREAM productId, COUNT(*) FROM Orders GROUP BY productId
SELECT STREAM * FROM Orders ORDER BY productId, rowtime
SELECT STREAM * FROM Orders ORDER BY rowtime LIMIT 3
SELECT * FROM Shipments
SELECT STREAM * FROM Products
SELECT STREAM * FROM (VALUES (1, 'abc'))
SELECT STREAM o.orderId FROM Orders AS o JOIN Shipments AS s ON o.orderId + 1 = s.orderId
SELECT STREAM * FROM Orders UNION ALL SELECT * FROM Orders
SELECT STREAM rowtime, SUM(units) FROM Orders GROUP BY FLOOR(rowtime TO HOUR)
SELECT STREAM TUMBLE_END(rowtime, INTERVAL '2' HOUR) AS rowtime FROM Orders GROUP BY TUMBLE(rowtime, INTERVAL '1' HOUR)
SELECT STREAM rowtime FROM Orders WHERE SUM(units) > 3
SELECT STREAM rowtime - rowtime AS d FROM Orders
SELECT rowtime, units + 'a' FROM Orders
SELECT STREAM rowtime, RANK() FROM Orders
SELECT STREAM rowtime, SUM(units) OVER (ORDER BY rowtime ROWS BETWEEN 1 FOLLOWING AND 2 PRECEDING) FROM Orders
SELECT STREAM * FROM Orders WHERE rowtime > TIMESTAMP '2015-02-30 00:00:00'
SELECT STREAM * FROM Orders WHERE rowtime > INTERVAL '1'
SELECT STREAM * FROM Orders WHERE name = 'it
SELECT STREAM NOW() FROM Orders
SELECT STREAM - rowtime AS rowtime FROM Orders
COMMIT
SELECT STREAM * FROM Orders EMIT CHANGES
SELECT STREAM * FROM Orders WHERE orderId == 3
SELECT STREAM SUM(units) OVER w FROM Orders
SELECT CAST(rowtime AS INTEGER) FROM Orders
""".splitlines()


def said(query: str) -> str:
    """What `rowtime explain` prints on standard error for a wrong query."""
    result = CliRunner().invoke(app, ["explain", query])
    assert result.exit_code == 1
    assert result.stdout == ""
    return result.stderr


def test_wrong_queries_are_told_what_is_wrong(golden: Callable[[str, str], None]) -> None:
    golden("wrong_queries.txt", "\n".join(f"> {query}\n{said(query)}" for query in QUERIES))


@pytest.mark.parametrize("query", QUERIES)
def test_every_refusal_has_a_code_a_caret_and_a_hint(query: str) -> None:
    code, line, caret, *hint = said(query).splitlines()
    assert code.split(":")[0].isupper()
    assert line == f"1 | {query}"
    assert set(caret.strip()) == {"^"}
    assert hint
    assert all(each.startswith("  hint: ") for each in hint)
