"""Compute the digest of a case, which shows whether the case has changed since an earlier run."""

import hashlib
from dataclasses import replace
from typing import Final

from tck.corpus.case import Case, Place

#: The first 16 of 64 hexadecimal digits are used.  The chance that two of a million cases have
#: equal digests is 1 in 40 million.
_DIGITS: Final = 16
#: The place of every case in its digest.
_NOWHERE: Final = Place("", 0)


def digest_of(case: Case) -> str:
    """Sixteen hexadecimal digits that change if the query, the input or an expectation changes.

    They do not depend on the place of the case, nor on texts about it.  They depend on the needs
    that it lists, because its other needs follow from the rest.
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
