"""The rules for names without quotes, by which texts are read and written.

The words of `RESERVED` are never names without quotes, because some texts with such a name could be
parsed in two ways.  Every other keyword can be a name wherever the grammar does not expect the
keyword.
"""

import unicodedata
from typing import Final

_RESERVED: Final = """
ALL AND ANY AS BETWEEN BY CASE CAST CROSS CURRENT_DATE CURRENT_TIME CURRENT_TIMESTAMP DATE
DISTINCT ELSE END EXCEPT EXISTS FALSE FOR FROM FULL GROUP HAVING IN INNER INTERSECT INTERVAL INTO
IS JOIN LEFT LIKE LOCALTIME LOCALTIMESTAMP NATURAL NOT NULL ON OR ORDER OUTER OVER RIGHT SELECT
SOME STREAM TABLE THEN TIME TIMESTAMP TO TRUE UNION UNKNOWN USING VALUES WHEN WHERE WINDOW WITH
"""
RESERVED: Final = frozenset(_RESERVED.split())


def begins_name(character: str) -> bool:
    """Whether ``character`` may be the first one of an unquoted name."""
    return character == "_" or unicodedata.category(character)[0] == "L"


def continues_name(character: str) -> bool:
    """Whether ``character`` may stand in an unquoted name after the first character."""
    category = unicodedata.category(character)
    return character in "_$" or category[0] in "LM" or category == "Nd"


def delimited(name: str) -> str:
    """The name in double quotes; a double quote in it is written twice.

    >>> print(delimited('a "b'))
    "a ""b"
    """
    return '"' + name.replace('"', '""') + '"'


def is_plain(name: str) -> bool:
    """Whether ``name``, written without quotes, is read as this name (S-205).

    >>> is_plain("ROWTIME"), is_plain("rowtime"), is_plain("SELECT"), is_plain("2ND")
    (True, False, False, False)
    """
    return (
        name != ""
        and begins_name(name[0])
        and all(continues_name(each) for each in name)
        and name.upper() == name
        and name not in RESERVED
    )
