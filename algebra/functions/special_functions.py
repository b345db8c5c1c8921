"""The functions with a syntax or a clause of their own: their rows in docs/functions.md.

This module only documents them.  They are bound together with their syntax node or their clause, in
`algebra.binding.expression.bind_text`, `algebra.binding.expression.bind_datetime`,
`algebra.binding.query.bind_window_function`, `algebra.binding.query.group_window` and
`algebra.binding.query.grouped_scope`.
"""

from collections.abc import Mapping
from typing import Final

from algebra.functions.signature import TOO_LONG, Signature

_TEXT: Final = "SQL:2016 6.32"
_TIME: Final = "a DATE, TIME or TIMESTAMP"
_NO_NULL: Final = "never NULL"
#: The arguments of TUMBLE_START, TUMBLE_END and so on.
_WINDOW_ARGUMENTS: Final = (
    "all arguments of the TUMBLE, HOP or SESSION in GROUP BY, or only the first of them"
)
_UNIT: Final = "a unit from YEAR to SECOND, with or without the prefix SQL_TSI_"

#: The functions that the grammar knows by their syntax, by name.
SYNTAX: Final[Mapping[str, Signature]] = {
    "SUBSTRING": Signature(
        ("SUBSTRING(x FROM start)", "SUBSTRING(x FROM start FOR length)", "SUBSTRING(x, start)",
         "SUBSTRING(x, start, length)"),
        "a text; one or two integers",
        "VARCHAR with the greatest length of `x`",
        _TEXT,
        errors="INVALID_ARGUMENT for a length below 0",
    ),
    "POSITION": Signature(
        ("POSITION(x IN y)",), "two texts", "INTEGER, which is 0 if `y` does not contain `x`",
        "SQL:2016 6.30"
    ),
    "TRIM": Signature(
        ("TRIM(x)", "TRIM(BOTH c FROM x)", "TRIM(LEADING c FROM x)", "TRIM(TRAILING c FROM x)"),
        "a character (a blank if `c` is omitted); a text",
        "VARCHAR with the greatest length of `x`",
        _TEXT,
        errors="INVALID_ARGUMENT unless `c` has exactly one character",
    ),
    "OVERLAY": Signature(
        ("OVERLAY(x PLACING y FROM start)", "OVERLAY(x PLACING y FROM start FOR length)"),
        "two texts; one or two integers",
        "VARCHAR with the sum of the greatest lengths of `x` and `y`",
        _TEXT,
        errors=f"INVALID_ARGUMENT for a length below 0, {TOO_LONG}",
    ),
    "FLOOR": Signature(
        ("FLOOR(x)", "FLOOR(x TO unit)"),
        f"without `TO unit`, a number; with it, {_TIME} whose type has this unit",
        "the type of `x`; but DECIMAL(p, 0) if `x` is a DECIMAL(p, s)",
        "S-208, CAL-188",
        errors="OVERFLOW",
    ),
    "CEIL": Signature(
        ("CEIL(x)", "CEIL(x TO unit)", "CEILING(x)"),
        f"without `TO unit`, a number; with it, {_TIME} whose type has this unit",
        "the type of `x`; but DECIMAL(p, 0) if `x` is a DECIMAL(p, s)",
        "S-208, CAL-189",
        errors="OVERFLOW",
    ),
    "STEP": Signature(
        ("STEP(x BY i)",),
        "a datetime and an interval, or two integers",
        "the type of the datetime, or the common type of the two integers",
        "S-208",
        errors="INVALID_ARGUMENT for a step that is not positive",
    ),
    "EXTRACT": Signature(
        ("EXTRACT(unit FROM x)",), "a DATE, TIME, TIMESTAMP or interval", "BIGINT", "SQL:2016 6.30"
    ),
    "TIMESTAMPADD": Signature(
        ("TIMESTAMPADD(unit, n, x)",),
        f"{_UNIT}; an integer; {_TIME}",
        "the type of `x`; but TIMESTAMP if `x` is a DATE and the unit is HOUR or less",
        "S-207: `x + n * INTERVAL '1' unit`",
        errors="OVERFLOW",
    ),
    "TIMESTAMPDIFF": Signature(
        ("TIMESTAMPDIFF(unit, x, y)",),
        f"{_UNIT}; {_TIME}; {_TIME}",
        "INTEGER: the number of whole units from `x` to `y`, truncated toward zero",
        "S-207: `(y - x) unit`",
        errors="OVERFLOW",
    ),
    "CURRENT_TIMESTAMP": Signature(
        ("CURRENT_TIMESTAMP", "LOCALTIMESTAMP"), "no argument", "TIMESTAMP(3)", "S-106", _NO_NULL
    ),
    "CURRENT_DATE": Signature(("CURRENT_DATE",), "no argument", "DATE", "S-106", _NO_NULL),
    "CURRENT_TIME": Signature(
        ("CURRENT_TIME", "LOCALTIME"), "no argument", "TIME(3)", "S-106", _NO_NULL
    ),
    "MONOTONIC": Signature(
        ("MONOTONIC(x)",), "any value", "the type of `x`", "S-407", "NULL if `x` is NULL"
    ),
}  # fmt: skip

_SIZES: Final = "a table or a query; a column that is a TIMESTAMP or a DATE"
_OFFSET: Final = "as the offset, an interval, or a TIME"
_IN_NO_WINDOW: Final = "a row whose `c` is NULL is in no window"

#: The functions in FROM that put rows into windows, by name.
TABLES: Final[Mapping[str, Signature]] = {
    "TUMBLE": Signature(
        ("TUMBLE(TABLE t, DESCRIPTOR(c), size)", "TUMBLE(TABLE t, DESCRIPTOR(c), size, offset)"),
        f"{_SIZES}; an interval as the size; {_OFFSET} if the size is a day-time interval",
        "the rows of `t`, each with WINDOW_START and WINDOW_END",
        "S-901",
        _IN_NO_WINDOW,
    ),
    "HOP": Signature(
        (
            "HOP(TABLE t, DESCRIPTOR(c), slide, size)",
            "HOP(TABLE t, DESCRIPTOR(c), slide, size, offset)",
        ),
        f"{_SIZES}; two intervals; {_OFFSET} if the other two are day-time intervals",
        "each row of `t` once for each window that contains it, with WINDOW_START and WINDOW_END",
        "S-901",
        _IN_NO_WINDOW,
    ),
    "CUMULATE": Signature(
        (
            "CUMULATE(TABLE t, DESCRIPTOR(c), step, size)",
            "CUMULATE(TABLE t, DESCRIPTOR(c), step, size, offset)",
        ),
        f"{_SIZES}; two intervals, the second a multiple of the first; {_OFFSET} if the other two "
        "are day-time intervals",
        "each row of `t` once for each window that contains it, with WINDOW_START and WINDOW_END",
        "S-901",
        _IN_NO_WINDOW,
    ),
    "SESSION": Signature(
        (
            "SESSION(TABLE t, DESCRIPTOR(c), gap)",
            "SESSION(TABLE t PARTITION BY k, DESCRIPTOR(c), gap)",
        ),
        "a table or a query; a column that is a TIMESTAMP or a DATE; a day-time interval",
        "the rows of `t`, each with the start and the end of its session",
        "S-902",
        "a row whose `c` is NULL is in no session",
    ),
}  # fmt: skip

#: The functions of GROUP BY, by name.
GROUPS: Final[Mapping[str, Signature]] = {
    "TUMBLE": Signature(
        ("TUMBLE(x, size)", "TUMBLE(x, size, align)"),
        "a TIMESTAMP; an interval as the size; as `align`, an interval, or a TIME if the size is a"
        " day-time interval",
        "a window, in GROUP BY",
        "S-504",
        "a row whose `x` is NULL does not belong to any window",
    ),
    "HOP": Signature(
        ("HOP(x, emit, retain)", "HOP(x, emit, retain, align)"),
        "a TIMESTAMP; two intervals; as `align`, an interval, or a TIME if the other two are"
        " day-time intervals",
        "windows, in GROUP BY",
        "S-504",
        "a row whose `x` is NULL does not belong to any window",
    ),
    "SESSION": Signature(
        ("SESSION(x, gap)",),
        "a TIMESTAMP; a day-time interval",
        "a session, in GROUP BY",
        "S-902",
        "a row whose `x` is NULL does not belong to any session",
    ),
    **{
        f"{name}_{end}": Signature(
            (f"{name}_{end}(…)",),
            _WINDOW_ARGUMENTS,
            "TIMESTAMP(3)",
            "S-504",
            "NULL in the rows of a grouping set that does not contain the window",
        )
        for name in ("TUMBLE", "HOP", "SESSION")
        for end in ("START", "END")
    },
    "GROUPING": Signature(
        ("GROUPING(k, …)", "GROUPING_ID(k, …)"),
        "keys of GROUP BY",
        "BIGINT",
        "CAL-081",
        _NO_NULL,
    ),
    "GROUP_ID": Signature(("GROUP_ID()",), "no argument", "BIGINT", "CAL-081", _NO_NULL),
}
