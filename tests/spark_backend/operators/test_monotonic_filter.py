"""MONOTONIC on Spark drops the rows that a row-by-row filter drops (S-407)."""

from random import Random

import pytest

from tck.protocol import Wire, WireRow
from tests.spark_backend.conftest import Spark

pytestmark = pytest.mark.spark

WORDS = "CREATE STREAM W (rowtime TIMESTAMP(3) ASCENDING, x INTEGER, s VARCHAR(2), d DOUBLE);"


def written(seed: int) -> list[WireRow]:
    """A row for each second; most are not late."""
    random = Random(seed)

    def value(second: int) -> int | None:
        return None if random.random() < 0.1 else second // 2 + random.randrange(-3, 3)

    rows: list[WireRow] = []
    for second in range(40):
        x, s, d = value(second), value(second), value(second)
        text = None if s is None else f"{s + 10:02}"
        number: Wire = None if d is None else "NaN" if d % 7 == 0 else d / 2
        rows.append((f"2015-02-15 10:00:{second:02}", x, text, number))
    return rows


def not_late(rows: list[WireRow], *places: int) -> list[WireRow]:
    """The rows that are not late, one by one: each is compared with the last that was not."""
    passing: list[WireRow] = []
    for row in rows:
        last = passing[-1] if passing else None
        values = [row[place] for place in places]
        before = values if last is None else [last[place] for place in places]
        pairs = list(zip(before, values, strict=True))
        if None in values or "NaN" in values:
            continue
        if all(a <= b for a, b in pairs):  # type: ignore[operator]  # of one column
            passing.append(row)
    return passing


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize(
    ("words", "places"),
    [
        ("MONOTONIC(x) AS x, s, d", (1,)),
        ("x, MONOTONIC(s) AS s, d", (2,)),
        ("x, s, MONOTONIC(d) AS d", (3,)),
        ("MONOTONIC(x) AS x, MONOTONIC(s) AS s, MONOTONIC(d) AS d", (1, 2, 3)),
    ],
)
def test_a_row_below_an_earlier_value_is_late(
    spark: Spark, words: str, places: tuple[int, ...], seed: int
) -> None:
    arriving = written(seed)
    expected = not_late(arriving, *places)
    assert 5 < len(expected) < 36, "some are late, and some are not"
    assert spark.rows(f"SELECT STREAM rowtime, {words} FROM W", WORDS, {"W": arriving}) == expected
