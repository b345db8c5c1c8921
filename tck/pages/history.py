"""Show the runs of one engine over time: the share of right cases, and the latest changes."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from tck.report.comparison import Change, compare
from tck.report.comparison_text import change_labels, sections
from tck.report.record import RunRecord
from tck.report.states import counted_entries, right_of_judged

#: The width and the height of a trend line, and its margin, in pixels.
_WIDTH, _HEIGHT, _MARGIN = 240, 48, 6


@dataclass(frozen=True, slots=True)
class PastRun:
    """A run: the version of the engine, and the numbers of right and of judged cases.

    ``file`` is the name of the run's file, and ``cases`` is the number of results.
    """

    date: str
    version: str
    file: str
    cases: int
    right: int
    judged: int

    @property
    def share(self) -> float:
        """The share of the judged cases that was right; 0 if no case was judged."""
        return self.right / self.judged if self.judged else 0.0


@dataclass(frozen=True, slots=True)
class ChangedCase:
    """A result that has changed: the case, and the verdicts (``labels``): ``PASS -> FAIL ORDER``.

    ``reason`` is that of the newer verdict; empty if the newer run does not have the case.
    """

    case: str
    chapter: str
    labels: str
    reason: str


@dataclass(frozen=True, slots=True)
class History:
    """The runs of an engine, oldest first, and the changes in the last run from the run before.

    ``changes`` has the changed cases by the titles of `tck diff`.  ``trend`` has the points of a
    trend line: ``x,y x,y``.
    """

    runs: tuple[PastRun, ...]
    changes: tuple[tuple[str, tuple[ChangedCase, ...]], ...]
    trend: str


def history(runs: Sequence[RunRecord]) -> History | None:
    """The history of the runs of one engine, oldest first; None if there is only one run."""
    if len(runs) < 2:
        return None
    past = tuple(map(_past_run, runs))
    comparison = compare(runs[-2], runs[-1])
    changes = ((title, tuple(map(_changed, changed))) for title, changed in sections(comparison))
    return History(past, tuple(changes), " ".join(_points(past)))


def _past_run(record: RunRecord) -> PastRun:
    """The numbers of a run of one backend; without version if the backend was not started."""
    versions = [hello.version for hello in record.hellos.values()]
    right, judged = right_of_judged(counted_entries(record.entries))
    cases = len(record.entries)
    return PastRun(
        date=record.date,
        version="".join(versions[:1]),
        file=record.path.name,
        cases=cases,
        right=right,
        judged=judged,
    )


def _changed(change: Change) -> ChangedCase:
    """A change of a result, as the page shows it."""
    entry = change.entry
    reason = change.new.verdict.reason if change.new else ""
    return ChangedCase(entry.case, entry.chapter, change_labels(change), reason)


def _points(runs: Sequence[PastRun]) -> Iterator[str]:
    """A point for each run: the oldest is at the left, and the greatest share at the top."""
    shares = [run.share for run in runs]
    least, span = min(shares), max(shares) - min(shares) or 1.0
    for place, share in enumerate(shares):
        x = _MARGIN + place * (_WIDTH - 2 * _MARGIN) / (len(shares) - 1)
        y = _HEIGHT - _MARGIN - (share - least) / span * (_HEIGHT - 2 * _MARGIN)
        yield f"{x:.1f},{y:.1f}"
