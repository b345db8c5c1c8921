"""Constructs of other systems' SQL: a table with a pattern for each, and its equivalent here.

If a text cannot be parsed, and a construct of the table stands at the fault, the error names the
construct and says how to write it here.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from grammar.codes import Code
from grammar.source import Edit, Span
from grammar.suggestion import Suggestion

#: A function of the text and of a match in it: the edits that write the construct in this
#: language; none if that is not possible.
_Rewriting = Callable[[str, re.Match[str]], tuple[Edit, ...]]

#: The number of characters before and after a fault to which a construct may extend.
_REACH: Final = 2_000


@dataclass(frozen=True, slots=True)
class Construct:
    """A construct that was found in a text: the parts of the error about it.

    ``suggestion`` makes the change that ``hint`` describes; None: ``hint`` is only an explanation.
    """

    code: Code
    message: str
    at: Span
    hint: str
    suggestion: Suggestion | None


@dataclass(frozen=True, slots=True)
class _Rule:
    r"""A pattern, and the message and hint for texts that it matches.

    The pattern's group ``at`` is the place of the error.  ``message`` and ``hint`` may contain
    groups of the pattern by name, such as ``{unit}``.  ``written`` is the text in place of the
    whole match, as a template of `re` with groups such as ``\g<unit>``; or it is a function that
    returns edits.  None: nothing is suggested.
    """

    pattern: re.Pattern[str]
    message: str
    hint: str
    written: str | _Rewriting | None = None
    code: Code = Code.NOT_SUPPORTED


def construct_at(sql: str, place: int) -> Construct | None:
    """The construct of another system that contains the word at ``place``, or ends before it.

    None if the table has no such construct.

    Defines: S-702.a, S-702.b, S-1006.b, S-1006.c
    """
    start = max(0, place - _REACH)
    for rule in _RULES:
        for match in rule.pattern.finditer(sql, start, place + _REACH):
            if match.start() <= place <= match.end():
                return _construct(rule, sql, match)
    return None


def _construct(rule: _Rule, sql: str, found: re.Match[str]) -> Construct:
    """The construct at ``found``, a match of the rule's pattern in ``sql``."""
    groups = {name: text.upper() for name, text in found.groupdict().items() if text is not None}
    hint = rule.hint.format_map(_Groups(groups))
    match rule.written:
        case None:
            edits: tuple[Edit, ...] = ()
        case str() as template:
            edits = (Edit(Span(*found.span()), found.expand(template)),)
        case rewrite:
            edits = rewrite(sql, found)
    at = Span(*found.span("at"))
    message = rule.message.format_map(_Groups(groups))
    suggestion = Suggestion(hint, edits) if edits else None
    return Construct(rule.code, message, at, hint, suggestion)


class _Groups(dict[str, str]):
    """The texts of the groups of a match; empty for a group that is not part of the match."""

    def __missing__(self, key: str) -> str:
        return ""


# --- rewriting ----------------------------------------------------------------------------------

#: SELECT, brackets and semicolons.  Texts, names in quotes and comments match as a whole, so that
#: no word in them is found.
_WORD: Final = re.compile(
    r"'(?:[^']|'')*'|\"(?:[^\"]|\"\")*\"|--[^\n]*|\bSELECT\b(?P<stream>\s+STREAM\b)?|[();]",
    re.IGNORECASE,
)


def _selects(sql: str, end: int) -> list[re.Match[str]]:
    """The SELECTs before ``end`` in the same statement and the same pair of brackets, in order."""
    found: list[re.Match[str]] = []
    depth = 0  # the number of brackets around the word, without those around ``end``
    for match in reversed(list(_WORD.finditer(sql, 0, end))):
        text = match.group().upper()
        depth += (text == ")") - (text == "(")
        if text == ";" or depth < 0:
            break  # the statement, or the pair of brackets around ``end``, begins here
        if depth == 0 and text.startswith("SELECT"):
            found.insert(0, match)
    return found


def _without_emit(sql: str, match: re.Match[str]) -> tuple[Edit, ...]:
    """The edits that leave EMIT out, and add STREAM to the SELECTs of the query.

    The query with EMIT was meant to run continuously.  So STREAM is added: a SELECT without STREAM
    reads the rows of a history once, and ends.
    """
    left_out = Edit(Span(*match.span("cut")), "")
    added = [
        Edit(Span(each.end(), each.end()), " STREAM")
        for each in _selects(sql, match.start("cut"))
        if each["stream"] is None
    ]
    return (*added, left_out)


# --- the table ----------------------------------------------------------------------------------


def _pattern(text: str) -> re.Pattern[str]:
    """A pattern in which a blank stands for blanks, ``~`` for optional ones, and case is ignored.

    UNIT is a unit of time, and AMOUNT a number.
    """
    units = "(?:YEAR|QUARTER|MONTH|WEEK|DAY|HOUR|MINUTE|SECOND)"
    spelled = text.replace("UNIT", units).replace("AMOUNT", r"\d+")
    return re.compile(spelled.replace(" ", r"\s+").replace("~", r"\s*"), re.IGNORECASE | re.DOTALL)


_SYNTAX: Final = Code.SYNTAX_ERROR
_PROPERTIES: Final = (
    "declare external data as CREATE FOREIGN STREAM name (columns) OPTIONS (format 'json', …)"
)
_TUMBLE: Final = "TUMBLE(rowtime, INTERVAL '1' HOUR)"
#: EMIT, unless CHANGES, AFTER or WITH follows; also EMIT FINAL and EMIT ON WINDOW CLOSE.  The
#: group ``cut`` is the text that is left out.
_EMIT: Final = (
    r"(?P<cut>~\b(?P<at>EMIT)\b(?! (?:CHANGES|AFTER|WITH)\b)(?: (?:FINAL|ON WINDOW CLOSE)\b)?)"
)
_COLLECTIONS: Final = "use a column for each element, or a table with a row for each element"

#: Constructs in the order of the search.
_RULES: Final = (
    # CREATE
    _Rule(
        _pattern(r"(?P<at>MATERIALIZED) VIEW\b"),
        "materialized views are not supported",
        "write CREATE VIEW; to keep the rows, CREATE TABLE or STREAM, and a PUMP that fills it",
        "VIEW",
    ),
    _Rule(
        _pattern(
            r"CREATE (?:OR REPLACE )?TABLE (?:IF NOT EXISTS )?[\w\".]+"
            r" (?P<at>AS~\(?~(?:SELECT|WITH|VALUES|TABLE))\b"
        ),
        "CREATE TABLE … AS is not supported",
        "declare the columns, CREATE TABLE name (columns), and then INSERT INTO name SELECT …",
    ),
    _Rule(
        _pattern(r"(?:^|;)~(?P<at>COPY)\b[^;]*?\bTO\b"),
        "COPY is not supported",
        'rowtime run "SELECT …" -o FILE writes the rows of a query',
    ),
    _Rule(
        _pattern(r"(?:^|;)~(?P<at>COPY)\b[^;]*?\bFROM\b"),
        "COPY is not supported",
        ".import FILE NAME in the shell inserts the rows of a file",
    ),
    _Rule(
        _pattern(r"CREATE (?:OR REPLACE )?(?P<at>SINK|SOURCE|CONNECTION|CONNECTOR)\b"),
        "CREATE {at} is not supported",
        "declare external data as CREATE FOREIGN STREAM, and fill it by CREATE PUMP … AS INSERT …",
    ),
    _Rule(
        _pattern(r"CREATE (?P<at>TEMPORARY|TEMP) "),
        "CREATE {at} is not supported",
        "leave {at} out",
        "CREATE ",
    ),
    _Rule(
        _pattern(r"\b(?P<at>WITH)~\((?=~(?:'[^']*'|[\w.]+|\"[^\"]*\")~=)"),
        "WITH (…) is not supported",
        _PROPERTIES,
    ),
    _Rule(
        _pattern(r"~(?P<at>NOT ENFORCED)\b"),
        "NOT ENFORCED is not supported: a PRIMARY KEY is enforced",
        "leave NOT ENFORCED out",
        "",
    ),
    # changelogs
    _Rule(
        _pattern(r"\b(?P<at>SUBSCRIBE)\b"),
        "SUBSCRIBE is not supported",
        "write SELECT STREAM … EMIT CHANGES",
    ),
    # windows
    _Rule(
        _pattern(r"WINDOW (?P<at>TUMBLING)~\(~SIZE (?P<n>AMOUNT) (?P<unit>UNIT)S?~\) GROUP BY "),
        "WINDOW TUMBLING is not supported",
        "write GROUP BY TUMBLE(rowtime, INTERVAL '{n}' {unit})",
        r"GROUP BY TUMBLE(rowtime, INTERVAL '\g<n>' \g<unit>), ",
    ),
    _Rule(
        _pattern(
            r"WINDOW (?P<at>HOPPING)~\(~SIZE (?P<n>AMOUNT) (?P<unit>UNIT)S?~,"
            r"~ADVANCE BY (?P<m>AMOUNT) (?P<step>UNIT)S?~\) GROUP BY "
        ),
        "WINDOW HOPPING is not supported",
        "write GROUP BY HOP(rowtime, INTERVAL '{m}' {step}, INTERVAL '{n}' {unit})",
        r"GROUP BY HOP(rowtime, INTERVAL '\g<m>' \g<step>, INTERVAL '\g<n>' \g<unit>), ",
    ),
    _Rule(
        _pattern(
            r"WINDOW (?P<at>SESSION)~\(~(?P<n>AMOUNT) (?P<unit>UNIT)S?~(?:,[^()]*)?\) GROUP BY "
        ),
        "WINDOW SESSION is not supported",
        "write GROUP BY SESSION(rowtime, INTERVAL '{n}' {unit})",
        r"GROUP BY SESSION(rowtime, INTERVAL '\g<n>' \g<unit>), ",
    ),
    _Rule(
        _pattern(r"WINDOW (?P<at>SESSION)~\("),
        "WINDOW SESSION is not supported",
        "write GROUP BY SESSION(rowtime, gap)",
    ),
    _Rule(
        _pattern(r"WINDOW (?P<at>TUMBLING|HOPPING)~\("),
        "WINDOW {at} is not supported",
        f"write GROUP BY {_TUMBLE}, or HOP(rowtime, slide, size)",
    ),
    # queries
    _Rule(
        _pattern(r"\b(?P<at>EMIT (?:AFTER|WITH) DELAY)\b"),
        "EMIT with a delay is not supported: when a row is emitted depends on no clock (S-1006)",
        "write EMIT CHANGES for each change, or EMIT AFTER WATERMARK for each row once it is final",
    ),
    _Rule(
        _pattern(rf"\bGROUP BY [^;]*?{_EMIT}"),
        "a streaming query emits a row when the row is final, so EMIT does not say when (S-1006)",
        "leave EMIT out, write SELECT STREAM to get results as they become final, "
        f"and group by a window: {_TUMBLE}",
        _without_emit,
    ),
    _Rule(
        _pattern(_EMIT),
        "a streaming query emits a row when the row is final, so EMIT does not say when (S-1006)",
        "leave EMIT out, and write SELECT STREAM to get results as they become final",
        _without_emit,
    ),
    _Rule(
        _pattern(r"\b(?P<at>MATCH_RECOGNIZE)\b"),
        "MATCH_RECOGNIZE is not in the language yet (S-702)",
        "compare rows with LAG(x) OVER (…) or LEAD(x) OVER (…)",
    ),
    _Rule(
        _pattern(r"\b(?P<at>ASOF) (?P<kind>LEFT|INNER)(?: OUTER)? JOIN\b"),
        "ASOF stands next to JOIN",
        "write {kind} ASOF JOIN",
        r"\g<kind> ASOF JOIN",
        _SYNTAX,
    ),
    _Rule(
        _pattern(r"\bJOIN [\w\".]+(?: (?:AS )?\w+)? (?P<at>WITHIN)~\(?~AMOUNT UNITS?\b"),
        "WITHIN is not allowed in a join",
        "write the distance into ON: s.rowtime BETWEEN o.rowtime AND o.rowtime + INTERVAL '1' HOUR",
    ),
    _Rule(
        _pattern(r"\bDISTINCT (?P<at>ON)~\("),
        "DISTINCT ON is not supported",
        "number the rows with ROW_NUMBER() OVER (PARTITION BY … ORDER BY …) AS n in FROM (…), "
        "and select those WHERE n = 1",
    ),
    _Rule(
        _pattern(r"\bFOR (?P<at>VERSION) AS OF\b"),
        "FOR VERSION is not supported",
        "write FOR SYSTEM_TIME AS OF",
        "FOR SYSTEM_TIME AS OF",
    ),
    _Rule(
        _pattern(r"\bFOR SYSTEM_TIME (?P<at>BETWEEN|FROM|CONTAINED|ALL)\b"),
        "FOR SYSTEM_TIME {at} is not supported",
        "read the version at one time: FOR SYSTEM_TIME AS OF o.rowtime",
    ),
    _Rule(
        _pattern(
            r"\bFILTER (?P<at>WHERE) (?P<condition>[^,;]+?)(?=~(?:[,;]|\b(?:FROM|AS|OVER)\b|$))"
        ),
        "the condition of FILTER stands in brackets",
        "write FILTER (WHERE {condition})",
        r"FILTER (WHERE \g<condition>)",
        _SYNTAX,
    ),
    # expressions and types
    _Rule(
        _pattern(r"\b(?P<at>ARRAY|MAP)~\["),
        "{at}[…] is not supported: there are no collections",
        _COLLECTIONS,
    ),
    _Rule(
        _pattern(r"\b(?P<at>ARRAY|MAP|MULTISET|ROW|STRUCT)~<"),
        "the type {at} is not supported: there are no collections",
        _COLLECTIONS,
    ),
    _Rule(
        _pattern(r"\w (?P<at>ROW|STRUCT)~\(~\w+ \w+"),
        "the type {at} is not supported: there are no collections",
        _COLLECTIONS,
    ),
    _Rule(
        _pattern(r"\b[\w)] (?P<at>ARRAY|MULTISET)\b(?=~[,)])"),
        "the type {at} is not supported: there are no collections",
        _COLLECTIONS,
    ),
    _Rule(
        _pattern(
            r"(?P<value>\b\w+(?:~\.~\w+)*|'(?:[^']|'')*')~(?P<at>:):"
            r"~(?P<type>\w+(?:~\(~\d+(?:~,~\d+)?~\))?)"
        ),
        "there is no operator ::",
        "write CAST(x AS type)",
        r"CAST(\g<value> AS \g<type>)",
        _SYNTAX,
    ),
    _Rule(
        _pattern(r"(?P<at>:):"), "there is no operator ::", "write CAST(x AS type)", None, _SYNTAX
    ),
    _Rule(
        _pattern(r" (?P<at>AT TIME ZONE) 'UTC'"),
        "AT TIME ZONE is not supported",
        "leave it out: a TIMESTAMP has no time zone, and counts as UTC",
        "",
    ),
    _Rule(
        _pattern(r"\b(?P<at>AT TIME ZONE)\b"),
        "AT TIME ZONE is not supported",
        "a TIMESTAMP has no time zone, and counts as UTC: add the difference as an interval, "
        "x + INTERVAL '1' HOUR",
    ),
    _Rule(
        _pattern(r"\b(?P<at>OVERLAPS)\b"),
        "OVERLAPS is not supported",
        "compare the ends of the two periods: a.begins < b.ends AND b.begins < a.ends",
    ),
    _Rule(
        _pattern(r"[\w\")\]]~(?P<at>->>?)~'"),
        "{at} is not supported: there are no values of JSON",
        "declare a column for each value: a foreign stream of format 'json' reads an object's "
        "values as columns",
    ),
    _Rule(
        _pattern(r"\b(?P<at>JSON_(?:OBJECT|ARRAY|QUERY|TABLE)\w*)~\([^;)]*"),
        "{at} is not supported: there are no values of JSON",
        "declare a column for each value: a foreign stream of format 'json' reads an object's "
        "values as columns",
    ),
    _Rule(
        _pattern(r"\b(?P<at>ILIKE)\b"),
        "ILIKE is not supported",
        "write UPPER(x) LIKE 'A%'",
    ),
    _Rule(_pattern(r"(?P<at>=>)"), "'=>' is not an operator", "compare with >=", ">=", _SYNTAX),
    _Rule(_pattern(r"(?P<at>==)"), "there is no operator ==", "compare with =", "=", _SYNTAX),
)
