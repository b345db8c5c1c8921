"""Summarize failures and skips: by kind, by the capabilities that they need, and by reason."""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass

from tck.corpus.needs import needs_of
from tck.judging.verdict import Mark, Outcome, Result


@dataclass(frozen=True, slots=True)
class SharedNeed:
    """A capability, with the numbers of failed and of judged cases that need it."""

    need: str
    failed: int
    judged: int


def failures_by_label(results: Iterable[Result]) -> Mapping[str, int]:
    """The number of results that fail the run, by label, such as ``FAIL ORDER``; the most first."""
    return dict(Counter(result.verdict.label for result in results if result.bad).most_common())


def shared_needs(results: Iterable[Result]) -> tuple[SharedNeed, ...]:
    """The capabilities that are likely causes of failures.

    At least two failing cases need such a capability, and its failure rate (among the judged cases
    that need it) is above the failure rate of all judged cases.  They are sorted by failure rate,
    the greatest first, then by the number of failures, the greatest first, then by name.
    """
    judged = [each for each in results if each.verdict.outcome is not Outcome.SKIP]
    failed = [each for each in judged if each.bad]
    with_need = Counter(need for each in judged for need in needs_of(each.case))
    failed_with_need = Counter(need for each in failed for need in needs_of(each.case))
    shared = [
        SharedNeed(need, count, with_need[need])
        for need, count in failed_with_need.items()
        if count > 1 and count * len(judged) > len(failed) * with_need[need]
    ]
    return tuple(sorted(shared, key=lambda e: (-e.failed / e.judged, -e.failed, e.need)))


def marks_passed(results: Iterable[Result]) -> str:
    """How often each mark passed: ``rows right in 97 of 98, order right in 20 of 20``.

    A mark counts in the cases in which it is judged.  Empty if no mark is judged in any case.
    """
    marks = [asdict(each.marks) for each in results]
    parts: list[str] = []
    for what in ("rows", "order", "time"):
        judged = [each[what] for each in marks if each[what] is not Mark.NONE]
        if judged:
            parts.append(f"{what} right in {judged.count(Mark.PASS)} of {len(judged)}")
    return ", ".join(parts)


def skips_by_reason(results: Iterable[Result]) -> Mapping[str, tuple[str, ...]]:
    """The ids of the skipped cases by reason; the reason with the most cases is first."""
    skipped: dict[str, list[str]] = {}
    for each in results:
        if each.verdict.outcome is Outcome.SKIP:
            skipped.setdefault(each.verdict.reason, []).append(each.case.id)
    longest = sorted(skipped.items(), key=lambda item: -len(item[1]))
    return {reason: tuple(ids) for reason, ids in longest}
