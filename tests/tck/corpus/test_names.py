"""No table, view, column or alias of the kit has a name that other dialects reserve."""

import re
from collections.abc import Iterator
from typing import Final

from tck.corpus.case import Case
from tck.corpus.load import kit_corpus

#: Words that SQL:2016, Calcite or PostgreSQL reserve, and that our grammar allows as names; types
#: and operators, which no case could use as names, are left out.
RESERVED: Final = frozenset(
    """
    ABS ALLOCATE ARRAY ATOMIC AUTHORIZATION BEFORE BEGIN BOTH CALL CARDINALITY CASCADED
    CLASSIFIER CLOSE COLLECT CONDITION CONNECT CONVERT COPY CURSOR CYCLE DEALLOCATE DEFINE
    DEREF DESCRIBE DETERMINISTIC DISCONNECT DYNAMIC EACH ELEMENT EMPTY EQUALS EXECUTE
    EXTERNAL FRAME_ROW FREE FUSION GLOBAL HOLD IDENTITY INDICATOR INITIAL INOUT
    INSENSITIVE INTERSECTION LANGUAGE LARGE LATERAL LEADING LOCAL MATCH MATCHES MEMBER
    METHOD MINUS MODIFIES MODULE MULTISET NATIONAL NEW NONE NORMALIZE OLD OMIT ONE ONLY
    OPEN OUT OVERLAPS PARAMETER PATTERN PER PERCENT PERMUTE PORTION PRECEDES PREPARE
    PROCEDURE READS RECURSIVE REFERENCES REFERENCING RELEASE RESULT RETURN RETURNS REVOKE
    RUNNING SCOPE SCROLL SEARCH SEEK SENSITIVE SHARE SHOW SKIP SPECIFIC START STATIC
    SUBMULTISET SUBSET SUCCEEDS TRAILING TRANSLATE TREAT TRIGGER UNIQUE UNNEST USER
    VARYING VERSIONING WHENEVER WITHOUT
    """.split()  # noqa: SIM905 - a line has many
)
_OPAQUE: Final = re.compile(r"'(?:[^']|'')*'|\"[^\"]*\"|--[^\n]*")
_MADE: Final = re.compile(r"(?i)\bCREATE (?:OR REPLACE )?(?:\w+ )?(?:VIEW|STREAM|TABLE|PUMP) (\w+)")
_ALIAS: Final = re.compile(r"(?i)(?:\bAS|\bWITH(?: RECURSIVE)?) (\w+)")
_LIST: Final = re.compile(r"(?i)\bAS \w+ ?\(([\w, ]+)\)")
_COLUMN: Final = re.compile(
    r"(?i)[(,]\s*(\w+) (?:TIMESTAMP|TIME|DATE|VARCHAR|CHAR|DOUBLE|DECIMAL|REAL|BOOLEAN|\w*INT\w*)\b"
)


def names_of(case: Case) -> Iterator[str]:
    """The names that the texts of a case give, in upper case."""
    text = _OPAQUE.sub("''", f"{case.sql or ''}\n;{case.equal_to or ''}\n;{case.ddl}")
    for pattern in (_MADE, _ALIAS, _COLUMN):
        yield from (name.upper() for name in pattern.findall(text))
    for listed in _LIST.findall(text):
        yield from (name.strip().upper() for name in listed.split(","))


def test_no_name_of_the_kit_is_reserved_elsewhere() -> None:
    found = {
        f"{case.chapter}/{case.id}: {name}"
        for case in kit_corpus().cases
        for name in names_of(case)
        if name in RESERVED
    }
    assert not found
