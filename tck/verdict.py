"""Verdicts: what the kit says of one case on one backend."""

from dataclasses import dataclass
from enum import StrEnum

from tck.case import Case


class Outcome(StrEnum):
    """How a case went."""

    PASS = "pass"
    FAIL = "fail"  # the backend gave a wrong answer
    ERROR = "error"  # it gave none: it crashed
    SKIP = "skip"  # it lacks what the case needs, or the tier cannot tell


class Kind(StrEnum):
    """The one way in which an answer is wrong: of several, the first in this order."""

    REFUSED = "REFUSED"  # what is right was refused, or failed at run time
    ACCEPTED = "ACCEPTED"  # what must fail was accepted, or came to its end
    WRONG_CODE = "WRONG_CODE"  # refused or dropped, with another code, or elsewhere in the text
    WRONG_SCHEMA = "WRONG_SCHEMA"
    WRONG_METADATA = "WRONG_METADATA"  # monotonicity, collation, latency, state, plan
    NOT_LATE = "NOT_LATE"  # a row was kept that must be dropped
    WRONGLY_LATE = "WRONGLY_LATE"  # a row was dropped that must be kept
    WRONG_ROWS = "WRONG_ROWS"
    DUPLICATE = "DUPLICATE"  # all rows are there, some of them too often
    ORDER = "ORDER"
    # Only tiers above `final` can tell:
    TOO_EARLY = "TOO_EARLY"
    TOO_LATE = "TOO_LATE"
    FALSE_BOUND = "FALSE_BOUND"  # a row below a bound that the backend itself gave


@dataclass(frozen=True, slots=True)
class Verdict:
    """What became of a case.

    ``reason`` is one line, empty where it passed; ``detail`` shows the difference, line by line.
    """

    outcome: Outcome
    kind: Kind | None = None
    reason: str = ""
    detail: tuple[str, ...] = ()

    @property
    def label(self) -> str:
        """The outcome, and the kind of a failure: ``FAIL WRONG_ROWS``."""
        return self.outcome.upper() + (f" {self.kind}" if self.kind else "")


PASSED = Verdict(Outcome.PASS)


def failed(kind: Kind, reason: str, detail: tuple[str, ...] = ()) -> Verdict:
    """A wrong answer."""
    return Verdict(Outcome.FAIL, kind, reason, detail)


def skipped(reason: str) -> Verdict:
    """No judgement."""
    return Verdict(Outcome.SKIP, None, reason)


@dataclass(frozen=True, slots=True)
class Result:
    """The verdict on one case of one backend, and the seconds it took.

    ``known`` is the reason for which it was known to fail; None where it was not.
    """

    backend: str
    case: Case
    verdict: Verdict
    seconds: float = 0.0
    known: str | None = None

    @property
    def bad(self) -> bool:
        """Whether it fails the run: it went wrong unknown, or right though known to go wrong."""
        wrong = self.verdict.outcome in (Outcome.FAIL, Outcome.ERROR)
        right = self.verdict.outcome is Outcome.PASS
        return wrong if self.known is None else right
