"""A timeline as text: a line for each event, and below it a line for each row emitted there."""

from collections.abc import Iterator, Sequence
from typing import Final

from rich.text import Text

from rowtime.timeline.changelog_text import changelog_lines
from rowtime.timeline.entry_text import event_line, faults_of
from tck.drawing.changelog import ChangelogRun
from tck.drawing.scale import Scale, scale
from tck.drawing.timeline import EmittedRow, Entry, Timeline

#: How wide the picture of the rowtimes is, in characters.
STRIP: Final = 48
#: A colour for each input, the first again after the last.
COLOURS: Final = ("blue", "green", "yellow", "magenta")


def lines_of(run: Timeline | ChangelogRun, strip: int = STRIP) -> Iterator[Text]:
    """A run, line by line; ``strip`` is the width of its picture in characters, 0: no picture."""
    if isinstance(run, ChangelogRun):
        return changelog_lines(run, strip)
    return lines(run, strip)


def lines(timeline: Timeline, strip: int = STRIP) -> Iterator[Text]:
    """The timeline, line by line; ``strip`` is the picture's width in characters, 0: no picture.

    In the picture time runs from left to right: ``●`` is an input row, a cross one that was
    dropped, ``┃`` a producer's bound, ``◆`` an emitted row, ``━`` its window, ``∙`` the input rows
    it is made of, and ``│`` the output's bound.
    """
    yield from (Text(line, style="bold") for line in timeline.sql.splitlines())
    yield Text(f"{timeline.title}{f', {timeline.day}' if timeline.day else ''}", style="dim")
    yield Text()
    events = [event_line(each) for each in timeline.entries]
    left = max([len("what happens"), *map(len, events)])
    right = max(
        [len(timeline.columns), *(len(o.text) for h in timeline.entries for o in h.emitted)]
    )
    drawn = _Strip(timeline, scale(timeline), strip)
    head = f"  #  {'what happens':{left}}  {drawn.axis()}{timeline.columns:{right}}"
    yield Text(f"{head}  no later row below", style="dim")
    for number, (each, event) in enumerate(zip(timeline.entries, events, strict=True), 1):
        yield from _lines_of(timeline, each, Text(f"{number:3}  {event:{left}}  "), drawn, right)


def _lines_of(
    timeline: Timeline, each: Entry, start: Text, drawn: "_Strip", right: int
) -> Iterator[Text]:
    known = f"  {timeline.time_text(each.output_bound)}"
    yield start + drawn.event(each) + Text("" if each.emitted else f"{'':{right}}{known}")
    indent = len(start)
    for out in each.emitted:
        last = out is each.emitted[-1]
        arrow = Text(f"     {'└─' if last else '├─'} comes out".ljust(indent), style="dim")
        yield arrow + drawn.out(out, each) + Text(f"{out.text:{right}}{known if last else ''}")
    for why in faults_of(each):
        yield Text(f"     └─ {why.splitlines()[0]}", style="red")


class _Strip:
    """The pictures of the lines, each as wide as the axis; the output's bound moves along."""

    def __init__(self, timeline: Timeline, scale: Scale, width: int) -> None:
        names = list(timeline.inputs)
        self._timeline = timeline
        self._colours = {name: COLOURS[i % len(COLOURS)] for i, name in enumerate(names)}
        self._times = {
            dot.key: dot.time for each in timeline.entries for dot in each.arrived if dot.key
        }
        self._scale = scale
        self._width = width
        self._done = scale.first  # the output's bound before the line

    def axis(self) -> str:
        """The labels of the axis."""
        if not self._width:
            return ""
        cells = [" "] * (self._width + 2)
        free = 0
        for time, label in self._scale.ticks(
            most=max(self._width // 12, 2), day=self._timeline.day
        ):
            at = self._place(time)
            if free <= at <= self._width - len(label):
                cells[at : at + len(label)] = label
                free = at + len(label) + 2
        return "".join(cells)

    def _place(self, time: float) -> int:
        return round(self._scale.part(time) * (self._width - 1))

    def event(self, each: Entry) -> Text:
        """The rows that arrived and the bounds that were set at an event."""
        if not self._width:
            return Text()
        cells = self._cells()
        for flag in each.bounds:
            if flag.time is not None:
                self._put(cells, flag.time, "┃", self._colours.get(flag.input, "default"))
        for dot in each.arrived:
            if dot.time is not None:
                style = "bold red" if dot.dropped else self._colours.get(dot.input, "default")
                self._put(cells, dot.time, "×" if dot.dropped else "●", style)  # noqa: RUF001 - the sign
        if not each.emitted:
            self._done = max(self._done, each.output_bound)
        return _joined(cells)

    def out(self, out: EmittedRow, each: Entry) -> Text:
        """An emitted row, with its windows and the rows it is made of."""
        if not self._width:
            return Text()
        cells = self._cells()
        for start, end in out.windows:
            for at in range(self._place(start), self._place(end)):
                cells[at] = ("━", "dim")
        for key in out.parts:
            time = self._times.get(key)
            if time is not None:
                self._put(cells, time, "∙", self._colours.get(key[0], "default"))
        if out.time is not None:
            self._put(cells, out.time, "◆", "bold")
        if out is each.emitted[-1]:
            self._done = max(self._done, each.output_bound)
        return _joined(cells)

    def _cells(self) -> list[tuple[str, str]]:
        """A line that is empty but for the output's bound."""
        cells = [(" ", "")] * (self._width + 2)
        if self._scale.first < self._done <= self._scale.last:
            cells[self._place(self._done)] = ("│", "dim")
        return cells

    def _put(self, cells: list[tuple[str, str]], time: float, sign: str, style: str) -> None:
        cells[self._place(time)] = (sign, style)


def _joined(cells: Sequence[tuple[str, str]]) -> Text:
    return Text.assemble(*cells)
