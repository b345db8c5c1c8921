"""The Window node: each call is evaluated by Spark, by a Python worker or by a join (S-505)."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace

from pyspark.sql import Column
from pyspark.sql import Window as SparkWindow
from pyspark.sql import functions as F  # noqa: N812  the name that all of PySpark's own text uses

from algebra.expression import (
    AggregateFunction,
    Expression,
    InputRef,
    Literal,
    WindowFunction,
)
from algebra.plan import Window, WindowGroup
from algebra.types import INTEGER
from spark_backend.columns.datetimes import long
from spark_backend.columns.expression import column_of, filtered_columns
from spark_backend.columns.logic import all_of
from spark_backend.columns.sort_keys import sorted_by
from spark_backend.made_once import col
from spark_backend.operators.subqueries import with_names
from spark_backend.over.frames import PairedRow, in_frame
from spark_backend.over.wide_frames import SlidingCall, is_wide, sliding_call
from spark_backend.over.window_functions import (
    PreparedGroup,
    joined_call,
    spark_call,
)
from spark_backend.over.workers import by_partition, by_time_span, fits_spans
from spark_backend.relation import Relation, column_name
from spark_backend.translator import Frames, Translator
from spark_backend.workarounds.constant_order import keys_or_constant


def window(
    node: Window,
    input: Relation,
    translator: Translator,
    needed: Collection[int] | None = None,
) -> Relation:
    """Each row of the input with the values of all calls after its own columns.

    Each call is evaluated in one of three ways: by Python workers (`_sliding_calls`), by Spark, or
    by a join if neither of the two can evaluate it.  ``needed`` has the places of the columns that
    are read above; None: all may be read.
    """
    width = len(input.types)
    for group in node.groups:
        prepared, input = _prepared(group, input, translator)
        last = group is node.groups[-1]
        if last and not translator.small and not translator.ordered:
            # The rows of a Window have no order, so the columns of the order are dropped if there
            # are many rows.
            input = replace(input, order=())
        carried = (*input.columns, *input.hidden)
        values = [column_name(width + i) for i in range(len(group.calls))]
        #: The column of each call that Spark can evaluate, by its place; None for other calls.
        spark_calls = {
            i: spark_call(prepared, i, small=translator.small) for i in range(len(group.calls))
        }
        sliding = _sliding_calls(prepared, spark_calls, translator)
        by_spark = {i: c for i, c in spark_calls.items() if c is not None and i not in sliding}
        by_join = [i for i in spark_calls if i not in by_spark and i not in sliding]
        if by_join:
            input = _by_join(prepared, by_join, values, input, translator)
        frame = input.frame.select("*", *(c.alias(values[i]) for i, c in by_spark.items()))
        if sliding:
            others = [*carried, *(each for i, each in enumerate(values) if i not in sliding)]
            calls = [(values[i], group.calls[i], each) for i, each in sliding.items()]
            read = set(others)
            if last and needed is not None:
                read -= {each for i, each in enumerate(input.columns) if i not in needed}
            # Spans need all calls: those of Spark and of joins are computed for all rows.
            spans = translator.spans if len(sliding) == len(values) else None
            spanned = spans is not None and spans.window is node
            if spans is not None and spanned and fits_spans(prepared, sliding.values(), spans):
                frame = by_time_span(prepared, calls, frame, others, read, spans)
                input = replace(input, sorted=True)
            else:
                frame = by_partition(prepared, calls, frame, others, read)
        width += len(values)
        columns = [*carried, *values]
        types = (*input.types, *(each.type for each in group.calls))
        input = replace(input, frame=frame.select(*columns), types=types)
    return input


def _sliding_calls(
    prepared: PreparedGroup, spark_calls: Mapping[int, Column | None], translator: Translator
) -> dict[int, SlidingCall]:
    """The calls that `spark_backend.over.wide_frames` evaluates, by their places.

    Empty if there are few rows, because starting the workers would take longer than Spark's own
    evaluation.  ``spark_calls`` has the column of each call, None if Spark cannot evaluate it.
    """
    if translator.frames is Frames.SPARK or (
        translator.frames is Frames.CHOSEN and translator.small
    ):
        return {}
    framed = [i for i in spark_calls if prepared.group.calls[i].is_framed]
    if not framed:
        return {}
    wide = translator.frames is Frames.SLIDING or is_wide(prepared)
    candidates = [i for i in framed if wide or spark_calls[i] is None]
    parts = {i: sliding_call(prepared, i, translator) for i in candidates}
    return {i: each for i, each in parts.items() if each is not None}


def _prepared(
    group: WindowGroup, input: Relation, translator: Translator
) -> tuple[PreparedGroup, Relation]:
    """The group with the names of its columns, and the input with these columns.

    The columns are the group's expressions, and each row's number, rank and peer group.
    """
    used: list[Expression] = [*group.partition, *(key.expression for key in group.order)]
    for call in group.calls:
        used += [*call.arguments, *([call.filter] if call.filter is not None else [])]
    input, names = with_names(input, used, translator)
    new: dict[str, Column] = {}

    def named(letter: str, column: Column) -> str:
        """Add a column under a fresh name, which begins with the letter; return the name."""
        name = translator.fresh(letter)
        new[name] = column
        return name

    def column(letter: str, expression: Expression) -> str:
        """The name of the expression's column: the input's own if it is a mere reference."""
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
        read = call.arguments
        if call.function is AggregateFunction.COUNT and not read:
            read = (Literal(1, INTEGER),)
        columns = filtered_columns(read, call.filter, names)
        arguments.append(tuple(named("a", each) for each in columns))
    partition += input.outer_columns
    order = [sorted_by(col(n), key) for n, key in zip(keys, group.order, strict=True)]
    full = keys_or_constant([*order, *(each.key() for each in input.order)])
    by = SparkWindow.partitionBy(*(col(each) for each in partition))
    number, rank, peers = translator.fresh("n"), translator.fresh("r"), translator.fresh("d")
    frame = input.frame.select("*", *(each.alias(name) for name, each in new.items()))
    frame = frame.withColumn(number, long(F.row_number().over(by.orderBy(*full))))
    among_peers = by.orderBy(*keys_or_constant(order))
    frame = frame.withColumn(rank, long(F.rank().over(among_peers)))
    frame = frame.withColumn(peers, long(F.dense_rank().over(among_peers)))
    prepared = PreparedGroup(
        group=group,
        partition=partition,
        keys=keys,
        arguments=tuple(arguments),
        number=number,
        rank=rank,
        peers=peers,
        full=tuple(full),
    )
    return prepared, replace(input, frame=frame)


# --- any frame: each row joined with the rows of its frame --------------------------------------


def _by_join(
    prepared: PreparedGroup,
    places: Sequence[int],
    values: Sequence[str],
    input: Relation,
    translator: Translator,
) -> Relation:
    """The input with the values of some calls: each row is joined with the rows of its frame.

    This is for windows that Spark lacks: frames whose distances are months, DECIMAL or DOUBLE;
    frames whose ends are of two kinds, or that end before they start; DISTINCT; MEDIAN.  The
    numbered rows are materialised first, so that both sides of the join number ties in the same
    way.
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
        *(col(old).alias(new) for old, new in renamed.items()), F.lit(1).alias(marker)
    )
    calls = {place: prepared.group.calls[place] for place in places}
    # NTH_VALUE takes its number from the row itself, and not from the rows of its frame.
    nth = {
        p: prepared.arguments[p][1] for p in calls if calls[p].function is WindowFunction.NTH_VALUE
    }
    own = dict.fromkeys((*prepared.partition, *prepared.keys, *prepared.places, *nth.values()))
    rows = numbered.select(identity, *own)
    mine = PairedRow(prepared.keys, *prepared.places)
    theirs = PairedRow(
        tuple(renamed[each] for each in prepared.keys),
        *(renamed[each] for each in prepared.places),
    )
    same = [col(each).eqNullSafe(col(renamed[each])) for each in prepared.partition]
    within = in_frame(prepared.group.frame, prepared.group.order, mine, theirs)
    joined = rows.join(others, all_of([within, *same]), "left")
    results: list[Column] = []
    for place, call in calls.items():
        arguments = [col(renamed[name]) for name in prepared.arguments[place]]
        if place in nth:
            arguments[1] = col(nth[place])
        result = joined_call(call, arguments, col(theirs.number), col(marker))
        results.append(result.alias(values[place]))
    other_id = translator.fresh("id")
    found = joined.groupBy(col(identity).alias(other_id)).agg(*results)
    frame = numbered.join(found, col(identity) == col(other_id), "left")
    return replace(input, frame=frame.drop(identity, other_id))
