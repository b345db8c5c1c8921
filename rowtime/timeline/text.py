"""A timeline as text: a line for each event, and below it a line for each row emitted there."""

import textwrap
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

from rich.text import Text

from algebra.records.printing import display_width, padded
from rowtime.timeline.changelog_text import changelog_lines
from rowtime.timeline.entry_text import event_line, faults_of
from tck.drawing.changelog import ChangelogRun
from tck.drawing.scale import Scale, scale
from tck.drawing.shapes import shortened
from tck.drawing.timeline import EmittedRow, Entry, Timeline

#: The usual width of a strip, and its least useful width.  A *strip* is the part of a line that is
#: a picture: its columns are times, and its signs are rows and bounds.
STRIP: Final = 48
_LEAST_STRIP: Final = 20
#: The signs and the colours of inputs; further inputs use them again from the first.
_SIGNS: Final = "●■▲▼★◀▶✚"
_COLOURS: Final = ("blue", "green", "yellow", "magenta", "cyan", "red", "white", "bright_blue")
#: The number of events after which the heads of the columns are repeated.
_LONG: Final = 30
_HEAD: Final = "what happens"
#: The width of an event's number, with the gaps of the columns.
_NUMBER: Final = 5
_GAP: Final = 2


def lines_of(run: Timeline | ChangelogRun, width: int | None = None) -> Iterator[Text]:
    """A run, line by line, each at most ``width`` wide; None: as wide as it needs."""
    if isinstance(run, ChangelogRun):
        return changelog_lines(run, width)
    return lines(run, width)


def lines(timeline: Timeline, width: int | None = None) -> Iterator[Text]:
    """The timeline, line by line, each at most ``width`` wide; None: as wide as it needs.

    In the picture time runs from left to right, and the last lines have the meaning of each sign.
    In a narrow terminal the picture is smaller, or left out, and then texts are shortened.  Times
    are never shortened: lines are wider if the times alone do not fit.
    """
    for line in timeline.sql.splitlines():
        whole = [line] if width is None else textwrap.wrap(line, width, subsequent_indent="    ")
        yield from (Text(each, style="bold") for each in whole)
    yield Text(f"{timeline.title}{f', {timeline.day}' if timeline.day else ''}", style="dim")
    yield Text()
    columns = _columns(timeline, width)
    drawn = _Strip(timeline, scale(timeline), columns.strip)
    for number, each in enumerate(timeline.entries):
        if number % _LONG == 0:
            yield _heads(timeline, columns, drawn)
        yield from _lines_of(timeline, number + 1, each, columns, drawn)
    yield from drawn.legend(width)


@dataclass(frozen=True, slots=True)
class _Columns:
    """The widths of the parts of a line, in characters.

    ``left`` is the width of the events, and ``right`` that of the emitted rows; ``strip`` is 0 if
    there is no room for a strip.  ``whole`` is the greatest width of a line; None: any width.
    """

    left: int
    strip: int
    right: int
    whole: int | None

    @property
    def bound(self) -> str:
        """The heading of the output's bound; short if there is no room for a strip."""
        return "no later row below" if self.strip else "bound"


def _columns(timeline: Timeline, width: int | None) -> _Columns:
    """The columns of a timeline in lines of at most ``width``; None: as wide as they need.

    If there is not enough room, the strip is made smaller, then left out; then texts are shortened.
    """
    events = map(event_line, timeline.entries)
    rows = [row.text for each in timeline.entries for row in each.emitted]
    left = max(map(display_width, [_HEAD, *events]))
    right = max(map(display_width, [timeline.columns, *rows]))
    if width is None:
        return _Columns(left, STRIP, right, None)
    times = [timeline.time_text(each.output_bound) for each in timeline.entries]
    longest = max(map(len, times), default=0)
    whole = _Columns(left, STRIP, right, width)
    strip = width - _NUMBER - left - right - 3 * _GAP - max(longest, len(whole.bound))
    if strip >= _LEAST_STRIP:
        return replace(whole, strip=min(strip, STRIP))
    room = width - _NUMBER - 2 * _GAP - max(longest, len("bound"))
    # Each of the two texts gets half of the room, or more if the other one needs less.  The emitted
    # rows get at least the width of their times, which are never shortened.
    least = max(display_width(_fitted(row, 0)) for row in [*rows, ""])
    right = max(min(right, max(room // 2, least)), room - left)
    return _Columns(max(min(left, room - right), len(_HEAD)), 0, right, width)


def _fitted(text: str, width: int) -> str:
    """The text, shortened or followed by blanks, so that it is ``width`` wide."""
    return padded(shortened(text, width, display_width), width)


def _heads(timeline: Timeline, columns: _Columns, drawn: "_Strip") -> Text:
    """The line with the headings of the columns, and the axis of the strips."""
    head = f"  #  {_HEAD:{columns.left}}  {drawn.axis()}{_fitted(timeline.columns, columns.right)}"
    return Text(f"{head}  {columns.bound}", style="dim")


def _lines_of(
    timeline: Timeline, number: int, each: Entry, columns: _Columns, drawn: "_Strip"
) -> Iterator[Text]:
    """The lines of an event: the event itself, its emitted rows, and its faults.

    The last line before the faults shows the output's bound.
    """
    bound = f"  {timeline.time_text(each.output_bound)}"
    start = f"{number:3}  {_fitted(event_line(each), columns.left)}  "
    blank = " " * columns.right
    yield Text(start) + drawn.event_strip(each) + Text("" if each.emitted else f"{blank}{bound}")
    indent = _NUMBER + columns.left + _GAP
    for out in each.emitted:
        last = out is each.emitted[-1]
        arrow = Text(f"     {'└─' if last else '├─'} emitted".ljust(indent), style="dim")
        row = _fitted(out.text, columns.right)
        yield arrow + drawn.row_strip(out, each) + Text(f"{row}{bound if last else ''}")
    for why in faults_of(each):
        line = f"     └─ {why.splitlines()[0]}"
        fitted = line if columns.whole is None else shortened(line, columns.whole, display_width)
        yield Text(fitted, style="red")


class _Strip:
    """Draws the strips of the lines, which must be asked for from the first line to the last.

    It remembers the output's bound, which each strip shows.
    """

    def __init__(self, timeline: Timeline, scale: Scale, width: int) -> None:
        names = list(timeline.inputs)
        self._timeline = timeline
        self._colours = {name: _COLOURS[i % len(_COLOURS)] for i, name in enumerate(names)}
        self._signs = {name: _SIGNS[i % len(_SIGNS)] for i, name in enumerate(names)}
        self._times = {
            dot.key: dot.time for each in timeline.entries for dot in each.arrived if dot.key
        }
        self._scale = scale
        self._width = width
        self._output_bound = scale.first  # the output's bound before the line

    def axis(self) -> str:
        """The labels of the axis."""
        if not self._width:
            return ""
        cells = [" "] * (self._width + _GAP)
        free = 0
        for time, label in self._scale.ticks(
            most=max(self._width // 12, 2), day=self._timeline.day
        ):
            at = self._place(time)
            if free <= at <= self._width - len(label):
                cells[at : at + len(label)] = label
                free = at + len(label) + 2
        return "".join(cells)

    def legend(self, width: int | None) -> Iterator[Text]:
        """The meanings of the signs in the picture, in lines; none without a picture."""
        if not self._width:
            return
        items = list(self._items())
        yield Text()
        line = Text(style="dim")
        for sign, style, meaning in items:
            item = Text.assemble((sign, style), f" {meaning}")
            if len(line) and len(line) + 3 + len(item) > (width or 100):
                yield line
                line = Text(style="dim")
            line = line + Text("   " if len(line) else "") + item
        yield line

    def _items(self) -> Iterator[tuple[str, str, str]]:
        """The signs of the picture with their styles and meanings."""
        entries = self._timeline.entries
        emitted = [out for each in entries for out in each.emitted]
        for name, sign in self._signs.items():
            yield sign, self._colours[name], f"row of {name}"
        if any(dot.dropped for each in entries for dot in each.arrived):
            yield "×", "bold red", "dropped row"  # noqa: RUF001 - the sign
        if any(flag.time is not None for each in entries for flag in each.bounds):
            yield "┃", "", "bound of an input"
        if emitted:
            yield "◆", "bold", "emitted row"
        if any(len(out.parts) > 1 or (out.parts and out.windows) for out in emitted):
            yield "∙", "", "row that it is made of"
        if any(out.windows or out.frames for out in emitted):
            yield "━", "dim", "its window or frame"
        if any(self._scale.first < each.output_bound <= self._scale.last for each in entries):
            yield "│", "dim", "no later row is emitted to the left"

    def _place(self, time: float) -> int:
        """The place of a time in a strip, from 0."""
        return round(self._scale.part(time) * (self._width - 1))

    def event_strip(self, each: Entry) -> Text:
        """The strip of an event: the rows that arrived, and the bounds that were set."""
        if not self._width:
            return Text()
        cells = self._cells()
        for flag in each.bounds:
            if flag.time is not None:
                self._put(cells, flag.time, "┃", self._colours.get(flag.input, "default"))
        for dot in each.arrived:
            if dot.time is None:
                continue
            if dot.dropped:
                self._put(cells, dot.time, "×", "bold red")  # noqa: RUF001 - the sign
            else:
                self._put(cells, dot.time, self._signs[dot.input], self._colours[dot.input])
        if not each.emitted:
            self._output_bound = max(self._output_bound, each.output_bound)
        return _joined(cells)

    def row_strip(self, out: EmittedRow, each: Entry) -> Text:
        """The strip of an emitted row of the event ``each``: its windows, frames and input rows."""
        if not self._width:
            return Text()
        cells = self._cells()
        for start, end in (*out.windows, *out.frames):
            for at in range(self._place(start), self._place(end)):
                cells[at] = ("━", "dim")
        for key in out.parts:
            time = self._times.get(key)
            if time is not None:
                self._put(cells, time, "∙", self._colours.get(key[0], "default"))
        if out.time is not None:
            self._put(cells, out.time, "◆", "bold")
        if out is each.emitted[-1]:
            self._output_bound = max(self._output_bound, each.output_bound)
        return _joined(cells)

    def _cells(self) -> list[tuple[str, str]]:
        """A strip with only the output's bound."""
        cells = [(" ", "")] * (self._width + _GAP)
        if self._scale.first < self._output_bound <= self._scale.last:
            cells[self._place(self._output_bound)] = ("│", "dim")
        return cells

    def _put(self, cells: list[tuple[str, str]], time: float, sign: str, style: str) -> None:
        """Write a sign into a strip, at the place of ``time``."""
        cells[self._place(time)] = (sign, style)


def _joined(cells: Sequence[tuple[str, str]]) -> Text:
    """A strip as text; each cell is a sign and its style."""
    return Text.assemble(*cells)
