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
    ERROR = "error"  # no answer, an answer that the protocol does not allow, or a case not run
    SKIP = "skip"  # the backend lacks a capability that the case needs, or the tier judges nothing


class Kind(StrEnum):
    """The ways in which an answer is wrong; if several apply, the first in this order counts.

    Among TOO_EARLY, TOO_LATE and FALSE_BOUND the one at the earliest step counts.
    """

    REFUSED = "REFUSED"  # a legal query was refused, or failed at run time
    # A query was accepted that must be refused, or did not fail at run time although it must fail.
    ACCEPTED = "ACCEPTED"
    WRONG_CODE = "WRONG_CODE"  # an error, or a dropped row, has another code or another place
    WRONG_SCHEMA = "WRONG_SCHEMA"
    WRONG_METADATA = "WRONG_METADATA"  # monotonicity, collation, latency, state or plan
    NOT_LATE = "NOT_LATE"  # a row that must be dropped was accepted
    WRONGLY_LATE = "WRONGLY_LATE"  # a row that must be accepted was dropped
    # A bound was accepted that must be refused with a warning, or the reverse; or the warning has
    # another code, or was given at another step.
    WRONG_WARNING = "WRONG_WARNING"
    WRONG_ROWS = "WRONG_ROWS"
    DUPLICATE = "DUPLICATE"  # all expected rows were emitted, some of them too often
    ORDER = "ORDER"
    NEGATIVE_ROW = "NEGATIVE_ROW"  # a changelog deletes a row that is not in the fold
    INCONSISTENT = "INCONSISTENT"  # the fold of a changelog was never correct, or goes back
    STALE = "STALE"  # the fold of a changelog was correct at an earlier event
    TOO_EARLY = "TOO_EARLY"  # a row was emitted, or the query failed, before the right step
    TOO_LATE = "TOO_LATE"  # a row was emitted, or the query failed, after the right step
    FALSE_BOUND = "FALSE_BOUND"  # a row is below a reported bound, or a bound is wrong
    TOO_MUCH_STATE = "TOO_MUCH_STATE"  # more rows and groups are retained than are needed
    FALSE_STATE = "FALSE_STATE"  # the backend reports that it retains nothing, but it retains rows


#: The reason of an error begins so if the case should have been run, but was not.
NOT_RUN: Final = "not run: "
#: The reason of a skip begins so if the backend does not implement the query or an event.
UNSUPPORTED: Final = "unsupported: "


@dataclass(frozen=True, slots=True)
class Verdict:
    """The outcome of a case, and why.

    ``kind`` is the kind of a wrong answer; None: the outcome is not FAIL.  ``reason`` is one line,
    empty for a pass; ``detail`` shows the difference, line by line; ``concerns`` are the expected
    rows at fault.  If the backend does not implement the query or an event, ``gaps`` has the
    capabilities that it names in its answer, and ``needs`` those that the event needs.

    Reason and detail are made printable, because they can contain texts of the backend.
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
        """Whether the case was not run because the time was over or the backend kept crashing."""
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
    """The verdict on a case after the answer that the query, or an event, is not implemented.

    ``needs`` are the capabilities that the event needs; empty: the answer was to the query, or no
    capability is about the event.
    """
    reason = f"{UNSUPPORTED}{answer.reason}"
    return Verdict(Outcome.SKIP, None, reason, gaps=answer.gaps, needs=needs)


class Mark(StrEnum):
    """The judgement on one of three parts of a result: the rows, their order, or their time."""

    PASS = "pass"
    FAIL = "fail"
    NONE = "none"  # it was not judged


@dataclass(frozen=True, slots=True)
class Marks:
    """The marks of the rows, of their order and of their time; each is judged by itself."""

    rows: Mark = Mark.NONE
    order: Mark = Mark.NONE
    time: Mark = Mark.NONE


#: The marks of a case that was not run, or has no rows to judge.
UNMARKED: Final = Marks()


@dataclass(frozen=True, slots=True)
class Grade:
    """The judgement on one run of a case, at all tiers.

    ``verdict`` and ``marks`` are those at ``tier``; None: at the tier that the user requested.
    ``at`` has the verdict at each tier.  ``transcript`` has the backend's answers; None: the case
    was not run, or ended by an exception or `Unsupported`.
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
    """The entry of a case that is known to fail.

    ``reason`` is why it fails.  ``sometimes``: the case fails only in some runs, so it may also
    pass.  ``verdict`` is one of `VERDICTS`; None: nobody has decided it.
    """

    reason: str
    sometimes: bool = False
    verdict: str | None = None

    def __str__(self) -> str:
        return self.reason if self.verdict is None else f"{self.verdict}: {self.reason}"


@dataclass(frozen=True, slots=True)
class Result:
    """The verdict on one case on one backend, judged at ``tier``, and the seconds that it took.

    ``known`` is the known failure of the case; None: the case is not known to fail.  ``at`` has the
    verdict at each tier.  ``why`` is the reference's explanation of the rows at fault, line by
    line; empty if there is none.  ``marks`` and ``transcript`` are those of the `Grade`.
    ``reported`` is as `tck.reported` computes it.

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
        """Whether the result fails the run: an unknown failure, or a pass of a known failure.

        A case that is known to fail sometimes may pass or fail.
        """
        return is_bad(self.verdict, self.known)


def is_bad(verdict: Verdict, known: KnownFailure | None) -> bool:
    """Whether a verdict fails the run (`Result.bad`); ``known`` None: it is not known to fail."""
    if known is not None:
        return verdict.outcome is Outcome.PASS and not known.sometimes
    return verdict.outcome in (Outcome.FAIL, Outcome.ERROR)
