"""The features that a backend lacks, deduced from the cases that it does not implement.

A backend declares some gaps, and answers other queries and events by `Unsupported`.  Such an answer
may name capabilities; if it names none, they follow from its other answers: a capability is not
lacking if any case that needs it was judged.  A capability to report something besides rows is
lacking, too, if no answer of the run has such a report, although some cases ask for it.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from tck.corpus.needs import EASING, FAILURE_PLACES, LATE_REPORTS, NOT_NULL, needs_of
from tck.judging.verdict import UNSUPPORTED, Kind, Outcome, Result, Verdict

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
    """A case of a run: its chapter, the capabilities that it needs, and its verdict.

    ``reported`` is that of `tck.reported`.
    """

    chapter: str
    needs: tuple[str, ...]
    verdict: Verdict
    reported: Mapping[str, bool] = field(default_factory=dict[str, bool])

    @property
    def requested(self) -> frozenset[str]:
        """The capabilities that were requested: those of the event that is not implemented, if any.

        Otherwise they are those of the whole case.
        """
        return frozenset(self.verdict.needs or self.needs)


@dataclass(frozen=True, slots=True)
class Lack:
    """A case that is skipped for gaps, and the gaps: all of them must be filled to run it."""

    chapter: str
    gaps: frozenset[str]


@dataclass(frozen=True, slots=True)
class Lacking:
    """The gaps of a backend, and the cases that are skipped for them.

    ``gaps`` maps each gap to its reason: first the declared ones in their order, then those deduced
    from answers `Unsupported`, the ones of the most cases first, then ``silent``, about which no
    answer of the run says anything.  The name of a gap is a capability, or, where none explains an
    answer, the reason that the backend gave.  ``unnamed`` are the latter.
    """

    gaps: Mapping[str, str]
    unnamed: frozenset[str]
    lacks: tuple[Lack, ...]
    silent: tuple[str, ...] = ()


def judged_cases(results: Iterable[Result]) -> list[JudgedCase]:
    """The cases of some results."""
    return [
        JudgedCase(each.case.chapter, needs_of(each.case), each.verdict, each.reported)
        for each in results
    ]


def lacking(cases: Sequence[JudgedCase], declared: Mapping[str, str]) -> Lacking:
    """The features that a backend lacks, which ``declared`` some gaps."""
    missing = [each for each in cases if each.verdict.missing]
    accepted = {
        need
        for each in cases
        if each.verdict.outcome in _ANSWERED and each.verdict.kind is not Kind.REFUSED
        for need in each.needs
        if each.verdict.kind is not Kind.ACCEPTED or need not in _REJECTING
    }
    explained = _explained(missing, EASING | accepted)
    reasons: dict[str, Counter[str]] = {}
    for each, found in zip(missing, explained, strict=True):
        for gap in found:
            reasons.setdefault(gap, Counter())[_reason(each)] += 1
    deduced = sorted(reasons, key=lambda gap: (-reasons[gap].total(), gap))
    named = {need for each in cases for need in each.needs}
    lacks = [Lack(each.chapter, found) for each, found in zip(missing, explained, strict=True)]
    gaps = frozenset({*declared, *reasons}) - EASING
    for each in cases:
        gap = each.verdict.reason.partition(": ")[0]
        if each.verdict.outcome is Outcome.SKIP and gap in declared:
            lacks.append(Lack(each.chapter, gaps.intersection(each.needs) | {gap}))
    why = {gap: reasons[gap].most_common(1)[0][0] for gap in deduced if gap not in declared}
    unnamed = frozenset(gap for gap in deduced if gap not in named)
    silent = tuple(each for each in _silent(cases) if each not in declared and each not in why)
    return Lacking(
        {**declared, **why, **{each: _SILENCE[each] for each in silent}},
        unnamed,
        tuple(lacks),
        silent,
    )


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


def _explained(missing: Sequence[JudgedCase], present: frozenset[str]) -> list[frozenset[str]]:
    """The gaps for each case that is not implemented; ``present`` are not among them.

    They are those that the answer names.  Otherwise they are among the capabilities that all cases
    with the reason of the answer need, if there are any: a capability that only some of them need
    is not missing.  A capability that alone can explain an answer is a gap.  Where several could,
    those that explain the most cases are, and of equal ones a capability that a reason names.
    """
    possible = _possible(missing, present)
    reasons = [_reason(each) for each in missing]
    chosen = {gap for each in missing for gap in each.verdict.gaps}
    chosen |= {gap for gaps in possible if len(gaps) == 1 for gap in gaps}
    left: list[tuple[frozenset[str], str]] = [
        (gaps, reason)
        for gaps, reason in zip(possible, reasons, strict=True)
        if chosen.isdisjoint(gaps)
    ]
    while left:
        counts = Counter(gap for gaps, _ in left for gap in gaps)
        named = {gap for gaps, reason in left for gap in gaps if _names(reason, gap)}
        best = min(counts, key=lambda gap: (-counts[gap], gap not in named, gap))
        chosen.add(best)
        left = [(gaps, reason) for gaps, reason in left if best not in gaps]
    return [gaps.intersection(chosen) for gaps in possible]


def _possible(missing: Sequence[JudgedCase], present: frozenset[str]) -> list[frozenset[str]]:
    """For each case that is not implemented the capabilities that its answer may be due to.

    They are those that the answer names, or the reason itself if no capability is left.
    """
    shared: dict[str, frozenset[str]] = {}
    for each in missing:
        if not each.verdict.gaps:
            needs = each.requested - present
            shared[_reason(each)] = shared.get(_reason(each), needs) & needs
    return [
        frozenset(each.verdict.gaps)
        or shared[_reason(each)]
        or each.requested - present
        or frozenset({_reason(each)})
        for each in missing
    ]


def _names(reason: str, gap: str) -> bool:
    """Whether the words of a reason name a capability: ``no GROUPING SETS`` does."""
    words = re.sub(r"[^a-z0-9]+", " ", reason.lower()).split()
    return f" {gap.replace('-', ' ')} " in f" {' '.join(words)} "


def _reason(each: JudgedCase) -> str:
    """The reason that the backend gave."""
    return each.verdict.reason.removeprefix(UNSUPPORTED)
