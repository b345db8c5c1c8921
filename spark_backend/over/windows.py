"""The Window node: functions over frames (S-505, S-506)."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace

from pyspark.sql import Column
from pyspark.sql import Window as SparkWindow
from pyspark.sql import functions as F  # noqa: N812  the name that all of PySpark's own text uses

from algebra.expression import (
    AggregateFunction,
    Expression,
    InputRef,
)
from algebra.plan import Window, WindowGroup
from spark_backend.columns.datetimes import long
from spark_backend.columns.expression import column_of
from spark_backend.columns.logic import all_of
from spark_backend.columns.sort_keys import sorted_by
from spark_backend.operators.subqueries import with_names
from spark_backend.over.frames import Side, in_frame
from spark_backend.over.wide_frames import Found, parted, slides
from spark_backend.over.window_functions import Prepared, joined_call, native_call, placed
from spark_backend.over.workers import by_sliding, by_spans, in_reach
from spark_backend.relation import Relation, column_name
from spark_backend.translator import Frames, Translator
from spark_backend.workarounds.constant_order import keys_or_constant


def window(
    node: Window,
    input: Relation,
    translator: Translator,
    needed: Collection[int] | None = None,
) -> Relation:
    """Each row with the values of all calls behind its own.

    ``needed``: the places of the columns that are read above; None: they may all be.
    """
    width = len(input.types)
    for group in node.groups:
        prepared, input = _prepared(group, input, translator)
        last = group is node.groups[-1]
        if last and not translator.small and not translator.ordered:
            # The order is open after a Window: many rows are spared the weight of keeping it.
            input = replace(input, order=())
        carried = (*input.columns, *input.hidden)
        values = [column_name(width + i) for i in range(len(group.calls))]
        native = {
            i: native_call(prepared, i, small=translator.small) for i in range(len(group.calls))
        }
        sliding = _sliding(prepared, native, translator)
        native = {i: None if i in sliding else each for i, each in native.items()}
        slow = [i for i, each in native.items() if each is None and i not in sliding]
        if slow:
            input = _by_join(prepared, slow, values, input, translator)
        found = [c.alias(values[i]) for i, c in native.items() if c is not None]
        frame = input.frame.select("*", *found)
        if sliding:
            done = [*carried, *(each for i, each in enumerate(values) if i not in sliding)]
            wanted = [(values[i], group.calls[i], each) for i, each in sliding.items()]
            read = set(done)
            if last and needed is not None:
                read -= {each for i, each in enumerate(input.columns) if i not in needed}
            spans = translator.spans if len(sliding) == len(values) else None
            spanned = spans is not None and spans.window is node
            if spans is not None and spanned and in_reach(prepared, sliding.values(), spans):
                frame = by_spans(prepared, wanted, frame, done, read, spans)
                input = replace(input, sorted=True)
            else:
                frame = by_sliding(prepared, wanted, frame, done, read)
        width += len(values)
        kept = [*carried, *values]
        types = (*input.types, *(each.type for each in group.calls))
        input = replace(input, frame=frame.select(*(F.col(each) for each in kept)), types=types)
    return input


def _sliding(
    prepared: Prepared, native: Mapping[int, Column | None], translator: Translator
) -> dict[int, Found]:
    """The calls that `spark_backend.over.wide_frames` computes, in their parts.

    Of small data none: a query costs less than the workers.
    """
    if translator.frames is Frames.SPARK or (
        translator.frames is Frames.CHOSEN and translator.small
    ):
        return {}
    framed = [i for i in native if not placed(prepared.group.calls[i])]
    if not framed:
        return {}
    wide = translator.frames is Frames.SLIDING or slides(prepared)
    asked = [i for i in framed if wide or native[i] is None]
    parts = {i: parted(prepared, i, translator) for i in asked}
    return {i: each for i, each in parts.items() if each is not None}


def _prepared(
    group: WindowGroup, input: Relation, translator: Translator
) -> tuple[Prepared, Relation]:
    """The group's expressions as columns of the input, and each row's number and rank."""
    used: list[Expression] = [*group.partition, *(key.expression for key in group.order)]
    for call in group.calls:
        used += [*call.arguments, *([call.filter] if call.filter is not None else [])]
    input, names = with_names(input, used, translator)
    new: dict[str, Column] = {}

    def named(letter: str, column: Column) -> str:
        name = translator.fresh(letter)
        new[name] = column
        return name

    def column(letter: str, expression: Expression) -> str:
        """The expression's column: the input's own, where it is one, is not sent twice."""
        if isinstance(expression, InputRef):
            return column_name(expression.index)
        return named(letter, column_of(expression, names))

    partition = tuple(column("p", each) for each in group.partition)
    keys = tuple(column("k", each.expression) for each in group.order)
    arguments: list[tuple[str, ...]] = []
    for call in group.calls:
        if call.filter is None and call.arguments:
            arguments.append(tuple(column("a", each) for each in call.arguments))
            continue
        columns = [column_of(each, names) for each in call.arguments]
        if call.function is AggregateFunction.COUNT and not columns:
            columns = [F.lit(1)]
        if call.filter is not None:
            kept = column_of(call.filter, names)
            columns = [F.when(kept, each) for each in columns]
        arguments.append(tuple(named("a", each) for each in columns))
    partition += input.outer_columns
    order = [sorted_by(F.col(n), key) for n, key in zip(keys, group.order, strict=True)]
    full = keys_or_constant([*order, *(each.key() for each in input.order)])
    by = SparkWindow.partitionBy(*(F.col(each) for each in partition))
    number, rank, peers = translator.fresh("n"), translator.fresh("r"), translator.fresh("d")
    frame = input.frame.select("*", *(each.alias(name) for name, each in new.items()))
    frame = frame.withColumn(number, long(F.row_number().over(by.orderBy(*full))))
    among_peers = by.orderBy(*keys_or_constant(order))
    frame = frame.withColumn(rank, long(F.rank().over(among_peers)))
    frame = frame.withColumn(peers, long(F.dense_rank().over(among_peers)))
    prepared = Prepared(group, partition, keys, tuple(arguments), number, rank, peers, tuple(full))
    return prepared, replace(input, frame=frame)


# --- any frame: each row joined with the rows of its frame --------------------------------------


def _by_join(
    prepared: Prepared,
    places: Sequence[int],
    values: Sequence[str],
    input: Relation,
    translator: Translator,
) -> Relation:
    """The input with the values of some calls, each aggregated from the rows of the row's frame.

    What Spark has no window for: frames of months, of DECIMAL or DOUBLE distances, with ends of two
    kinds or that cross; DISTINCT; MEDIAN.  The numbered rows are materialised first: of ties in an
    open order both sides must see the same one.
    """
    identity = translator.fresh("id")
    numbered = input.frame.withColumn(identity, F.monotonically_increasing_id()).localCheckpoint()
    renamed: dict[str, str] = {}
    for name in (*prepared.partition, *prepared.keys, *prepared.places):
        renamed[name] = translator.fresh("f")
    taken = [name for place in places for name in prepared.arguments[place]]
    for name in taken:
        renamed[name] = translator.fresh("f")
    marker = translator.fresh("m")
    others = numbered.select(
        *(F.col(old).alias(new) for old, new in renamed.items()), F.lit(1).alias(marker)
    )
    own = dict.fromkeys((*prepared.partition, *prepared.keys, *prepared.places))
    rows = numbered.select(identity, *own)
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
        ).alias(values[place])
        for place in places
    ]
    other_id = translator.fresh("id")
    found = joined.groupBy(F.col(identity).alias(other_id)).agg(*calls)
    frame = numbered.join(found, F.col(identity) == F.col(other_id), "left")
    return replace(input, frame=frame.drop(identity, other_id))
