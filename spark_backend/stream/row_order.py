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
        case Filter(input) | Project(input) | Delta(input):
            return strays(input)
        case Join(left, right):
            sides = [each for each in (left, right) if is_streaming(each)]
            return len(sides) == 1 and strays(sides[0])
        case SetOp(inputs, SetOperator.UNION, True):
            return any(strays(each) for each in inputs)
        case _:
            return False


def row_by_row(plan: Plan) -> bool:
    """Whether each row is made of one row of a stream, and of tables."""
    match plan:
        case Scan(_, Reads.STREAM):
            return True
        case Filter(input) | Project(input) | Delta(input):
            return row_by_row(input)
        case Join(left, right):
            sides = [each for each in (left, right) if is_streaming(each)]
            return len(sides) == 1 and row_by_row(sides[0])
        case SetOp(inputs, SetOperator.UNION, True):
            return all(row_by_row(each) for each in inputs)
        case _:
            return False


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
