"""Runs the cases on the right reference, and records which code each case reaches.

A *wrong backend* is the reference with one change.  It is run only on the cases that the right
reference passes, and that reach the changed code.
"""

from collections import Counter
from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass

from reference.backend import ReferenceBackend
from reference.incremental.changes.network import ChangesNetwork
from rowtime.score.change import Change, clear_caches
from rowtime.score.plans import Plans, remember_parsing
from rowtime.score.reach import Tracing, functions_called
from tck.backends import RunningBackend, start
from tck.collection import rare_collection
from tck.corpus.case import Case
from tck.corpus.selected.selection import expectation_kind
from tck.judging.verdict import Outcome, Verdict
from tck.reasons import REFERENCE
from tck.result_types import typed
from tck.run import grade_case, skip_reason


@dataclass(frozen=True, slots=True)
class Reach:
    """The places that a case reaches: while its queries are prepared, and after that.

    A place is a function, or a statement (`Change.place`).
    """

    preparing: frozenset[str]
    running: frozenset[str]


@dataclass(frozen=True, slots=True)
class Baseline:
    """The cases that the right reference passes at tier ``exact``, and the places each reaches.

    ``cases`` begins with the cases of the core.  Among these, and among the others, the files take
    turns (`in_turn`): so the first cases that reach a function differ much.  ``reach`` is by the
    case's id.  ``plans`` has the prepared queries of the cases.  ``transcripts`` has the ids of the
    cases whose steps list when rows are emitted.  ``failing`` has the ids of the cases that the
    right reference fails: they cannot judge wrong backends.
    """

    cases: Sequence[Case]
    reach: Mapping[str, Reach]
    plans: Plans
    transcripts: frozenset[str]
    failing: Sequence[str]

    def reaching(self, change: Change, first: Container[str] = ()) -> Iterable[tuple[Case, bool]]:
        """The cases that reach the changed function, each with whether to prepare it again.

        The cases whose ids are in ``first`` come first; else the order is that of ``cases``.  A
        change without a function changes a constant of a module, such as a table of rules.  Then
        all cases are returned, because it is not known which of them read the constant.
        """
        for case in sorted(self.cases, key=lambda each: each.id not in first):
            reach = self.reach[case.id]
            if not change.function:
                # The package `reference` does not prepare queries.
                yield case, not change.module.startswith("reference.")
            elif change.place in reach.preparing:
                yield case, True
            elif change.place in reach.running:
                yield case, False


@rare_collection()
def baseline(
    cases: Sequence[Case], core: Container[str] = (), tracing: Tracing = functions_called
) -> Baseline:
    """Run the cases on the right reference, except those that it skips.

    ``core`` has the ids of the cases that must come first.  ``tracing`` opens a context that
    collects the places that a case reaches.
    """
    remember_parsing()
    plans = Plans()
    running = start_reference(plans)
    passing: list[Case] = []
    failing: list[str] = []
    reach: dict[str, Reach] = {}
    prepared: dict[tuple[object, ...], frozenset[str]] = {}
    for case in map(typed, cases):
        if skip_reason(running.hello, case):
            continue
        clear_caches()  # a cached answer would conceal the call
        request = (case.ddl, case.sql, case.equal_to, case.profile)
        if request not in prepared:
            with tracing() as preparing:
                plans.remember(case)
            prepared[request] = frozenset(preparing)
        with tracing() as called:
            verdict = grade_case(running, case, "exact").verdict
        reach[case.id] = Reach(prepared[request], frozenset(called))
        if fails(verdict):
            failing.append(case.id)
        else:
            passing.append(case)
    timed = frozenset(each.id for each in passing if expectation_kind(each) == "timing")
    ordered = sorted(in_turn(passing), key=lambda case: case.id not in core)
    return Baseline(ordered, reach, plans, timed, failing)


def in_turn(cases: Sequence[Case]) -> Sequence[Case]:
    """The cases in another order: the first of each file, then the second of each, and so on."""
    earlier_in_file = Counter[str]()
    turns: dict[str, int] = {}
    for case in cases:
        turns[case.id] = earlier_in_file[case.place.file]
        earlier_in_file[case.place.file] += 1
    return sorted(cases, key=lambda case: turns[case.id])


def start_reference(plans: Plans) -> RunningBackend:
    """Start the reference in this process, with its change if one was applied.

    It prepares queries by ``plans``.
    """
    return start(
        REFERENCE, lambda: ReferenceBackend(prepare=plans.prepare, changelog_form=ChangesNetwork)
    )


def fails(verdict: Verdict) -> bool:
    """Whether the backend gave a wrong answer, or none."""
    return verdict.outcome in (Outcome.FAIL, Outcome.ERROR)
