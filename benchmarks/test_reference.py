"""The reference against sqlglot's executor, the other evaluator in plain Python, on 100,000 rows.

sqlglot knows no windows of time and no OVER: its tumble is arithmetic on milliseconds.
"""

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import pytest
from pytest_benchmark.fixture import BenchmarkFixture

from benchmarks import orders, sqlglot_orders

if TYPE_CHECKING:
    from collections.abc import Callable

ROWS: Final = 100_000


@dataclass(frozen=True, slots=True)
class Question:
    """One query as both read it."""

    rowtime: str
    sqlglot: str


TUMBLE: Final = Question(
    rowtime="SELECT STREAM TUMBLE_END(rowtime, INTERVAL '1' HOUR) AS rowtime, productId,"
    " COUNT(*) AS c, SUM(units) AS units"
    " FROM Orders GROUP BY TUMBLE(rowtime, INTERVAL '1' HOUR), productId",
    sqlglot="SELECT rowtime - rowtime % 3600000 + 3600000 AS rowtime, productid,"
    " COUNT(*) AS c, SUM(units) AS units"
    " FROM orders GROUP BY rowtime - rowtime % 3600000 + 3600000, productid",
)
#: These are one text for both.
SORT: Final = "SELECT rowtime, orderId, units FROM Orders ORDER BY units, orderId DESC"
SMALL_JOIN: Final = (
    "SELECT o.orderId, o.units, p.name FROM Orders AS o"
    " JOIN Products AS p ON o.productId = p.productId"
)
LARGE_JOIN: Final = (
    "SELECT o.orderId, o.units, p.amount FROM Orders AS o"
    " JOIN Payments AS p ON o.orderId = p.orderId"
)
FILTER: Final = "SELECT orderId, units * 2 + 1 AS u FROM Orders WHERE units > 5 AND productId = 10"

QUESTIONS: Final = {
    "tumble": TUMBLE,
    "sort": Question(SORT, SORT),
    "join with 3 rows": Question(SMALL_JOIN, SMALL_JOIN),
    "join with 100,000 rows": Question(LARGE_JOIN, LARGE_JOIN),
    "filter and project": Question(FILTER, FILTER),
}


@pytest.mark.parametrize("engine", ["rowtime", "sqlglot"])
@pytest.mark.parametrize("name", QUESTIONS)
def test_question(benchmark: BenchmarkFixture, name: str, engine: str) -> None:
    """All rows of a query, from its text on; the tables are there."""
    question = QUESTIONS[name]
    benchmark.group = f"{name}, {ROWS:,} rows"
    benchmark._timer = time.process_time  # other processes' time is not ours
    if engine == "rowtime":
        answer: Callable[[], object] = orders.answering(question.rowtime, ROWS)
    else:
        answer = sqlglot_orders.answering(question.sqlglot, ROWS)
    benchmark.pedantic(answer, rounds=5, iterations=1, warmup_rounds=1)


@pytest.mark.parametrize("question", QUESTIONS.values(), ids=list(QUESTIONS))
def test_both_give_the_same_rows(question: Question) -> None:
    """A faster wrong answer would be no answer."""
    found = sorted(orders.answering(question.rowtime, 1_000)())
    assert found == sorted(sqlglot_orders.answering(question.sqlglot, 1_000)())
