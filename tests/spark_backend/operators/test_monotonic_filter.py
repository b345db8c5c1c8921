"""Rows that are late inside a query, on Spark: as many and the same as one by one (S-407)."""

from random import Random

import pytest

from tck.protocol import Wire, WireRow
from tests.spark_backend.conftest import Spark

pytestmark = pytest.mark.spark

WORDS = "CREATE STREAM W (rowtime TIMESTAMP(3) ASCENDING, x INTEGER, s VARCHAR(2), d DOUBLE);"


def written(seed: int) -> list[WireRow]:
    """Rows of a second each, most of them on time."""
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


def on_time(rows: list[WireRow], *places: int) -> list[WireRow]:
    """One after the other: a row is measured by the last that was on time."""
    kept: list[WireRow] = []
    for row in rows:
        last = kept[-1] if kept else None
        values = [row[place] for place in places]
        before = values if last is None else [last[place] for place in places]
        pairs = list(zip(before, values, strict=True))
        if None in values or "NaN" in values:
            continue
        if all(a <= b for a, b in pairs):  # type: ignore[operator]  # of one column
            kept.append(row)
    return kept


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
def test_what_falls_behind_is_late(
    spark: Spark, words: str, places: tuple[int, ...], seed: int
) -> None:
    given = written(seed)
    wanted = on_time(given, *places)
    assert 5 < len(wanted) < 36, "some are late, and some are not"
    assert spark.rows(f"SELECT STREAM rowtime, {words} FROM W", WORDS, {"W": given}) == wanted
