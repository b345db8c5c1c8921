"""The metadata of each query of the Calcite page, as `rowtime explain --metadata` prints it."""

from collections.abc import Callable
from typing import Final

import pytest

from algebra.catalog import Profile
from algebra.metadata.explain_metadata import as_text
from algebra.metadata.plan_metadata import node_facts
from algebra.plan import Plan
from algebra.prepare import prepare
from tests.queries_of_the_pages import STATEMENTS

#: The page's objects: Orders is a stream and a table, and has the unitPrice that a query uses.
SCHEMA: Final = """
CREATE STREAM Orders (rowtime TIMESTAMP(3) ASCENDING, productId INTEGER, orderId INTEGER,
  units INTEGER, unitPrice DECIMAL(10, 2)) WITH HISTORY;
CREATE STREAM Shipments (rowtime TIMESTAMP(3) ASCENDING, orderId INTEGER);
CREATE TABLE Products (rowtime TIMESTAMP(3), productId INTEGER, name VARCHAR(20),
  unitPrice DECIMAL(10, 2));
CREATE TABLE ProductVersions (productId INTEGER, name VARCHAR(20), unitPrice DECIMAL(10, 2),
  startDate TIMESTAMP(3), endDate TIMESTAMP(3), PERIOD (startDate, endDate));
CREATE TABLE OrdersSummary (productId INTEGER PRIMARY KEY, c BIGINT);
CREATE VIEW HourlyOrderTotals (rowtime, productId, c, su) AS
  SELECT TUMBLE_END(rowtime, INTERVAL '1' HOUR), productId, COUNT(*), SUM(units)
  FROM Orders GROUP BY TUMBLE(rowtime, INTERVAL '1' HOUR), productId;
CREATE VIEW HourlyTotals (rowtime, productId, c, su) AS SELECT * FROM HourlyOrderTotals;
"""


def _statement(start: str) -> str:
    """The statement of the page that starts with the given text."""
    [found] = (each for each in STATEMENTS if " ".join(each.split()).startswith(start))
    return found


#: Grouped, as its select list wants it (E-28).
_ORDER_PIE: Final = """
SELECT productId, count(*) FROM Orders
WHERE rowtime BETWEEN current_timestamp - INTERVAL '1' HOUR AND current_timestamp
GROUP BY productId"""

#: By the name of the golden file.
QUERIES: Final = {
    "select-all": _statement("SELECT STREAM * FROM Orders;"),
    "filter": _statement("SELECT STREAM * FROM Orders WHERE units > 3"),
    "project": _statement("SELECT STREAM rowtime, 'An order for"),
    "tumble-by-ceil": _statement("SELECT STREAM CEIL(rowtime TO HOUR)"),
    "tumble-aligned": _statement("SELECT STREAM TUMBLE_END(rowtime, INTERVAL '30' MINUTE, TIME")
    .replace("TIME '0:12'", "TIME '00:12:00'"),
    "hop": _statement("SELECT STREAM HOP_END(rowtime, INTERVAL '1' HOUR"),
    "hop-decaying": _statement("SELECT STREAM HOP_END(rowtime), productId"),
    "having": _statement("SELECT STREAM TUMBLE_END(rowtime, INTERVAL '1' HOUR) AS rowtime"),
    "having-as-a-sub-query": _statement("SELECT STREAM rowtime, productId FROM ( SELECT TUMBLE"),
    "with": _statement("WITH HourlyOrderTotals"),
    "greatest-of-a-view": _statement("SELECT max(su) FROM HourlyOrderTotals"),
    "last-hour-by-product": _ORDER_PIE,
    "order-by": _statement("SELECT STREAM FLOOR(rowtime TO hour) AS rowtime, productId, orderId"),
    "union-all": _statement("SELECT STREAM * FROM Orders WHERE productId = 10 UNION"),
    "sliding": _statement("SELECT STREAM rowtime, productId, units, SUM(units) OVER (ORDER BY"),
    "sliding-over-a-view": _statement("SELECT STREAM rowtime, productId, SUM(su) OVER w"),
    "two-averages": _statement("SELECT STREAM * FROM ( SELECT STREAM rowtime, productId, units"),
    "cascading": _statement("SELECT STREAM rowtime, productId, units, SUM(units) OVER (PARTITION"),
    "table-join": _statement("SELECT STREAM o.rowtime, o.productId, o.orderId, o.units, p.name"),
    "versioned-table-join": _statement("SELECT STREAM * FROM Orders AS o JOIN ProductVersions"),
    "stream-join": _statement("SELECT STREAM o.rowtime, o.productId, o.orderId, s.rowtime"),
    "upsert": _statement("UPSERT INTO OrdersSummary"),
}  # fmt: skip


def plan_of(sql: str) -> Plan:
    """The plan of a query, or of the query of a standing INSERT."""
    if not sql.lstrip().startswith(("INSERT", "UPSERT")):
        query = prepare(SCHEMA, sql.rstrip(";"), Profile.CALCITE).query
        assert query is not None
        return query
    [standing] = prepare(f"{SCHEMA}{sql};", None, Profile.CALCITE).standing
    return standing.input


@pytest.mark.parametrize("name", QUERIES)
def test_each_node_of_the_pages_queries_says_what_it_knows(
    name: str, golden: Callable[[str, str], None]
) -> None:
    query = QUERIES[name]
    golden(f"metadata/{name}.txt", f"{query.strip()}\n\n{as_text(node_facts(plan_of(query)))}\n")
