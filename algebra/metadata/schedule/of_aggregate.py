"""The schedule of Aggregate: a group is emitted when a bound has passed one of its keys (S-503)."""

from collections.abc import Iterable
from dataclasses import dataclass

from algebra.expression import HOLISTIC, AggregateCall, Case, Expression, Literal
from algebra.metadata.durations import WHOLE, Duration, max_of, min_of, unbounded
from algebra.metadata.runs import until_complete
from algebra.metadata.schedule.schedule import Retained, Schedule, StateKind
from algebra.plan import Aggregate, Filter, Hop, Project
from algebra.spelling import names_of, spelled
from grammar.codes import Code


@dataclass(frozen=True, slots=True)
class AggregateSchedule(Schedule):
    """The schedule of ``plan``."""

    plan: Aggregate
    code = Code.NO_MONOTONIC_KEY

    def latency(self) -> Duration:
        """The greatest wait of the grouping sets: a group waits for the keys of its own set."""
        return max_of(self._until_complete())

    def _until_complete(self) -> list[Duration]:
        """How long until a group is complete, for each grouping set."""
        never = unbounded("a group is never complete: a grouping set has no monotonic key")
        runs = [until_complete(key, self.plan.input) for key in self.plan.keys]
        return [min_of((never, *(runs[i] for i in each))) for each in self.plan.sets]

    def state(self) -> tuple[Retained, ...]:
        """For each grouping set, an accumulator for each open group.

        DISTINCT also has an accumulator for each value.  MEDIAN, and other aggregates that need all
        values, retain the rows.

        Defines: S-408.k, S-408.n
        """
        retained: list[Retained] = []
        for each, until in zip(self.plan.sets, self._until_complete(), strict=True):
            keys = tuple(self.plan.keys[i] for i in each)
            retained.append(Retained(StateKind.ACCUMULATORS, until, keys))
            for call in self.plan.measures:
                if call.function in HOLISTIC:
                    retained.append(Retained(StateKind.ROWS, until))
                elif call.distinct:
                    per = (*keys, *_values_aggregated(call))
                    retained.append(Retained(StateKind.ACCUMULATORS, until, per))
        return without_included(retained)

    def completion(self) -> str:
        """The text of the keys whose bounds complete a group, for each grouping set.

        A group is complete when one of these bounds has passed it; ``never`` if a grouping set has
        no such key.
        """
        keys, input = self.plan.keys, self.plan.input
        bounded = [i for i, key in enumerate(keys) if until_complete(key, input).unbounded is None]
        bounded_keys = ([keys[i] for i in bounded if i in each] for each in self.plan.sets)
        names = names_of(input)
        # One text for the keys of each grouping set, without repetitions.
        texts = dict.fromkeys(_joined_by_or(keys, names) for keys in bounded_keys)
        if "" in texts:  # a grouping set without such a key
            return "never"
        return f"a group, when {', in turn '.join(texts)} has passed it"

    def reason(self) -> str:
        """The end of the group's window if the input has a Hop, else the bounds of its keys."""
        below = self.plan.input
        while isinstance(below, Project | Filter):
            below = below.input
        if isinstance(below, Hop):
            return "a bound at the end of its window (S-504)"
        return "bounds that complete its group (S-503)"

    def state_of_relation(self) -> tuple[Retained, ...]:
        """An accumulator for each group."""
        return (Retained(StateKind.ACCUMULATORS, WHOLE, self.plan.keys),)


def _joined_by_or(keys: Iterable[Expression], names: tuple[str, ...]) -> str:
    """The texts of ``keys``, joined by ``or``; empty if there are no keys."""
    return " or ".join(spelled(each, names) for each in keys)


def _values_aggregated(call: AggregateCall) -> tuple[Expression, ...]:
    """The arguments of an aggregate; each is NULL in rows that its FILTER leaves out."""
    if call.filter is None:
        return call.arguments
    nothing = (Literal(None, each.type.as_nullable()) for each in call.arguments)
    return tuple(
        Case(((call.filter, each),), null, null.type)
        for each, null in zip(call.arguments, nothing, strict=True)
    )


def without_included(retained: list[Retained]) -> tuple[Retained, ...]:
    """``retained`` without items that another item includes.

    Rows that are retained for an hour include those that are retained for ten minutes.
    """
    different = tuple(dict.fromkeys(retained))
    return tuple(e for e in different if not any(_is_included(e, o) for o in different if o != e))


def _is_included(one: Retained, other: Retained) -> bool:
    """Whether ``other`` retains all that ``one`` retains, at least as long."""
    if (one.kind, one.per) != (other.kind, other.per):
        return False
    assert one.duration is not None, "equal items that are kept for ever are one item"
    assert other.duration is not None, "equal items that are kept for ever are one item"
    return one.duration.or_longer(other.duration) == other.duration
