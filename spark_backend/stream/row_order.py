"""How the rows of a plan come out of those of its streams: one by one, in which order."""

from algebra.catalog import Stream
from algebra.monotonicity import is_streaming
from algebra.plan import Delta, Filter, Join, Plan, Project, Reads, Scan, SetOp, Window
from grammar.tree import SetOperator
from spark_backend.entry import gate_of


def strays(plan: Plan) -> bool:
    """Whether rows come in another order than that of their time: that of a stream which does.

    They pass at their moment, wherever the bound is (S-501, S-502).
    """
    match plan:
        case Scan(Stream() as stream, Reads.STREAM):
            place = gate_of(stream).rowtime
            order = None if place is None else stream.columns[place].ordering
            return order is not None and (
                order.punctuated or order.slack is not None or order.rows is not None
            )
        case _:
            return any(strays(each) for each in _passing(plan))


def row_by_row(plan: Plan) -> bool:
    """Whether each row is made of one row of a stream, and of tables."""
    if isinstance(plan, Scan):
        return plan.reads is Reads.STREAM
    inputs = _passing(plan)
    return bool(inputs) and all(row_by_row(each) for each in inputs)


def _passing(plan: Plan) -> tuple[Plan, ...]:
    """The streaming inputs whose rows pass one by one; of another operator none."""
    match plan:
        case Filter(input) | Project(input) | Delta(input):
            return (input,)
        case Join(left, right):
            sides = tuple(each for each in (left, right) if is_streaming(each))
            return sides if len(sides) == 1 else ()
        case SetOp(inputs, SetOperator.UNION, True):
            return inputs
        case _:
            return ()


def at_once(plan: Plan) -> bool:
    """Whether each row comes out as soon as the bound is at it, and is not read again."""
    return row_by_row(plan) and not strays(plan)


def in_order_of_arrival(plan: Plan) -> bool:
    """Whether rows are those of one stream, ties in the order in which they have come."""
    match plan:
        case Scan():
            return True
        case Filter(input) | Project(input) | Window(input):
            return in_order_of_arrival(input)
        case _:
            return False
