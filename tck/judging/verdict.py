"""Verdicts: what the kit says of one case on one backend."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from tck.corpus.case import Case, CellRow
from tck.protocol import Tier


class Outcome(StrEnum):
    """How a case went."""

    PASS = "pass"
    FAIL = "fail"  # the backend gave a wrong answer
    ERROR = "error"  # it gave none: it crashed
    SKIP = "skip"  # it lacks what the case needs, or the tier cannot tell


class Kind(StrEnum):
    """The one way in which an answer is wrong: of several, the first in this order.

    Of TOO_EARLY, TOO_LATE and FALSE_BOUND it is the first in the order of steps.
    """

    REFUSED = "REFUSED"  # what is right was refused, or failed at run time
    ACCEPTED = "ACCEPTED"  # what must fail was accepted, or came to its end
    WRONG_CODE = "WRONG_CODE"  # refused or dropped, with another code, or elsewhere in the text
    WRONG_SCHEMA = "WRONG_SCHEMA"
    WRONG_METADATA = "WRONG_METADATA"  # monotonicity, collation, latency, state or plan
    NOT_LATE = "NOT_LATE"  # a row was kept that must be dropped
    WRONGLY_LATE = "WRONGLY_LATE"  # a row was dropped that must be kept
    WRONG_ROWS = "WRONG_ROWS"
    DUPLICATE = "DUPLICATE"  # all rows are there, some of them too often
    ORDER = "ORDER"
    TOO_EARLY = "TOO_EARLY"  # a row, or a failure, before its step
    TOO_LATE = "TOO_LATE"  # a row, or a failure, after its step
    FALSE_BOUND = (
        "FALSE_BOUND"  # a row below a bound that was given, or another bound than is right
    )
    TOO_MUCH_STATE = "TOO_MUCH_STATE"  # more rows and groups are held than are needed


@dataclass(frozen=True, slots=True)
class Verdict:
    """What became of a case.

    ``reason`` is one line, empty where it passed; ``detail`` shows the difference, line by line;
    ``concerns`` are the expected rows that it is about.
    """

    outcome: Outcome
    kind: Kind | None = None
    reason: str = ""
    detail: tuple[str, ...] = ()
    concerns: tuple[CellRow, ...] = field(default=(), compare=False)

    @property
    def label(self) -> str:
        """The outcome, and the kind of a failure: ``FAIL WRONG_ROWS``."""
        return self.outcome.upper() + (f" {self.kind}" if self.kind else "")


PASSED = Verdict(Outcome.PASS)


def failed(
    kind: Kind, reason: str, detail: tuple[str, ...] = (), concerns: tuple[CellRow, ...] = ()
) -> Verdict:
    """A wrong answer."""
    return Verdict(Outcome.FAIL, kind, reason, detail, concerns)


def skipped(reason: str) -> Verdict:
    """No judgement."""
    return Verdict(Outcome.SKIP, None, reason)


@dataclass(frozen=True, slots=True)
class Grade:
    """What became of a case at the tier that was judged, and at each tier.

    ``why`` is what the reference says of the rows that a failure is about, line by line.
    """

    verdict: Verdict
    at: Mapping[Tier, Verdict]
    why: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Result:
    """The grade of one case on one backend at a tier, and the seconds it took.

    ``known`` is the reason for which it was known to fail; None where it was not.
    """

    backend: str
    case: Case
    verdict: Verdict
    seconds: float = 0.0
    known: str | None = None
    tier: Tier = "final"
    at: Mapping[Tier, Verdict] = field(default_factory=dict[Tier, Verdict])
    why: tuple[str, ...] = ()

    @property
    def bad(self) -> bool:
        """Whether it fails the run: it went wrong unknown, or right though known to go wrong."""
        wrong = self.verdict.outcome in (Outcome.FAIL, Outcome.ERROR)
        right = self.verdict.outcome is Outcome.PASS
        return wrong if self.known is None else right
