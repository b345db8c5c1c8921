"""Which cases killed each mistake when it was last tried.

They are tried first, so that a mistake that is killed costs next to nothing.  The file is a guess,
never an answer: each of its cases is run.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Final

from rowtime.score.survivors import identity
from rowtime.score.tally import killed_at
from rowtime.score.trials import Trial

#: The cases by what identifies a mistake (`identity`).
FILE: Final = Path(__file__).with_name("killers.json")

#: How many are listed for a mistake.
_LISTED: Final = 3


def known_killers(file: Path = FILE) -> Mapping[str, Sequence[str]]:
    """The ids of cases that killed mistakes, by what identifies a mistake; none without a file."""
    if not file.exists():
        return {}
    listed: dict[str, list[str]] = json.loads(file.read_text("utf-8"))
    return listed


def updated(
    known: Mapping[str, Sequence[str]],
    trials: Iterable[Trial],
    transcripts: frozenset[str],
    mistakes: Iterable[str],
) -> str:
    """The file after trials: of what they tried anew, else as it was.

    ``mistakes`` are those that there are, by what identifies them; others are left out.  Of a
    mistake of timing transcripts are listed first.
    """
    tried = {
        identity(each.mistake): sorted(
            killed_at(each, "exact"),
            key=lambda case: each.mistake.timing and case not in transcripts,
        )[:_LISTED]
        for each in trials
    }
    there = {**known, **tried}
    return json.dumps({each: there[each] for each in mistakes if there.get(each)}, indent=1) + "\n"
