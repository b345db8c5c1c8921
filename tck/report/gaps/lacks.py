"""The features that a backend lacks, deduced from the cases that it does not implement.

A backend declares some gaps, and answers other queries and events by `Unsupported`.  Such an answer
may name capabilities; if it names none, `deduce_gaps` finds them by all answers of the run.  A
capability to report something besides rows is lacking, too, if no answer of the run has such a
report, although some cases ask for it.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from tck.corpus.needs import EASING, FAILURE_PLACES, LATE_REPORTS, NOT_NULL, needs_of
from tck.judging.verdict import UNSUPPORTED, Kind, Outcome, Result, Verdict
from tck.report.gaps.evidence import Missing, deduce_gaps

#: The outcomes of cases whose query was accepted, unless it was refused.
_ANSWERED: Final = (Outcome.PASS, Outcome.FAIL)

#: The capabilities to reject: a query that is wrongly accepted does not show that they are there.
_REJECTING: Final = frozenset({"refusals", "failures", "scripts"})

#: The reason of a gap that follows from silence.
_SILENCE: Final[Mapping[str, str]] = {
    "monotonicity": "reports the monotonicity of no column",
    "metadata": "reports no metadata",
    "metadata-collation": "reports no collation",
    "metadata-latency": "reports no latency",
    "metadata-sortable": "does not report by which columns a result can be sorted",
    "metadata-state": "reports no state",
    "plan": "prints no plan",
    "schema": "reports the type of no column",
    "warnings": "reports no ignored bound",
    NOT_NULL: "reports no column as NOT NULL",
    LATE_REPORTS: "reports no dropped row",
    FAILURE_PLACES: "reports the place of no failure",
}


@dataclass(frozen=True, slots=True)
class JudgedCase:
    """A case of a run: its chapter, the capabilities that it needs, its verdict, and its id.

    ``reported`` has for each capability that demands a report whether the backend has given it.
    """

    chapter: str
    needs: tuple[str, ...]
    verdict: Verdict
    reported: Mapping[str, bool] = field(default_factory=dict[str, bool])
    case: str = ""


@dataclass(frozen=True, slots=True)
class Lack:
    """A case that is skipped for gaps, and the gaps: all of them must be filled to run it."""

    chapter: str
    gaps: frozenset[str]


@dataclass(frozen=True, slots=True)
class Unexplained:
    """A reason that no gap explains in ``count`` of the ``total`` cases that it was given for.

    ``case`` is the id of the first of these cases.
    """

    reason: str
    count: int
    total: int
    case: str


@dataclass(frozen=True, slots=True)
class Lacking:
    """The gaps of a backend, and the cases that are skipped for them.

    ``gaps`` maps each gap to its reason: first the declared ones in their order, then those deduced
    from answers `Unsupported`, the ones of the most cases first, then ``silent``, about which no
    answer of the run says anything.  ``unexplained`` are the reasons of cases that no gap explains,
    the ones of the most cases first; in ``lacks`` the reason stands for the gap of such a case.
    ``undecided`` are the capabilities that such cases need, but for whose lack there is too little
    evidence.
    """

    gaps: Mapping[str, str]
    lacks: tuple[Lack, ...]
    unexplained: tuple[Unexplained, ...] = ()
    undecided: tuple[str, ...] = ()
    silent: tuple[str, ...] = ()


def judged_cases(results: Iterable[Result]) -> list[JudgedCase]:
    """The cases of some results."""
    return [
        JudgedCase(
            each.case.chapter, needs_of(each.case), each.verdict, each.reported, each.case.id
        )
        for each in results
    ]


def lacking(cases: Sequence[JudgedCase], declared: Mapping[str, str]) -> Lacking:
    """The features that a backend lacks, which ``declared`` some gaps."""
    missing = [each for each in cases if each.verdict.missing]
    shown = EASING.union(*(_shown(each) for each in cases))
    answers = [_answer(each, shown) for each in missing]
    deduced = deduce_gaps(answers, shown)
    gaps = frozenset({*declared, *deduced}) - EASING
    # For each answer, the gaps that explain it.
    explained = [gaps & each.open for each in answers]
    costs = Counter(gap for found in explained for gap in found)
    by_cost = sorted(deduced, key=lambda gap: (-costs[gap], gap))
    why = {gap: deduced[gap] for gap in by_cost if gap not in declared}
    lacks = [
        Lack(each.chapter, found or frozenset({answer.reason}))
        for each, answer, found in zip(missing, answers, explained, strict=True)
    ]
    # The cases that the kit has skipped for a declared gap, which the reason begins with.
    for each in cases:
        gap = each.verdict.reason.partition(": ")[0]
        if each.verdict.outcome is Outcome.SKIP and gap in declared:
            lacks.append(Lack(each.chapter, gaps.intersection(each.needs) | {gap}))
    silent = tuple(each for each in _silent(cases) if each not in declared and each not in why)
    undecided = {
        need
        for each, found in zip(answers, explained, strict=True)
        if not found
        for need in each.open
    }
    return Lacking(
        gaps={**declared, **why, **{each: _SILENCE[each] for each in silent}},
        lacks=tuple(lacks),
        unexplained=tuple(_unexplained(missing, answers, explained)),
        undecided=tuple(sorted(undecided.difference(silent))),
        silent=silent,
    )


def _shown(each: JudgedCase) -> frozenset[str]:
    """The capabilities that the verdict on a case shows to be there."""
    if each.verdict.outcome not in _ANSWERED or each.verdict.kind is Kind.REFUSED:
        return frozenset()
    needs = frozenset(each.needs)
    return needs - _REJECTING if each.verdict.kind is Kind.ACCEPTED else needs


def _answer(each: JudgedCase, shown: frozenset[str]) -> Missing:
    """The answer `Unsupported` to a case, with the gaps that it names.

    If it names none, with the needs of the event, or else of the case, that are not ``shown``.
    """
    requested = frozenset(each.verdict.needs or each.needs)
    return Missing(
        each.verdict.reason.removeprefix(UNSUPPORTED),
        frozenset(each.verdict.gaps) or requested - shown,
        sure=bool(each.verdict.gaps),
        event=bool(each.verdict.needs),
        wrong="refusals" in each.needs,
    )


def _unexplained(
    missing: Sequence[JudgedCase], answers: Sequence[Missing], explained: Sequence[frozenset[str]]
) -> list[Unexplained]:
    """The reasons of cases that no gap explains, the ones of the most cases first."""
    totals = Counter(each.reason for each in answers)
    ids: dict[str, list[str]] = {}
    for each, answer, found in zip(missing, answers, explained, strict=True):
        if not found:
            ids.setdefault(answer.reason, []).append(each.case)
    return [
        Unexplained(reason, len(of), totals[reason], of[0])
        for reason, of in sorted(ids.items(), key=lambda each: (-len(each[1]), each[0]))
    ]


def _silent(cases: Iterable[JudgedCase]) -> Iterator[str]:
    """The capabilities for which some cases ask, and of which no answer says anything.

    A part of `metadata` is not listed if the whole is.
    """
    said: dict[str, bool] = {}
    for each in cases:
        for capability, is_reported in each.reported.items():
            said[capability] = said.get(capability, False) or is_reported
    for capability in _SILENCE:
        part_of_silence = capability.startswith("metadata-") and not said.get("metadata", True)
        if not said.get(capability, True) and not part_of_silence:
            yield capability
