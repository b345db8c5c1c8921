"""Reads and updates `killers.json`, the list of the cases that are known to kill each mistake.

A case kills a mistake if it fails on the reference with this mistake.  A score tries the known
killers first, so that a killed mistake costs little.  `rowtime.score.core` chooses the core by
them.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Final

from rowtime.score.survivors import identity, is_of_mutant
from rowtime.score.tally import killed_at
from rowtime.score.trials import Trial
from tck.corpus.document import read_json_lists

#: The file of known killers: the ids of the cases, by the identity of the mistake (`identity`).
FILE: Final = Path(__file__).with_name("killers.json")

#: The hint in a message about an invalid file.
_WRITE: Final = "`rowtime tck score --write-killers` writes the file"

#: The greatest number of killers that are listed for a mistake: with more, the core is smaller.
_LISTED: Final = 40


def known_killers(file: Path = FILE) -> Mapping[str, Sequence[str]]:
    """The ids of cases that killed mistakes, by the mistake's identity; empty without a file.

    Raises `InvalidFilesError`.
    """
    return read_json_lists(file, "text", _WRITE) if file.exists() else {}


def updated_text(
    known: Mapping[str, Sequence[str]],
    trials: Iterable[Trial],
    transcripts: frozenset[str],
    mistakes: Iterable[str],
    *,
    has_all_mutants: bool = True,
) -> str:
    """The new text of the file after some trials.

    It lists the kills of ``trials``, and the killers in ``known`` that were not run again; a known
    killer that no longer kills is removed.  ``mistakes`` are the identities of all mistakes; others
    are removed.  If not ``has_all_mutants``, fewer mutants than usual were drawn, and the file
    keeps the mutants that are not in ``mistakes``.  For a mistake of timing, the cases in
    ``transcripts`` are listed first.
    """
    killers = {
        **known,
        **{identity(each.mistake): _killers(known, each, transcripts) for each in trials},
    }
    others = [] if has_all_mutants else [each for each in known if is_of_mutant(each)]
    entries = (
        f" {json.dumps(each)}: {json.dumps(killers[each])}"
        for each in dict.fromkeys([*mistakes, *others])
        if killers.get(each)
    )
    return "{\n" + ",\n".join(entries) + "\n}\n"


def _killers(
    known: Mapping[str, Sequence[str]], trial: Trial, transcripts: frozenset[str]
) -> Sequence[str]:
    """The ids of the cases to list for a mistake: at most `_LISTED` of those that kill it."""
    kills = killed_at(trial, "exact")
    retried = {*kills, *trial.passed}
    kills += [each for each in known.get(identity(trial.mistake), ()) if each not in retried]
    if trial.mistake.timing:
        kills.sort(key=lambda case: case not in transcripts)
    return kills[:_LISTED]
