"""The expectations that a run has not judged on a backend, because of its tier or its reports."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from tck.judging.verdict import Kind, Outcome, Result

#: The faults of cases that pass at a tier and fail at ``exact``, by the kind of the failure.
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

    Each of the first lines names a fault of cases that pass at the tier at which they were judged,
    and fail at ``exact``.  The last line says that the backend does not report its state.
    """
    return tuple(_lines(tuple(results)))


def _lines(results: tuple[Result, ...]) -> Iterator[str]:
    passed = [each for each in results if each.verdict.outcome is Outcome.PASS]
    left = Counter(
        (each.tier, _AT_EXACT.get(exact.kind, _OTHER))
        for each in passed
        if (exact := each.at.get("exact")) is not None
        and exact.outcome is Outcome.FAIL
        and exact.kind is not None
    )
    for (tier, what), count in sorted(left.items()):
        yield f"not judged at {tier}: {what} ({_cases(count)})"
    limited = [each for each in passed if any(step.state is not None for step in each.case.steps)]
    silent = [each for each in limited if each.transcript is not None and not _says_state(each)]
    if silent:
        yield f"not judged: state, which is not reported ({_cases(len(silent))})"


def _says_state(result: Result) -> bool:
    assert result.transcript is not None, "the caller has asked"
    return any(output.state is not None for output in result.transcript.outputs)


def _cases(count: int) -> str:
    return f"{count:,} case{'' if count == 1 else 's'}"
