"""Read rows from CSV in the same way as dbt reads the CSV of its seeds."""

import csv
import re
from decimal import Decimal
from io import StringIO
from typing import Final

from tck.corpus.document import MAX_DIGITS, Data

# A text may have any length; the limit of Python's `csv` is 131,072 characters.
csv.field_size_limit(2**31 - 1)

#: An integer.
_WHOLE: Final = re.compile(r"-?(0|[1-9][0-9]*)")
#: A number with a point.
_NUMBER: Final = re.compile(r"-?(0|[1-9][0-9]*)\.[0-9]+")
_BOOLEANS: Final = {"true": True, "false": False}


def csv_rows(text: str) -> list[dict[str, Data]]:
    r"""The rows, by the names of columns in the first line; an empty cell is NULL.

    Raises `ValueError` for a number that has too many digits.

    >>> csv_rows("id,name,paid\n1,Ann,true\n2,,false\n")
    [{'id': 1, 'name': 'Ann', 'paid': True}, {'id': 2, 'name': None, 'paid': False}]
    """
    lines = csv.DictReader(StringIO(text.strip(), newline=""), skipinitialspace=True)
    return [
        {name.strip(): _value(cell or "") for name, cell in row.items() if name} for row in lines
    ]


def _value(cell: str) -> Data:
    """The value of a cell: NULL, a number, a boolean, or a text."""
    text = cell.strip()
    if not text:
        return None
    if len(text) > MAX_DIGITS and (_WHOLE.fullmatch(text) or _NUMBER.fullmatch(text)):
        raise ValueError(f"a number has at most {MAX_DIGITS:,} digits")
    if _WHOLE.fullmatch(text):
        return int(text)
    if _NUMBER.fullmatch(text):
        return Decimal(text)
    return _BOOLEANS.get(text.lower(), text)
