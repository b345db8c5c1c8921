"""Lay out the picture of a timeline; the template ``timeline.svg.j2`` draws it.

Rowtime runs from left to right, the order of events from top to bottom.  Every event has a line of
its own.  Every emitted row has a line of its own, too, below the event at which it is emitted.  So
nothing overlaps, however many events and rows there are.
"""

import math
import textwrap
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Final, TypeAlias

from tck.drawing.picture import LONG, Bar, Curve, DrawnRow, Form, Label, Mark, Picture
from tck.drawing.scale import Scale, scale
from tck.drawing.shapes import cut, elbow, least_width, n, text_width, tie
from tck.drawing.timeline import ArrivedRow, EmittedRow, Entry, Fault, Key, Timeline

#: The margin of a picture; all lengths are in pixels.
_MARGIN: Final = 48
#: The least and the greatest height of a line.
_LEAST_LINE: Final = 17.0
_MOST_LINE: Final = 34.0
#: The font size at which a plain text is as wide as a bold text of 13 pixels.
_BOLD: Final = 14.2
#: The width of an event's number.
_NUMBER: Final = 36
#: The gap between the time axis and the texts at its left and right.
_PLOT_GAP: Final = 28
#: The number of characters at which a line of the query is wrapped.
_QUERY_CHARACTERS: Final = 150
#: The height of a line of the legend.
_LEGEND: Final = 22
#: The height of a text above its line, if the picture is stacked (`Form.is_stacked`).
_LEAD: Final = 18.0
#: The least width of the time axis.  If texts are long, the picture becomes wider.
_LEAST_PLOT: Final = 320.0
#: The number of different colours and shapes of inputs; further inputs repeat them.
_LOOKS: Final = 8

#: An item of the legend: outline, CSS classes, meaning.
_Item: TypeAlias = tuple[str, str, str]

#: The signs of input rows, by input; their shapes differ, so that they are distinct in print.
_SIGNS: Final = (
    "M5 0A5 5 0 1 1 -5 0A5 5 0 1 1 5 0Z",
    "M-4.5 -4.5H4.5V4.5H-4.5Z",
    "M0 -5.6L5.6 4.4H-5.6Z",
    "M0 -5.8L1.5 -1.9L5.6 -1.8L2.4 0.8L3.5 4.8L0 2.5L-3.5 4.8L-2.4 0.8L-5.6 -1.8L-1.5 -1.9Z",
    "M0 5.6L5.6 -4.4H-5.6Z",
    "M-2 -5.5H2V-2H5.5V2H2V5.5H-2V2H-5.5V-2H-2Z",
    "M-5 -5L0 -1.8L5 -5V2L0 5.6L-5 2Z",
    "M-5.5 0A5.5 5.5 0 0 1 5.5 0V4.5H-5.5Z",
)
#: The signs of an emitted row, of a dropped row, of a bound, and of the end of an input.
_OUT: Final = "M0 -7L7 0L0 7L-7 0Z"
_CROSS: Final = "M-5 -5L5 5M-5 5L5 -5"
_FLAG: Final = "M0 8V-9H9L6.5 -5.5L9 -2H0"
_END: Final = "M0 7V-7"
#: The prefix of the text of an emitted row, by its fault.
_FAULTS: Final[Mapping[Fault, str]] = {"": "", "missing": "\N{MINUS SIGN} ", "extra": "+ "}


def picture(timeline: Timeline, form: Form | None = None) -> Picture:
    """The picture of a timeline; ``form`` None: for a wide screen, with a heading."""
    return _Drawing(timeline, form or Form()).picture()


class _Drawing:
    """A drawing in progress: its parts are placed from top to bottom.

    The places x, from left to right:

    - ``_margin``: the left edge of the contents; the margin at the right is as wide
    - ``_text_at``: the texts of events begin; their numbers are left of it
    - ``_left``: the time axis begins
    - ``_inner``: the time axis ends
    - ``_right``: the sign that an input has ended; the limit of the labels of signs
    - ``_end``: the right edge of the contents

    The texts of emitted rows are between ``_right`` and ``_end``.  If the picture is stacked, texts
    are above their lines instead, and the time axis also takes their room.

    Each event and each emitted row has a line of the height ``_pitch``.  This is the sum of
    ``_lead``, the height of a text above the signs (0 if the picture is not stacked), and
    ``_line``, the height of the signs.
    """

    def __init__(self, timeline: Timeline, form: Form) -> None:
        self._timeline = timeline
        self._form = form
        self._scale: Scale = scale(timeline)
        self._looks: Mapping[str, int] = {
            name: place % _LOOKS for place, name in enumerate(timeline.inputs)
        }
        self._margin = _MARGIN if form.headed else 0
        self._text_at = self._margin + _NUMBER
        self._sql = _wrapped(timeline.sql) if form.headed else []
        entries = timeline.entries
        emitted = [out for each in entries for out in each.emitted]
        words = [_words(each) for each in entries]
        widest = max((text_width(each, 13) for each in words), default=0)
        # A column is as wide as its texts, within limits; it is wider than its upper limit only if
        # times in a text, which are never cut, need more room.
        label = max([min(max(widest, 170.0), 380.0), *map(least_width, words)])
        self._left = self._text_at + label + _PLOT_GAP
        rows = [f"{_FAULTS[out.fault]}{out.text}" for out in emitted]
        # One pixel more, so that a text that fits exactly is not cut by a rounding error.
        widest_row = 1 + max(text_width(text, _BOLD) for text in (timeline.columns, *rows))
        result = min(max(widest_row, 150.0), form.width / 4)
        result = max([result, *(1 + least_width(each, _BOLD) for each in rows)])
        self._width: float = form.width
        if form.is_stacked:
            self._left = self._text_at - 6.0
        else:
            parts = (self._left, _LEAST_PLOT, _PLOT_GAP, result, self._margin)
            self._width = max(form.width, math.ceil(sum(parts)))
        self._end = self._width - self._margin
        self._right = self._end - 14 if form.is_stacked else self._end - result - _PLOT_GAP
        self._items = self._in_legend_lines(list(self._legend_items()))
        self._lead = _LEAD if form.is_stacked else 0.0
        self._axis_height = 26.0 + self._lead
        # The plot begins below the title and its day, the query, the legend and the axis.
        self._top = (
            (86.0 if form.headed else 2.0)
            + 17 * len(self._sql)
            + _LEGEND * len(self._items)
            + 18
            + self._axis_height
        )
        lines = len(entries) + len(emitted)
        room = form.height - self._top - 30
        self._line = min(max(room / max(lines, 1), _LEAST_LINE), _MOST_LINE)
        if form.is_stacked:
            self._line = _LEAST_LINE
        self._pitch = self._lead + self._line
        self._bottom = self._top + self._pitch * lines
        # The x at which the axis ends.  The labels of the last signs are right of it.
        self._inner = self._right - self._label_room(
            [dot for entry in entries for dot in entry.arrived]
        )
        self._places: dict[Key, tuple[float, float]] = {}  # the places of the input rows so far
        self._tops: Sequence[float] = list(self._tops_of_entries())
        self._labels: list[Label] = []
        self._heads: list[Label] = []
        self._marks: list[Mark] = []
        self._rules: list[Curve] = []
        self._rows: list[DrawnRow] = []

    def picture(self) -> Picture:
        """Draw everything; called once."""
        self._draw_head()
        self._draw_axis()
        tops = self._tops
        for number, (entry, top) in enumerate(zip(self._timeline.entries, tops, strict=True), 1):
            self._draw_entry(number, entry, top)
        height = self._bottom + (36 if self._form.headed else 6)
        if len(tops) > LONG:
            # A long picture has the times again below it.
            ticks = [each for each in self._heads if each.look == "tick"]
            self._labels += [replace(each, y=self._bottom + 18) for each in ticks]
            height += 16
        done_outline, edge_lines = self._output_bound(tops)
        return Picture(
            width=self._width,
            height=height,
            title=self._timeline.title,
            description=self._timeline.sql,
            plot=(self._left, self._top, self._right - self._left, self._bottom - self._top),
            done=done_outline,
            rules=tuple(self._rules),
            bounds=(*self._input_bound_lines(tops), *edge_lines),
            marks=tuple(self._marks),
            labels=tuple(self._labels),
            rows=tuple(self._rows),
            ends=(*tops[1:], self._bottom) if tops else (),
            axis=tuple(self._heads),
            axis_top=self._top - self._axis_height,
        )

    # --- title, legend and axis ------------------------------------------------------------------

    def _draw_head(self) -> None:
        """Draw the title, the query, and the legend."""
        y = 80.0 if self._form.headed else 6.0
        if self._form.headed:
            self._labels.append(Label(self._margin, 52, self._timeline.title, "title"))
            self._labels.append(Label(self._end, 52, self._timeline.day, "day", "end"))
        for line in self._sql:
            self._labels.append(Label(self._margin, y, line, "query"))
            y += 17
        self._draw_legend(y + 10)

    def _draw_legend(self, y: float) -> None:
        """Draw the items of the legend, from the line ``y`` on."""
        for number, items in enumerate(self._items):
            x = float(self._margin)
            for sign, look, text in items:
                sign_x = x + (4 if sign == _FLAG else 9)  # a flag extends to the right of its place
                self._marks.append(Mark(sign_x, y + number * _LEGEND - 4, sign, look))
                self._labels.append(Label(x + 24, y + number * _LEGEND, text, "small"))
                x += _item_width(text)

    def _legend_items(self) -> Iterator[_Item]:
        """The items of the legend, for the signs in the picture."""
        for name, columns in self._timeline.inputs.items():
            index = self._looks[name]
            yield _SIGNS[index], f"dot i{index}", f"{name} ({columns})"
        entries = self._timeline.entries
        emitted = [out for each in entries for out in each.emitted]
        if any(flag.time is not None for each in entries for flag in each.bounds):
            yield _FLAG, "flag ink", "bound"
        if any(dot.dropped for each in entries for dot in each.arrived):
            yield _CROSS, "lost", "dropped"
        if any(each.input_bounds for each in entries):
            yield "M-10 0H10", "clock ink", "no later row of that input to the left"
        yield _OUT, "out", "emitted row"
        if any(out.fault == "missing" for out in emitted):
            yield _OUT, "out missing", "row that is missing"
        if any(out.fault == "extra" for out in emitted):
            yield _OUT, "out extra", "row that is not expected"
        if any(len(out.parts) > 1 or (out.parts and out.windows) for out in emitted):
            yield _SIGNS[0], "part ink", "the rows that it is made of"
        if any(out.windows for out in emitted):
            yield "M-9 -3.5H9V3.5H-9Z", "bar", "its window"
        if any(out.frames for out in emitted):
            yield "M-9 -3.5H9V3.5H-9Z", "bar", "its frame"
        if any(out.waits for out in emitted):
            yield "M0 -8V8", "wait", "a row waits, until the diamond"
        if any(math.isfinite(each.output_bound) for each in entries):
            yield "M-9 -7H9V7H-9Z", "done", "no later row is emitted here"

    def _in_legend_lines(self, items: Sequence[_Item]) -> list[list[_Item]]:
        """The items of the legend, broken into lines that fit the width."""
        lines: list[list[_Item]] = [[]]
        x = float(self._margin)
        for item in items:
            if lines[-1] and x + _item_width(item[2]) > self._end:
                lines.append([])
                x = float(self._margin)
            lines[-1].append(item)
            x += _item_width(item[2])
        return lines

    def _draw_axis(self) -> None:
        """Draw the labels of the time axis, a vertical line at each, and the heads of columns."""
        room = self._inner - self._left
        for time, label in self._scale.ticks(int(room // 90), self._timeline.day):
            x = self._x(time)
            if x + text_width(label, 12) / 2 < self._right + _PLOT_GAP:
                self._heads.append(Label(x, self._top - 12, label, "tick", "middle"))
            self._rules.append(Curve(f"M{n(x)} {n(self._top - 5)}V{n(self._bottom)}", "grid"))
        day = "" if self._form.headed else f"  {self._timeline.day}"
        y = self._top - 12 - self._lead
        event = f"event{day}".rstrip()
        self._heads.append(Label(self._margin, y, event, "head"))
        if self._form.is_stacked:
            room = self._end - self._margin - text_width(event, 12) - _PLOT_GAP
            columns = cut(self._timeline.columns, room, 12)
            self._heads.append(Label(self._end, y, columns, "head", "end"))
        else:
            columns = cut(self._timeline.columns, self._end - self._right - _PLOT_GAP, 12)
            self._heads.append(Label(self._right + _PLOT_GAP, y, columns, "head"))

    def _label_room(self, arrived: Sequence[ArrivedRow]) -> float:
        """The width to leave at the right for the labels of signs close to the right edge.

        It is at most a quarter of the axis.
        """
        plot = self._right - self._left
        # For each sign: its part of the axis, from 0 to 1, and the width of its label with a gap.
        labels = [
            (self._scale.part(dot.time), 16 + text_width(dot.text, 12))
            for dot in arrived
            if dot.time is not None and not dot.dropped
        ]
        # If the axis is shorter by x, a sign has (1 - part) * plot + part * x of room at its right.
        # Each number below is the x for which this room is as wide as the label.
        needed = [(width - (1 - part) * plot) / part for part, width in labels if part > 0.5]
        return min(max([0.0, *needed]), plot / 4)

    def _x(self, time: float) -> float:
        """The x of a time in milliseconds; +infinity, an end, is at the right edge."""
        if time == math.inf:
            return self._right
        return self._left + self._scale.part(time) * (self._inner - self._left)

    def _tops_of_entries(self) -> Iterator[float]:
        """The y at which the lines of each event begin."""
        y = self._top
        for each in self._timeline.entries:
            yield y
            y += self._pitch * (1 + len(each.emitted))

    # --- events ----------------------------------------------------------------------------------

    def _draw_entry(self, number: int, entry: Entry, top: float) -> None:
        """Draw an event, its bounds and arrived rows, and below them the rows that it emits.

        ``top`` is the y at which the lines of the event begin.  A line leads to each emitted row
        from the last sign that is drawn for the event (``start``).
        """
        y = self._line_at(top)
        text_y = self._text_y(y)
        if number > 1:
            self._rules.append(Curve(f"M{self._margin} {n(top)}H{n(self._end)}", "rule"))
        self._labels.append(Label(self._text_at - 12, text_y, str(number), "number", "end"))
        is_bad = any(dot.dropped for dot in entry.arrived) or entry.refused or entry.failure
        look = "event bad" if is_bad else "event"
        end = self._end if self._form.is_stacked else self._left - _PLOT_GAP / 2
        words = cut(_words(entry), end - self._text_at)
        self._labels.append(Label(self._text_at, text_y, words, look))
        start = (self._left, y)
        for flag in entry.bounds:
            look = f"flag i{self._looks[flag.input]}" if flag.input in self._looks else "flag ink"
            if flag.time is not None:
                start = (self._x(flag.time), y)
                sign = f"{_FLAG}Z" if flag.strict else _FLAG
                self._marks.append(Mark(*start, sign, f"{look} full" if flag.strict else look))
            elif flag.input in self._looks:  # the input ends
                start = (self._right, y)
                self._marks.append(Mark(*start, _END, look))
        for dot in entry.arrived:
            if dot.time is None:  # the row is only in the label of the event
                continue
            start = (self._x(dot.time), y)
            if dot.key is None:  # the row was dropped
                self._marks.append(Mark(*start, _CROSS, "lost", "", dot.dropped))
                self._add_label(*start, f"{dot.text}  {dot.dropped}", "value bad")
                continue
            self._places[dot.key] = start
            index = self._looks[dot.input]
            self._marks.append(Mark(*start, _SIGNS[index], f"dot i{index}", _id(dot.key)))
            self._add_label(*start, dot.text, "value")
        for line, out in enumerate(entry.emitted, 1):
            self._draw_row(out, start, y + line * self._pitch)

    def _line_at(self, top: float) -> float:
        """The y of the signs of an event or of an emitted row, whose lines begin at ``top``."""
        return top + self._lead + self._line / 2

    def _text_y(self, y: float) -> float:
        """The y of the text that belongs to the signs at ``y``."""
        return y - self._line / 2 - 4 if self._form.is_stacked else y + 4

    def _add_label(self, x: float, y: float, text: str, look: str) -> None:
        """Draw a label at the right of a sign; or at its left, if there is more room for it."""
        right, left = self._right - x - 14, x - self._left - 14
        if text_width(text, 12) <= right or right >= left:
            self._labels.append(Label(x + 12, y + 4, cut(text, right, 12), look))
        else:
            self._labels.append(Label(x - 12, y + 4, cut(text, left, 12), look, "end"))

    def _draw_row(self, out: EmittedRow, start: tuple[float, float], y: float) -> None:
        """Draw an emitted row, and a line to it from ``start``, a place on its event's line."""
        x = self._right if out.time is None else self._x(out.time)
        parts = [(key, self._places[key]) for key in out.parts if key in self._places]
        bars = tuple(
            Bar(self._x(first), y - 3.5, self._x(last) - self._x(first), first >= self._scale.first)
            for first, last in (*out.windows, *out.frames)
        )
        # Without a window or frame, a line leads from the first to the last time of these rows.
        times_x = [place[0] for _, place in parts] + [x]
        first_x, last_x = min(times_x), max(times_x)
        reach = () if bars or last_x - first_x < 1 else (_span(first_x, last_x, y),)
        marks = [
            Mark(place[0], y, _SIGNS[self._looks[key[0]]], f"part i{self._looks[key[0]]}")
            for key, place in parts
            if abs(place[0] - x) > 7  # not where the diamond would cover it
        ]
        look = "result bad" if out.fault else "result"
        text_x = self._text_at + 14 if self._form.is_stacked else self._right + _PLOT_GAP
        text = cut(f"{_FAULTS[out.fault]}{out.text}", self._end - text_x, _BOLD)
        self._rows.append(
            DrawnRow(
                y=y - self._line / 2 - self._lead,
                height=self._pitch,
                keys=" ".join(_id(key) for key, _ in parts),
                reason=out.reason,
                waits=tuple(self._waits(out, x, y)),
                bars=bars,
                curves=(*reach, Curve(elbow(start, (x, y), self._line / 2), "free")),
                marks=(*marks, Mark(x, y, _OUT, f"out {out.fault}".rstrip())),
                labels=(Label(text_x, self._text_y(y), text, look),),
                ties=tuple(
                    Curve(tie(place, (x, y)), f"tie i{self._looks[key[0]]}") for key, place in parts
                ),
            )
        )

    def _waits(self, out: EmittedRow, x: float, y: float) -> Iterator[Curve]:
        """A bar for each wait of a row: from the event at which the wait begins down to its end.

        The last bar leads down to the line ``y`` of the row.  The bars have two looks, in turn.
        """
        for place, each in enumerate(out.waits):
            last = each is out.waits[-1]
            since, until = (self._line_at(self._tops[event]) for event in (each.since, each.until))
            look = "wait" if place % 2 == 0 else "wait again"
            yield Curve(f"M{n(x)} {n(since)}V{n(y if last else until)}", look)

    # --- bounds ----------------------------------------------------------------------------------

    def _input_bound_lines(self, tops: Sequence[float]) -> Iterator[Curve]:
        """A line for each input that has a bound: its bound, event by event, down to its end."""
        for name, look in self._looks.items():
            path, before = "", -math.inf
            for each, top in zip(self._timeline.entries, tops, strict=True):
                now = each.input_bounds.get(name, -math.inf)
                if now == before or now == -math.inf:
                    continue
                y = self._line_at(top)
                path += f"V{n(y)}H{n(self._x(now))}" if path else f"M{n(self._x(now))} {n(y)}"
                before = now
            if path:
                ends = "" if before == math.inf else f"V{n(self._bottom)}"
                yield Curve(path + ends, f"clock i{look}")

    def _output_bound(self, tops: Sequence[float]) -> tuple[str, list[Curve]]:
        """The outline of the times below the output's bound, and the line at its right edge.

        The outline is empty, and there is no line, if the output never has a bound.
        """
        edge, before = "", -math.inf  # the path of the right edge, and the bound before an event
        bottoms = [*tops[1:], self._bottom]
        first = 0.0  # the y at which the edge begins
        for each, y in zip(self._timeline.entries, bottoms, strict=True):
            if each.output_bound == before or each.output_bound == -math.inf:
                continue
            x = n(self._x(each.output_bound))
            if not edge:
                first = y
            edge += f"V{n(y)}H{x}" if edge else f"M{x} {n(y)}"
            before = each.output_bound
        if not edge:
            return "", []
        edge += f"V{n(self._bottom)}"
        left = n(self._left)
        return f"{edge}H{left}V{n(first)}Z", [Curve(edge, "known")]


# --- shapes and words ---------------------------------------------------------------------------


def _span(first: float, last: float, y: float) -> Curve:
    """A horizontal line at ``y``, from the x ``first`` to the x ``last``."""
    return Curve(f"M{n(first)} {n(y)}H{n(last)}", "reach")


def _words(entry: Entry) -> str:
    """The label of an event: its text, the values of rows without a rowtime, and its faults."""
    timeless = [dot.text for dot in entry.arrived if dot.time is None]
    wrong = [dot.dropped for dot in entry.arrived if dot.dropped and dot.time is None]
    failed = [entry.failure.splitlines()[0]] if entry.failure else []
    return "  ".join([entry.text, *timeless, *wrong, *filter(None, [entry.refused]), *failed])


def _item_width(text: str) -> float:
    """The width of an item of the legend, with its sign and the gap after it."""
    return 24 + text_width(text, 12) + 22


def _id(key: Key) -> str:
    """The text by which the picture's script finds the sign of an input row."""
    return f"{key[0]}-{key[1]}"


def _wrapped(sql: str) -> list[str]:
    """The lines of a query, with long ones wrapped."""
    return [
        part
        for line in sql.splitlines()
        for part in textwrap.wrap(line, _QUERY_CHARACTERS, subsequent_indent="    ") or [""]
    ]
