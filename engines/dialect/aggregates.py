"""Aggregates and windows of a plan as SQL text."""

from collections.abc import Sequence
from typing import ClassVar

from algebra.expression import (
    AggregateCall,
    AggregateFunction,
    Expression,
    GroupId,
    Grouping,
    SortKey,
    WindowCall,
)
from algebra.plan import (
    Aggregate,
    Exclude,
    Frame,
    FrameBound,
    GroupOffset,
    RangeOffset,
    RowOffset,
    Unbounded,
    WindowGroup,
)
from engines.dialect.expressions import ExpressionPrinter, Scope


class AggregatePrinter(ExpressionPrinter):
    """Aggregates, grouping sets, windows and frames in the standard's spelling."""

    #: Whether ``IGNORE NULLS`` stands inside the brackets of the call, and the order of LISTAGG.
    nulls_inside: ClassVar[bool] = False
    order_inside: ClassVar[bool] = False

    def group_by(self, node: Aggregate, keys: Sequence[str]) -> str | None:
        """The text after GROUP BY; None: one group of all rows."""
        everything = tuple(range(len(keys)))
        if node.sets == (everything,):
            return ", ".join(keys) if keys else None
        return self.grouping_sets(node, keys)

    def grouping_sets(self, node: Aggregate, keys: Sequence[str]) -> str:
        """The text after GROUP BY for other sets than that of all keys."""
        sets = ("(" + ", ".join(keys[place] for place in each) + ")" for each in node.sets)
        return f"GROUPING SETS ({', '.join(sets)})"

    def measure(self, call: AggregateCall, keys: Sequence[str], scope: Scope) -> str:
        """An aggregate of a group."""
        match call.arguments:
            case (Grouping(places),):
                return f"GROUPING({', '.join(keys[place] for place in places)})"
            case (GroupId(),):
                return "GROUP_ID()"
            case _:
                arguments = [self.expression(each, scope) for each in call.arguments]
        return self.aggregate(call, arguments, scope) + self.filtered(call.filter, scope)

    def aggregate(self, call: AggregateCall, arguments: list[str], scope: Scope) -> str:
        """An aggregate without its FILTER; ``arguments`` are texts already."""
        text = self.function(call, arguments)
        if not call.order:
            return text
        if call.function is AggregateFunction.LISTAGG and self.order_inside:
            return f"{text[:-1]} ORDER BY {self.order_by(call.order, scope)})"
        keys = self.order_by(call.order, scope)
        return f"{text} WITHIN GROUP (ORDER BY {keys})"

    def function(self, call: AggregateCall | WindowCall, arguments: list[str]) -> str:
        """The name with the arguments in brackets: ``COUNT(*)``, ``SUM(DISTINCT x)``."""
        name = self.functions.get(call.function, str(call.function))
        if call.function is AggregateFunction.COUNT and not arguments:
            arguments = ["*"]
        distinct = "DISTINCT " if call.distinct else ""
        return f"{name}({distinct}{', '.join(arguments)})"

    def filtered(self, condition: Expression | None, scope: Scope) -> str:
        """FILTER (WHERE …), or nothing."""
        return "" if condition is None else f" FILTER (WHERE {self.expression(condition, scope)})"

    def order_by(self, keys: Sequence[SortKey], scope: Scope) -> str:
        """The text after ORDER BY."""
        return ", ".join(self.sort_key(key, self.expression(key.expression, scope)) for key in keys)

    # --- windows --------------------------------------------------------------------------------

    def window_call(self, call: WindowCall, group: WindowGroup, scope: Scope) -> str:
        """A call with OVER."""
        arguments = [self.expression(each, scope) for each in call.arguments]
        if call.ignore_nulls and self.nulls_inside:
            arguments[-1] += " IGNORE NULLS"
        text = self.function(call, arguments) + self.filtered(call.filter, scope)
        nulls = " IGNORE NULLS" if call.ignore_nulls and not self.nulls_inside else ""
        return f"{text}{nulls} OVER ({self.window(call, group, scope)})"

    def window(self, call: WindowCall, group: WindowGroup, scope: Scope) -> str:
        """PARTITION BY, ORDER BY, and the frame if the function has one."""
        parts: list[str] = []
        if group.partition:
            keys = (self.expression(each, scope) for each in group.partition)
            parts.append(f"PARTITION BY {', '.join(keys)}")
        if group.order:
            parts.append(f"ORDER BY {self.window_keys(group, scope)}")
        if self.has_frame(call):
            parts.append(self.frame(group.frame))
        return " ".join(parts)

    def window_keys(self, group: WindowGroup, scope: Scope) -> str:
        """The text after ORDER BY of a window."""
        return self.order_by(group.order, scope)

    def has_frame(self, call: WindowCall) -> bool:
        """Whether a frame may be written: a rank and LAG have none in the standard."""
        return isinstance(call.function, AggregateFunction) or call.function.endswith("_VALUE")

    def frame(self, frame: Frame) -> str:
        """ROWS, RANGE or GROUPS BETWEEN."""
        bounds = (frame.start, frame.end)
        unit = "ROWS"
        if any(isinstance(each, RangeOffset) for each in bounds):
            unit = "RANGE"
        elif any(isinstance(each, GroupOffset) for each in bounds):
            unit = "GROUPS"
        start = self.frame_bound(frame.start, "PRECEDING")
        end = self.frame_bound(frame.end, "FOLLOWING")
        without = "" if frame.exclude is Exclude.NO_OTHERS else f" EXCLUDE {frame.exclude}"
        return f"{unit} BETWEEN {start} AND {end}{without}"

    def frame_bound(self, bound: FrameBound, outward: str) -> str:
        """One end; ``outward`` is the word after UNBOUNDED."""
        match bound:
            case Unbounded():
                return f"UNBOUNDED {outward}"
            case RowOffset(0) | GroupOffset(0):
                return "CURRENT ROW"
            case RowOffset(number) | GroupOffset(number):
                return f"{abs(number)} {'PRECEDING' if number < 0 else 'FOLLOWING'}"
            case RangeOffset(distance, preceding):
                if distance.value == 0:
                    return "CURRENT ROW"
                return f"{self.literal(distance)} {'PRECEDING' if preceding else 'FOLLOWING'}"
