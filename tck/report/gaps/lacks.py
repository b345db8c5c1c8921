"""Find the features that a backend lacks, from its results in a run.

There are three sorts of gaps:

1. The backend declares a gap.
2. The backend answers a query or an event by `Unsupported`.  Such an answer may name capabilities.
   If not, `deduce_gaps` finds them from all answers of the run.
3. No answer of the run reports a property besides rows, such as the monotonicity of columns,
   although some cases expect this property.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from tck.corpus.needs import EASING, FAILURE_PLACES, LATE_REPORTS, NOT_NULL, needs_of
from tck.judging.verdict import UNSUPPORTED, Kind, Outcome, Result, Verdict
from tck.report.gaps.evidence import UnsupportedAnswer, deduce_gaps

#: The outcomes of cases that the backend has answered, rightly or wrongly.
_ANSWERED: Final = (Outcome.PASS, Outcome.FAIL)

#: The capabilities to reject a query or script.  A backend that wrongly accepts a query does not
#: show that it has these capabilities.
_REJECTING: Final = frozenset({"refusals", "failures", "scripts"})

#: By property: the reason of the gap if no answer reports the property.
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

    ``reported`` is as `tck.reported` computes it: by property, whether the backend reported it.
    """

    chapter: str
    needs: tuple[str, ...]
    verdict: Verdict
    reported: Mapping[str, bool] = field(default_factory=dict[str, bool])
    case: str = ""


@dataclass(frozen=True, slots=True)
class Lack:
    """A case of a chapter that is not run because of these gaps: all of them must be filled."""

    chapter: str
    gaps: frozenset[str]


@dataclass(frozen=True, slots=True)
class Unexplained:
    """The reason of an answer `Unsupported` that no gap explains.

    ``total`` is the number of cases with this answer.  In ``count`` of them, no gap is among the
    needs of the case; ``case`` is the id of the first of these.
    """

    reason: str
    count: int
    total: int
    case: str


@dataclass(frozen=True, slots=True)
class Lacking:
    """The gaps of a backend, and the cases that are not run because of them.

    ``gaps`` maps each gap to its reason: first the declared gaps in their order, then the gaps
    deduced from answers `Unsupported`, those with the most cases first, then ``silent``, the
    properties that no answer of the run reports.  ``unexplained`` has the reasons that no gap
    explains, those with the most cases first; in ``lacks``, the reason takes the place of the gap
    of such a case.  ``undecided`` are the needs of these cases that may be gaps, but for which
    there is too little evidence.
    """

    gaps: Mapping[str, str]
    lacks: tuple[Lack, ...]
    unexplained: tuple[Unexplained, ...] = ()
    undecided: tuple[str, ...] = ()
    silent: tuple[str, ...] = ()


def judged_cases(results: Iterable[Result]) -> list[JudgedCase]:
    """The results as `JudgedCase` objects."""
    return [
        JudgedCase(
            each.case.chapter, needs_of(each.case), each.verdict, each.reported, each.case.id
        )
        for each in results
    ]


def lacking(cases: Sequence[JudgedCase], declared: Mapping[str, str]) -> Lacking:
    """The features that a backend lacks; ``declared`` are the gaps that it declares."""
    missing = [each for each in cases if each.verdict.missing]
    shown = EASING.union(*(_shown(each) for each in cases))
    answers = [_answer(each, shown) for each in missing]
    deduced = deduce_gaps(answers, shown)
    gaps = frozenset({*declared, *deduced}) - EASING
    # For each answer, the gaps that explain it.
    explained = [gaps & each.open for each in answers]
    case_counts = Counter(gap for found in explained for gap in found)
    by_count = sorted(deduced, key=lambda gap: (-case_counts[gap], gap))
    why = {gap: deduced[gap] for gap in by_count if gap not in declared}
    lacks = [
        Lack(each.chapter, found or frozenset({answer.reason}))
        for each, answer, found in zip(missing, answers, explained, strict=True)
    ]
    # The cases that the kit has skipped because of a declared gap; their reason begins with it.
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
    """The capabilities that the backend has, as the verdict on a case shows."""
    if each.verdict.outcome not in _ANSWERED or each.verdict.kind is Kind.REFUSED:
        return frozenset()
    needs = frozenset(each.needs)
    return needs - _REJECTING if each.verdict.kind is Kind.ACCEPTED else needs


def _answer(each: JudgedCase, shown: frozenset[str]) -> UnsupportedAnswer:
    """The answer `Unsupported` to a case.

    Its open needs are the gaps that it names; if it names none, the needs of the event, or else of
    the case, that are not ``shown``.
    """
    requested = frozenset(each.verdict.needs or each.needs)
    return UnsupportedAnswer(
        each.verdict.reason.removeprefix(UNSUPPORTED),
        frozenset(each.verdict.gaps) or requested - shown,
        names_gaps=bool(each.verdict.gaps),
        is_about_event=bool(each.verdict.needs),
        expects_error="refusals" in each.needs,
    )


def _unexplained(
    missing: Sequence[JudgedCase],
    answers: Sequence[UnsupportedAnswer],
    explained: Sequence[frozenset[str]],
) -> list[Unexplained]:
    """The reasons that no gap explains, those with the most cases first.

    The three lists are parallel: the cases, the answers to them, and the gaps that explain these.
    """
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
    """The properties that some cases expect, and that no answer reports.

    If no answer reports any ``metadata``, the parts such as ``metadata-latency`` are not listed.
    """
    reported: dict[str, bool] = {}  # by property that some case expects: whether an answer has it
    for each in cases:
        for name, is_reported in each.reported.items():
            reported[name] = reported.get(name, False) or is_reported
    for name in _SILENCE:
        is_part = name.startswith("metadata-") and not reported.get("metadata", True)
        if not reported.get(name, True) and not is_part:
            yield name
