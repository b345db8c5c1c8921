"""Conversations with the reference in SQL, for tests: a script, events, what is emitted."""

from reference.backend import ReferenceBackend
from tck.protocol import Accepted, End, Event, Open, Output, WireRow

DDL = """\
CREATE STREAM Orders (
  rowtime TIMESTAMP(3) ASCENDING, productId INTEGER, orderId INTEGER,
  units INTEGER CHECK (units BETWEEN 1 AND 1000)) WITH HISTORY INTERVAL '24' HOUR;
CREATE TABLE Products (productId INTEGER PRIMARY KEY, name VARCHAR(20));
INSERT INTO Products VALUES (10, 'Beer'), (30, 'Cheese');
"""


def at(time: str) -> str:
    return f"2015-02-15 {time}"


ORDERS: tuple[WireRow, ...] = (
    (at("10:17:00"), 30, 5, 4),
    (at("10:17:05"), 10, 6, 1),
    (at("10:18:05"), 20, 7, 2),
    (at("10:18:07"), 30, 8, 20),
    (at("11:02:00"), 10, 9, 6),
    (at("11:04:00"), 10, 10, 1),
    (at("11:09:30"), 40, 11, 12),
    (at("11:24:11"), 10, 12, 4),
)


def opened(sql: str | None, ddl: str = DDL, profile: str = "calcite") -> ReferenceBackend:
    backend = ReferenceBackend()
    answer = backend.open(Open(ddl, sql, profile))
    assert isinstance(answer, Accepted), answer
    return backend


def told(backend: ReferenceBackend, *events: Event) -> Output:
    """What is emitted at the end, having fed ``events`` and the end of all input."""
    for event in (*events, End()):
        backend.feed(event)
    return backend.poll()


def rows(sql: str, *events: Event, ddl: str = DDL, profile: str = "calcite") -> list[WireRow]:
    output = told(opened(sql, ddl, profile), *events)
    assert output.error is None, output.error
    assert output.bound == "end"
    return list(output.rows)
