"""The Window node: functions over frames (S-505, S-506)."""

from collections.abc import Sequence
from dataclasses import replace

from pyspark.sql import Column
from pyspark.sql import Window as SparkWindow
from pyspark.sql import functions as F  # noqa: N812  the name that all of PySpark's own text uses

from algebra.expression import (
    AggregateFunction,
    Expression,
)
from algebra.plan import Window, WindowGroup
from spark_backend.datetimes import long
from spark_backend.expression import column_of
from spark_backend.frames import Side, in_frame, sorted_by
from spark_backend.logic import all_of
from spark_backend.relation import Outer, Relation, Run, column_name
from spark_backend.subqueries import Translate, with_names
from spark_backend.window_functions import Prepared, joined_call, native_call


def window(
    node: Window, input: Relation, run: Run, outer: Outer | None, translate: Translate
) -> Relation:
    """Each row with the values of all calls behind its own."""
    width = len(input.types)
    for group in node.groups:
        carried = input.columns + input.hidden
        prepared, input = _prepared(group, input, run, outer, translate)
        # The preparation may have joined the enclosing rows, which are then carried, too.
        carried = (*carried, *(each for each in input.per if each not in carried))
        values = [column_name(width + i) for i in range(len(group.calls))]
        native = [native_call(prepared, i, exact=run.exact) for i in range(len(group.calls))]
        slow = [i for i, each in enumerate(native) if each is None]
        if slow:
            input = _by_join(prepared, slow, values, input, run)
        found = [c.alias(n) for n, c in zip(values, native, strict=True) if c is not None]
        frame = input.frame.select("*", *found)
        width += len(values)
        kept = [*carried, *values]
        types = (*input.types, *(each.type for each in group.calls))
        input = replace(input, frame=frame.select(*(F.col(each) for each in kept)), types=types)
    return input


def _prepared(
    group: WindowGroup, input: Relation, run: Run, outer: Outer | None, translate: Translate
) -> tuple[Prepared, Relation]:
    """The group's expressions as columns of the input, and each row's number and rank."""
    used: list[Expression] = [*group.partition, *(key.expression for key in group.order)]
    for call in group.calls:
        used += [*call.arguments, *([call.filter] if call.filter is not None else [])]
    input, names = with_names(input, used, run, outer, translate)
    new: dict[str, Column] = {}

    def named(letter: str, column: Column) -> str:
        name = run.fresh(letter)
        new[name] = column
        return name

    partition = tuple(named("p", column_of(each, names)) for each in group.partition)
    keys = tuple(named("k", column_of(each.expression, names)) for each in group.order)
    arguments: list[tuple[str, ...]] = []
    for call in group.calls:
        columns = [column_of(each, names) for each in call.arguments]
        if call.function is AggregateFunction.COUNT and not columns:
            columns = [F.lit(1)]
        if call.filter is not None:
            kept = column_of(call.filter, names)
            columns = [F.when(kept, each) for each in columns]
        arguments.append(tuple(named("a", each) for each in columns))
    partition += input.per
    order = [sorted_by(F.col(n), key) for n, key in zip(keys, group.order, strict=True)]
    # A window without order in Spark cannot number its rows: a constant orders nothing.
    full = [*order, *(each.key() for each in input.order)] or [F.lit(0).asc()]
    by = SparkWindow.partitionBy(*(F.col(each) for each in partition))
    number, rank, peers = run.fresh("n"), run.fresh("r"), run.fresh("d")
    frame = input.frame.select("*", *(column.alias(name) for name, column in new.items()))
    frame = frame.withColumn(number, long(F.row_number().over(by.orderBy(*full))))
    among_peers = by.orderBy(*(order or [F.lit(0).asc()]))
    frame = frame.withColumn(rank, long(F.rank().over(among_peers)))
    frame = frame.withColumn(peers, long(F.dense_rank().over(among_peers)))
    prepared = Prepared(group, partition, keys, tuple(arguments), number, rank, peers, tuple(full))
    return prepared, replace(input, frame=frame)


# --- any frame: each row joined with the rows of its frame --------------------------------------


def _by_join(
    prepared: Prepared, places: Sequence[int], values: Sequence[str], input: Relation, run: Run
) -> Relation:
    """The input with the values of some calls, each aggregated from the rows of the row's frame.

    What Spark has no window for: frames of months, of DECIMAL or DOUBLE distances, with ends of two
    kinds or that cross; DISTINCT; MEDIAN.  The numbered rows are materialised first: of ties in an
    open order both sides must see the same one.
    """
    identity = run.fresh("id")
    numbered = input.frame.withColumn(identity, F.monotonically_increasing_id()).localCheckpoint()
    renamed: dict[str, str] = {}
    for name in (*prepared.partition, *prepared.keys, *prepared.places):
        renamed[name] = run.fresh("f")
    taken = [name for place in places for name in prepared.arguments[place]]
    for name in taken:
        renamed[name] = run.fresh("f")
    marker = run.fresh("m")
    others = numbered.select(
        *(F.col(old).alias(new) for old, new in renamed.items()), F.lit(1).alias(marker)
    )
    rows = numbered.select(identity, *prepared.partition, *prepared.keys, *prepared.places)
    mine = Side(prepared.keys, *prepared.places)
    theirs = Side(
        tuple(renamed[each] for each in prepared.keys),
        *(renamed[each] for each in prepared.places),
    )
    same = [F.col(each).eqNullSafe(F.col(renamed[each])) for each in prepared.partition]
    within = in_frame(prepared.group.frame, prepared.group.order, mine, theirs)
    joined = rows.join(others, all_of([within, *same]), "left")
    calls = [
        joined_call(
            prepared.group.calls[place],
            [F.col(renamed[name]) for name in prepared.arguments[place]],
            F.col(theirs.number),
            F.col(marker),
            exact=run.exact,
        ).alias(values[place])
        for place in places
    ]
    other_id = run.fresh("id")
    found = joined.groupBy(F.col(identity).alias(other_id)).agg(*calls)
    frame = numbered.join(found, F.col(identity) == F.col(other_id), "left")
    return replace(input, frame=frame.drop(identity, other_id))
