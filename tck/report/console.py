"""Print the report of a run on a console: its progress, then its failures in full, and tables."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from types import MappingProxyType, TracebackType
from typing import Final, Self

from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table
from rich.text import Text

from tck.corpus.case import Case
from tck.corpus.needs import needs_of
from tck.judging.verdict import UNMARKED, UNSUPPORTED, Mark, Marks, Outcome, Result
from tck.protocol import TIERS
from tck.report.gaps.lacks import Lacking, judged_cases, lacking
from tck.report.gaps.next_gaps import next_gaps
from tck.report.summary import failures_by_label, marks_passed, shared_needs, skips_by_reason
from tck.report.tally import Report, Tally, tally, tally_at
from tck.report.unjudged import unjudged
from tck.terminal.printable import printable_lines

#: At most this number of ids of skipped cases, or of chapters that a gap unlocks, are listed.
_FEW: Final = 3
#: At most this number of capabilities that failures share are listed.
_MOST_NEEDS: Final = 10
#: At most this number of reasons that no gap explains are listed.
_MOST_REASONS: Final = 10
#: The meaning of the numbers in a cell of a table.
_LEGEND: Final = "passed / failed / errors / skipped or missing (+ known to fail)"


class ConsoleListener:
    """Shows the progress of a run: in a live table on a terminal, or as lines on other outputs.

    A case that fails or is slow is printed at once.  ``quiet``: only slow cases are printed.
    ``total`` is the number of results of the run.  ``sizes`` has the numbers of cases by backend
    and chapter.  The counts of a chapter are shown, in its cell of the table or in a line, as soon
    as all its cases have results.  If ``sizes`` does not have the chapter, or if the run stops
    before, they are shown at the end of the run.  If the table is higher than the terminal, only a
    bar is shown.
    """

    def __init__(
        self,
        console: Console,
        total: int,
        quiet: bool = False,
        sizes: Mapping[tuple[str, str], int] = MappingProxyType({}),
    ) -> None:
        self._console = console
        self._quiet = quiet
        self._live = console.is_terminal and not console.is_dumb_terminal and not quiet
        self._sizes = sizes
        self._reported: set[str] = set()  # the printed lines about failures
        # By backend and chapter: the results so far of a chapter that has not ended.
        self._chapters: dict[tuple[str, str], list[Result]] = {}
        # By backend and chapter: the counts of a chapter that has ended.
        self._cells: dict[tuple[str, str], Text] = {}
        self._progress = Progress(
            TextColumn("{task.fields[backend]}"),
            BarColumn(),
            MofNCompleteColumn(),
            TimeElapsedColumn(),
            TextColumn("{task.fields[case]}"),
            console=console,
        )
        self._task = self._progress.add_task("cases", total=total, backend="", case="")
        self._display = Live(console=console, transient=True, get_renderable=self._picture)

    def __enter__(self) -> Self:
        if self._live:
            self._display.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._live:
            self._display.stop()
        for each in list(self._chapters):
            self._show_ended_chapter(*each)

    def started(self, backend: str, case: Case) -> None:
        """A case begins."""
        self._progress.update(self._task, backend=backend, case=f"{case.chapter}/{case.id}")

    def slow(self, backend: str, case: Case, seconds: float) -> None:
        """A case has not ended after ``seconds`` seconds."""
        line = f"SLOW {backend} {case.chapter}/{case.id}: still running after {seconds:g} s"
        _print(self._console, line, "yellow")

    def finished(self, result: Result) -> None:
        """A case has ended."""
        self._progress.advance(self._task)
        key = (result.backend, result.case.chapter)
        self._chapters.setdefault(key, []).append(result)
        line = _headline(result)
        if result.bad and not self._quiet and line not in self._reported:
            # Only once: the line about the end of a backend is the same for all its further cases.
            self._reported.add(line)
            _print(self._console, line, "bold red")
        if len(self._chapters[key]) == self._sizes.get(key):
            self._show_ended_chapter(*key)

    def print_counts(self, report: Report, backend: str) -> None:
        """Print the counts of one backend of a run that continues with other backends.

        The table of the backend is printed before its counts, unless the run is ``quiet`` or has a
        live table.
        """
        backend_report = Report({backend: report.hellos[backend]}, report.of(backend))
        if not self._quiet and not self._has_table():
            self._console.print(_table(backend_report))
            self._console.print(_LEGEND)
        counts = tally(backend_report.results)
        _print(self._console, f"{backend}: {counts}", _colour(counts))

    def _show_ended_chapter(self, backend: str, chapter: str) -> None:
        """Show the counts of a chapter."""
        results = self._chapters.pop((backend, chapter))
        self._cells[backend, chapter] = _cell(tally(results))
        if not self._live and not self._quiet:
            _print(self._console, f"{backend} {chapter}: {tally(results)}")

    def _has_table(self) -> bool:
        """Whether there is a live table: it takes six lines besides those of the chapters."""
        chapters = {chapter for _, chapter in self._sizes}
        return self._live and 0 < len(chapters) + 6 <= self._console.height

    def _picture(self) -> RenderableType:
        """The present contents of the live display: the table and the bar, or only the bar."""
        if not self._has_table():
            return self._progress
        backends = dict.fromkeys(backend for backend, _ in self._sizes)
        table = Table("chapter")
        for backend in backends:
            table.add_column(backend, justify="right")
        for chapter in dict.fromkeys(chapter for _, chapter in self._sizes):
            table.add_row(chapter, *(self._cell_now(backend, chapter) for backend in backends))
        return Group(table, self._progress)

    def _cell_now(self, backend: str, chapter: str) -> Text:
        """The cell of a chapter: its counts, or before its end the number of cases with results.

        The cell is empty before the first result.
        """
        key = (backend, chapter)
        if key in self._cells:
            return self._cells[key]
        begun = key in self._chapters
        return Text(f"{len(self._chapters[key])} of {self._sizes[key]}" if begun else "", "dim")


def print_report(console: Console, report: Report, quiet: bool = False) -> None:
    """Print the report of a run.

    It has failures in full, skips, slow cases and tables; and then, for each backend, the
    capabilities that failures share, and the counts.  ``quiet`` leaves out skips, slow cases,
    tables, next gaps, the counts of marks, and unjudged properties; but nothing is left out if no
    case was judged on some backend, because the skips then explain the run.
    """
    quiet = quiet and not report.unjudged  # `Report.unjudged`: the backends without a judged case
    for result in report.bad:
        if not result.verdict.not_run:
            _print_failure(console, result)
    _print_not_run(console, report)
    if not quiet:
        _print_skips(console, report)
        _print_slow(console, report)
        if report.results:
            console.print(_table(report))
            console.print(_tiers(report))
            console.print(_LEGEND)
    for name, reason in report.absent.items():
        _print(console, f"{name} was not run: {reason}", "red" if report.failed else "yellow")
    for known in report.unknown:
        _print(console, f"{known} is known to fail, but there is no such case", "red")
    for line in report.unlisted:
        _print(console, f"known failures: {line}", "yellow")
    for name in report.hellos:
        _print_summary(console, name, report.of(name))
        counts = tally(report.of(name))
        _print(console, f"{name}: {counts}", _colour(counts))
        found = lacking(judged_cases(report.of(name)), report.hellos[name].gaps)
        _print_silent(console, name, found.silent, report.of(name))
        if not quiet:
            _print_next(console, name, found)
        if not quiet and (marks := marks_passed(report.of(name))):
            _print(console, f"{name}: {marks}", "dim")
        for line in () if quiet else unjudged(report.of(name)):
            _print(console, f"{name}: {line}", "yellow")
    if not_required := len(report.bad) - len(report.failing):
        what = "case failed that is" if not_required == 1 else "cases failed that are"
        text = f"{not_required} {what} not required by --requirements: the run does not fail by it"
        _print(console, text, "yellow")
    for name in report.unjudged:
        _print(console, f"{name}: no case was judged", "red")
    if report.interrupted:
        _print(console, "interrupted: the cases after these were not run", "red")


def print_core_note(console: Console, count: int, without_core: int) -> None:
    """Print that only the core was run: ``count`` cases; all cases are ``without_core``."""
    line = f"only the core was run: {_cases(count)}; without --core: {_cases(without_core)}"
    _print(console, line, "dim")


def print_written_gaps(console: Console, path: Path, found: Lacking) -> None:
    """Print the number of gaps that were written to ``path``, and the features that may be gaps.

    Then the reasons that no gap explains are printed, those with the most cases first, each with
    the number of its cases and an example.
    """
    count = len(found.gaps)
    line = f"{path}: {count} gap{'' if count == 1 else 's'}, to be sent as `gaps` of hello"
    _print(console, line, "dim")
    if found.undecided:
        line = f"not written, because the run has too little evidence: {', '.join(found.undecided)}"
        _print(console, line, "yellow")
    for each in found.unexplained[:_MOST_REASONS]:
        cases = _cases(each.count)
        of = cases if each.count == each.total else f"{each.count:,} of {_cases(each.total)}"
        line = f"no gap explains: {each.reason}: {of}, such as {each.case}"
        _print(console, line, "yellow")
    if (more := len(found.unexplained) - _MOST_REASONS) > 0:
        _print(console, f"no gap explains {more:,} more reasons", "yellow")


def print_core_only(console: Console, backends: Iterable[str], count: int, total: int) -> None:
    """Print that some backends have run only the core: ``count`` of ``total`` cases."""
    line = f"{' and '.join(backends)} ran only the core, {count:,} of {total:,} cases"
    _print(console, f"{line}; without --core-for: all", "dim")


def _cases(count: int) -> str:
    """A number of cases in a message."""
    return f"{count:,} case{'' if count == 1 else 's'}"


def _print_failure(console: Console, result: Result) -> None:
    """Print a failure in full: its case, its query, its marks, the difference and the reasons."""
    case = result.case
    console.print()
    _print(console, _headline(result), "bold red")
    cites = f"  cites {', '.join(case.cites)}" if case.cites else ""
    _print(console, f"  {case.place}{cites}", "dim")
    if case.why:
        _print(console, f"  {case.why.strip()}", "dim")
    if case.report:
        of = f"{case.report.engine}, {case.report.version}"
        _print(console, f"  built on a report of {of}: {case.report.link}", "dim")
    for line in (case.sql or case.ddl).strip().splitlines():
        _print(console, f"  | {line.expandtabs()}", "cyan")
    if result.marks != UNMARKED:
        _print(console, f"  {_marks_text(result.marks)}", "dim")
    for line in result.verdict.detail:
        colour = {"-": "red", "+": "green", ">": "yellow"}.get(line[:1], "")
        _print(console, f"  {line}", colour)
    _print_why(console, result)


def _marks_text(marks: Marks) -> str:
    """The marks as a line: ``rows: pass, order: fail, time: not judged``."""
    words = {Mark.PASS: "pass", Mark.FAIL: "fail", Mark.NONE: "not judged"}
    return ", ".join(f"{what}: {words[mark]}" for what, mark in asdict(marks).items())


def _print_why(console: Console, result: Result) -> None:
    """Print the reference's reasons for the rows at fault."""
    for line in result.why:
        _print(console, f"  {line}", "magenta")


def _headline(result: Result) -> str:
    """The line about a result that fails the run; the same for all cases that are not run."""
    if result.verdict.not_run:
        return f"{result.verdict.label} {result.backend}: {result.verdict.reason}"
    where = f"{result.backend} {result.case.chapter}/{result.case.id}"
    if result.verdict.outcome is Outcome.PASS:
        return f"PASS {where}: known to fail, but passes: {result.known}"
    return f"{result.verdict.label} {where}: {result.verdict.reason}"


def _print_not_run(console: Console, report: Report) -> None:
    """Print the number of cases that were not run, by backend and reason."""
    counts = Counter(_headline(each) for each in report.bad if each.verdict.not_run)
    for line, count in counts.items():
        _print(console, f"{line}: {count} case{'' if count == 1 else 's'}", "bold red")


def _print_skips(console: Console, report: Report) -> None:
    """Print by backend and reason the cases that were skipped or are missing: ids, or a number."""
    for backend in report.hellos:
        for reason, ids in skips_by_reason(report.of(backend)).items():
            cases = ", ".join(ids) if len(ids) <= _FEW else f"{len(ids)} cases"
            word, why = "SKIP", reason
            if reason.startswith(UNSUPPORTED):
                word, why = "MISSING", reason.removeprefix(UNSUPPORTED)
            _print(console, f"{word} {backend}: {why}: {cases}", "yellow")


def _print_summary(console: Console, backend: str, results: list[Result]) -> None:
    """Print the kinds of failures, and the capabilities that point to their causes."""
    labels = failures_by_label(results)
    if sum(labels.values()) < 2:
        return
    counts = ", ".join(f"{count} {label}" for label, count in labels.items())
    _print(console, f"{backend}: {counts}", "red")
    shared = shared_needs(results)
    for each in shared[:_MOST_NEEDS]:
        line = f"  {each.failed} of the {each.judged} cases that need {each.need} failed"
        _print(console, line, "red")
    if len(shared) > _MOST_NEEDS:
        _print(console, f"  ... {len(shared) - _MOST_NEEDS} more needs", "red")


def _print_silent(
    console: Console, backend: str, silent: Sequence[str], results: list[Result]
) -> None:
    """Print the properties that no answer reports, and how many failing cases need them.

    ``silent`` are these properties; if there are none, nothing is printed.
    """
    if not silent:
        return
    failed = [each for each in results if each.bad]
    count = sum(not set(silent).isdisjoint(needs_of(each.case)) for each in failed)
    line = f"no answer reports: {', '.join(silent)}; declare these gaps (see --write-gaps)"
    by = f": {count:,} of {len(failed):,} failures are in cases that need them" if count else ""
    _print(console, f"{backend}: {line}{by}", "yellow")


def _print_next(console: Console, backend: str, found: Lacking) -> None:
    """Print the gaps that should be filled next, with the cases and chapters that they unlock."""
    gaps = next_gaps(found.lacks)
    if not gaps:
        return
    _print(console, f"{backend}: add these next, in this order:", "cyan")
    for place, each in enumerate(gaps, 1):
        chapters = [f"{chapter} {count}" for chapter, count in each.chapters.items()]
        more = f" and {len(chapters) - _FEW} more" if len(chapters) > _FEW else ""
        where = f": {', '.join(chapters[:_FEW])}{more}" if chapters else ""
        line = f"  {place}. {each.gap}: unlocks {_cases(each.cases)}{where}"
        _print(console, line, "cyan")


def _print_slow(console: Console, report: Report) -> None:
    """Print each case that took more seconds than the report allows."""
    for result in report.results:
        if result.seconds > report.slow:
            line = f"SLOW {result.backend} {result.case.id}: {result.seconds:.1f} s"
            _print(console, line, "yellow")


def _table(report: Report) -> Table:
    """A table with a row for each chapter, a column for each backend, and the counts in cells."""
    table = Table()
    table.add_column("chapter")
    for name, hello in report.hellos.items():
        table.add_column(f"{name} ({hello.name} {hello.version})", justify="right")
    for chapter in report.chapters:
        counts = [tally(report.of(name, chapter)) for name in report.hellos]
        table.add_row(chapter, *map(_cell, counts))
    table.add_section()
    table.add_row("all", *(_cell(tally(report.of(name))) for name in report.hellos))
    return table


def _tiers(report: Report) -> Table:
    """A table with the counts of each backend at each tier; the tier of the judgement is marked."""
    table = Table("backend", *TIERS)
    for name in report.hellos:
        results = report.of(name)
        cells = [_cell(tally_at(results, tier)) for tier in TIERS]
        for tier, cell in zip(TIERS, cells, strict=True):
            if report.tiers.get(name) == tier:
                cell.append(" *")
        table.add_row(name, *cells)
    table.caption = "* judged; the others as they would be"
    return table


def _cell(counts: Tally) -> Text:
    """The counts in a cell of a table, as `_LEGEND` explains them."""
    numbers = (counts.passed, counts.failed, counts.errors, counts.skipped + counts.missing)
    text = " / ".join(map(str, numbers)) + (f" (+ {counts.known})" if counts.known else "")
    return Text(text, _colour(counts))


def _colour(counts: Tally) -> str:
    """The colour of counts: red if cases failed, green if some passed."""
    if counts.failed or counts.errors:
        return "red"
    return "green" if counts.passed else "dim"


def _print(console: Console, text: str, style: str = "") -> None:
    """Print a text; control characters in it are replaced by escapes."""
    console.print(Text(printable_lines(text), style), soft_wrap=True)
