"""The report of a run: its results, their counts, and the exit code."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field, replace

from tck.exit_codes import (
    EXIT_FAILURES,
    EXIT_INTERRUPTED,
    EXIT_NO_BACKEND,
    EXIT_NOTHING_JUDGED,
    EXIT_OK,
)
from tck.judging.verdict import Outcome, Result
from tck.protocol import Hello, Tier
from tck.terminal.printable import printable


@dataclass(frozen=True, slots=True)
class Tally:
    """Counts of cases; each case is in one count.

    ``known`` are known failures, and not among ``failed`` and ``errors``.  ``missing`` are cases
    whose query or event the backend does not implement; ``skipped`` are the other skipped cases.
    """

    passed: int = 0
    failed: int = 0
    errors: int = 0
    skipped: int = 0
    known: int = 0
    missing: int = 0

    @property
    def judged(self) -> int:
        """The number of cases that were neither skipped nor missing."""
        return self.passed + self.failed + self.errors + self.known

    def __str__(self) -> str:
        """The counts in words: ``1 failed, 12 passed``, without those that are 0."""
        parts = [
            (self.failed, "failed"),
            (self.errors, "errors" if self.errors != 1 else "error"),
            (self.passed, "passed"),
            (self.known, "known to fail"),
            (self.missing, "missing"),
            (self.skipped, "skipped"),
        ]
        return ", ".join(f"{count} {what}" for count, what in parts if count) or "no cases"


def _count_name(result: Result) -> str:
    """The name of the count in `Tally` to which a result belongs."""
    match result.verdict.outcome:
        case Outcome.PASS if result.known is None or result.known.sometimes:
            return "passed"
        case Outcome.PASS:
            return "failed"  # a known failure that passes: see `Result.bad`
        case Outcome.SKIP:
            return "missing" if result.verdict.missing else "skipped"
        case Outcome.FAIL | Outcome.ERROR if result.known is not None:
            return "known"
        case Outcome.FAIL:
            return "failed"
        case Outcome.ERROR:
            return "errors"


def tally(results: Iterable[Result]) -> Tally:
    """The counts of some results."""
    return Tally(**Counter(map(_count_name, results)))


def tally_at(results: Iterable[Result], tier: Tier) -> Tally:
    """The counts that the results would have at a tier.

    A result without a verdict at this tier is left out.  Known failures count as known only at the
    tier at which they were judged.
    """
    return tally(
        result if result.tier == tier else replace(result, verdict=result.at[tier], known=None)
        for result in results
        if result.tier == tier or tier in result.at
    )


@dataclass(slots=True)
class Report:
    """The results of a run so far, with everything else that is reported at its end.

    ``hellos`` and ``tiers`` map each backend to its description of itself, and to the tier at which
    it is judged.  ``absent`` maps each backend that could not be started to the reason; ``failed``:
    one of them fails the run.  ``unknown`` are known failures without a case.  ``unlisted`` has
    lines about backends that fail cases, but are not in the file of known failures.  ``slow`` is
    the number of seconds above which a case is reported as slow.
    """

    hellos: dict[str, Hello] = field(default_factory=dict[str, Hello])
    results: list[Result] = field(default_factory=list[Result])
    tiers: dict[str, Tier] = field(default_factory=dict[str, Tier])
    absent: dict[str, str] = field(default_factory=dict[str, str])
    failed: bool = False
    unknown: list[str] = field(default_factory=list[str])
    unlisted: list[str] = field(default_factory=list[str])
    interrupted: bool = False
    slow: float = 30.0

    def start(self, backend: str, hello: Hello, tier: Tier) -> None:
        """Add a backend that has been started; its description of itself is made printable."""
        self.hellos[backend] = replace(
            hello,
            name=printable(hello.name),
            version=printable(hello.version),
            language=printable(hello.language),
            profiles=tuple(map(printable, hello.profiles)),
            properties=dict(hello.properties),
            gaps={printable(gap): printable(reason) for gap, reason in hello.gaps.items()},
        )
        self.tiers[backend] = tier

    def of(self, backend: str, chapter: str | None = None) -> list[Result]:
        """The results of a backend in a chapter; None: in all chapters."""
        return [
            result
            for result in self.results
            if result.backend == backend and chapter in (None, result.case.chapter)
        ]

    @property
    def chapters(self) -> list[str]:
        """The chapters of the results, each once, in the order of their first results."""
        return list(dict.fromkeys(result.case.chapter for result in self.results))

    @property
    def bad(self) -> list[Result]:
        """The unknown failures, and the passes of known failures (`Result.bad`)."""
        return [result for result in self.results if result.bad]

    @property
    def failing(self) -> list[Result]:
        """The results that fail the run: those that are `bad`, and whose case is required."""
        return [result for result in self.bad if result.case.required]

    @property
    def unjudged(self) -> list[str]:
        """The backends on which no case was judged."""
        return [name for name in self.hellos if not tally(self.of(name)).judged]

    @property
    def exit_code(self) -> int:
        """The exit status of the process."""
        if self.interrupted:
            return EXIT_INTERRUPTED
        if self.failed or not self.hellos:
            return EXIT_NO_BACKEND
        if self.failing or self.unknown:
            return EXIT_FAILURES
        return EXIT_NOTHING_JUDGED if self.unjudged else EXIT_OK
