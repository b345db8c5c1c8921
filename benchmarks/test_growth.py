"""Whether a row costs the reference the same among ten thousand rows and among a million."""

import time
from typing import Final

import pytest
from pytest_benchmark.fixture import BenchmarkFixture

from benchmarks.orders import answering

QUESTIONS: Final = {
    "tumble": "SELECT STREAM TUMBLE_END(rowtime, INTERVAL '1' HOUR) AS rowtime, productId,"
    " COUNT(*) AS c, SUM(units) AS units"
    " FROM Orders GROUP BY TUMBLE(rowtime, INTERVAL '1' HOUR), productId",
    "sort": "SELECT rowtime, orderId, units FROM Orders ORDER BY units, orderId DESC",
    "join": "SELECT o.orderId, o.units, p.amount FROM Orders AS o"
    " JOIN Payments AS p ON o.orderId = p.orderId",
    "over an hour": "SELECT STREAM rowtime, SUM(units) OVER (PARTITION BY productId"
    " ORDER BY rowtime RANGE INTERVAL '1' HOUR PRECEDING) AS s, MAX(units) OVER (PARTITION BY"
    " productId ORDER BY rowtime RANGE INTERVAL '1' HOUR PRECEDING) AS m FROM Orders",
    "over 100 rows": "SELECT STREAM rowtime, AVG(CAST(units AS DOUBLE)) OVER"
    " (ORDER BY rowtime ROWS 100 PRECEDING) AS a FROM Orders",
}


@pytest.mark.parametrize("rows", [10_000, 100_000, 1_000_000])
@pytest.mark.parametrize("question", QUESTIONS)
def test_time_grows_with_the_rows(benchmark: BenchmarkFixture, question: str, rows: int) -> None:
    """All rows of a query, from its text on; ten times the rows take ten times as long, or so."""
    answer = answering(QUESTIONS[question], rows)
    benchmark.group = f"{question}, by rows"
    benchmark._timer = time.process_time  # other processes' time is not ours
    benchmark.pedantic(answer, rounds=5, iterations=1)
    if benchmark.stats is not None:
        benchmark.extra_info["microseconds a row"] = benchmark.stats["median"] / rows * 1e6
