"""Tables of the syntax that needs a capability: by the capability's name, a pattern.

For example, a case whose query has a call ``HOP(`` needs the capability ``hop``.
A pattern is searched in a text without comments, in which text literals and quoted names are empty,
so it matches only syntax.  There is a capability for each construct in which engines differ: if an
engine lacks the construct, it declares one gap, and only cases with the construct are skipped.
"""

import re
from collections.abc import Mapping
from typing import Final, TypeAlias

#: By name of a capability: the pattern of the syntax that needs it.
Patterns: TypeAlias = Mapping[str, re.Pattern[str]]

_UNITS: Final = "YEAR|QUARTER|MONTH|WEEK|DAY|HOUR|MINUTE|SECOND|MILLISECOND"

#: As little text as possible between parentheses, with up to two further levels of parentheses.
_NESTED: Final = r"(?:[^()]|\((?:[^()]|\([^()]*\))*\))*?"

#: A part of the list after GROUP BY, with whole parentheses, and not beyond the next clause.
_GROUPS: Final = (
    rf"(?:(?!\b(?:HAVING|WINDOW|ORDER|LIMIT|OFFSET|FETCH|UNION|INTERSECT|EXCEPT)\b)"
    rf"(?:\({_NESTED}\)|[^);]))*?"
)
#: Items after FROM, before a comma or the next clause.  FROM in IS DISTINCT FROM does not count.
_ITEMS_OF_FROM: Final = (
    r"(?<!\bDISTINCT\s)\bFROM "
    r"(?:(?!\b(?:SELECT|WHERE|GROUP|HAVING|QUALIFY|WINDOW|ORDER|LIMIT|OFFSET|FETCH|UNION|INTERSECT"
    rf"|EXCEPT|EMIT)\b)(?:\({_NESTED}\)|[^(),;]))+"
)
#: The words in a group that is a window, or that rounds a time or a number.
_ROUNDING: Final = "TUMBLE|HOP|SESSION|FLOOR|CEIL|CEILING|STEP|MONOTONIC|WINDOW_START|WINDOW_END"

#: An argument of a function, with up to one level of parentheses.
_ARGUMENT: Final = r"(?:[^(),]|\([^()]*\))*"
#: A condition at the start of arguments: they are those of a window in GROUP BY, and not those of a
#: window table function, which begin with a table, a query, or the name of an argument.
_NO_TABLE: Final = r"(?!\s*(?:TABLE\b|\(|\w+\s*=>|\w+,\s*DESCRIPTOR\b))"


def _syntax(pattern: str) -> re.Pattern[str]:
    """The compiled pattern; a blank in it stands for any white space, and case is ignored."""
    return re.compile(pattern.replace(" ", r"\s+"), re.IGNORECASE)


def _functions(*names: str) -> re.Pattern[str]:
    """The pattern of a call of one of some functions; names can be patterns."""
    return _syntax(rf"\b(?:{'|'.join(names)})\s*\(")


STATEMENTS: Final[Patterns] = {
    "changelogs": _syntax(r"\bEMIT CHANGES\b|\bWITH CHANGES\b"),
    "changing-streams": _syntax(r"\bWITH CHANGES\b"),
    "emit-after-watermark": _syntax(r"\bEMIT AFTER WATERMARK\b"),
    "watermark-for": _syntax(r"\bWATERMARK FOR\b"),
    "disorder": _syntax(r"\bASCENDING (?:WITHIN|PUNCTUATED)\b"),
    "history-limits": _syntax(r"\bWITH HISTORY INTERVAL\b"),
    "strict-order": _syntax(r"\b(?:ASCENDING|DESCENDING) STRICT\b"),
    "descending-order": _syntax(r"\bDESCENDING\b"),
    "check-clauses": _syntax(r"\bCHECK\s*\("),
    "foreign-streams": _syntax(r"\bFOREIGN\b"),
    "user-functions": _syntax(r"\bCREATE (?:OR REPLACE )?FUNCTION\b"),
    "dml": _syntax(r"(?:^|;)\s*(?:INSERT|UPDATE|DELETE|MERGE|UPSERT)\b"),
    "standing-inserts": _syntax(
        r"(?:^|;)\s*(?:INSERT|UPSERT)(?: EXPEDITED)? INTO"
        r" [\w.]+(?:\s*\([^()]*\))?\s*SELECT STREAM\b"
    ),
    "update-delete": _syntax(r"(?:^|;)\s*(?:UPDATE|DELETE)\b"),
    "merge": _syntax(r"(?:^|;)\s*MERGE\b"),
    "upsert": _syntax(r"\bUPSERT\b"),
    "expedited": _syntax(r"\bEXPEDITED\b"),
    "column-defaults": _syntax(r"\bDEFAULT\b"),
    "pumps": _syntax(r"\bPUMP\b"),
    "views": _syntax(r"\bCREATE (?:OR REPLACE )?VIEW\b"),
}

GROUPING: Final[Patterns] = {
    "plain-groups": _syntax(rf"\bGROUP BY\b(?!{_GROUPS}\b(?:{_ROUNDING})\b)"),
    "tumble": _functions("TUMBLE"),
    "hop": _functions("HOP"),
    "session": _functions("SESSION", "SESSION_START", "SESSION_END"),
    "cumulate": _functions("CUMULATE"),
    "window-table-functions": _functions("DESCRIPTOR"),
    "aligned-windows": _syntax(
        rf"\b(?:TUMBLE|TUMBLE_START|TUMBLE_END)\s*\({_NO_TABLE}{_ARGUMENT},{_ARGUMENT},"
        rf"|\b(?:HOP|HOP_START|HOP_END)\s*\({_NO_TABLE}{_ARGUMENT},{_ARGUMENT},{_ARGUMENT},"
    ),
    "month-windows": _syntax(rf"\b(?:TUMBLE|HOP)\s*\({_NESTED}\b(?:MONTH|YEAR)\b"),
    "window-of-the-group": _syntax(r"\b(?:TUMBLE|HOP)_(?:START|END)\s*\([^(),]*\)"),
    "step": _functions("STEP"),
    "monotonic-function": _functions("MONOTONIC"),
    "grouping-sets": _syntax(r"\bGROUPING SETS\b|\b(?:CUBE|ROLLUP)\s*\("),
    "grouping-function": _functions("GROUPING"),
    "group-id": _functions("GROUP_ID"),
    "empty-group-key": _syntax(r"\bGROUP BY\s*\(\s*\)"),
}

AGGREGATES: Final[Patterns] = {
    "min-max": _functions("MIN", "MAX"),
    "aggregate-filter": _syntax(r"\bFILTER\s*\(\s*WHERE\b"),
    "distinct-aggregates": _syntax(r"(?<=\w)\s*\(\s*DISTINCT\b"),
    "count-of-several": _syntax(r"\bCOUNT\s*\(\s*(?:DISTINCT )?[^(),]+,"),
    # SOME before a query is a quantifier, and not an aggregate.
    "every-some": _syntax(r"\b(?:EVERY|SOME)\s*\((?!\s*(?:SELECT|VALUES)\b)"),
    "any-value": _functions("ANY_VALUE"),
    "deviations": _functions("STDDEV", "STDDEV_POP", "STDDEV_SAMP", "VARIANCE", r"VAR_\w+"),
    "covariances": _functions(r"COVAR_\w+", "CORR"),
    "median": _functions("MEDIAN"),
    "percentiles": _functions("PERCENTILE_CONT", "PERCENTILE_DISC"),
    "listagg": _functions("LISTAGG", "STRING_AGG"),
    "within-group": _syntax(r"\bWITHIN GROUP\s*\("),
}

WINDOWS: Final[Patterns] = {
    "over": _syntax(r"\bOVER\b|\bWINDOW \w+ AS\b"),
    "named-windows": _syntax(r"\bWINDOW \w+ AS\b"),
    # The word can also be a name: ``AS qualify``, ``qualify AS x``, ``SELECT qualify FROM``.
    "qualify": _syntax(r"(?<!\bAS\s)\bQUALIFY (?!AS\b|FROM\b)\S"),
    "following-frames": _syntax(r"\bFOLLOWING\b"),
    # A bound of the frame, alone or on either side of AND, that is an interval or a number.
    "range-offsets": _syntax(
        r"\bRANGE (?!BETWEEN\b|UNBOUNDED\b|CURRENT\b)"
        r"|\bRANGE BETWEEN (?!UNBOUNDED\b|CURRENT\b)"
        r"|\bRANGE BETWEEN [^()]*\bAND (?!UNBOUNDED\b|CURRENT\b)"
    ),
    "month-frames": _syntax(r"\bRANGE [^()]*\b(?:MONTH|YEAR)\b"),
    "groups-frames": _syntax(
        r"\bGROUPS (?:BETWEEN\b|(?:UNBOUNDED|CURRENT|\S+) (?:PRECEDING|FOLLOWING|ROW)\b)"
    ),
    "frame-exclusion": _syntax(r"\bEXCLUDE (?:CURRENT ROW|GROUP|TIES|NO OTHERS)\b"),
    "distinct-over": _syntax(r"\(\s*DISTINCT [^()]*\)\s*OVER\b"),
    "row-number": _functions("ROW_NUMBER"),
    "rank": _functions("RANK", "DENSE_RANK"),
    "percent-rank": _functions("PERCENT_RANK", "CUME_DIST"),
    "ntile": _functions("NTILE"),
    "lag-lead": _functions("LAG", "LEAD"),
    "first-last-value": _functions("FIRST_VALUE", "LAST_VALUE"),
    "nth-value": _functions("NTH_VALUE"),
    "ignore-nulls": _syntax(r"\b(?:IGNORE|RESPECT) NULLS\b"),
}

QUERIES: Final[Patterns] = {
    "set-operations": _syntax(r"\b(?:UNION|INTERSECT|EXCEPT)\b"),
    "intersect-except": _syntax(r"\b(?:INTERSECT|EXCEPT)\b"),
    "intersect-except-all": _syntax(r"\b(?:INTERSECT|EXCEPT) ALL\b"),
    "plain-union": _syntax(r"\bUNION\b(?! (?:ALL|DISTINCT)\b)"),
    "union-distinct": _syntax(r"\b(?:UNION|INTERSECT|EXCEPT) DISTINCT\b"),
    "joins": _syntax(rf"\bJOIN\b|{_ITEMS_OF_FROM},"),
    "full-joins": _syntax(r"\bFULL (?:OUTER )?JOIN\b"),
    "asof-joins": _syntax(r"\bASOF JOIN\b"),
    "natural-joins": _syntax(r"\bNATURAL\b"),
    "join-using": _syntax(r"\bUSING\s*\("),
    "subqueries": _syntax(r"\(\s*SELECT\b"),
    "in-subqueries": _syntax(r"\bIN\s*\(\s*SELECT\b"),
    "exists": _syntax(r"\bEXISTS\s*\("),
    "scalar-subqueries": _syntax(
        # The data of a window table function is a table: TUMBLE((SELECT …), …), DATA => (SELECT …).
        r"(?:(?:(?<!=)>|(?<!TUMBLE)(?<!HOP)(?<!CUMULATE)(?<!SESSION)[-+*/=<,|(])"
        r"|\b(?:SELECT|THEN|ELSE|WHEN|AND|OR|BETWEEN|BY|NOT))\s*\(\s*SELECT\b"
    ),
    "quantified-comparisons": _syntax(r"[=<>]\s*(?:ALL|ANY|SOME)\s*\("),
    "versioned-tables": _syntax(r"\bFOR SYSTEM_TIME\b|\bPERIOD\s*\("),
    "column-lists": _syntax(r"\)\s*AS \w+\s*\(\s*[^\W\d]"),
    "fetch-first": _syntax(r"\bFETCH (?:FIRST|NEXT)\b"),
    "limit-comma": _syntax(r"\bLIMIT \w+\s*,"),
    "limit-all": _syntax(r"\bLIMIT ALL\b"),
    "nulls-first-last": _syntax(r"\bNULLS (?:FIRST|LAST)\b"),
}

PREDICATES: Final[Patterns] = {
    "unknown-literal": _syntax(r"(?<!\bIS\s)(?<!\bNOT\s)\bUNKNOWN\b"),
    "truth-tests": _syntax(r"\bIS (?:NOT )?(?:TRUE|FALSE|UNKNOWN)\b"),
    "distinct-predicate": _syntax(r"\bIS (?:NOT )?DISTINCT FROM\b"),
    "row-comparison": _syntax(
        r"(?:[(,]|\b(?:SELECT|WHERE|HAVING|ON|AND|OR|NOT|WHEN))\s*"
        r"\([^()]*,[^()]*\)\s*(?:[=<>]|(?:NOT )?(?:BETWEEN|IN)\b)"
    ),
    "between-symmetric": _syntax(r"\bBETWEEN SYMMETRIC\b"),
    "similar-to": _syntax(r"\bSIMILAR TO\b"),
    "escape": _syntax(r"\bESCAPE\b"),
}

TIMES: Final[Patterns] = {
    "datetime-literals": _syntax(r"\b(?:DATE|TIME|TIMESTAMP)\s*'"),
    "date-type": _syntax(r"\bDATE\b"),
    "time-type": _syntax(r"\bTIME\s*'|\bAS TIME\b"),
    "current-time": _syntax(r"\bCURRENT_(?:TIMESTAMP|DATE|TIME)\b|\bLOCALTIME(?:STAMP)?\b"),
    "intervals": _syntax(r"\bINTERVAL\b"),
    "datetime-plus-interval": _syntax(
        rf"[\w)'\"]\s*[-+]\s*INTERVAL\b"
        rf"|\bINTERVAL\s*'' (?:{_UNITS})(?: TO (?:{_UNITS}))?\s*[-+]\s*[\w(]"
    ),
    "interval-ranges": _syntax(
        rf"(?:\bINTERVAL\s*[-+]?\s*(?:'')?|\))\s*(?:{_UNITS})(?:\s*\([^()]*\))? TO (?:{_UNITS})\b"
    ),
    "interval-precision": _syntax(rf"\b(?:{_UNITS})\s*\(\s*\d"),
    "interval-columns": _syntax(rf"\bVALUES\b[^;]*?\({_NESTED}\bINTERVAL\b"),
    "interval-casts": _syntax(r"\bAS INTERVAL\b"),
    # A difference in parentheses with a unit after it: (a - b) HOUR.
    "datetime-difference": _syntax(rf"-{_NESTED}\)\s*(?:{_UNITS})\b(?! TO)"),
    "datetime-difference-ranges": _syntax(rf"-{_NESTED}\)\s*(?:{_UNITS}) TO (?:{_UNITS})\b"),
    "timestampadd": _functions("TIMESTAMPADD"),
    "timestampdiff": _functions("TIMESTAMPDIFF"),
    "last-day": _functions("LAST_DAY"),
    "extract": _functions("EXTRACT"),
    "extract-iso": _syntax(r"\bEXTRACT\s*\(\s*(?:WEEK|ISOYEAR|ISODOW)\b"),
    "extract-day-number": _syntax(r"\bEXTRACT\s*\(\s*(?:DOW|DOY)\b"),
    "extract-century": _syntax(r"\bEXTRACT\s*\(\s*(?:MILLENNIUM|CENTURY|DECADE)\b"),
    "extract-epoch": _syntax(r"\bEXTRACT\s*\(\s*EPOCH\b"),
    "floor-to-unit": _syntax(rf"\b(?:FLOOR|CEIL|CEILING)\s*\({_NESTED}\bTO (?:{_UNITS})\b"),
    "floor-to-week": _syntax(rf"\b(?:FLOOR|CEIL|CEILING)\s*\({_NESTED}\bTO WEEK\b"),
    "floor-to-quarter": _syntax(rf"\b(?:FLOOR|CEIL|CEILING)\s*\({_NESTED}\bTO QUARTER\b"),
    "floor-to-millisecond": _syntax(rf"\b(?:FLOOR|CEIL|CEILING)\s*\({_NESTED}\bTO MILLISECOND\b"),
}

SCALARS: Final[Patterns] = {
    "rand": _functions("RAND"),
    "initcap": _functions("INITCAP"),
    "truncate": _functions("TRUNCATE"),
    "overlay": _functions("OVERLAY"),
    "pad": _functions("LPAD", "RPAD"),
    "greatest-least": _functions("GREATEST", "LEAST"),
    "logarithms": _functions("EXP", "LN", "LOG10", "SQRT", "POWER"),
    "modulo-operator": _syntax(r"[\w)]\s*%\s*[\w(]"),
    "char-type": _syntax(r"\bCHAR\s*\("),
    "binary-type": _syntax(r"\bX'|\b(?:VAR)?BINARY\b"),
    "real-type": _syntax(r"\bREAL\b"),
    "tinyint-type": _syntax(r"\bTINYINT\b"),
    # A number with a point and without an exponent has this type.
    "decimal-type": _syntax(r"\b(?:DECIMAL|DEC|NUMERIC)\b|(?<![\w.])\d*\.\d+(?![\w.])"),
    "wide-decimals": _syntax(r"\b\d{19,}|\bDECIMAL\s*\(\s*(?:19|[23]\d)\b"),
}

#: The syntax that is searched in the query and in the DDL.
IN_ANY_TEXT: Final[Patterns] = {
    "streaming": _syntax(r"\bSELECT STREAM\b"),
    **STATEMENTS,
    **GROUPING,
    **AGGREGATES,
    **WINDOWS,
    **QUERIES,
    **PREDICATES,
    **TIMES,
    **SCALARS,
}

#: The syntax that is searched only in the query.
IN_QUERY: Final[Patterns] = {
    "values": _syntax(r"\bVALUES\b"),
    "with": _syntax(r"^\s*WITH\b"),
    "table-statement": _syntax(r"(?:^|\bUNION|\bALL|\bINTERSECT|\bEXCEPT)\s*TABLE \w"),
    "t-sort": _syntax(rf"\bORDER BY {_NESTED}\bWITHIN\b(?!\s+GROUP\b)"),
    "with-ties": _syntax(r"\bWITH TIES\b"),
}

#: The syntax that is searched in the query outside all parentheses, where ORDER BY does not belong
#: to a window.
AT_TOP_OF_QUERY: Final[Patterns] = {
    "order-by": _syntax(r"\bORDER BY\b"),
    "limit": _syntax(r"\b(?:LIMIT|OFFSET|FETCH)\b"),
}
