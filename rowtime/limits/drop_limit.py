"""The limit of dropped rows at which a run counts as failed."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Final


@dataclass(frozen=True, slots=True)
class DropLimit:
    """The number of dropped rows, or their share of all rows of an input, at which a run fails.

    An input whose rows were all dropped makes the run fail in any case.  If both fields are None,
    nothing else does.
    """

    rows: int | None = None
    share: Fraction | None = None

    def faults(self, inputs: Iterable[tuple[str, int, int]]) -> Iterator[str]:
        """A message for each input of which too many rows were dropped.

        ``inputs`` has a tuple for each input: its name, the number of its rows, and how many of
        them were dropped.

        Defines: S-607.q, S-607.r
        """
        for name, rows, dropped in inputs:
            if not dropped:
                continue
            if dropped >= rows:
                yield f"failed: all rows of {name} were dropped ({dropped:,})"
            elif (self.rows is not None and dropped >= self.rows) or (
                self.share is not None and dropped >= self.share * rows
            ):
                yield f"failed: {dropped:,} of {rows:,} rows of {name} were dropped"


#: Only an input whose rows were all dropped makes a run fail.
DEFAULT_LIMIT: Final = DropLimit()


def drop_limit(text: str | None) -> DropLimit:
    """The limit that ``text`` states, such as ``100`` or ``0.5%``; `DEFAULT_LIMIT` for None.

    Raises `ValueError` for any other text.
    """
    if text is None:
        return DEFAULT_LIMIT
    # A decimal number, and the sign of a percentage.  A number without the sign must be whole.
    found = re.fullmatch(r"([0-9]+(?:\.[0-9]+)?)(%?)", text.strip())
    if found is None or (not found[2] and "." in found[1]) or not Fraction(found[1]):
        raise ValueError(f"{text}: write a number of rows, such as 1, or a share, such as 0.5%")
    number = Fraction(found[1])
    if found[2] and number > 100:
        raise ValueError(f"{text}: a share is at most 100%")
    return DropLimit(share=number / 100) if found[2] else DropLimit(rows=int(number))
