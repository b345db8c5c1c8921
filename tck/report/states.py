"""The states of a case in a run; pages, badges and tables count cases by state."""

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Final, Literal, TypeAlias

from tck.corpus.selected.requirements import BEYOND
from tck.judging.verdict import Outcome
from tck.protocol import Tier
from tck.report.record import Entry

#: ``known`` is a known failure, and ``none`` a case without a result in the run; the others are as
#: in `Outcome`.
State: TypeAlias = Literal["pass", "fail", "error", "skip", "known", "none"]

#: The states in the order of tables.
STATES: Final[tuple[State, ...]] = ("pass", "fail", "error", "known", "skip")
#: The states of cases that were judged.
JUDGED: Final[tuple[State, ...]] = ("pass", "fail", "error", "known")
#: By outcome: the state of a case that is not known to fail.
_STATE_OF: Final[Mapping[Outcome, State]] = {
    Outcome.PASS: "pass",
    Outcome.FAIL: "fail",
    Outcome.ERROR: "error",
    Outcome.SKIP: "skip",
}


def state(entry: Entry) -> State:
    """The state of a case in its run; a case that is known to fail but passes is ``fail``."""
    match entry.verdict.outcome:
        case Outcome.SKIP:
            return "skip"
        case Outcome.PASS:
            return "fail" if entry.bad else "pass"
        case Outcome.FAIL:
            return "fail" if entry.bad else "known"
        case Outcome.ERROR:
            return "error" if entry.bad else "known"


def state_at(entry: Entry, tier: Tier, judged: Tier | None) -> State:
    """The state of a case at a tier; ``judged`` is the tier at which the run was judged.

    At another tier than that of the run, known failures do not count as known, and the state is
    ``none`` if the run has no verdict at that tier.
    """
    if tier == judged:
        return state(entry)
    return _STATE_OF[entry.at[tier].outcome] if tier in entry.at else "none"


def counted_entries(entries: Iterable[Entry]) -> list[Entry]:
    """The results that count for an engine: all but those of the chapter `BEYOND`.

    No source demands the cases of that chapter (`tck.corpus.selected.requirements`).
    """
    return [entry for entry in entries if entry.chapter != BEYOND]


def right_of_judged(entries: Iterable[Entry]) -> tuple[int, int]:
    """The number of the results that are right, and the number of those that were judged."""
    counts = Counter(map(state, entries))
    return counts["pass"], sum(counts[each] for each in JUDGED)
