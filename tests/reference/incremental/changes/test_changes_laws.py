"""The laws of changelogs: operators and definition agree, and a changelog frames SELECT STREAM."""

import json
import math
import os
import re
from collections.abc import Sequence

import pytest
from hypothesis import given, note, seed
from hypothesis import strategies as st

from algebra.catalog import Profile, Table
from algebra.metadata.schedule.facts import unbounded_node
from algebra.plan import Aggregate, Join, Plan, SetOp, Window, nodes
from algebra.prepare import prepare
from grammar.source import SqlError
from reference.acceptance import typed_rows
from reference.dml.statements import environment
from reference.evaluate import Contents, World, evaluate
from reference.incremental.changes.network import ChangesNetwork
from reference.incremental.changes.operator import WeightedRows
from reference.incremental.changes.recomputed import Recomputed
from reference.incremental.train import NOTHING_KNOWN
from reference.relation import Relation, Row, identity_of
from reference.relational.changelog import changes, difference, single
from reference.snapshot import restored, snapshot
from tck.protocol import WireRow
from tests.examples import examples, scaled
from tests.reference.incremental.histories import Ended
from tests.reference.incremental.samples import Sample, samples
from tests.strategies import DDL, queries, rows_of_t, rows_of_u


def fold(weighted: WeightedRows, before: Relation) -> list[Row]:
    """The rows after some changes; every row that is deleted must be there."""
    rows = list(before)
    for row, weight in single(weighted):
        if weight > 0:
            rows.append(row)
        else:
            names = [identity_of(each) for each in rows]
            del rows[names.index(identity_of(row))]
    return rows


def same(left: Relation, right: Relation) -> bool:
    return not difference(left, right) and not difference(right, left)


def new_rows(world: World, before: World) -> Contents:
    """The rows of each stream since an earlier world."""
    return {name: rows[len(before.streams.get(name, ())) :] for name, rows in world.streams.items()}


def _evaluated(plan: Plan, world: World) -> tuple[Relation, SqlError | None]:
    try:
        return evaluate(plan, world), None
    except SqlError as error:
        return (), error


def check(plan: Plan, worlds: Sequence[World]) -> None:
    """The operators, the definition and the evaluation of each world have the same folds.

    The streams of a world have all rows so far; both forms are given the new ones.  Operators that
    are restored from a snapshot before each world, into new ones, have the same changes (S-610.g).
    """
    env = environment(worlds[0])
    network, definition = ChangesNetwork(plan, env), Recomputed(plan, env)
    stored = ChangesNetwork(plan, env)
    ours: list[Row] = []
    theirs: list[Row] = []
    before = World()
    for world in worlds:
        answer, error = _evaluated(plan, world)
        saved = json.loads(json.dumps(snapshot(stored)))
        stored = restored(ChangesNetwork(plan, env), saved)
        step, before = world._replace(streams=new_rows(world, before)), world
        if error is not None:
            for each in (network, definition, stored):
                with pytest.raises(SqlError, match=error.code):
                    each.step(step)
            return
        changed = network.step(step)
        assert repr(list(stored.step(step))) == repr(list(changed))
        ours, theirs = fold(changed, ours), fold(definition.step(step), theirs)
        assert same(theirs, answer), (theirs, answer)
        assert same(ours, answer), (ours, answer)


@examples(30, 20_000)
@given(samples())
def test_operators_and_definition_agree_on_streams(sample: Sample) -> None:
    """S-1001: for plans that can be streamed, over streams row by row."""
    note(f"{sample.script.ddl}; {sample.script.sql}")
    play, worlds = sample.play(), [World(tables=sample.tables)]
    for event in sample.events:
        play.step(event)
        streams = {name: list(rows) for name, rows in play.contents.items()}
        worlds.append(World(tables=sample.tables, streams=streams))
    check(sample.query.input, worlds)


@st.composite
def _tables(draw: st.DrawFn) -> list[tuple[list[WireRow], list[WireRow]]]:
    """The contents of two tables at some events, which add and remove rows."""
    t, u = draw(rows_of_t()), draw(rows_of_u())
    states: list[tuple[list[WireRow], list[WireRow]]] = [([], [])]
    for _ in range(draw(st.integers(1, 4))):
        chosen = [[row for row in rows if draw(st.booleans())] for rows in (t, u)]
        states.append((chosen[0], chosen[1]))
    return states


@examples(30, 20_000)
@given(queries(), _tables())
def test_operators_and_definition_agree_on_tables(
    sql: str, states: list[tuple[list[WireRow], list[WireRow]]]
) -> None:
    """S-1001: for any relational query, over tables whose rows are added and removed."""
    prepared = prepare(DDL, sql, Profile.CALCITE)
    assert prepared.query is not None
    columns = {
        name[-1]: each.columns
        for name, each in prepared.catalog.objects.items()
        if isinstance(each, Table)
    }
    note(sql)
    worlds: list[World] = []
    for state in states:
        rows = (typed_rows(columns[n], wire, 0)[0] for n, wire in zip("TU", state, strict=True))
        worlds.append(World(tables={(name,): each for name, each in zip("TU", rows, strict=True)}))
        note(repr(state))
    check(prepared.query, worlds)


@pytest.mark.parametrize("kind", ["JOIN", "LEFT JOIN", "RIGHT JOIN", "FULL JOIN"])
def test_no_new_row_is_compared_with_a_row_that_leaves_at_the_same_event(kind: str) -> None:
    """The pair (2, 2) would divide by zero, but is in no answer."""
    ddl = "CREATE TABLE T (a INTEGER NOT NULL); CREATE TABLE U (b INTEGER NOT NULL)"
    sql = f"SELECT a, b FROM T {kind} U ON 6 / (a - b) < 0"
    plan = prepare(ddl, sql, Profile.CALCITE).query
    assert plan is not None
    worlds = [World(tables={("T",): [(n,)], ("U",): [(n + 1,)]}) for n in (1, 2, 3)]
    assert [list(evaluate(plan, world)) for world in worlds] == [[(1, 2)], [(2, 3)], [(3, 4)]]
    check(plan, worlds)
    check(plan, [*reversed(worlds)])


@pytest.mark.parametrize("number", range(scaled(1, 50)))
def test_the_law_of_changelogs(number: int) -> None:
    """S-1004: on 200 plans, on 2,000 in CI, nightly on 50 times 2,000; ``number`` is the seed."""
    seed(number)(law_of_changelogs)()


@examples(2_000 if os.environ.get("CI") else 200, 2_000)  # small plans and histories
@given(samples(scaled(2, 3), scaled(6, 14)))
def law_of_changelogs(sample: Sample) -> None:
    """The output of SELECT STREAM is the fold below the bound, which stays as it is."""
    note(f"{sample.script.ddl}; {sample.script.sql}")
    place = sample.place
    if place is None or unbounded_node(sample.query.input) is not None:
        return
    if re.search(r"\bMONOTONIC\(|\bWITHIN\b", sample.script.sql):
        return  # an operator may drop a row as late
    if sample.script.sqlstream and any(map(_is_over_unordered_ties, nodes(sample.query))):
        return  # a frame may end at any of some ties (S-307.c)
    play, emitted, clock = sample.play(), list[Row](), NOTHING_KNOWN
    changelog, answer = Recomputed(sample.query.input, environment(World())), list[Row]()
    before = World()
    for event in sample.events:
        note(repr(event))
        emitted += play.step(event)
        streams = {name: list(rows) for name, rows in play.contents.items()}
        world = World(tables=sample.tables, streams=streams)
        came = single(changelog.step(world._replace(streams=new_rows(world, before))))
        before = world
        assert not any(_below(row, place, clock) for row, _ in came), (came, clock)
        answer = fold(came, answer)
        clock = play.flow.bound
        assert all(weight > 0 for _, weight in difference(answer, emitted)), (answer, emitted)
        final = [row for row in answer if _below(row, place, clock)]
        shown = [row for row in emitted if _below(row, place, clock)]
        assert same(final, shown), (final, shown, clock)
    assert isinstance(sample.events[-1], Ended)
    assert clock == math.inf


def _is_over_unordered_ties(node: Plan) -> bool:
    """Whether a node has frames over a join, a merge or groups, whose ties have no order."""
    below = nodes(node.input) if isinstance(node, Window) else ()
    return any(isinstance(each, Join | SetOp | Aggregate) for each in below)


def _below(row: Row, place: int, clock: float) -> bool:
    time = row[place]
    assert isinstance(time, int)
    return time < clock


def test_the_changes_of_a_history_are_its_differences() -> None:
    """S-1001.b: the first answer is all inserts, and equal rows are counted."""
    one, two = (1,), (2,)
    assert list(changes([[one, one], [one, two], []])) == [
        [(one, 1), (one, 1)],
        [(one, -1), (two, 1)],
        [(one, -1), (two, -1)],
    ]


def test_changes_that_cancel_out_are_left_out() -> None:
    assert single([((1,), 1), ((2,), 1), ((1,), -1), ((None,), -2)]) == [
        ((None,), -1),
        ((None,), -1),
        ((2,), 1),
    ]
