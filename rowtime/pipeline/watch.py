"""The progress of a pipeline: a live table on a terminal, and lines of text at its end."""

import signal
import sys
import threading
import time
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import contextmanager
from types import FrameType

from rich.console import Console
from rich.live import Live
from rich.table import Table
from rich.text import Text

from algebra.records.pipeline import EndpointProgress, PipelineProgress, Report
from rowtime.limits.drop_limit import DropLimit

#: The number of seconds over which rates are averages.
_WINDOW = 5.0


class Watch:
    """The progress that a run has reported so far, and how it is shown."""

    def __init__(self) -> None:
        self._last: PipelineProgress | None = None
        # For each report of the last `_WINDOW` seconds: its time, and the rows of each source and
        # sink so far, by name.
        self._recent: list[tuple[float, dict[str, int]]] = []

    @contextmanager
    def receiver(self) -> Generator[Report]:
        """A context with a function that receives reports of the progress.

        If standard error is a terminal, the function draws a live table.
        """
        console = Console(stderr=True)
        if not (sys.stderr.isatty() and console.is_terminal):
            yield self._note
            return
        with Live(Text("starting"), console=console, auto_refresh=False, transient=True) as live:

            def report(progress: PipelineProgress) -> None:
                self._note(progress)
                live.update(self._table(progress), refresh=True)

            yield report

    def _note(self, progress: PipelineProgress) -> None:
        """Note a report of the progress."""
        self._last = progress
        now = time.monotonic()
        counts = {each.name: each.rows for each in (*progress.sources, *progress.sinks)}
        self._recent = [each for each in self._recent if each[0] > now - _WINDOW]
        self._recent.append((now, counts))

    def _table(self, progress: PipelineProgress) -> Table:
        """A table with a line for each source and sink."""
        table = Table("", "stream", box=None)
        for head in ("rows", "rows/s", "dropped"):
            table.add_column(head, justify="right")
        table.add_column("no later row below")
        for preposition, ends in (("from", progress.sources), ("into", progress.sinks)):
            for each in ends:
                rate = f"{self._rate(each):,.0f}"
                dropped = f"{each.dropped:,}" if each.dropped else ""
                row = (preposition, each.name, f"{each.rows:,}", rate, dropped, each.bound or "")
                table.add_row(*row)
        table.caption = f"{progress.state:,} rows and groups retained"
        return table

    def _rate(self, end: EndpointProgress) -> float:
        """Rows a second, over the last `_WINDOW` seconds."""
        (first, before), (last, _) = self._recent[0], self._recent[-1]
        return (end.rows - before.get(end.name, 0)) / (last - first) if last > first else 0.0

    def written_text(self) -> str:
        """The output that an interrupted run has left, as a message."""
        written = [each for each in (self._last.sinks if self._last else ()) if each.rows]
        return "; ".join(f"{_rows_text(each.rows)} in {each.where}" for each in written) or (
            "nothing was written"
        )

    def summary(self, progress: PipelineProgress, stopped: bool) -> Iterator[str]:
        """Lines on the rows dropped, read and written; ``stopped``: the run was interrupted."""
        if stopped:
            yield "interrupted"
        for each in (*progress.sources, *progress.refused):
            if each.dropped:
                yield f"warning: {_rows_text(each.dropped)} dropped from {each.name} (S-601)"
                yield from _reason_lines(each.reasons, each.dropped)
        for each in progress.sources:
            yield f"read {_rows_text(each.rows)} of {each.name} from {each.where}"
        for each in progress.sinks:
            complete = f", complete below {each.bound}" if stopped and each.bound else ""
            yield f"wrote {_rows_text(each.rows)} of {each.name} to {each.where}{complete}"

    def faults(self, progress: PipelineProgress, limit: DropLimit) -> Iterator[str]:
        """A line for each source, and each target of a statement, that has lost too many rows.

        The rows of a target are those that it has taken, and those that it has dropped.
        """
        targets = {each.name: each.rows for each in progress.sinks}
        yield from limit.faults((e.name, e.rows, e.dropped) for e in progress.sources)
        yield from limit.faults(
            (e.name, targets.get(e.name, 0) + e.dropped, e.dropped) for e in progress.refused
        )


def _reason_lines(reasons: Sequence[str], count: int) -> Iterator[str]:
    """A line for each of the ``reasons``; and the number of the others, if they are not all.

    ``count`` is the number of dropped rows, and ``reasons`` are those of the first rows.
    """
    yield from (f"  {reason}" for reason in reasons)
    if count > len(reasons):
        yield f"  and {count - len(reasons):,} more"


def _rows_text(count: int) -> str:
    """A number of rows in words, such as ``1 row`` or ``2 rows``."""
    return f"{count:,} {'row' if count == 1 else 'rows'}"


@contextmanager
def interruptible() -> Generator[Callable[[], bool]]:
    """A context in which the first Ctrl-C is a request to stop, and only the second interrupts.

    It yields a function that returns whether there was such a request.
    """
    requests: list[int] = []

    def is_requested() -> bool:
        return bool(requests)

    if threading.current_thread() is not threading.main_thread():
        yield is_requested
        return

    def handle(number: int, _frame: FrameType | None) -> None:
        if requests:
            raise KeyboardInterrupt
        requests.append(number)

    before = signal.signal(signal.SIGINT, handle)
    try:
        yield is_requested
    finally:
        signal.signal(signal.SIGINT, before)
