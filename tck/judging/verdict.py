"""Verdicts: the outcome of one case on one backend."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Final

from tck.corpus.case import Case, CellRow
from tck.protocol import Tier, Unsupported
from tck.terminal.printable import printable
from tck.transcript import Transcript


class Outcome(StrEnum):
    """The four possible outcomes of a case on a backend."""

    PASS = "pass"
    FAIL = "fail"  # the backend gave a wrong answer
    ERROR = "error"  # the backend gave no answer, or none that the protocol allows
    SKIP = "skip"  # the backend lacks a capability that the case needs, or the tier judges nothing


class Kind(StrEnum):
    """The ways in which an answer is wrong; if several apply, the first in this order counts.

    Among TOO_EARLY, TOO_LATE and FALSE_BOUND the one at the earliest step comes first.
    """

    REFUSED = "REFUSED"  # a legal query was refused, or failed at run time
    ACCEPTED = "ACCEPTED"  # a query that must be refused, or fail, was accepted, or did not fail
    WRONG_CODE = "WRONG_CODE"  # refused or dropped with another code, or at another place
    WRONG_SCHEMA = "WRONG_SCHEMA"
    WRONG_METADATA = "WRONG_METADATA"  # monotonicity, collation, latency, state or plan
    NOT_LATE = "NOT_LATE"  # a row was let in that must be dropped
    WRONGLY_LATE = "WRONGLY_LATE"  # a row was dropped that must be let in
    WRONG_WARNING = "WRONG_WARNING"  # an event was refused that must not be, or the reverse
    WRONG_ROWS = "WRONG_ROWS"
    DUPLICATE = "DUPLICATE"  # all rows are there, some of them too often
    ORDER = "ORDER"
    NEGATIVE_ROW = "NEGATIVE_ROW"  # a changelog deletes a row that is not in the fold
    INCONSISTENT = "INCONSISTENT"  # the fold of a changelog was never correct, or goes back
    STALE = "STALE"  # the fold of a changelog was correct at an earlier event
    TOO_EARLY = "TOO_EARLY"  # a row, or a failure, before its step
    TOO_LATE = "TOO_LATE"  # a row, or a failure, after its step
    FALSE_BOUND = "FALSE_BOUND"  # a row below a reported bound, or a wrong bound
    TOO_MUCH_STATE = "TOO_MUCH_STATE"  # more rows and groups are retained than are needed
    FALSE_STATE = "FALSE_STATE"  # the report is that nothing is retained, but rows are


#: The first words of the reason for an error of a case that should have been run, but was not.
NOT_RUN: Final = "not run: "
#: The beginning of the reason of a skip whose query or event the backend does not implement.
UNSUPPORTED: Final = "unsupported: "


@dataclass(frozen=True, slots=True)
class Verdict:
    """The outcome of a case, and why.

    ``reason`` is one line, empty for a pass; ``detail`` shows the difference, line by line;
    ``concerns`` are the expected rows at fault.  ``gaps`` has the capabilities that a backend named
    when it answered that it does not implement the query or an event; ``needs`` has those that the
    event needs.  Reason and detail are made printable, because they contain texts of the backend.
    ``kind`` is the kind of the fault; None: there is no fault.
    """

    outcome: Outcome
    kind: Kind | None = None
    reason: str = ""
    detail: tuple[str, ...] = ()
    concerns: tuple[CellRow, ...] = field(default=(), compare=False)
    gaps: tuple[str, ...] = ()
    needs: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "reason", printable(self.reason))
        object.__setattr__(self, "detail", tuple(map(printable, self.detail)))

    @property
    def not_run(self) -> bool:
        """Whether the case should have been run, but was not because of an earlier case."""
        return self.outcome is Outcome.ERROR and self.reason.startswith(NOT_RUN)

    @property
    def missing(self) -> bool:
        """Whether the backend has answered that it does not implement the query or an event."""
        return self.outcome is Outcome.SKIP and self.reason.startswith(UNSUPPORTED)

    @property
    def label(self) -> str:
        """The outcome, and the kind of a failure: ``FAIL WRONG_ROWS``."""
        return self.outcome.upper() + (f" {self.kind}" if self.kind else "")


PASSED = Verdict(Outcome.PASS)


def failed(
    kind: Kind, reason: str, detail: tuple[str, ...] = (), concerns: tuple[CellRow, ...] = ()
) -> Verdict:
    """The verdict on a wrong answer."""
    return Verdict(Outcome.FAIL, kind, reason, detail, concerns)


def skipped(reason: str) -> Verdict:
    """The verdict on a case that is not judged."""
    return Verdict(Outcome.SKIP, None, reason)


def unsupported(answer: Unsupported, needs: tuple[str, ...] = ()) -> Verdict:
    """The verdict on a case whose query or event a backend has answered it does not implement.

    ``needs`` are the capabilities that the event needs; empty: the query was answered so, or no
    capability is about the event.
    """
    reason = f"{UNSUPPORTED}{answer.reason}"
    return Verdict(Outcome.SKIP, None, reason, gaps=answer.gaps, needs=needs)


class Mark(StrEnum):
    """How one of three things went: the rows, their order, or their time."""

    PASS = "pass"
    FAIL = "fail"
    NONE = "none"  # it was not judged


@dataclass(frozen=True, slots=True)
class Marks:
    """The rows, their order and their time, each judged by itself."""

    rows: Mark = Mark.NONE
    order: Mark = Mark.NONE
    time: Mark = Mark.NONE


#: The marks of a case that was not run, or has no rows to judge.
UNMARKED: Final = Marks()


@dataclass(frozen=True, slots=True)
class Grade:
    """The verdict and the marks at the tier that counts, and the verdict at each tier.

    ``transcript`` is what the backend answered; None: it was not asked, or it crashed.  ``tier`` is
    the tier that counts; None: it is the tier that was requested.
    """

    verdict: Verdict
    at: Mapping[Tier, Verdict]
    marks: Marks = UNMARKED
    transcript: Transcript | None = None
    tier: Tier | None = None


#: The judgements of known failures by people (`KnownFailure.verdict`, not a `Verdict`), each with
#: its meaning.
VERDICTS: Final[Mapping[str, str]] = {
    "engine-defect": "the engine's own documentation, or the SQL standard, says otherwise",
    "open": "the rules, or the standard, leave it open",
    "dialect": "the engine's dialect has it so, and says so",
    "missing": "the engine's own documentation says that it does not have it",
    "ours": "an error of this project, to be mended",
}


@dataclass(frozen=True, slots=True)
class KnownFailure:
    """Why a case fails; ``sometimes``: in some runs only, so that it may pass as well.

    ``verdict`` is one of `VERDICTS`; None: it is not decided.
    """

    reason: str
    sometimes: bool = False
    verdict: str | None = None

    def __str__(self) -> str:
        return self.reason if self.verdict is None else f"{self.verdict}: {self.reason}"


@dataclass(frozen=True, slots=True)
class Result:
    """The verdict on one case on one backend, judged at ``tier``, and the seconds it took.

    ``known`` is the known failure of the case; None: the case is not known to fail.  ``at`` are the
    verdicts at each tier.  ``why`` is the reference's explanation of the rows at fault, line by
    line; empty where there is none.  ``marks`` and ``transcript`` are those of the `Grade`.
    ``reported`` has for each capability that demands a report whether the backend has given it.
    The reason of ``known``, and ``why``, are made printable.
    """

    backend: str
    case: Case
    verdict: Verdict
    seconds: float = 0.0
    known: KnownFailure | None = None
    tier: Tier = "final"
    at: Mapping[Tier, Verdict] = field(default_factory=dict[Tier, Verdict])
    why: tuple[str, ...] = ()
    marks: Marks = UNMARKED
    transcript: Transcript | None = None
    reported: Mapping[str, bool] = field(default_factory=dict[str, bool])

    def __post_init__(self) -> None:
        if self.known is not None:
            known = replace(self.known, reason=printable(self.known.reason))
            object.__setattr__(self, "known", known)
        object.__setattr__(self, "why", tuple(map(printable, self.why)))

    @property
    def bad(self) -> bool:
        """Whether it fails the run: an unknown failure, or a known failure that passes.

        A case that is known to fail sometimes may do either.
        """
        return is_bad(self.verdict, self.known)


def is_bad(verdict: Verdict, known: KnownFailure | None) -> bool:
    """Whether a verdict fails the run, by `Result.bad`."""
    if known is not None:
        return verdict.outcome is Outcome.PASS and not known.sometimes
    return verdict.outcome in (Outcome.FAIL, Outcome.ERROR)
