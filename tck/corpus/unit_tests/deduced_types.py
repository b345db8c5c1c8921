"""Deduce the SQL type of a column from its values, for inputs of dbt that no script declares."""

import re
from collections.abc import Iterable
from decimal import Decimal
from typing import Final

from tck.corpus.document import Data

_DATE: Final = re.compile(r"\d{4}-\d\d-\d\d")
_TIMESTAMP: Final = re.compile(r"\d{4}-\d\d-\d\d[ T]\d\d:\d\d(:\d\d(\.\d{1,3})?)?")
#: The length of a column of texts.
_LENGTH: Final = 65535
#: The least number of digits before the point in a column of exact numbers.
_WHOLE_DIGITS: Final = 10


def deduced_type(values: Iterable[Data]) -> str:
    """An SQL type for all values; VARCHAR if all are NULL, or if they have several types.

    >>> deduced_type([1, None]), deduced_type([1, Decimal("2.50")]), deduced_type([None])
    ('BIGINT', 'DECIMAL(12, 2)', 'VARCHAR(65535)')
    >>> deduced_type(["2020-01-31"]), deduced_type(["2020-01-31", "2020-01-31 10:00:00"])
    ('DATE', 'TIMESTAMP(3)')
    """
    known = [value for value in values if value is not None]
    if known and all(isinstance(value, bool) for value in known):
        return "BOOLEAN"
    numbers = [value for value in known if isinstance(value, int | Decimal)]
    if known and len(numbers) == len(known) and not any(isinstance(v, bool) for v in known):
        return _exact_type(numbers)
    texts = [value for value in known if isinstance(value, str)]
    if known and len(texts) == len(known):
        if all(_DATE.fullmatch(text) for text in texts):
            return "DATE"
        if all(_TIMESTAMP.fullmatch(text) or _DATE.fullmatch(text) for text in texts):
            return "TIMESTAMP(3)"
    return f"VARCHAR({_LENGTH})"


def _exact_type(numbers: Iterable[int | Decimal]) -> str:
    """BIGINT if all numbers are whole; else a DECIMAL that has room for all their digits."""
    decimals = [Decimal(number) for number in numbers]
    exponents = [
        exponent for each in decimals if isinstance(exponent := each.as_tuple().exponent, int)
    ]
    scale = max(0, *(-exponent for exponent in exponents))
    if scale == 0:
        return "BIGINT"
    whole = max(_WHOLE_DIGITS, *(each.adjusted() + 1 for each in decimals))
    return f"DECIMAL({whole + scale}, {scale})"
