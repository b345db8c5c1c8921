"""Functions of other systems, and how a call of each is written here.

The error for an unknown function suggests the equivalent of such a function.
"""

import re
from collections.abc import Mapping, Sequence
from typing import Final

#: Functions that have another name here, and the same arguments.
_RENAMED: Final[Mapping[str, str]] = {
    "LENGTH": "CHAR_LENGTH",
    "LEN": "CHAR_LENGTH",
    "SUBSTR": "SUBSTRING",
    "IFNULL": "COALESCE",
    "ISNULL": "COALESCE",
    "NVL": "COALESCE",
    "LOG": "LN",
    "POW": "POWER",
    "RANDOM": "RAND",
    "TRUNC": "TRUNCATE",
    "UCASE": "UPPER",
    "LCASE": "LOWER",
    "GROUP_CONCAT": "LISTAGG",
    "FIRST": "FIRST_VALUE",
    "LAST": "LAST_VALUE",
    "BOOL_AND": "EVERY",
    "BOOL_OR": "SOME",
    "MEAN": "AVG",
    "STDDEV": "STDDEV_SAMP",
    "VARIANCE": "VAR_SAMP",
    "SLIDE": "HOP",
}

#: Calls that are written in another form.  ``{0}`` is the text of the first argument, ``{0:unit}``
#: the unit of time in it, ``{0:interval}`` an interval of one field.
_FORMS: Final[Mapping[str, str]] = {
    "DATE_TRUNC": "FLOOR({1} TO {0:unit})",
    "TIME_BUCKET": "STEP({1} BY {0:interval})",
    "DATE_BIN": "STEP({1} BY {0:interval})",
    "DATE_PART": "EXTRACT({0:unit} FROM {1})",
    "YEAR": "EXTRACT(YEAR FROM {0})",
    "MONTH": "EXTRACT(MONTH FROM {0})",
    "DAYOFMONTH": "EXTRACT(DAY FROM {0})",
    "HOUR": "EXTRACT(HOUR FROM {0})",
    "MINUTE": "EXTRACT(MINUTE FROM {0})",
    "UNIX_TIMESTAMP": "EXTRACT(EPOCH FROM {0})",
    "TO_TIMESTAMP": "CAST({0} AS TIMESTAMP)",
    "TO_DATE": "CAST({0} AS DATE)",
    "TO_CHAR": "CAST({0} AS VARCHAR)",
    "DATEDIFF": "TIMESTAMPDIFF({0}, {1}, {2})",
    "DATEADD": "TIMESTAMPADD({0}, {1}, {2})",
    "IF": "CASE WHEN {0} THEN {1} ELSE {2} END",
    "IIF": "CASE WHEN {0} THEN {1} ELSE {2} END",
    "NVL2": "CASE WHEN {0} IS NOT NULL THEN {1} ELSE {2} END",
    "NOW": "CURRENT_TIMESTAMP",
    "PROCTIME": "CURRENT_TIMESTAMP",
    "GETDATE": "CURRENT_TIMESTAMP",
    "SYSDATE": "CURRENT_TIMESTAMP",
    "CURDATE": "CURRENT_DATE",
    "TO_NUMBER": "CAST({0} AS DECIMAL(38, 10))",
    "STARTS_WITH": "SUBSTRING({0} FROM 1 FOR CHAR_LENGTH({1})) = {1}",
    "LEFT": "SUBSTRING({0} FROM 1 FOR {1})",
    "INSTR": "POSITION({1} IN {0})",
    "STRPOS": "POSITION({1} IN {0})",
}

#: For functions without an equivalent: how their names begin, and the reason or a workaround.
_WITHOUT: Final[Mapping[str, str]] = {
    "JSON": "JSON functions are not supported",
    "ARRAY": "collections are not supported",
    "MAP": "collections are not supported",
    "REGEXP": "a function of regular expressions needs an embedded engine with an extension",
    "CURRENT_WATERMARK": "the watermark is not a value that a query can read",
    "MAX_BY": "QUALIFY ROW_NUMBER() OVER (… ORDER BY y DESC) = 1 keeps the row of the greatest y",
    "MIN_BY": "QUALIFY ROW_NUMBER() OVER (… ORDER BY y) = 1 keeps the row of the least y",
    "ARG_MAX": "QUALIFY ROW_NUMBER() OVER (… ORDER BY y DESC) = 1 keeps the row of the greatest y",
    "ARG_MIN": "QUALIFY ROW_NUMBER() OVER (… ORDER BY y) = 1 keeps the row of the least y",
    "LATEST_BY_OFFSET": "the order of arrival is not a value: LAST_VALUE needs an order, in OVER",
}

#: The units that the forms of `_FORMS` can have.
_UNITS: Final = frozenset(
    ["YEAR", "QUARTER", "MONTH", "WEEK", "DAY", "HOUR", "MINUTE", "SECOND", "MILLENNIUM"]
)
#: An interval as another system writes it: ``INTERVAL '10' MINUTE``, or the text ``'10 minutes'``.
#: Group 1 is the number, and group 2 the unit without a plural s.
_INTERVAL: Final = re.compile(r"(?:INTERVAL\s*)?'?\s*(\d+)\s*'?\s*(\w+?)S?\s*'?", re.IGNORECASE)


class _NotWritten(Exception):  # noqa: N818  # it never leaves this module
    """The text of an argument does not fit the form, for example because it is not a unit."""


class _Argument(str):
    """The text of an argument, which the forms ``unit`` and ``interval`` of `_FORMS` convert."""

    __slots__ = ()

    def __format__(self, form: str) -> str:
        """The text in ``form``; `_NotWritten` if it is not a unit, or not an interval."""
        match form:
            case "unit":
                unit = self.strip("'").upper()
                for each in (unit, unit.removesuffix("S")):
                    if each in _UNITS:
                        return each
                raise _NotWritten
            case "interval":
                found = _INTERVAL.fullmatch(self.strip())
                if found is None or found[2].upper() not in _UNITS:
                    raise _NotWritten
                return f"INTERVAL '{found[1]}' {found[2].upper()}"
            case _:
                return str(self)


def equivalent(name: str, arguments: Sequence[str]) -> str | None:
    """The text that replaces a call of another system's function ``name``; None: none is known.

    ``arguments`` are the texts of the arguments.

    >>> equivalent("DATE_TRUNC", ["'hour'", "t"]), equivalent("NVL", ["a", "0"])
    ('FLOOR(t TO HOUR)', 'COALESCE(a, 0)')
    """
    if name == "CONCAT":
        return " || ".join(arguments) or None
    if name in _RENAMED:
        return f"{_RENAMED[name]}({', '.join(arguments)})"
    try:
        return _FORMS[name].format(*map(_Argument, arguments))
    except (KeyError, IndexError, _NotWritten):
        return None


def new_name(name: str) -> str | None:
    """The name here of a function that has another name in other systems; None: it is not known."""
    return _RENAMED.get(name)


def is_known_elsewhere(name: str) -> bool:
    """Whether other systems have a function of that name that has another form here, or none."""
    return name in _FORMS or name == "CONCAT" or without_equivalent(name) is not None


def without_equivalent(name: str) -> str | None:
    """The reason why a function of other systems has no equivalent; None: it is not known."""
    return next((why for each, why in _WITHOUT.items() if name.startswith(each)), None)
