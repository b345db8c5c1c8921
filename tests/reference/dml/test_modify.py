"""INSERT, UPSERT, UPDATE, DELETE, MERGE (S-605)."""

from collections.abc import Sequence

import pytest

from algebra.catalog import Column, Table
from algebra.expression import Expression, Op
from algebra.modify import Delete, Merge, MergeAction, Update
from algebra.types import BOOLEAN, INTEGER, VARCHAR
from grammar.codes import Code
from grammar.source import SqlError
from reference.dml.modify import checked, deleted, inserted, merged, updated
from reference.ingress import Fault
from reference.relation import Row
from tests.reference.building import ENV, call, given, literal, ref

STOCK = Table(
    ("STOCK",),
    (Column("ID", INTEGER.as_nullable(False)), Column("UNITS", INTEGER)),
    primary_key=(0,),
    checks=(call(Op.GREATER_OR_EQUAL, BOOLEAN, ref(1), literal(0)),),
)
ROWS: list[Row] = [(1, 10), (2, 20), (3, None)]
TRUE = literal(True)


def test_insert_adds_rows_and_refuses_broken_constraints_one_by_one() -> None:
    new: list[Row] = [(4, 40), (1, 11), (5, -1), (None, 1), (6, None), (4, 41)]
    rows, dropped = inserted(STOCK, ROWS, new, upsert=False, env=ENV)
    assert rows == [*ROWS, (4, 40), (6, None)]
    assert [(place, why.fault) for place, why in dropped] == [
        (place, Fault.BAD_ROW) for place in (1, 2, 3, 5)
    ]


def test_upsert_replaces_the_row_of_its_key_where_it_stands() -> None:
    new: list[Row] = [(2, 21), (4, 40), (4, 41), (1, -1)]
    rows, dropped = inserted(STOCK, ROWS, new, upsert=True, env=ENV)
    assert rows == [(1, 10), (2, 21), (3, None), (4, 41)]
    assert [place for place, _ in dropped] == [3]


def test_a_table_without_primary_key_takes_equal_rows() -> None:
    bag = Table(("BAG",), (Column("A", VARCHAR),))
    rows, dropped = inserted(bag, [("x",)], [("x",), (None,)], upsert=False, env=ENV)
    assert (rows, dropped) == ([("x",), ("x",), (None,)], [])


def test_update_and_delete_go_by_what_is_true() -> None:
    above = call(Op.GREATER, BOOLEAN, ref(1), literal(10))
    doubled = (ref(0), call(Op.TIMES, INTEGER, ref(1), literal(2)))
    assert updated(Update(STOCK, doubled, above), ROWS, ENV) == [(1, 10), (2, 40), (3, None)]
    assert deleted(Delete(STOCK, above), ROWS, ENV) == [(1, 10), (3, None)]
    assert deleted(Delete(STOCK, TRUE), ROWS, ENV) == []


def test_an_update_may_exchange_keys_but_not_repeat_one() -> None:
    turned = (call(Op.MINUS, INTEGER, literal(4), ref(0)), ref(1))
    rows = updated(Update(STOCK, turned, TRUE), ROWS, ENV)
    assert checked(STOCK, rows, ENV) == [(3, 10), (2, 20), (1, None)]
    with pytest.raises(SqlError) as caught:
        checked(STOCK, updated(Update(STOCK, (literal(1), ref(1)), TRUE), ROWS, ENV), ENV)
    assert caught.value.code is Code.BAD_ROW


SOURCE: list[Row] = [(2, 5), (9, 7)]
SAME_ID = call(Op.EQUAL, BOOLEAN, ref(0), ref(2))
SUM = call(Op.PLUS, INTEGER, ref(1), ref(3))


def merge(
    *actions: MergeAction, condition: Expression = SAME_ID, source: Sequence[Row] = SOURCE
) -> list[Row]:
    statement = Merge(STOCK, given(source, INTEGER, INTEGER), condition, actions)
    return list(merged(statement, ROWS, source, ENV))


def test_merge_changes_matched_rows_and_inserts_the_others() -> None:
    update = MergeAction(True, TRUE, (ref(0), SUM))
    insert = MergeAction(False, TRUE, (ref(2), ref(3)))
    assert merge(update, insert) == [(1, 10), (2, 25), (3, None), (9, 7)]
    assert merge(update) == [(1, 10), (2, 25), (3, None)]
    assert merge(insert) == [*ROWS, (9, 7)]
    assert merge(MergeAction(True, TRUE, None)) == [(1, 10), (3, None)]


def test_merge_takes_the_first_action_whose_condition_is_true() -> None:
    never = call(Op.GREATER, BOOLEAN, ref(3), literal(99))
    delete = MergeAction(True, never, None)
    update = MergeAction(True, TRUE, (ref(0), ref(3)))
    assert merge(delete, update) == [(1, 10), (2, 5), (3, None)]
    assert merge(delete) == ROWS
    assert merge(MergeAction(False, never, (ref(2), ref(3)))) == ROWS


def test_merge_never_changes_a_row_twice() -> None:
    update = MergeAction(True, TRUE, (ref(0), ref(3)))
    with pytest.raises(SqlError) as caught:
        merge(update, source=[(2, 5), (2, 6)])
    assert caught.value.code is Code.INVALID_ARGUMENT
    # A pair without an action changes nothing.
    only_5 = MergeAction(True, call(Op.EQUAL, BOOLEAN, ref(3), literal(5)), None)
    assert merge(only_5, source=[(2, 5), (2, 6)]) == [(1, 10), (3, None)]
