"""A changelog as text: a line for each event, and below it a line for each of its changes."""

from collections.abc import Iterator

from rich.text import Text

from tck.drawing.changelog import ChangelogRun, DrawnChange, valid_lanes


def changelog_lines(run: ChangelogRun, most: int) -> Iterator[Text]:
    """The changelog, line by line, with at most ``lanes`` lanes; the current answer is at the end.

    A change is marked ``+`` or ``-``.  In the lanes next to it ``●`` begins the time in which a row
    is valid, ``│`` continues it, and a cross ends it.  Rows that are deleted later are struck out
    on a terminal.
    """
    yield from (Text(line, style="bold") for line in run.sql.splitlines())
    yield Text(f"{run.title}{f', {run.day}' if run.day else ''}", style="dim")
    yield Text()
    texts = [line for event in run.events for line in event.lines]
    texts += [f"  + {change.text}" for event in run.events for change in event.changes]
    width = max(map(len, [*texts, "what happens"]))
    lanes = min(run.lanes, most)
    yield Text(f"  #  {'what happens':{width}}  valid: {run.columns}", style="dim")
    for number, (event, before) in enumerate(valid_lanes(run), 1):
        valid = set(before)
        for place, line in enumerate(event.lines):
            head = f"{number:3}" if place == 0 else "   "
            yield Text(f"{head}  {line:{width}}  ") + _lanes(valid, lanes)
        for change in event.changes:
            yield _change(change, width) + _lanes(valid, lanes, change)
            valid = valid | {change.lane} if change.inserts else valid - {change.lane}
        for why in event.faults:
            yield Text(f"     └─ {why}", style="red")
    yield Text()
    count = len(run.answer)
    yield Text(f"the current answer: {count} row{'' if count == 1 else 's'}", style="dim")
    yield from (Text(f"  {row}", style="bold") for row in run.answer)


def _change(change: DrawnChange, width: int) -> Text:
    style = "bold" if change.stays else "strike" if change.inserts else "dim"
    text = Text(f"       {'+' if change.inserts else '-'} ")
    text.append(change.text, style=style)
    text.append(" " * (width - 4 - len(change.text) + 2))
    return text


def _lanes(valid: set[int], lanes: int, change: DrawnChange | None = None) -> Text:
    cells = [("│" if lane in valid else " ", "dim") for lane in range(lanes)]
    if change is not None and change.lane < lanes:
        cells[change.lane] = ("●", "bold") if change.inserts else ("×", "red")  # noqa: RUF001 - the sign
    return Text.assemble(*cells)
