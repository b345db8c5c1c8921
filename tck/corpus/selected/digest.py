"""The digest of a case, by which a run knows that it was changed since an earlier one."""

import hashlib
import json
from typing import Final

from tck.corpus.case import Case
from tck.corpus.selected.export import exported_case

#: What an export says of a case and no judgement depends on.
_ABOUT: Final = frozenset({"subject", "file", "line", "cites", "why", "report", "required"})
#: Sixteen of 64 hexadecimal digits: among a million cases two are alike in one run of 40 millions.
_DIGITS: Final = 16


def digest_of(case: Case) -> str:
    """Sixteen hexadecimal digits that are others when what is asked or expected is another.

    Where a case stands and what is said about it does not count.
    """
    judged = {key: value for key, value in exported_case(case).items() if key not in _ABOUT}
    text = json.dumps(judged, ensure_ascii=False, sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()[:_DIGITS]
