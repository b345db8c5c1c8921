"""What a row of a streaming query may be pending for, in the words of the rules."""

from collections.abc import Iterator

from algebra.plan import (
    Aggregate,
    AsofJoin,
    Changes,
    Delta,
    Filter,
    Hop,
    Join,
    Plan,
    Project,
    Scan,
    Session,
    SetOp,
    Sort,
    Values,
    Window,
    WindowJoin,
    inputs_of,
    is_streaming,
)
from grammar.tree import JoinKind, SetOperator


def waits(query: Plan) -> tuple[str, ...]:
    """The reasons for which operators of a query buffer rows, from its inputs up, each once.

    If no operator buffers rows, the reason is the order of the output.
    """
    found = tuple(dict.fromkeys(_waits_of(query)))
    return found or ("no row with a smaller rowtime to come (S-305)",)


def _waits_of(plan: Plan) -> Iterator[str]:
    for each in inputs_of(plan):
        yield from _waits_of(each)
    match plan:
        case Aggregate(input):
            below = input
            while isinstance(below, Project | Filter):
                below = below.input
            if isinstance(below, Hop):
                yield "a bound at the end of its window (S-504)"
            else:
                yield "bounds that complete its group (S-503)"
        case Session():
            yield "a bound at the end of its session (S-902)"
        case Window():
            yield "the rest of its frames, peers too (S-505)"
        case SetOp(_, operator, all):
            if operator is SetOperator.UNION and all:
                yield "every input of UNION ALL to reach its time (S-502)"
            else:
                yield f"bounds that complete the equal rows of {operator} (S-502)"
        case WindowJoin(kind=kind):
            yield "no pair with a smaller rowtime to come (S-511)"
            if kind is not JoinKind.INNER:
                yield "no later row that matches the one without a partner (S-509)"
        case AsofJoin(_, right):
            if is_streaming(right):
                yield "the right bound to pass its time (S-904)"
        case Sort():
            yield "all rows that sort before it (S-507)"
        case Delta() | Changes() | Filter() | Hop() | Join() | Project() | Scan() | Values():
            pass
