"""Generated tables: one to four, of one to five columns, with the rows in them."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn, SearchStrategy

from tck.protocol import Wire, WireRow
from tests.differential.sqltypes import (
    BIGINT,
    BOOLEAN,
    DATE,
    DOUBLE,
    INTEGER,
    TIMESTAMP,
    VARCHAR,
    Kind,
    SqlType,
    decimal,
)


@dataclass(frozen=True, slots=True)
class TableSchema:
    """A table and its rows, as they go over the wire."""

    name: str
    columns: tuple[tuple[str, SqlType], ...]
    rows: tuple[WireRow, ...]


@dataclass(frozen=True, slots=True)
class Features:
    """What of the language a comparison covers; what is not covered is in docs/differences.md.

    ``precision``: the most digits of an exact number.  ``wild``: whether values at the edges of
    their types are among the rows.
    """

    precision: int = 38
    wild: bool = True
    letters: bool = True  # that are not ASCII, and have upper and lower case
    special_floats: bool = True  # a quotient of DOUBLEs by zero: NaN and the infinities
    grouping_sets: bool = True
    set_all: bool = True  # INTERSECT ALL, EXCEPT ALL
    interval_frames: bool = True
    rich_times: bool = True  # WEEK, QUARTER, months apart
    decimal_text: bool = True
    right_of_joins: bool = True  # RIGHT and FULL JOIN behind another join
    failing: bool = True  # operators that can fail
    as_written: bool = False  # only what rowtime and DuckDB write alike, and mean alike


DDL_TYPES: Final[tuple[SqlType, ...]] = (
    INTEGER,
    INTEGER,
    BIGINT,
    decimal(6, 2),
    decimal(9, 3),
    DOUBLE,
    VARCHAR,
    VARCHAR,
    BOOLEAN,
    DATE,
    TIMESTAMP,
)

#: The types of which enough is written alike in every dialect.
_PLAIN_TYPES: Final = (INTEGER, INTEGER, VARCHAR, VARCHAR, BOOLEAN)

_TEXTS: Final = ("", "a", "b", "ab", "Ab", "aB", "a_b", "b%", " a", "a ", "abab", "%", "0")
#: The last two stand the other way round in UTF-16; none has two letters for its other case (D-16).
_LETTERS: Final = ("é", "É", "ç", "Ωω", "\U0001f600", "\uffee")
_DATES: Final = ("1969-12-31", "1970-01-01", "2015-02-15", "2016-02-29", "2015-01-31", "2000-12-31")
_FAR_DATES: Final = ("0001-01-01", "9999-12-31", "1582-10-10", "1900-02-28")
_TIMES: Final = (
    "1969-12-31 23:30:00",
    "1970-01-01 00:00:00",
    "2015-02-15 10:00:00",
    "2015-02-15 10:17:00.001",
    "2015-02-15 10:59:59.999",
    "2015-02-15 11:00:00",
    "2016-02-29 00:00:00",
    "2015-01-31 23:00:00",
)
_FAR_TIMES: Final = (
    "0001-01-01 00:00:00",
    "9999-12-31 23:59:59.999",
    "1582-10-10 12:00:00",
    "1600-03-01 00:00:00.500",
)
#: Sums and products of a few of them are exact, so that the order of adding does not show.
_FLOATS: Final = (0.0, 0.5, -1.25, 3.0, 2.5, -0.5, 1024.0, 7.75)

_TAME: Final[Mapping[Kind, SearchStrategy[Wire]]] = {
    Kind.INTEGER: st.integers(-3, 5),
    Kind.BIGINT: st.integers(-4, 40),
    Kind.DOUBLE: st.sampled_from(_FLOATS),
    Kind.VARCHAR: st.sampled_from(_TEXTS),
    Kind.BOOLEAN: st.booleans(),
    Kind.DATE: st.sampled_from(_DATES),
    Kind.TIMESTAMP: st.sampled_from(_TIMES),
}
_WILD: Final[Mapping[Kind, SearchStrategy[Wire]]] = {
    Kind.INTEGER: st.sampled_from([2**31 - 1, -(2**31), 46341, -46341]),
    Kind.BIGINT: st.sampled_from([2**63 - 1, -(2**63), 2**31, 3037000500, 2**53 + 1]),
    Kind.VARCHAR: st.sampled_from(_LETTERS),
    Kind.DATE: st.sampled_from(_FAR_DATES),
    Kind.TIMESTAMP: st.sampled_from(_FAR_TIMES),
}


def digits(unscaled: int, scale: int) -> str:
    """The text of ``unscaled`` / 10**scale."""
    sign, text = "-" if unscaled < 0 else "", str(abs(unscaled)).rjust(scale + 1, "0")
    return f"{sign}{text[:-scale]}.{text[-scale:]}" if scale else f"{sign}{text}"


def values(type: SqlType, wild: bool, features: Features) -> SearchStrategy[Wire]:
    """Values of a column: NULL one time in four; at the edges where ``wild``."""
    if type.kind is Kind.DECIMAL:
        most = 10**type.precision - 1
        tame: SearchStrategy[Wire] = st.one_of(
            st.integers(-999, 999), st.sampled_from([-250, -50, -5, 0, 5, 50, 125, 250])
        ).map(lambda n: digits(n, type.scale))
        edge: SearchStrategy[Wire] | None = st.sampled_from([most, -most]).map(
            lambda n: digits(n, type.scale)
        )
    else:
        tame, edge = _TAME[type.kind], _WILD.get(type.kind)
    if type.kind is Kind.VARCHAR and not features.letters:
        edge = None
    if type.kind in (Kind.DATE, Kind.TIMESTAMP) and not features.rich_times:
        edge = None
    known: SearchStrategy[Wire] = tame if not wild or edge is None else st.one_of(tame, edge)
    return st.one_of(st.none(), known, known, known)


@st.composite
def schemas(draw: DrawFn, features: Features) -> tuple[TableSchema, ...]:
    """One to four tables T0, T1, …; columns of one name have one type in all of them.

    No table is a copy of another, and any of them may be empty.
    """
    wild = features.wild and draw(st.integers(0, 2)) == 2
    types = _PLAIN_TYPES if features.as_written else DDL_TYPES
    pool = [(f"{_LETTER[t.kind]}{i}", t) for i, t in enumerate(types)]
    tables: list[TableSchema] = []
    for place in range(draw(st.integers(1, 4))):
        columns: list[tuple[str, SqlType]] = draw(
            st.lists(st.sampled_from(pool), min_size=1, max_size=5, unique=True)
        )
        row = st.tuples(*(values(type, wild, features) for _, type in columns))
        rows: list[WireRow] = draw(st.lists(row, max_size=5))
        repeated: bool = draw(st.booleans())
        if rows and repeated:
            rows.append(draw(st.sampled_from(rows)))
        tables.append(TableSchema(f"T{place}", tuple(columns), tuple(rows)))
    return tuple(tables)


_LETTER: Final[Mapping[Kind, str]] = {
    Kind.INTEGER: "I",
    Kind.BIGINT: "L",
    Kind.DECIMAL: "N",
    Kind.DOUBLE: "X",
    Kind.VARCHAR: "S",
    Kind.BOOLEAN: "P",
    Kind.DATE: "D",
    Kind.TIMESTAMP: "TS",
}
