"""Queries whose printer knows which of their texts are event times, and which windows over them."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from algebra.catalog import Stream
from algebra.expression import Call, Literal, Op, Round
from algebra.plan import Changes, Delta, Hop, Reads, Scan, Session, Sort, window_sizes
from algebra.types import UNIT_MILLIS, Kind
from engines.dialect.block import Block, Stage, distinct_names
from engines.dialect.expressions import Scope
from engines.dialect.unsupported import UnsupportedError
from engines.sparknative.event_time import MILLI, MONDAY, Bucket, EventTime, itself, session, window
from engines.sparknative.printer import SparkPrinter
from engines.sparknative.streams import event_time_column, view_of
from grammar.tree import TimeUnit

#: Spark's plan has an expression for each window of a row: 3,600 took it more than three minutes.
_MOST_WINDOWS: Final = 1000


class TimedPrinter(SparkPrinter):
    """Prints a statement, and remembers what its texts mean in event time.

    ``streaming``: whether it is a streaming query.  ``times``: the event time that a text is;
    ``buckets``: the window whose time it is; ``sessions``: the keys of the sessions of a text.  A
    text has the alias of its source in it, so that it means one thing in the whole statement.
    """

    def __init__(self) -> None:
        super().__init__()
        self.streaming = False
        self.times: dict[str, EventTime] = {}
        self.buckets: dict[str, Bucket] = {}
        self.sessions: dict[str, list[str]] = {}

    def bucket(self, text: str) -> Bucket | None:
        """The bucket that a key is; None: it has no watermark."""
        at = self.times.get(text)
        return self.buckets.get(text) if at is None else itself(at)

    # --- sources ----------------------------------------------------------------------------------

    def scan(self, node: Scan) -> Block:
        """The rows of a table, a stream, or its history."""
        alias, source = self.alias(), node.source
        block = self.source(f"{view_of(source, node.reads)} AS {alias}", alias, node)
        place = event_time_column(source) if isinstance(source, Stream) else None
        if node.reads is Reads.STREAM and place is not None:
            self.times[block.items[place]] = EventTime(block.items[place])
        return block

    def hop(self, node: Hop, outer: Scope) -> Block:
        """The rows, with the start and the end of ``window(…)`` as two more columns."""
        emit, retain = window_sizes(node)
        if node.cumulative:
            raise UnsupportedError("no cumulative windows in window()")
        if node.emit.type.kind is Kind.MONTHS:
            raise UnsupportedError("no months in window()")
        if emit > retain:
            raise UnsupportedError("window() cannot leave gaps between windows")
        if retain > _MOST_WINDOWS * emit:
            raise UnsupportedError("no plan within a minute for this number of windows of a row")
        below = self.until(self.block(node.input, outer), Stage.WHERE)
        text = self.expression(node.time, (below.items, *outer))
        at, align = self.times.get(text, EventTime(text)), (node.align - retain) * MILLI
        ends = [window(at, retain * MILLI, emit * MILLI, align, end=each) for each in (False, True)]
        self.buckets |= {each.value: each for each in ends}
        return replace(
            below,
            items=(*below.items, *(each.value for each in ends)),
            names=(*below.names, "WINDOW_START", "WINDOW_END"),
        )

    def session(self, node: Session, outer: Scope) -> Block:
        """The rows with the ends of ``session_window(…)``, of which a stream can only make groups.

        Over tables, rows are in sessions by window functions.
        """
        if not self.streaming:
            return super().session(node, outer)
        below = self.until(self.block(node.input, outer), Stage.WHERE)
        scope = (below.items, *outer)
        text, gap = self.expression(node.time, scope), node.gap.value
        at = self.times.get(text)
        if at is None or at.is_window or not isinstance(gap, int) or gap < 2:
            raise UnsupportedError("no session_window() but of an event time, of two milliseconds")
        ends = [session(at, gap * MILLI, end=each) for each in (False, True)]
        self.buckets |= {each.value: each for each in ends}
        self.sessions[ends[0].group] = [self.expression(each, scope) for each in node.keys]
        return replace(
            below,
            items=(*below.items, *(each.value for each in ends)),
            names=distinct_names((*below.names, "WINDOW_START", "WINDOW_END")),
        )

    def check_session(self, group: str, keys: Sequence[str]) -> None:
        """That groups by a session have its keys, and one at least; raises `UnsupportedError`."""
        partition = self.sessions.get(group)
        if partition is None:
            return
        if not partition:
            raise UnsupportedError("no sessions of a stream without another key")
        if set(partition) != set(keys):
            raise UnsupportedError("no groups of sessions by other keys than those of the sessions")

    def text(self, block: Block) -> str:
        """The whole query.  Raises `UnsupportedError` if a row of a stream shows its session."""
        if block.group is None and any("session_window(" in each for each in block.items):
            raise UnsupportedError("no rows in sessions, but groups of them")
        return super().text(block)

    def delta(self, node: Delta, outer: Scope) -> Block:
        """A streaming query; its rows are sorted micro-batch by micro-batch (`order_of`)."""
        input = node.input
        self.streaming = True
        if isinstance(input, Sort) and input.within is None:
            input = input.input
        return self.block(input, outer)

    def changes(self, node: Changes, outer: Scope) -> Block:
        """A changelog: the streaming query whose result each micro-batch updates."""
        self.streaming = True
        return self.block(node.input, outer)

    def around(self, block: Block) -> Block:
        """The block as a derived table, which also has the columns that its event times are of."""
        if block.text is not None:
            return super().around(block)
        known = {each: self.times[each] for each in block.items if each in self.times}
        texts = dict.fromkeys(each.text for each in known.values())
        more = [each for each in texts if each not in block.items]
        names = tuple(f"EVENT_TIME_{i}" for i, _ in enumerate(more, 1))
        wide = replace(block, items=(*block.items, *more), names=(*block.names, *names))
        found = super().around(wide)
        carried = dict(zip(wide.items, found.items, strict=True))
        for item, at in known.items():
            self.times[carried[item]] = replace(at, text=carried[at.text])
        width = len(block.items)
        return replace(found, items=found.items[:width], names=found.names[:width])

    # --- expressions ------------------------------------------------------------------------------

    def call(self, node: Call, operands: list[str]) -> str:
        """An operator or function; a time plus a constant stays an event time."""
        text = self._stepped(node, operands) or super().call(node, operands)
        micros = _constant_shift(node)
        if micros is not None:
            if operands[0] in self.times:
                self.times[text] = self.times[operands[0]].later(micros)
            elif operands[0] in self.buckets:
                self.buckets[text] = self.buckets[operands[0]].later(micros)
        return text

    def _stepped(self, node: Call, operands: Sequence[str]) -> str | None:
        """STEP of a TIMESTAMP by a constant: the start of a window."""
        match node:
            case Call(Op.STEP, (value, Literal(int() as step, by))) if (
                value.type.kind is Kind.TIMESTAMP and by.kind is Kind.MILLIS and step > 0
            ):
                at = self.times.get(operands[0], EventTime(operands[0]))
                bucket = window(at, step * MILLI, step * MILLI, 0)
                self.buckets[bucket.value] = bucket
                return bucket.value
            case _:
                return None

    def round(self, node: Round, operand: str) -> str:
        """FLOOR or CEIL; of an event time, to a unit of fixed length, the time of a window."""
        text = super().round(node, operand)
        at = self.times.get(operand)
        if at is not None and node.unit in UNIT_MILLIS and node.type.kind is Kind.TIMESTAMP:
            size = UNIT_MILLIS[node.unit] * MILLI
            align = MONDAY if node.unit is TimeUnit.WEEK else 0
            if node.up:
                # A window that is closed at its end is one a millisecond later that is open there.
                found = window(at, size, size, align + MILLI, end=True).later(-MILLI)
            else:
                found = window(at, size, size, align)
            self.buckets[text] = found
        return text


def _constant_shift(node: Call) -> int | None:
    """The microseconds that a TIMESTAMP is moved by; None: it is another call."""
    if node.op is not Op.DATETIME_PLUS or node.type.kind is not Kind.TIMESTAMP:
        return None
    match node.operands[1]:
        case Literal(int() as millis, type) if type.kind is Kind.MILLIS:
            return millis * MILLI
        case Call(Op.NEGATE, (Literal(int() as millis, type),)) if type.kind is Kind.MILLIS:
            return -millis * MILLI
        case _:
            return None
