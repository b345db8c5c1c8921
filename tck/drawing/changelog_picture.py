"""Lay out a changelog as a picture: the time in which each row was valid, event by event.

Events run from top to bottom.  Each change has a line of its own next to its event or below it, and
each row of the answer a bar from the event that inserts it to the event that deletes it.  Bars at
the same height stand side by side, each in a *lane*.
"""

from collections.abc import Iterator
from typing import Final

from tck.drawing.changelog import ChangeEvent, ChangelogRun, DrawnChange
from tck.drawing.picture import Curve, DrawnRow, Form, Label, Mark, Picture
from tck.drawing.shapes import cut, n, wide

#: Lengths in pixels: the margin of a picture, the width of an event's number, the height of a line,
#: the width of a lane, and the gap between columns.
_MARGIN: Final = 48
_NUMBER: Final = 36
_LINE: Final = 24.0
_LANE: Final = 22.0
_GAP: Final = 26.0
#: The least width of the texts of rows at the right of the lanes; the picture is widened for it.
_LEAST_TEXT: Final = 120.0
#: The greatest number of lanes that are drawn, and of rows of the answer that are listed below.
_LANES: Final = 30
_LISTED: Final = 12
#: The signs of inserts and deletes, as SVG paths.
_DOT: Final = "M5 0A5 5 0 1 1 -5 0A5 5 0 1 1 5 0Z"
_CROSS: Final = "M-5 -5L5 5M-5 5L5 -5"
_MINUS: Final = "\N{MINUS SIGN}"


def changelog_picture(run: ChangelogRun, form: Form | None = None) -> Picture:
    """The picture of a changelog; ``form`` None: for a wide screen, with a heading."""
    return _Drawing(run, form or Form()).picture()


class _Drawing:
    """A drawing in progress: its parts are placed from top to bottom.

    If ``form.headed``, the picture has the title, the query and, at the end, the current answer.
    """

    def __init__(self, run: ChangelogRun, form: Form) -> None:
        self._run = run
        self._form = form
        self._margin = _MARGIN if form.headed else 0
        self._text_at = self._margin + _NUMBER
        words = (wide(line, 13) for event in run.events for line in (*event.lines, *event.faults))
        room = (form.width - 2 * self._margin) / 2
        self._left = self._text_at + min(max(170.0, *words, 0.0), room) + _GAP
        self._lanes = min(run.lanes, _LANES)
        self._right = self._left + self._lanes * _LANE + 8
        self._width = max(form.width, self._right + _GAP + _LEAST_TEXT + self._margin)
        self._end = self._width - self._margin
        self._labels: list[Label] = []
        self._heads: list[Label] = []
        self._marks: list[Mark] = []
        self._rules: list[Curve] = []
        self._bars: list[Curve] = []
        self._rows: list[DrawnRow] = []
        # By lane, the valid rows: the y of the insert, and whether the row stays to the end.
        self._since: dict[int, tuple[float, bool]] = {}

    def picture(self) -> Picture:
        """Draw everything; called once."""
        top = self._head()
        y, ends = top, list[float]()
        for number, event in enumerate(self._run.events, 1):
            y = self._event(number, event, y)
            ends.append(y)
        for lane in list(self._since):
            self._bar(lane, y)  # the bars of rows that are still in the answer
        below = self._answer(y) if self._form.headed else y + 6
        plot = (self._left, top, self._right - self._left, y - top)
        title, sql = self._run.title, self._run.sql
        return Picture(
            width=self._width,
            height=below,
            title=title,
            description=sql,
            plot=plot,
            done="",  # only a timeline shows the times below the output's bound
            rules=tuple(self._rules),
            bounds=tuple(self._bars),  # a timeline has the lines of bounds at this depth
            marks=tuple(self._marks),
            labels=tuple(self._labels),
            rows=tuple(self._rows),
            ends=tuple(ends),
            axis=tuple(self._heads),
            axis_top=top - 26,
        )

    def _head(self) -> float:
        """Draw title, query, legend and column heads; return the y at which the events begin."""
        y = 6.0
        if self._form.headed:
            self._labels.append(Label(self._margin, 52, self._run.title, "title"))
            self._labels.append(Label(self._end, 52, self._run.day, "day", "end"))
            y = 80.0
            for line in self._run.sql.splitlines():
                self._labels.append(Label(self._margin, y, cut(line, 1500, 12.5), "query"))
                y += 17
        x = float(self._margin)
        for path, look, text in self._legend():
            if x > self._margin and x + 24 + wide(text, 12) > self._end:
                x, y = float(self._margin), y + _LINE
            self._marks.append(Mark(x + 9, y + 6, path, look))
            self._labels.append(Label(x + 24, y + 10, text, "small"))
            x += wide(text, 12) + 56
        y += 44
        day = "" if self._form.headed else f"  {self._run.day}"
        self._heads.append(Label(self._margin, y - 12, f"event{day}".rstrip(), "head"))
        columns = cut(self._run.columns, self._end - self._right - _GAP, 12)
        self._heads.append(Label(self._right + _GAP, y - 12, columns, "head"))
        return y

    def _legend(self) -> Iterator[tuple[str, str, str]]:
        """The items of the legend: outline, CSS classes, meaning."""
        changes = [change for event in self._run.events for change in event.changes]
        yield _DOT, "dot i0", "row inserted"
        if any(not change.inserts for change in changes):
            yield _CROSS, "lost", "row deleted"
        yield "M-9 0H9", "valid", "the row is in the answer"
        if any(change.stays for change in changes):
            yield "M-9 0H9", "valid now", "and in the current answer"

    def _event(self, number: int, event: ChangeEvent, top: float) -> float:
        """Draw an event and its changes; return the y below them."""
        if number > 1:
            self._rules.append(Curve(f"M{self._margin} {n(top)}H{n(self._end)}", "rule"))
        y = top + _LINE / 2
        self._labels.append(Label(self._text_at - 12, y + 4, str(number), "number", "end"))
        room = self._left - _GAP / 2 - self._text_at
        for look, lines in (("event", event.lines), ("event bad", event.faults)):
            for line in lines:
                self._labels.append(Label(self._text_at, y + 4, cut(line, room), look))
                y += _LINE
        # The first change is next to the last line of the event.
        first = y - _LINE
        for place, change in enumerate(event.changes):
            self._change(number, change, first + place * _LINE)
        return max(y, first + len(event.changes) * _LINE) - _LINE / 2

    def _change(self, number: int, change: DrawnChange, y: float) -> None:
        """Draw a change of the event ``number``: its sign in its lane, and its row."""
        sign = "+" if change.inserts else _MINUS
        look = "result" if change.stays else "gone" if change.inserts else "small"
        room = self._end - self._right - _GAP
        text = cut(f"{sign} {change.text}", room)
        labels = (Label(self._right + _GAP, y + 4, text, look),)
        path, shape = (_DOT, "dot i0") if change.inserts else (_CROSS, "lost")
        mark = Mark(self._x(change.lane), y, path, shape)
        if change.inserts:
            self._since[change.lane] = (y, change.stays)
        else:
            self._bar(change.lane, y)
        marks = (mark,) if change.lane < self._lanes else ()
        reason = _reason(number, change)
        drawn = DrawnRow(
            y=y - _LINE / 2,
            height=_LINE,
            keys="",
            reason=reason,
            waits=(),
            bars=(),
            curves=(),
            marks=marks,
            labels=labels,
            ties=(),
        )
        self._rows.append(drawn)

    def _bar(self, lane: int, end: float) -> None:
        """End the validity of the row in a lane: draw its bar, from its insert to the y ``end``."""
        start, stays = self._since.pop(lane, (end, False))
        if lane < self._lanes:
            look = "valid now" if stays else "valid"
            self._bars.append(Curve(f"M{n(self._x(lane))} {n(start)}V{n(end)}", look))

    def _x(self, lane: int) -> float:
        """The x of the middle of a lane."""
        return self._left + 4 + (lane + 0.5) * _LANE

    def _answer(self, y: float) -> float:
        """List the current answer below ``y``; return the height of the picture."""
        rows = self._run.answer
        y += 40
        count = f"{len(rows)} row{'' if len(rows) == 1 else 's'}"
        self._labels.append(Label(self._margin, y, f"the current answer: {count}", "head"))
        room = self._end - self._text_at
        for row in rows[:_LISTED]:
            y += _LINE
            self._labels.append(Label(self._text_at, y, cut(row, room), "result"))
        if len(rows) > _LISTED:
            y += _LINE
            self._labels.append(Label(self._text_at, y, f"and {len(rows) - _LISTED} more", "small"))
        return y + 36


def _reason(number: int, change: DrawnChange) -> str:
    """A sentence about the events from and until which the row of a change was in the answer.

    ``number`` is that of the change's event.
    """
    if change.inserts:
        until = (
            f"until event {change.other} deletes it" if change.other else "and is there at the end"
        )
        return f"({change.text}) is in the answer from event {number} on, {until}"
    since = f"which event {change.other} has inserted" if change.other else "which was not there"
    return f"event {number} deletes ({change.text}), {since}"
