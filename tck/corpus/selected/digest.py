"""The digest of a case, which shows whether the case has changed since an earlier run."""

import hashlib
from dataclasses import replace
from typing import Final

from tck.corpus.case import Case, Place

#: Sixteen of 64 hexadecimal digits: the chance that two of a million cases have equal digests is 1
#: in 40 million.
_DIGITS: Final = 16
_NOWHERE: Final = Place("", 0)


def digest_of(case: Case) -> str:
    """Sixteen hexadecimal digits that change if the question or the expectation changes.

    The place of a case, and the texts about it, do not count.  The capabilities that it lists
    count; the others that it needs follow from the rest.
    """
    judged = replace(
        case,
        subject="",
        place=_NOWHERE,
        cites=(),
        why="",
        report=None,
        required=True,
        fixtures=(),
        series=None,
        steps=tuple(replace(step, line=0) for step in case.steps),
    )
    return hashlib.sha256(repr(judged).encode()).hexdigest()[:_DIGITS]
