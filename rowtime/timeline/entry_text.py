"""The texts of an event of a timeline: the event itself, and its faults."""

from collections.abc import Iterator

from tck.drawing.timeline import Entry


def event_line(each: Entry) -> str:
    """The text of an event, with the values of its first row, and the number of its other rows."""
    rows = "".join(f"  {row.text}" for row in each.arrived[:1])
    more = "" if len(each.arrived) < 2 else f" and {len(each.arrived) - 1} more"
    return f"{each.text}{rows}{more}"


def faults_of(each: Entry) -> Iterator[str]:
    """The faults of an event: rows dropped, a bound without effect, the failure of the query."""
    yield from (f"dropped: {row.dropped}" for row in each.arrived if row.dropped)
    if each.refused:
        yield f"without effect: {each.refused}"
    if each.failure:
        yield f"the query fails: {each.failure}"
