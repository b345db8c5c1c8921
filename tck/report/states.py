"""The state of a case in a run, by which pages, badges and tables count it."""

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Final, Literal, TypeAlias

from tck.corpus.selected.requirements import BEYOND
from tck.judging.verdict import Outcome
from tck.protocol import Tier
from tck.report.record import Entry

#: The states of a case: ``known`` is a known failure, ``none`` a case for which the run has no
#: result.
State: TypeAlias = Literal["pass", "fail", "error", "skip", "known", "none"]

#: The states in the order of tables.
STATES: Final[tuple[State, ...]] = ("pass", "fail", "error", "known", "skip")
#: The states of cases that were judged.
JUDGED: Final[tuple[State, ...]] = ("pass", "fail", "error", "known")


def state(entry: Entry) -> State:
    """The state of a case; one that is known to fail but passes has failed."""
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
    """The state that a case would have at a tier; at ``judged``, the tier of the run, its state.

    Known failures count as such only there.
    """
    if tier == judged or tier not in entry.at:
        return state(entry) if tier == judged else "none"
    return _STATE_OF[entry.at[tier].outcome]


_STATE_OF: Final[Mapping[Outcome, State]] = {
    Outcome.PASS: "pass",
    Outcome.FAIL: "fail",
    Outcome.ERROR: "error",
    Outcome.SKIP: "skip",
}


def counted(entries: Iterable[Entry]) -> list[Entry]:
    """The results that an engine's numbers count: those of all chapters but `BEYOND`."""
    return [entry for entry in entries if entry.chapter != BEYOND]


def right_of_judged(entries: Iterable[Entry]) -> tuple[int, int]:
    """The number of these results that are right, and of those that were judged."""
    counts = Counter(map(state, entries))
    return counts["pass"], sum(counts[each] for each in JUDGED)
