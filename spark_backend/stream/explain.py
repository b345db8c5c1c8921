"""Describe in words the rows that a streaming query retains of each stream between micro-batches.

`rowtime explain` prints these lines.  The retained rows are those on which a later output row can
depend (`spark_backend.stream.retention.retention`).  They are described in terms of b, the bound of
the output: no later row is below it (S-306).  Partial aggregates replace other rows
(`spark_backend.stream.compaction.compactor`).
"""

from collections.abc import Iterable, Iterator
from typing import Final

from algebra.explain import expression_text
from algebra.expression import Call, Expression, Literal, Op
from algebra.plan import Delta, RangeOffset
from spark_backend.order.times import ORDER_KEY, HiddenName
from spark_backend.stream.compaction.compactor import compaction_of
from spark_backend.stream.retention.asof_state import AsofState
from spark_backend.stream.retention.join_state import JoinState
from spark_backend.stream.retention.retained_rows import RetainedRows
from spark_backend.stream.retention.retention import NOW, retention
from spark_backend.stream.retention.session_state import SessionState
from spark_backend.stream.stage_facts import InputStream, StageFacts, stage_facts
from spark_backend.stream.stages import stages


def state_lines(query: Delta) -> Iterator[str]:
    """The lines of text: for each stage its retained rows, and the meaning of b."""
    before, last = stages(query, "stage")
    for number, each in enumerate((*(stage.query for stage in before), last), 1):
        facts = stage_facts(each, None)
        yield f"kept between micro-batches{f' by stage {number}' if before else ''}:"
        for name, stream in facts.streams.items():
            yield f"  {'.'.join(name)}: {_retained_text(stream, facts)}"
        yield f"  {_meaning_of_b(facts)}"


_ALL: Final = "all, to the end"
#: The rows that replace evicted rows (`spark_backend.stream.compaction.compaction`): the partial
#: aggregates, and the retained prefix.
_PARTIALS: Final = "one total for each partition"
_PAST: Final = "the past rows of each partition that functions can still read"
#: The rows with which MONOTONIC compares later rows.
_MEASURE: Final = "the last row, with which MONOTONIC compares"
#: The retained rows of SESSION.
_SESSIONS: Final = "those of sessions that are not complete"
#: The retained rows of an ASOF join.
_NEAREST: Final = "left rows not yet emitted, and right rows that can be the nearest of a left row"
#: The retained rows of a join in lock step by columns that are not rowtimes.
_PAIRS: Final = "those that later rows can meet, and those of pairs not yet emitted"


def _retained_text(stream: InputStream, facts: StageFacts) -> str:
    """The retained rows of a stream: from a rowtime on, or those of per-row retention."""
    if facts.order is None:
        return _ALL
    if facts.ascending is None:
        return _per_row_text(facts)
    name, plan = stream.declared.name, facts.plan
    compaction, read = compaction_of(plan, facts.ascending)
    without_compaction = retention(plan, facts.ascending)
    with_compaction = retention(plan, facts.ascending, read)
    needs = with_compaction.needs.get(name, ())
    times = [each for each in needs if each is not None]
    if stream.time is None or with_compaction.reach is None or len(times) < len(needs):
        return _per_row_text(facts)
    column = ORDER_KEY if stream.has_implicit_rowtime else stream.declared.columns[stream.time].name
    shown = "their time" if isinstance(column, HiddenName) else column
    beyond = ">" if facts.bound_is_done else ">="
    rows = _since(f"{shown} {beyond}", times, with_compaction.reach)
    if None not in without_compaction.needs.get(name, ()):
        return rows  # a time limits them, so compaction is not needed
    compacted = [_PARTIALS] if compaction is not None and compaction.partials else []
    compacted += [_PAST] if compaction is not None and compaction.prefix else []
    return ", and ".join([*compacted, *([rows] if rows != "none" or not compacted else [])])


def _per_row_text(facts: StageFacts) -> str:
    """The rows that per-row retention requires (`per_row_retention`)."""
    match facts.row_state:
        case None:
            return _ALL
        case JoinState():
            return _PAIRS
        case AsofState():
            return _NEAREST
        case SessionState():
            return _SESSIONS
        case RetainedRows() as last:
            texts = [_MEASURE] if facts.has_monotonic else []
            texts.append(_window_text(last))
            return _ALL if _ALL in texts else ", and ".join(texts)


def _window_text(last: RetainedRows) -> str:
    """The rows that per-row retention of OVER and of groups requires (`RetainedRows`)."""
    if not last.back:
        return "those not yet emitted, from b on"
    if any(isinstance(each, RangeOffset) for each in last.back) and None not in last.back:
        return "those from b on, and of each partition those that their frames see"
    if None not in last.back:
        return "of each partition those from b on, and as many before b as their frames reach back"
    groups = zip(last.window.groups, last.back, strict=True)
    ends = all(group.partition for group, back in groups if back is None)
    whole = "partition" if any(group.calls for group in last.window.groups) else "group"
    return f"of each {whole} all rows, until it is complete" if ends else _ALL


def _since(beyond: str, times: Iterable[Expression], reach: int) -> str:
    """The rows from some times on, such as ``ROWTIME >= b - 1 hour``.

    ``beyond`` is the column with the comparison; ``times`` are in terms of `NOW`, which is
    ``reach`` milliseconds before b.
    """
    back = f" - {_length(reach)}" if reach else ""
    texts = dict.fromkeys(f"{beyond} {_need_text(each, back)}" for each in times)
    return " or ".join(texts) or "none"


def _need_text(need: Expression, back: str) -> str:
    """A time in terms of `NOW` as text; ``back`` is the text of the distance of `NOW` from b."""
    match need:
        case _ if need == NOW:
            return f"b{back}"
        case Call(Op.DATETIME_PLUS, (first, Literal(int() as distance))) if first == NOW:
            return f"b{back} {'-' if distance < 0 else '+'} {_length(abs(distance))}"
        case _:
            return expression_text(need).replace("CURRENT_TIMESTAMP", f"(b{back})")


def _length(millis: int) -> str:
    """A duration in the greatest unit in which it is an integer."""
    for unit, size in (("day", 86_400_000), ("hour", 3_600_000), ("min", 60_000), ("s", 1_000)):
        if millis % size == 0:
            return f"{millis // size} {unit}"
    return f"{millis} ms"


def _meaning_of_b(facts: StageFacts) -> str:
    """The line with the meaning of b: the bound of the output order key."""
    order = facts.order
    if order is None:
        return "b: unknown; all rows are emitted at the end"
    if order.by_time and facts.time == order.place:
        return "b: the bound of the emitted rowtime"
    column = "the time" if order.by_time else "the first key" if order.sorted else "the number"
    return f"b: the bound of {column} by which rows leave"
