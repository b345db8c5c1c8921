"""CAST: every pair of kinds."""

import pytest

from algebra.functions.casts import castable
from algebra.types import (
    BOOLEAN,
    DATE,
    DOUBLE,
    INTEGER,
    NULL,
    REAL,
    TIME,
    TIMESTAMP,
    VARCHAR,
    Kind,
    Type,
    decimal,
    interval,
)
from grammar.tree import TimeUnit

TYPES = {
    "int": INTEGER,
    "dec": decimal(5, 2),
    "real": REAL,
    "dbl": DOUBLE,
    "bool": BOOLEAN,
    "char": Type(Kind.CHAR, precision=3),
    "text": VARCHAR,
    "bin": Type(Kind.VARBINARY),
    "date": DATE,
    "time": TIME,
    "ts": TIMESTAMP,
    "mon": interval(TimeUnit.MONTH),
    "y-m": interval(TimeUnit.YEAR, TimeUnit.MONTH),
    "hour": interval(TimeUnit.HOUR),
    "d-s": interval(TimeUnit.DAY, TimeUnit.SECOND),
}
NUMBERS = {"int", "dec", "real", "dbl"}
TEXTS = {"char", "text"}
#: What each type is cast to; everything else is refused.
TARGETS = {
    "int": NUMBERS | TEXTS | {"mon", "hour"},
    "dec": NUMBERS | TEXTS | {"mon", "hour"},
    "real": NUMBERS | TEXTS,
    "dbl": NUMBERS | TEXTS,
    "bool": TEXTS | {"bool"},
    "char": set(TYPES) - {"bin"},
    "text": set(TYPES) - {"bin"},
    "bin": {"bin"},
    "date": TEXTS | {"date", "ts"},
    "time": TEXTS | {"time", "ts"},
    "ts": TEXTS | {"date", "time", "ts"},
    "mon": TEXTS | {"mon", "y-m", "int", "dec"},
    "y-m": TEXTS | {"mon", "y-m"},
    "hour": TEXTS | {"hour", "d-s", "int", "dec"},
    "d-s": TEXTS | {"hour", "d-s"},
}


@pytest.mark.parametrize("source", TYPES)
def test_a_type_is_cast_to_the_types_of_the_table(source: str) -> None:
    assert {t for t in TYPES if castable(TYPES[source], TYPES[t])} == TARGETS[source]


@pytest.mark.parametrize("target", TYPES)
def test_null_is_cast_to_every_type(target: str) -> None:
    assert castable(NULL, TYPES[target])
