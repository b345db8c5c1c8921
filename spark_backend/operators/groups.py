"""The Aggregate node: grouping sets, the global group, groups per outer values (S-503)."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import reduce

from pyspark.sql import Column, DataFrame
from pyspark.sql import Window as SparkWindow
from pyspark.sql import functions as F  # noqa: N812  the name that all of PySpark's own text uses

from algebra.expression import AggregateCall, AggregateFunction, Expression, Literal
from algebra.plan import Aggregate
from algebra.types import INTEGER
from spark_backend.columns.expression import Names, column_of, filtered_columns
from spark_backend.columns.logic import all_of
from spark_backend.columns.sort_keys import Direction, sorted_by
from spark_backend.exact.partial_sums import Stages
from spark_backend.made_once import cast, col, cols, row_count
from spark_backend.operators.aggregates import Over, aggregated, in_group, is_merged, is_rounded
from spark_backend.operators.subqueries import with_names
from spark_backend.relation import OuterRows, Relation, column_name
from spark_backend.translator import Translator
from spark_backend.types import null, type_name
from spark_backend.workarounds.constant_order import keys_or_constant


def aggregate(node: Aggregate, input: Relation, translator: Translator) -> Relation:
    """One row per grouping set and distinct value of its keys, in any order.

    The sets with keys are one pass.  If there are several, each row is repeated for every set, with
    NULL for the keys that are not in the set: by Spark's Expand if that suffices (`_expands`), else
    by `explode`.  The set without keys is computed alone, because it has a row even for an empty
    input, and for each combination of outer values.
    """
    used: list[Expression] = list(node.keys)
    for call in node.measures:
        used += [*call.arguments, *([call.filter] if call.filter is not None else [])]
        used += [key.expression for key in call.order]
    input, names = with_names(input, used, translator)
    names = replace(names, sets=node.sets, set_column=translator.fresh("g"))
    keys = [column_of(each, names) for each in node.keys]
    parts: list[DataFrame] = []
    with_keys = [number for number, each in enumerate(node.sets) if each]
    if len(with_keys) == 1:
        frame = _in_set(node, input.frame, names, with_keys[0])
        found = _groups(node, input, frame, names, translator, keys, of_one_set=True)
        parts.append(_in_set(node, found, names, with_keys[0]))
    elif with_keys and _expands(node, translator):
        parts.append(_expanded(node, input, names, keys))
    elif with_keys:
        # The keys first, then the rows again for each set: a key is computed once for a row.
        named = {translator.fresh("k"): each for each in keys}
        repeated = F.explode(F.array(*(F.lit(number) for number in with_keys)))
        frame = input.frame.withColumns(named).withColumn(names.set_column, repeated)
        parts.append(_groups(node, input, frame, names, translator, [col(each) for each in named]))
    for number, each in enumerate(node.sets):
        if not each:
            frame = _in_set(node, input.frame, names, number)
            total = _groups(node, input, frame, names, translator, [], of_one_set=True)
            if input.outer is not None:
                total = _for_all(total, input.outer, node, translator)
            for i, key in enumerate(node.keys):
                total = total.withColumn(f"k{i}", null(key.type))
            parts.append(_in_set(node, total, names, number))
    whole = reduce(DataFrame.unionByName, parts)
    visible = [
        cast(f"k{i}", type_name(each.type), column_name(i)) for i, each in enumerate(node.keys)
    ]
    for i, call in enumerate(node.measures):
        name, type = column_name(len(node.keys) + i), type_name(call.type)
        if call.function is AggregateFunction.LITERAL_AGG:
            visible.append(column_of(call.arguments[0], names).cast(type).alias(name))
        else:
            visible.append(cast(f"v{i}", type, name))
    result = whole.select(*visible, *cols(input.outer_columns))
    types = [*(k.type.as_nullable() for k in node.keys), *(c.type for c in node.measures)]
    return Relation(result, tuple(types), (), input.outer)


def _in_set(node: Aggregate, rows: DataFrame, names: Names, number: int) -> DataFrame:
    """Rows or groups of one grouping set, with its number if the node has several sets.

    GROUPING reads this number: from the rows in arguments and filters of calls, and from the groups
    in LITERAL_AGG.  `_groups` drops the column of its rows, so the groups get it again.
    """
    return rows.withColumn(names.set_column, F.lit(number)) if len(node.sets) > 1 else rows


def _groups(
    node: Aggregate,
    input: Relation,
    frame: DataFrame,
    names: Names,
    translator: Translator,
    values_of_keys: Sequence[Column],
    *,
    of_one_set: bool = False,
) -> DataFrame:
    """The groups of ``frame``: keys ``k0``, …, values ``v0``, … and the number of their set.

    They are computed from rows with these columns, where i is the place of a key or call:
    ``k{i}`` is a key, ``a{i}_{j}`` an argument of a call, ``o{i}_{j}`` a key by which a LISTAGG
    sorts its texts, and ``n{i}`` the number of the row in this order.

    ``input`` has the order of the rows, and ``values_of_keys`` are the keys over ``frame``; none
    for the set without keys. ``of_one_set``: all rows belong to one set, and the groups do not have
    its number.
    """
    keys: list[Column] = []
    for i, (key, value) in enumerate(zip(node.keys, values_of_keys, strict=False)):
        sets_with_key = [number for number, each in enumerate(node.sets) if i in each]
        everywhere = all(i in each for each in node.sets if each)
        if not everywhere:
            value = F.when(col(names.set_column).isin(*sets_with_key), value)
        keys.append((value if sets_with_key else null(key.type)).alias(f"k{i}"))
    arguments = [_arguments(call, names) for call in node.measures]
    set_column = [] if of_one_set else [names.set_column]
    groups = [*(f"k{i}" for i in range(len(keys))), *set_column, *input.outer_columns]
    rows = frame.select(
        *keys,
        *(a.alias(f"a{i}_{j}") for i, each in enumerate(arguments) for j, a in enumerate(each)),
        *(col(each) for each in (*set_column, *input.outer_columns)),
        *(each.alias(f"o{i}_{j}") for i, j, each in _listagg_keys(node, input, names)),
    )
    for i, call in enumerate(node.measures):
        if call.function is AggregateFunction.LISTAGG:
            # Its own keys order the texts; the order of the input decides among ties.
            order: list[Direction] = [*call.order, *input.order]
            sort_keys = [sorted_by(col(f"o{i}_{j}"), key) for j, key in enumerate(order)]
            by = SparkWindow.partitionBy(*groups).orderBy(*keys_or_constant(sort_keys))
            rows = rows.withColumn(f"n{i}", F.row_number().over(by))
    stages = Stages(translator.fresh) if _in_stages(node, translator) else None
    over = in_group if stages is None else stages.over
    values = _values(node, arguments, over, stages)
    # `_values` has added the aggregates from which values are merged to ``stages``: so it is called
    # before `Stages.parts`.
    parts = rows if stages is None else stages.parts(rows, groups)
    return parts.groupBy(*cols(groups)).agg(*values)


def _values(
    node: Aggregate, arguments: Sequence[Sequence[Column]], over: Over, stages: Stages | None
) -> list[Column]:
    """The calls ``v0``, … over arguments ``a0_0``, …, and last a count ``v``.

    The count is there for a query without aggregates: Spark needs one to form the global group.
    """
    calls = [
        aggregated(
            call.function,
            [col(f"a{i}_{j}") for j in range(len(each))],
            [argument.type for argument in call.arguments],
            call.type,
            distinct=call.distinct,
            over=over,
            stages=stages,
            place=col(f"n{i}"),  # read by LISTAGG alone: other calls have no such column
            order=call.order,
        ).alias(f"v{i}")
        for i, (call, each) in enumerate(zip(node.measures, arguments, strict=True))
        if call.function is not AggregateFunction.LITERAL_AGG
    ]
    return [*calls, row_count("v")]


def _expands(node: Aggregate, translator: Translator) -> bool:
    """Whether Spark's own grouping sets suffice.

    They merge two equal sets, and have neither ordered rows (LISTAGG) nor parts of groups.
    """
    sets = [frozenset(each) for each in node.sets if each]
    ordered = any(each.function is AggregateFunction.LISTAGG for each in node.measures)
    return len(set(sets)) == len(sets) and not ordered and not _in_stages(node, translator)


def _expanded(node: Aggregate, input: Relation, names: Names, keys: Sequence[Column]) -> DataFrame:
    """The groups of all sets with keys, by Spark's Expand, which is cheaper than `explode`."""
    arguments = [_arguments(call, names) for call in node.measures]
    per = [col(each) for each in input.outer_columns]
    rows = input.frame.select(
        *(each.alias(f"k{i}") for i, each in enumerate(keys)),
        *(a.alias(f"a{i}_{j}") for i, each in enumerate(arguments) for j, a in enumerate(each)),
        *per,
    )
    names_of_keys = [f"k{i}" for i in range(len(keys))]
    sets = [[*(col(names_of_keys[i]) for i in each), *per] for each in node.sets if each]
    grouped = rows.groupingSets(sets, *(col(each) for each in names_of_keys), *per)
    values = _values(node, arguments, in_group, None)
    found = grouped.agg(*values, F.grouping_id().alias(names.set_column))
    # `grouping_id` has a binary digit for each key and then for each outer column: 1 if the set
    # lacks it.  With keys k0, k1, k2 and two outer columns, which no set lacks, the set (k1) has
    # 10100.
    number_of_set = F.lit(None)
    for number, each in enumerate(node.sets):
        left_out = sum(1 << (len(keys) - 1 - i) for i in range(len(keys)) if i not in each)
        is_of_set = col(names.set_column) == left_out << len(per)
        number_of_set = F.when(is_of_set, number).otherwise(number_of_set)
    return found.withColumn(names.set_column, number_of_set)


def _in_stages(node: Aggregate, translator: Translator) -> bool:
    """Whether groups are aggregated in two stages: for many rows with sums that round.

    If a call cannot be merged from parts, the values of all calls are gathered.
    """
    if translator.small or not all(is_merged(each) for each in node.measures):
        return False
    return any(is_rounded(each) for each in node.measures)


def _listagg_keys(
    node: Aggregate, input: Relation, names: Names
) -> Iterator[tuple[int, int, Column]]:
    """The keys that sort the texts of each LISTAGG: its own, then those of the input's order.

    Each is a triple: the place of the call, the place of the key among the call's, and the key.
    """
    for i, call in enumerate(node.measures):
        if call.function is AggregateFunction.LISTAGG:
            keys = [column_of(key.expression, names) for key in call.order]
            keys += [col(each.column) for each in input.order]
            for j, each in enumerate(keys):
                yield i, j, each


def _arguments(call: AggregateCall, names: Names) -> list[Column]:
    """The columns that a call reads, NULL in rows that do not pass its FILTER.

    COUNT(*) reads a constant, a percentile its sort key, too, and LITERAL_AGG no column.
    """
    if call.function is AggregateFunction.LITERAL_AGG:
        return []
    arguments = call.arguments or (Literal(1, INTEGER),)
    if call.function in (AggregateFunction.PERCENTILE_CONT, AggregateFunction.PERCENTILE_DISC):
        arguments = (*arguments, call.order[0].expression)
    return filtered_columns(arguments, call.filter, names)


def _for_all(
    total: DataFrame, outer: OuterRows, node: Aggregate, translator: Translator
) -> DataFrame:
    """A row of ``total`` for each combination of outer values, also for those without a row.

    For these, COUNT is 0 and other aggregates are NULL.
    """
    renamed = {each: translator.fresh("x") for each in outer.columns}
    other = total.withColumnsRenamed(renamed)
    same = all_of(col(a).eqNullSafe(col(b)) for a, b in renamed.items())
    joined = outer.frame.join(other, same, "left").drop(*renamed.values())
    for i, call in enumerate(node.measures):
        if call.function is AggregateFunction.COUNT:
            joined = joined.withColumn(f"v{i}", F.coalesce(col(f"v{i}"), F.lit(0)))
    return joined
