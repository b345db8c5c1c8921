"""The mean of integers on Spark: the quotient of exact numbers, rounded once (S-203.e)."""

# pyright: reportUnknownMemberType=false
# PySpark's createDataFrame has no whole types.

import random
from decimal import Decimal
from fractions import Fraction
from typing import Final

import pytest
from pyspark.sql import functions as F  # noqa: N812  the name that all of PySpark's own text uses

from spark_backend.columns.arithmetic import mean, quotient_of_wholes
from tests.spark_backend.conftest import Spark

pytestmark = pytest.mark.spark

_SEEDED: Final = random.Random(1)
#: Totals and counts of values.
_PAIRS: Final = [
    (0, 1),
    (7, 2),
    (2**53, 3),
    (2**53 + 1, 1),
    (2**53 + 1, 3),  # the total as a DOUBLE is 2^53, and a third of it is smaller by a half
    (2**53 + 1, 2**19),  # halfway between two DOUBLEs, with 19 decimal places
    (2**53 + 3, 2**19),  # halfway, too, and the other DOUBLE is even
    (2**54 + 2, 2**20),
    (3 * (2**53 + 1), 3 * 2**19),
    (3 * (2**53 + 1) + 1, 3 * 2**19),  # beyond the half by 2^-20.6
    (3 * (2**53 + 1) - 1, 3 * 2**19),
    (2**63 - 1, 1),
    (5 * (2**63 - 1), 5),
    (2**63, 1),  # negated, the mean of the least BIGINT
    (3 * 2**63, 3),
    (1_000_000 * (2**63 - 1), 1_000_000),
    *(
        (_SEEDED.getrandbits(bits), _SEEDED.randrange(1, 2 ** min(40, bits)))
        for bits in range(50, 90)
        for _ in range(5)
        if bits <= 64
    ),
    *((_SEEDED.randrange(n * 2**63), n) for n in (3, 1_000, 2**31 - 1) for _ in range(50)),
]


def test_a_mean_is_rounded_once(spark: Spark) -> None:
    pairs = [(sign * total, count) for total, count in _PAIRS for sign in (1, -1)]
    rows = [(i, Decimal(total), count) for i, (total, count) in enumerate(pairs)]
    frame = spark.session.createDataFrame(rows, "place int, total decimal(38, 0), count bigint")
    found = frame.select("place", mean(F.col("total"), F.col("count")).alias("mean"))
    expected = [float(Fraction(total, count)) for total, count in pairs]
    assert [row[1] for row in sorted(found.collect())] == expected


def test_no_values_have_no_mean(spark: Spark) -> None:
    frame = spark.session.createDataFrame([(None, 0)], "total decimal(38, 0), count bigint")
    assert frame.select(mean(F.col("total"), F.col("count"))).collect()[0][0] is None


def test_a_quotient_of_wholes_is_rounded_once(spark: Spark) -> None:
    wholes = [1, 3, 7, 2**53 - 1, 2**53 + 1, 2**60 + 1, 2**63 - 1]
    wholes += [_SEEDED.getrandbits(62) | 1 for _ in range(20)]
    pairs = [(a, b * sign) for a in [0, *wholes] for b in wholes for sign in (1, -1)]
    rows = [(i, a, b) for i, (a, b) in enumerate(pairs)]
    frame = spark.session.createDataFrame(rows, "place int, a bigint, b bigint")
    found = frame.select("place", quotient_of_wholes(F.col("a"), F.col("b")).alias("quotient"))
    expected = [float(Fraction(a, b)) for a, b in pairs]
    assert [row[1] for row in sorted(found.collect())] == expected
