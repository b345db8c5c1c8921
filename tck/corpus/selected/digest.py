"""The digest of a case, by which a run knows that it was changed since an earlier one."""

import hashlib
from dataclasses import replace
from typing import Final

from tck.corpus.case import Case, Place

#: Sixteen of 64 hexadecimal digits: among a million cases two are alike in one run of 40 millions.
_DIGITS: Final = 16
_NOWHERE: Final = Place("", 0)


def digest_of(case: Case) -> str:
    """Sixteen hexadecimal digits that are others when what is asked or expected is another.

    The place of a case, and the texts about it, do not count.  Of the capabilities that it needs,
    those that it lists do; the others follow from the rest.
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
