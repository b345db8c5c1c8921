"""Lay out a changelog as a picture: the time in which each row was valid, event by event.

Events run from top to bottom.  Each change has a line of its own next to its event or below it, and
each row of the answer a bar from the event that inserts it to the event that deletes it.  Bars at
the same height stand side by side, each in a *lane*.
"""

from collections.abc import Iterator
from typing import Final

from tck.drawing.changelog import ChangeEvent, ChangelogRun, DrawnChange
from tck.drawing.picture import Curve, DrawnRow, Form, Label, Mark, Picture
from tck.drawing.shapes import cut, n, text_width

#: The margin of a picture; all lengths are in pixels.
_MARGIN: Final = 48
#: The width of an event's number.
_NUMBER: Final = 36
#: The height of a line.
_LINE: Final = 24.0
#: The width of a lane.
_LANE: Final = 22.0
#: The gap between columns.
_GAP: Final = 26.0
#: The least width of the texts of rows at the right of the lanes; the picture is widened for it.
_LEAST_TEXT: Final = 120.0
#: The greatest number of lanes that are drawn.
_LANES: Final = 30
#: The greatest number of rows of the current answer that are listed below the picture.
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
    The places x, from left to right:

    - ``_margin``: the left edge of the contents; the margin at the right is as wide
    - ``_text_at``: the texts of events begin; their numbers are left of it
    - ``_left``: the lanes begin
    - ``_right``: the lanes end; the texts of rows are right of it
    - ``_end``: the right edge of the contents
    """

    def __init__(self, run: ChangelogRun, form: Form) -> None:
        self._run = run
        self._form = form
        self._margin = _MARGIN if form.headed else 0
        self._text_at = self._margin + _NUMBER
        lines = (line for event in run.events for line in (*event.lines, *event.faults))
        # The column of events is as wide as its texts, but at most half of the contents.
        half = (form.width - 2 * self._margin) / 2
        event_width = min(max([170.0, *(text_width(line, 13) for line in lines)]), half)
        self._left = self._text_at + event_width + _GAP
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
        # By lane, its valid row: the y of the insert, and whether the row stays to the end.
        self._begun: dict[int, tuple[float, bool]] = {}

    def picture(self) -> Picture:
        """Draw everything; called once."""
        top = self._draw_head()
        y, ends = top, list[float]()
        for number, event in enumerate(self._run.events, 1):
            y = self._draw_event(number, event, y)
            ends.append(y)
        for lane in list(self._begun):
            self._end_bar(lane, y)  # the row is still in the answer
        below = self._draw_answer(y) if self._form.headed else y + 6
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
            bounds=tuple(self._bars),  # drawn below signs, as the lines of bounds in a timeline
            marks=tuple(self._marks),
            labels=tuple(self._labels),
            rows=tuple(self._rows),
            ends=tuple(ends),
            axis=tuple(self._heads),
            axis_top=top - 26,
        )

    def _draw_head(self) -> float:
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
        for path, look, text in self._legend_items():
            if x > self._margin and x + 24 + text_width(text, 12) > self._end:
                x, y = float(self._margin), y + _LINE
            self._marks.append(Mark(x + 9, y + 6, path, look))
            self._labels.append(Label(x + 24, y + 10, text, "small"))
            x += text_width(text, 12) + 56
        y += 44
        day = "" if self._form.headed else f"  {self._run.day}"
        self._heads.append(Label(self._margin, y - 12, f"event{day}".rstrip(), "head"))
        columns = cut(self._run.columns, self._end - self._right - _GAP, 12)
        self._heads.append(Label(self._right + _GAP, y - 12, columns, "head"))
        return y

    def _legend_items(self) -> Iterator[tuple[str, str, str]]:
        """The items of the legend: outline, CSS classes, meaning."""
        changes = [change for event in self._run.events for change in event.changes]
        yield _DOT, "dot i0", "row inserted"
        if any(not change.inserts for change in changes):
            yield _CROSS, "lost", "row deleted"
        yield "M-9 0H9", "valid", "the row is in the answer"
        if any(change.stays for change in changes):
            yield "M-9 0H9", "valid now", "and in the current answer"

    def _draw_event(self, number: int, event: ChangeEvent, top: float) -> float:
        """Draw an event and its changes below the y ``top``; return the y below them."""
        if number > 1:
            self._rules.append(Curve(f"M{self._margin} {n(top)}H{n(self._end)}", "rule"))
        y = top + _LINE / 2
        self._labels.append(Label(self._text_at - 12, y + 4, str(number), "number", "end"))
        room = self._left - _GAP / 2 - self._text_at
        for look, lines in (("event", event.lines), ("event bad", event.faults)):
            for line in lines:
                self._labels.append(Label(self._text_at, y + 4, cut(line, room), look))
                y += _LINE
        first = y - _LINE  # the first change is next to the last line of the event
        for nth, change in enumerate(event.changes):
            self._draw_change(number, change, first + nth * _LINE)
        return max(y, first + len(event.changes) * _LINE) - _LINE / 2

    def _draw_change(self, number: int, change: DrawnChange, y: float) -> None:
        """Draw a change of the event ``number``: its sign in its lane, and its row.

        An insert begins the bar of the row, and a delete ends it.
        """
        sign = "+" if change.inserts else _MINUS
        look = "result" if change.stays else "gone" if change.inserts else "small"
        room = self._end - self._right - _GAP
        text = cut(f"{sign} {change.text}", room)
        labels = (Label(self._right + _GAP, y + 4, text, look),)
        path, shape = (_DOT, "dot i0") if change.inserts else (_CROSS, "lost")
        mark = Mark(self._x(change.lane), y, path, shape)
        if change.inserts:
            self._begun[change.lane] = (y, change.stays)
        else:
            self._end_bar(change.lane, y)
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

    def _end_bar(self, lane: int, end: float) -> None:
        """End the validity of the row in a lane: draw its bar, from its insert to the y ``end``."""
        start, stays = self._begun.pop(lane, (end, False))
        if lane < self._lanes:
            look = "valid now" if stays else "valid"
            self._bars.append(Curve(f"M{n(self._x(lane))} {n(start)}V{n(end)}", look))

    def _x(self, lane: int) -> float:
        """The x of the middle of a lane."""
        return self._left + 4 + (lane + 0.5) * _LANE

    def _draw_answer(self, y: float) -> float:
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
    """The tooltip of a change: the event that inserts the row, and the event that deletes the row.

    ``number`` is that of the change's event.
    """
    if change.inserts:
        until = (
            f"until event {change.other} deletes it" if change.other else "and is there at the end"
        )
        return f"({change.text}) is in the answer from event {number} on, {until}"
    since = f"which event {change.other} has inserted" if change.other else "which was not there"
    return f"event {number} deletes ({change.text}), {since}"
