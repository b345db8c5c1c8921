"""A changelog as text: a line for each event, and below it a line for each of its changes."""

import textwrap
from collections.abc import Iterator
from typing import Final

from rich.text import Text

from algebra.records.printing import display_width, padded
from tck.drawing.changelog import ChangelogRun, DrawnChange, valid_lanes
from tck.drawing.shapes import shortened

#: The greatest number of lanes.  A lane is a column of the picture, for one row of the answer.
_MOST_LANES: Final = 48
#: The number of lanes for which a narrow terminal always has room, because texts are shortened.
_LEAST_LANES: Final = 8
#: The width of an event's number, with the gaps of the columns.
_NUMBER: Final = 5
_GAP: Final = 2
#: The width of a change's sign, with its gaps.
_SIGN: Final = 4


def changelog_lines(run: ChangelogRun, width: int | None) -> Iterator[Text]:
    """The changelog, line by line; each line is at most ``width`` wide, unless it is None.

    The last lines are the current answer and the meaning of each sign.  Rows that are deleted later
    are struck out on a terminal.
    """
    for line in run.sql.splitlines():
        whole = [line] if width is None else textwrap.wrap(line, width, subsequent_indent="    ")
        yield from (Text(each, style="bold") for each in whole)
    yield Text(f"{run.title}{f', {run.day}' if run.day else ''}", style="dim")
    yield Text()
    texts = [line for event in run.events for line in event.lines]
    texts += [f"{' ' * _SIGN}{change.text}" for event in run.events for change in event.changes]
    left = max(map(display_width, [*texts, "what happens"]))
    lanes = min(run.lanes, _MOST_LANES)
    if width is not None:
        left = min(left, width - _NUMBER - _GAP - min(lanes, _LEAST_LANES))
        lanes = min(lanes, width - _NUMBER - left - _GAP)

    def fitted(text: str, room: int | None) -> str:
        return text if width is None else shortened(text, room or width, display_width)

    head = f"  #  {'what happens':{left}}  valid: {run.columns}"
    yield Text(fitted(head, width), style="dim")
    for number, (event, before) in enumerate(valid_lanes(run), 1):
        valid = set(before)
        for place, line in enumerate(event.lines):
            start = f"{number:3}" if place == 0 else "   "
            yield Text(f"{start}  {padded(fitted(line, left), left)}  ") + _lanes(valid, lanes)
        for change in event.changes:
            text = padded(fitted(change.text, left - _SIGN), left - _SIGN)
            yield _change(change, text) + _lanes(valid, lanes, change)
            valid = valid | {change.lane} if change.inserts else valid - {change.lane}
        for why in event.faults:
            yield Text(fitted(f"     └─ {why}", width), style="red")
    yield Text()
    count = len(run.answer)
    yield Text(f"the current answer: {count} row{'' if count == 1 else 's'}", style="dim")
    yield from (Text(fitted(f"  {row}", width), style="bold") for row in run.answer)
    if any(event.changes for event in run.events):
        yield Text()
        legend = "● row inserted   × row deleted   │ the row is in the answer"  # noqa: RUF001 - the sign
        yield Text(fitted(legend, width), style="dim")


def _change(change: DrawnChange, text: str) -> Text:
    """The text of a change, with its sign."""
    style = "bold" if change.stays else "strike" if change.inserts else "dim"
    line = Text(f"       {'+' if change.inserts else '-'} ")
    kept = text.rstrip()
    line.append(kept, style=style)
    line.append(" " * (len(text) - len(kept) + _GAP))
    return line


def _lanes(valid: set[int], lanes: int, change: DrawnChange | None = None) -> Text:
    """The picture in a line, ``lanes`` wide: a bar in each lane of ``valid``.

    The lane of ``change`` has a sign instead.
    """
    cells = [("│" if lane in valid else " ", "dim") for lane in range(lanes)]
    if change is not None and change.lane < lanes:
        cells[change.lane] = ("●", "bold") if change.inserts else ("×", "red")  # noqa: RUF001 - the sign
    return Text.assemble(*cells)
