"""Find the expectations that a run did not judge on a backend: because of its tier, or its silence.

A case can pass at the tier of the run and fail at ``exact``.  If a backend does not report its
state, the limits of cases on the state are not judged.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from tck.judging.verdict import Kind, Outcome, Result
from tck.transcript import Transcript

#: By the kind of the failure at ``exact``: the faults that were not judged, in words.
_AT_EXACT: Final[Mapping[Kind, str]] = {
    Kind.FALSE_BOUND: "bounds that are too low or missing",
    Kind.TOO_LATE: "rows and failures that come later than they can",
    Kind.TOO_EARLY: "rows and failures that come before their step",
    Kind.TOO_MUCH_STATE: "rows and groups that are retained longer than they are needed",
    Kind.FALSE_STATE: "state that is not counted",
}
_OTHER: Final = "other expectations about time"


def unjudged(results: Iterable[Result]) -> tuple[str, ...]:
    """The unjudged properties of one backend, a line each; empty if everything was judged.

    The first lines are about faults of cases that pass at the tier at which they were judged, and
    fail at ``exact``.  The last line is about state that the backend does not report.
    """
    return tuple(_lines(tuple(results)))


def _lines(results: tuple[Result, ...]) -> Iterator[str]:
    """The lines of `unjudged`."""
    passed = [each for each in results if each.verdict.outcome is Outcome.PASS]
    unjudged_faults = Counter(
        (each.tier, _AT_EXACT.get(exact.kind, _OTHER))
        for each in passed
        if (exact := each.at.get("exact")) is not None
        and exact.outcome is Outcome.FAIL
        and exact.kind is not None
    )
    for (tier, what), count in sorted(unjudged_faults.items()):
        yield f"not judged at {tier}: {what} ({_cases(count)})"
    limited = [each for each in passed if any(step.state is not None for step in each.case.steps)]
    silent = [each for each in limited if each.transcript and not _reports_state(each.transcript)]
    if silent:
        yield f"not judged: state, which is not reported ({_cases(len(silent))})"


def _reports_state(transcript: Transcript) -> bool:
    return any(output.state is not None for output in transcript.outputs)


def _cases(count: int) -> str:
    return f"{count:,} case{'' if count == 1 else 's'}"
