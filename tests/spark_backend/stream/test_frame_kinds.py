"""Windows over one another, each with frames of one kind, give what one window gives, step by step.

The reference plays both: it knows nothing of stages.
"""

import pytest
from hypothesis import assume, given, note
from hypothesis import strategies as st

from algebra.plan import Delta, Plan, Window, inputs_of, nodes, with_inputs
from spark_backend.stream.frame_kinds import split_by_frame_kind
from tests.reference.incremental.histories import Play, histories
from tests.reference.incremental.plans import Script
from tests.reference.incremental.samples import MINUTE, Bound, bound

DDL = """
CREATE STREAM S (rowtime TIMESTAMP(3) ASCENDING{}, n INTEGER ASCENDING, v INTEGER);
"""
AHEAD = "SUM(v) OVER (ORDER BY n RANGE BETWEEN 2 PRECEDING AND 1 FOLLOWING)"
#: By the column that orders the rows, calls of each kind of frames.
CALLS = {
    "n": (
        ("SUM(v) OVER (ORDER BY n RANGE 2 PRECEDING)", AHEAD),
        (
            "LAG(v) OVER (ORDER BY n)",
            "SUM(v) OVER (ORDER BY n)",
            "SUM(v) OVER (ORDER BY n, v)",
            "COUNT(*) OVER (PARTITION BY v ORDER BY n ROWS 2 PRECEDING)",
        ),
    ),
    "rowtime": (
        ("MAX(v) OVER (ORDER BY rowtime RANGE INTERVAL '1' MONTH PRECEDING)",),
        (
            "LAG(v) OVER (ORDER BY rowtime)",
            "COUNT(*) OVER (PARTITION BY v ORDER BY rowtime ROWS 2 PRECEDING)",
            "SUM(v) OVER (ORDER BY rowtime RANGE INTERVAL '3' MINUTE PRECEDING)",
            "SUM(v) OVER (ORDER BY rowtime RANGE CURRENT ROW)",
        ),
    ),
}


def apart(plan: Plan) -> Plan:
    """The plan with windows of one kind each."""
    if isinstance(plan, Window):
        plan = split_by_frame_kind(plan) or plan
    return with_inputs(plan, list(map(apart, inputs_of(plan))))


@st.composite
def scripts_of_kinds(draw: st.DrawFn) -> Script:
    """A query with calls of two kinds, in any order."""
    kinds = draw(st.sampled_from(list(CALLS.values())))
    calls = draw(st.permutations([draw(st.sampled_from(each)) for each in kinds]))
    shown = ", ".join(f"{each} AS w{i}" for i, each in enumerate(calls))
    ddl = DDL.format(draw(st.sampled_from(["", " STRICT"])))
    return Script(ddl, f"SELECT STREAM rowtime, n, {shown} FROM S", draw(st.booleans()))


@given(script=scripts_of_kinds(), data=st.data())
def test_windows_apart_give_the_rows_of_one_at_the_same_steps(
    script: Script, data: st.DataObject
) -> None:
    found = bound(script)
    assert isinstance(found, Bound), found
    split = apart(found.query.input)
    assume(split != found.query.input)
    assert len([e for e in nodes(split) if isinstance(e, Window)]) > 1
    note(script.sql)
    events = data.draw(histories(found.streams, MINUTE, max_rows=10))
    one = Play(found.query, found.streams)
    several = Play(Delta(split), found.streams)
    for event in events:
        note(repr(event))
        assert several.step(event) == one.step(event)
        assert several.flow.bound == one.flow.bound


HOURS = "SUM(v) OVER (PARTITION BY FLOOR(rowtime TO HOUR))"
MONTHS = "MAX(v) OVER (ORDER BY rowtime RANGE INTERVAL '1' MONTH PRECEDING)"


@pytest.mark.parametrize(
    "calls",
    [
        ("LEAD(v) OVER (ORDER BY n)", "SUM(v) OVER (ORDER BY n RANGE 2 PRECEDING)"),
        ("SUM(v) OVER (ORDER BY n RANGE 2 PRECEDING)", "SUM(v) OVER (ORDER BY rowtime)"),
        (MONTHS, HOURS),
        ("SUM(v) OVER (ORDER BY n)", "SUM(v) OVER (ORDER BY rowtime)"),
    ],
)
def test_a_window_stays_whole(calls: tuple[str, str]) -> None:
    """If rows that follow are counted, if two columns are waited for, and if there is one kind."""
    sql = f"SELECT STREAM rowtime, {calls[0]} AS a, {calls[1]} AS b FROM S"
    found = bound(Script(DDL.format(""), sql, sqlstream=False))
    assert isinstance(found, Bound), found
    (window,) = (e for e in nodes(found.query) if isinstance(e, Window))
    assert split_by_frame_kind(window) is None
