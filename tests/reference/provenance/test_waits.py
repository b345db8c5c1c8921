"""The law of reasons: a row waits for the first open reason, and is emitted when none is open.

A reason is open as long as the event that it names has not happened.  So one event before a wait
ends its reason is open, at that event it is closed, and when the row is emitted no other reason is
open.  Each query below decides by the rules, from rows and bounds alone, which reasons are open
after an event: first what determines the row, then its turn, inputs before the nodes that read
them.
"""

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Final, TypeAlias

import pytest
from hypothesis import given
from hypothesis import strategies as st

from algebra.catalog import Profile
from algebra.prepare import prepare
from reference.engine.session import Session
from reference.provenance.provenance import Emission, Origin, Provenance
from reference.provenance.waits import NO_EARLIER_ROW, NO_PARTNER, Wait

A: Final = ("A",)
B: Final = ("B",)
MINUTE: Final = 60_000
FRAMES: Final = "the rest of its frames, peers too (S-505)"
#: 2015-02-15 10:00:00, in milliseconds.
START: Final = 1_423_994_400_000
DDL: Final = """
CREATE STREAM A (rowtime TIMESTAMP(3) ASCENDING, k INTEGER);
CREATE STREAM B (rowtime TIMESTAMP(3) ASCENDING, k INTEGER);
"""
GROUPS: Final = """
SELECT STREAM TUMBLE_END(rowtime, INTERVAL '10' MINUTE) AS rowtime, k, COUNT(*) AS c
FROM A GROUP BY TUMBLE(rowtime, INTERVAL '10' MINUTE), k"""
UNION: Final = "SELECT STREAM rowtime, k FROM A UNION ALL SELECT STREAM rowtime, k FROM B"
PADDED: Final = """
SELECT STREAM a.rowtime, a.k, b.rowtime AS t FROM A AS a LEFT JOIN B AS b
ON a.k = b.k AND b.rowtime BETWEEN a.rowtime AND a.rowtime + INTERVAL '10' MINUTE"""
PAIRS: Final = PADDED.replace("LEFT JOIN", "JOIN")
SORTED: Final = "SELECT STREAM rowtime, k FROM A ORDER BY rowtime, k"
SORTED_BY_HOUR: Final = """
SELECT STREAM FLOOR(rowtime TO HOUR) AS rowtime, k FROM A ORDER BY FLOOR(rowtime TO HOUR), k"""
SORTED_UNION: Final = (
    f"SELECT STREAM * FROM ({UNION.replace('STREAM', '')}) AS u ORDER BY rowtime, k"
)
PEERS: Final = "SELECT STREAM rowtime, k, SUM(k) OVER (ORDER BY rowtime) AS s FROM A"
AROUND: Final = """
SELECT STREAM rowtime, k, SUM(k) OVER (ORDER BY rowtime
  RANGE BETWEEN INTERVAL '5' MINUTE PRECEDING AND INTERVAL '5' MINUTE FOLLOWING) AS s FROM A"""
NEXT: Final = """
SELECT STREAM rowtime, k, COUNT(*) OVER (PARTITION BY k ORDER BY rowtime
  ROWS BETWEEN CURRENT ROW AND 1 FOLLOWING) AS c FROM A"""
TWO_FRAMES: Final = """
SELECT STREAM rowtime, k, COUNT(*) OVER (ORDER BY rowtime) AS s,
  COUNT(*) OVER (PARTITION BY k ORDER BY rowtime
    ROWS BETWEEN CURRENT ROW AND 1 FOLLOWING) AS c FROM A"""
ASOF: Final = """
SELECT STREAM a.rowtime, a.k, b.rowtime AS t FROM A AS a
LEFT ASOF JOIN B AS b MATCH_CONDITION (a.rowtime >= b.rowtime) ON a.k = b.k"""
NESTED: Final = f"""
SELECT STREAM TUMBLE_END(rowtime, INTERVAL '20' MINUTE) AS rowtime, COUNT(*) AS c
FROM ({PADDED.replace("STREAM", "")}) AS pairs GROUP BY TUMBLE(rowtime, INTERVAL '20' MINUTE)"""

#: An event: the stream, the minutes since its last event, and a row's k or a bound (None).
Step: TypeAlias = tuple[tuple[str, ...], int, int | None]
STEPS: Final = st.lists(
    st.tuples(st.sampled_from([A, B]), st.integers(0, 9), st.none() | st.integers(1, 2)),
    max_size=12,
)


def run(sql: str, steps: Sequence[Step]) -> Provenance:
    """The run of a query over steps and the end of all inputs."""
    account = Provenance(prepare(DDL, sql, Profile.CALCITE))
    times: dict[tuple[str, ...], int] = {A: 0, B: 0}
    for stream, minutes, k in steps:
        times[stream] += minutes
        at = START + times[stream] * MINUTE
        if k is None:
            account.happened("bound", partial(Session.set_bound, name=stream, at=at))
        else:
            text = f"2015-02-15 {10 + times[stream] // 60}:{times[stream] % 60:02}:00"
            account.happened("row", partial(Session.take_rows, name=stream, rows=[(text, k)]))
    account.happened("end", partial(Session.end, name=None))
    return account


def has_reached(account: Provenance, stream: tuple[str, ...], time: float, event: int) -> bool:
    """Whether the bound of a stream is at ``time`` or above it after an event."""
    return account.moments[event].input_bounds.get(stream, float("-inf")) >= time


def arrived(account: Provenance, stream: tuple[str, ...], event: int) -> list[Origin]:
    """The rows of a stream that have arrived after an event, in order."""
    return [each for each in account.arrivals if each.stream == stream and each.event <= event]


def time_of(row: Origin) -> int:
    """The rowtime of an input row, in milliseconds."""
    time = row.row[0]
    assert isinstance(time, int)
    return time


def millis(text: str) -> int:
    """The milliseconds of a time of 2015-02-15."""
    hours, minutes, _ = text.split(" ")[1].split(":")
    return START + (60 * (int(hours) - 10) + int(minutes)) * MINUTE


# --- the reasons that are open after an event, by the rules ---------------------------------------

#: The reasons of a row that are open after an event, each by words of its text.
Open: TypeAlias = Callable[[Provenance, Emission, int], Iterator[str]]


def of_a_group(account: Provenance, emission: Emission, event: int) -> Iterator[str]:
    """S-504: the bound has not reached the end of the window."""
    ((_, end),) = emission.windows
    if not has_reached(account, A, millis(end), event):
        yield "end of its window"


def of_a_union(account: Provenance, emission: Emission, event: int) -> Iterator[str]:
    """S-502: the other input may have an earlier row."""
    other = B if emission.origins[0].stream == A else A
    if not has_reached(account, other, emission.time, event):
        yield "every input of UNION ALL"


def of_a_pair(account: Provenance, emission: Emission, event: int) -> Iterator[str]:
    """S-509: B may have a partner of an unmatched row; S-511: one of an earlier row of A."""

    def may_match(time: float) -> bool:
        return not has_reached(account, B, time + 10 * MINUTE + 1, event)

    if emission.row[2] is None and may_match(emission.time):
        yield NO_PARTNER
    times = [time_of(each) for each in arrived(account, A, event)]
    if any(time < emission.time and may_match(time) for time in times):
        yield "no pair with a smaller rowtime"


def of_a_sort(account: Provenance, emission: Emission, event: int) -> Iterator[str]:
    """S-507: a row of the same time may come, and sort before this one."""
    if not has_reached(account, A, emission.time + 1, event):
        yield "sort before it"


def of_a_sort_by_hour(account: Provenance, emission: Emission, event: int) -> Iterator[str]:
    """S-507: a row of the same hour may come."""
    if not has_reached(account, A, emission.time + 60 * MINUTE, event):
        yield "sort before it"


def of_a_sorted_union(account: Provenance, emission: Emission, event: int) -> Iterator[str]:
    """Both: the union holds the row, and then the sort."""
    yield from of_a_union(account, emission, event)
    if not all(has_reached(account, each, emission.time + 1, event) for each in (A, B)):
        yield "sort before it"


def of_peers(account: Provenance, emission: Emission, event: int) -> Iterator[str]:
    """S-505: a row of the same time may come, which is in the frame."""
    if not has_reached(account, A, emission.time + 1, event):
        yield "rest of its frames"


def of_a_frame_around(account: Provenance, emission: Emission, event: int) -> Iterator[str]:
    """S-505: a later row can be in the five minutes after the row."""
    if not has_reached(account, A, emission.time + 5 * MINUTE + 1, event):
        yield "rest of its frames"


def has_next(account: Provenance, row: Origin, event: int) -> bool:
    """Whether the next row of the same k has arrived after an event, or can no more."""
    rows = arrived(account, A, event)
    later = any(each.row[1] == row.row[1] and each.place > row.place for each in rows)
    return later or has_reached(account, A, float("inf"), event)


def of_a_frame_of_rows(account: Provenance, emission: Emission, event: int) -> Iterator[str]:
    """S-505: the next row of the same k is in the frame; S-305: so is that of an earlier row."""
    if not has_next(account, emission.origins[0], event):
        yield "rest of its frames"
    earlier = [each for each in arrived(account, A, event) if time_of(each) < emission.time]
    if not all(has_next(account, each, event) for each in earlier):
        yield NO_EARLIER_ROW


def of_two_frames(account: Provenance, emission: Emission, event: int) -> Iterator[str]:
    """Both frames must be complete.  An earlier row has no peers any more."""
    yield from of_peers(account, emission, event)
    yield from of_a_frame_of_rows(account, emission, event)


def of_an_asof_join(account: Provenance, emission: Emission, event: int) -> Iterator[str]:
    """S-904: B may have a row of the same time, which is nearer."""
    if not has_reached(account, B, emission.time + 1, event):
        yield "the right bound to pass its time"


# --- the law --------------------------------------------------------------------------------------

LAWS: Final[dict[str, tuple[str, Open]]] = {
    "group": (GROUPS, of_a_group),
    "union": (UNION, of_a_union),
    "padded row": (PADDED, of_a_pair),
    "pair": (PAIRS, of_a_pair),
    "sort with ties": (SORTED, of_a_sort),
    "sort by hour": (SORTED_BY_HOUR, of_a_sort_by_hour),
    "sorted union": (SORTED_UNION, of_a_sorted_union),
    "peers": (PEERS, of_peers),
    "frame of times": (AROUND, of_a_frame_around),
    "frame of rows": (NEXT, of_a_frame_of_rows),
    "two frames": (TWO_FRAMES, of_two_frames),
    "ASOF join": (ASOF, of_an_asof_join),
}


def waits_of(account: Provenance) -> list[tuple[Emission, tuple[Wait, ...]]]:
    """Each output row with its waits, which follow its arrival without a gap until its emission."""
    found = [(each, account.waits(place)) for place, each in enumerate(account.emissions)]
    for emission, waits in found:
        since = max(each.event for each in emission.origins)
        for wait in waits:
            assert wait.since == since
            assert wait.since < wait.until
            since = wait.until
        assert since == emission.event
    return found


@pytest.mark.parametrize("name", LAWS)
@given(steps=STEPS)
def test_a_row_waits_for_the_first_reason_that_is_open_and_is_emitted_when_none_is(
    name: str, steps: Sequence[Step]
) -> None:
    sql, open_reasons = LAWS[name]
    account = run(sql, steps)
    for emission, waits in waits_of(account):
        for wait in waits:
            for event in range(wait.since, wait.until):
                first = next(open_reasons(account, emission, event), "no reason is open")
                assert first in wait.reason, event
            assert not any(e in wait.reason for e in open_reasons(account, emission, wait.until))
        assert [*open_reasons(account, emission, emission.event)] == []


@given(STEPS)
def test_a_group_of_pairs_waits_in_the_join_and_then_in_the_group(steps: Sequence[Step]) -> None:
    account = run(NESTED, steps)
    for _, waits in waits_of(account):
        in_the_group = ["window" in each.reason for each in waits]
        assert in_the_group == sorted(in_the_group)
        assert sum(in_the_group) <= 1


def test_a_row_is_not_taken_for_a_row_of_its_own_frame() -> None:
    """The first row is emitted with its frame at event 4, its second row alone at the end."""
    steps: list[Step] = [(A, 1, 1), (A, 1, 2), (A, 1, 2), (A, 1, 1)]
    account = run(NEXT, steps)
    assert [(each.event, account.waits(place)) for place, each in enumerate(account.emissions)] == [
        (3, ()),
        (3, (Wait(2, 3, NO_EARLIER_ROW),)),
        (4, (Wait(2, 4, FRAMES),)),
        (4, (Wait(3, 4, FRAMES),)),
    ]
