"""The reasons of waits: false one event before the row was released, and true at that event."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Final, TypeAlias

from hypothesis import given
from hypothesis import strategies as st

from algebra.catalog import Profile
from algebra.prepare import prepare
from reference.engine.session import Session
from reference.provenance.provenance import Emission, Provenance
from reference.provenance.waits import NO_PARTNER, Wait

A: Final = ("A",)
B: Final = ("B",)
MINUTE: Final = 60_000
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
            account.happened("bound", partial(Session.bound, name=stream, at=at))
        else:
            text = f"2015-02-15 {10 + times[stream] // 60}:{times[stream] % 60:02}:00"
            account.happened("row", partial(Session.rows, name=stream, rows=[(text, k)]))
    account.happened("end", partial(Session.end, name=None))
    return account


def has_reached(account: Provenance, stream: tuple[str, ...], time: float, event: int) -> bool:
    """Whether the bound of a stream is at ``time`` or above it after an event."""
    return account.moments[event].clocks.get(stream, float("-inf")) >= time


def changes_at(wait: Wait, holds: Callable[[int], bool]) -> None:
    """The reason does not hold one event before the row is released, and holds at that event."""
    assert not holds(wait.until - 1)
    assert holds(wait.until)


def waits_of(account: Provenance) -> list[tuple[Emission, tuple[Wait, ...]]]:
    """Each output row with its waits, which end, one after the other, at its emission."""
    found = [(each, account.waits(place)) for place, each in enumerate(account.emissions)]
    for emission, waits in found:
        arrived = max(each.event for each in emission.origins)
        assert [each.since for each in waits] == sorted(each.since for each in waits)
        assert all(arrived <= each.since < each.until for each in waits)
        assert (waits[-1].until if waits else arrived) == emission.event
    return found


def time_of(text: str) -> int:
    """The milliseconds of a time of 2015-02-15."""
    hours, minutes, _ = text.split(" ")[1].split(":")
    return START + (60 * (int(hours) - 10) + int(minutes)) * MINUTE


@given(STEPS)
def test_a_group_waits_until_the_bound_is_at_the_end_of_its_window(steps: Sequence[Step]) -> None:
    account = run(GROUPS, steps)
    for emission, waits in waits_of(account):
        ((_, end),) = emission.windows
        for wait in waits:
            assert "end of its window" in wait.reason
            changes_at(wait, partial(has_reached, account, A, time_of(end)))


@given(STEPS)
def test_a_row_of_a_union_waits_for_the_bound_of_the_other_input(steps: Sequence[Step]) -> None:
    account = run(UNION, steps)
    for emission, waits in waits_of(account):
        other = B if emission.origins[0].stream == A else A
        for wait in waits:
            assert "every input of UNION ALL" in wait.reason
            changes_at(wait, partial(has_reached, account, other, emission.time))


def is_without_partner(account: Provenance, emission: Emission, event: int) -> bool:
    """Whether no row of B can come any more that is in the ten minutes of the row of A."""
    return has_reached(account, B, emission.time + 10 * MINUTE + 1, event)


@given(STEPS)
def test_a_padded_row_waits_first_for_its_partner_and_then_for_its_turn(
    steps: Sequence[Step],
) -> None:
    account = run(PADDED, steps)
    for emission, waits in waits_of(account):
        is_padded = emission.row[2] is None
        assert [each.reason == NO_PARTNER for each in waits] in (
            ([], [True], [False], [True, False]) if is_padded else ([], [False])
        )
        for wait in waits:
            if wait.reason == NO_PARTNER:
                changes_at(wait, partial(is_without_partner, account, emission))
            elif is_padded:  # its turn: it has no partner by then
                assert is_without_partner(account, emission, wait.since)


@given(STEPS)
def test_a_group_of_pairs_waits_in_the_join_and_then_in_the_group(steps: Sequence[Step]) -> None:
    account = run(NESTED, steps)
    for _, waits in waits_of(account):
        in_the_group = ["window" in each.reason for each in waits]
        assert in_the_group == sorted(in_the_group)
        assert sum(in_the_group) <= 1
