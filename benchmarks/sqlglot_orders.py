"""The same orders in the tables of sqlglot's executor, another evaluator in plain Python."""

from collections.abc import Callable
from typing import Any

from sqlglot.executor import execute
from sqlglot.executor.table import Table

from benchmarks.orders import PRODUCTS, orders, payments

SCHEMA = {
    "orders": {"rowtime": "BIGINT", "orderid": "INT", "productid": "INT", "units": "INT"},
    "products": {"productid": "INT", "name": "VARCHAR"},
    "payments": {"orderid": "INT", "amount": "INT"},
}


def answering(sql: str, rows: int) -> Callable[[], list[tuple[Any, ...]]]:
    """A function that evaluates ``sql`` on ``count`` orders, parsing included."""
    contents = {"orders": orders(rows), "products": PRODUCTS, "payments": payments(rows)}
    tables = {name: Table(tuple(SCHEMA[name]), each) for name, each in contents.items()}
    return lambda: execute(sql, schema=SCHEMA, tables=tables).rows
