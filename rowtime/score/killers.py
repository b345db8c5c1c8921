"""Which cases are known to kill each mistake.

They are tried first, so that a killed mistake costs little, and the core is chosen by them
(`rowtime.score.core`).  A score runs them again, and removes one that no longer kills.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Final

from rowtime.score.survivors import identity, is_of_mutant
from rowtime.score.tally import killed_at
from rowtime.score.trials import Trial
from tck.corpus.document import read_json_lists

#: The cases, by the identity of a mistake (`identity`).
FILE: Final = Path(__file__).with_name("killers.json")

_WRITE: Final = "`rowtime tck score --write-killers` writes the file"

#: The number of killers that are listed for a mistake: with more of them the core is smaller.
_LISTED: Final = 40


def known_killers(file: Path = FILE) -> Mapping[str, Sequence[str]]:
    """The ids of cases that killed mistakes, by the mistake's identity; empty without a file.

    Raises `InvalidFilesError`.
    """
    return read_json_lists(file, "text", _WRITE) if file.exists() else {}


def updated(
    known: Mapping[str, Sequence[str]],
    trials: Iterable[Trial],
    transcripts: frozenset[str],
    mistakes: Iterable[str],
    *,
    has_all_mutants: bool = True,
) -> str:
    """The text of the file after trials: their kills, and known killers that were not run again.

    ``mistakes`` are the identities of all mistakes; the file lists no other.  If not
    ``has_all_mutants``, fewer mutants than usual were drawn, and the file keeps the others.  For a
    mistake of timing, transcripts are listed first.
    """
    there = {
        **known,
        **{identity(each.mistake): _killers(known, each, transcripts) for each in trials},
    }
    others = [] if has_all_mutants else [each for each in known if is_of_mutant(each)]
    entries = (
        f" {json.dumps(each)}: {json.dumps(there[each])}"
        for each in dict.fromkeys([*mistakes, *others])
        if there.get(each)
    )
    return "{\n" + ",\n".join(entries) + "\n}\n"


def _killers(
    known: Mapping[str, Sequence[str]], trial: Trial, transcripts: frozenset[str]
) -> Sequence[str]:
    """The ids of the cases that kill a mistake, as far as they are listed."""
    kills = killed_at(trial, "exact")
    retried = {*kills, *trial.passed}
    kills += [each for each in known.get(identity(trial.mistake), ()) if each not in retried]
    if trial.mistake.timing:
        kills.sort(key=lambda case: case not in transcripts)
    return kills[:_LISTED]
