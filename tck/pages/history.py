"""The runs of one engine over time: the part of each that was right, and the latest changes."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from tck.report.comparison import Change, compare
from tck.report.comparison_text import change_labels, sections
from tck.report.record import RunRecord
from tck.report.states import counted, right_of_judged

#: The width and the height of a trend, in pixels, and its margin.
_WIDTH, _HEIGHT, _MARGIN = 240, 48, 6


@dataclass(frozen=True, slots=True)
class PastRun:
    """A run: the version of the engine, and how many of the judged cases were right.

    ``file`` is the file of the run.
    """

    date: str
    version: str
    file: str
    cases: int
    right: int
    judged: int

    @property
    def part(self) -> float:
        """The part that was right; 0 if no case was judged."""
        return self.right / self.judged if self.judged else 0.0


@dataclass(frozen=True, slots=True)
class ChangedCase:
    """A result that has changed: the case, its chapter, and ``PASS -> FAIL ORDER``."""

    case: str
    chapter: str
    labels: str
    reason: str


@dataclass(frozen=True, slots=True)
class History:
    """The runs of an engine, oldest first, and the changes from the last but one to the last.

    ``changes`` are by the titles of `tck diff`; ``trend`` are the points of a line, ``x,y x,y``.
    """

    runs: tuple[PastRun, ...]
    changes: tuple[tuple[str, tuple[ChangedCase, ...]], ...]
    trend: str


def history(runs: Sequence[RunRecord]) -> History | None:
    """The history of some runs of one engine, oldest first; None if there is only one."""
    if len(runs) < 2:
        return None
    past = tuple(map(_past_run, runs))
    comparison = compare(runs[-2], runs[-1])
    changes = ((title, tuple(map(_changed, changed))) for title, changed in sections(comparison))
    return History(past, tuple(changes), " ".join(_points(past)))


def _past_run(record: RunRecord) -> PastRun:
    versions = [hello.version for hello in record.hellos.values()]
    right, judged = right_of_judged(counted(record.entries))
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
    entry = change.entry
    reason = change.new.verdict.reason if change.new else ""
    return ChangedCase(entry.case, entry.chapter, change_labels(change), reason)


def _points(runs: Sequence[PastRun]) -> Iterator[str]:
    """A point for each run: the oldest at the left, the best part at the top."""
    parts = [run.part for run in runs]
    least, span = min(parts), max(parts) - min(parts) or 1.0
    for place, part in enumerate(parts):
        x = _MARGIN + place * (_WIDTH - 2 * _MARGIN) / (len(parts) - 1)
        y = _HEIGHT - _MARGIN - (part - least) / span * (_HEIGHT - 2 * _MARGIN)
        yield f"{x:.1f},{y:.1f}"
