"""The streaming reference: rows a second of each operator, how they grow, and next to a peer.

bytewax has no window that slides with each row, so that it is asked the tumble and the hop.
"""

import time
import tracemalloc
from collections.abc import Callable
from typing import Final

import pytest
from pytest_benchmark.fixture import BenchmarkFixture

from benchmarks import bytewax_orders
from benchmarks.streams import arrivals, feeding, orders, stepwise

MILLION: Final = 1_000_000
TRAIN: Final = 1_000

TUMBLE: Final = (
    "SELECT STREAM TUMBLE_END(rowtime, INTERVAL '1' MINUTE) AS rowtime, productId, COUNT(*) AS c,"
    " SUM(units) AS u FROM Orders GROUP BY TUMBLE(rowtime, INTERVAL '1' MINUTE), productId"
)
COUNT: Final = (
    "SELECT STREAM TUMBLE_END(rowtime, INTERVAL '1' MINUTE) AS rowtime, productId, COUNT(*) AS c"
    " FROM Orders GROUP BY TUMBLE(rowtime, INTERVAL '1' MINUTE), productId"
)
HOP: Final = (
    "SELECT STREAM HOP_END(rowtime, INTERVAL '15' SECOND, INTERVAL '1' MINUTE) AS rowtime,"
    " productId, COUNT(*) AS c"
    " FROM Orders GROUP BY HOP(rowtime, INTERVAL '15' SECOND, INTERVAL '1' MINUTE), productId"
)
JOIN: Final = (
    "SELECT STREAM o.rowtime, o.orderId, t.orderId AS trade FROM Orders AS o"
    " JOIN Trades OVER (RANGE INTERVAL '2' SECOND FOLLOWING) AS t ON o.productId = t.productId"
)
UNION: Final = (
    "SELECT STREAM rowtime, units FROM Orders UNION ALL SELECT STREAM rowtime, units FROM Trades"
)
FILTER: Final = "SELECT STREAM rowtime, units * 2 + 1 AS u FROM Orders WHERE units > 3"


def sliding(seconds: float) -> str:
    """SUM over that many seconds by key; two seconds hold four orders of each of 50 keys."""
    return (
        "SELECT STREAM rowtime, SUM(units) OVER (PARTITION BY productId ORDER BY rowtime"
        f" RANGE INTERVAL '{seconds}' SECOND(6, 3) PRECEDING) AS s FROM Orders"
    )


OPERATORS: Final = {
    "filter and project": (FILTER, False),
    "tumble by key": (TUMBLE, False),
    "hop by key": (HOP, False),
    "sliding sum by key": (sliding(60), False),
    "window join": (JOIN, True),
    "merge union": (UNION, True),
}


def timed(benchmark: BenchmarkFixture, run: Callable[[], int], rows: int, group: str) -> None:
    """Five runs by the time of this process, and the rows a second of the median."""
    benchmark.group = group
    benchmark._timer = time.process_time  # other processes' time is not ours
    benchmark.pedantic(run, rounds=5, iterations=1)
    if benchmark.stats is not None:
        benchmark.extra_info["rows a second"] = rows / benchmark.stats["median"]


@pytest.mark.parametrize("name", OPERATORS)
@pytest.mark.parametrize("rows", [MILLION // 10, MILLION])
def test_operator(benchmark: BenchmarkFixture, name: str, rows: int) -> None:
    """Each operator, and how its time grows with the length of the stream."""
    sql, both = OPERATORS[name]
    run = feeding(sql, arrivals(rows, TRAIN, both=both))
    timed(benchmark, run, rows, f"{name}, by length")


@pytest.mark.parametrize("seconds", [50, 500, 5_000])
def test_width_of_a_frame(benchmark: BenchmarkFixture, seconds: int) -> None:
    """100, 1,000 and 10,000 orders of each key in the frame."""
    run = feeding(sliding(seconds), arrivals(MILLION, TRAIN))
    timed(benchmark, run, MILLION, "sliding sum, by width")


@pytest.mark.parametrize("keys", [10, 1_000, 100_000])
def test_number_of_keys(benchmark: BenchmarkFixture, keys: int) -> None:
    """A tumble of few and of many keys."""
    run = feeding(TUMBLE, arrivals(MILLION, TRAIN, keys=keys))
    timed(benchmark, run, MILLION, "tumble, by keys")


@pytest.mark.parametrize("train", [1, 10, 100, 1_000])
def test_length_of_a_train(benchmark: BenchmarkFixture, train: int) -> None:
    """What an event costs next to its rows."""
    run = feeding(TUMBLE, arrivals(MILLION // 10, train))
    timed(benchmark, run, MILLION // 10, "tumble, by train")


@pytest.mark.parametrize("engine", ["rowtime", "bytewax"])
@pytest.mark.parametrize("question", ["tumbling count by key", "hopping count by key"])
def test_beside_bytewax(benchmark: BenchmarkFixture, question: str, engine: str) -> None:
    """The same orders from a list, in trains of 1,000, by one core."""
    tumbles = question.startswith("tumbling")
    if engine == "rowtime":
        run = feeding(COUNT if tumbles else HOP, arrivals(MILLION, TRAIN))
    else:
        windower = bytewax_orders.tumbling(1) if tumbles else bytewax_orders.hopping(15, 1)
        run = bytewax_orders.counting(bytewax_orders.typed(orders(MILLION)), windower, TRAIN)
    timed(benchmark, run, MILLION, question)


def test_both_count_the_same() -> None:
    """A faster wrong answer would be no answer."""
    few = bytewax_orders.typed(orders(10_000))
    for sql, windower in (
        (COUNT, bytewax_orders.tumbling(1)),
        (HOP, bytewax_orders.hopping(15, 1)),
    ):
        ours = feeding(sql, arrivals(10_000, 100))()
        assert ours == bytewax_orders.counting(few, windower, 100)()


@pytest.mark.parametrize("name", ["tumble by key", "sliding sum by key", "window join"])
def test_memory_stays_flat(name: str) -> None:
    """What a run holds at its peak after the first tenth is what it held at its peak within it."""
    sql, both = OPERATORS[name]
    given = arrivals(MILLION, TRAIN, both=both)
    peaks: list[int] = []
    tracemalloc.start()
    try:
        run = stepwise(sql, given)
        for _ in range(10):
            tracemalloc.reset_peak()
            for _ in range(len(given) // 10):
                next(run)
            peaks.append(tracemalloc.get_traced_memory()[1])
    finally:
        tracemalloc.stop()
    assert max(peaks[1:]) < 1.1 * peaks[0] + 100_000, peaks
