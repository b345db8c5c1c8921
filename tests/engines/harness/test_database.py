"""A plan that a database's dialect cannot express is answered as unsupported."""

from engines.sqlite.backend import SqliteBackend
from tck.protocol import Accepted, Open, Unsupported


def asked(sql: str) -> object:
    """SQLite's answer to a query without tables."""
    backend = SqliteBackend()
    backend.start()
    try:
        return backend.open(Open("", sql, "calcite"))
    finally:
        backend.stop()


def test_a_plan_without_words_in_the_dialect_is_unsupported() -> None:
    answer = asked("SELECT EXTRACT(QUARTER FROM DATE '2015-02-15') AS q FROM (VALUES (1)) AS t (x)")
    assert answer == Unsupported("no EXTRACT of QUARTER")


def test_a_plan_with_words_in_the_dialect_is_accepted() -> None:
    answer = asked("SELECT EXTRACT(MONTH FROM DATE '2015-02-15') AS m FROM (VALUES (1)) AS t (x)")
    assert isinstance(answer, Accepted)
