"""The results of the corpus on the right reference, with which wrong backends are compared."""

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
    """The cases that the right reference passes at tier ``exact``, and what each of them reaches.

    The cases of the core are first.  Both the core and the others are in turn: the first of each
    file, then the second of each, and so on, so that the first ones that reach a function differ
    much. ``transcripts`` has the ids of the cases whose steps list when rows are emitted.
    ``failing`` has the ids of the cases that the reference fails, which cannot judge wrong
    backends.
    """

    cases: Sequence[Case]
    reach: Mapping[str, Reach]
    plans: Plans
    transcripts: frozenset[str]
    failing: Sequence[str]

    def reaching(self, change: Change, first: Container[str] = ()) -> Iterable[tuple[Case, bool]]:
        """The cases that reach the changed function, and whether to prepare them again.

        Those whose ids are in ``first`` come first, else all in their order.  A change without a
        function changes a constant of a module, such as a table of rules: it is not known which
        cases read it, so all of them are tried.
        """
        for case in sorted(self.cases, key=lambda each: each.id not in first):
            reach = self.reach[case.id]
            if not change.function:
                # Only the package `algebra` prepares queries.
                yield case, not change.module.startswith("reference.")
            elif change.place in reach.preparing:
                yield case, True
            elif change.place in reach.running:
                yield case, False


@rare_collection()
def baseline(
    cases: Sequence[Case], core: Container[str] = (), tracing: Tracing = functions_called
) -> Baseline:
    """The cases run on the right reference, without those that it skips.

    ``core`` has the ids of those that are to come first.  ``tracing`` collects the places
    that a case reaches.
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
    """The first case of each file, then the second of each, and so on."""
    before = Counter[str]()
    turns: dict[str, int] = {}
    for case in cases:
        turns[case.id] = before[case.place.file]
        before[case.place.file] += 1
    return sorted(cases, key=lambda case: turns[case.id])


def start_reference(plans: Plans) -> RunningBackend:
    """The reference in this process, right or wrong, which prepares by ``plans``."""
    return start(
        REFERENCE, lambda: ReferenceBackend(prepare=plans.prepare, changelog_form=ChangesNetwork)
    )


def fails(verdict: Verdict) -> bool:
    """Whether the backend gave a wrong answer, or none."""
    return verdict.outcome in (Outcome.FAIL, Outcome.ERROR)
