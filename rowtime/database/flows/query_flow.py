"""A running streaming query, and the calls of table functions in its FROM."""

from algebra.catalog import Stream
from algebra.parts.mentions import scans
from algebra.plan import Plan
from grammar.codes import Code
from reference.dml.statements import accepted_rows
from reference.environment import Environment
from reference.incremental.lowering.lower import RequestedColumns
from reference.incremental.standing.query import Flow
from reference.incremental.train import Train
from reference.ingress import Ingress, ingress_of
from reference.relation import Relation, Row
from reference.snapshot import stateful
from reference.values import failure, integer


@stateful
class QueryFlow(Flow):
    """The operators of a streaming query, and the calls of table functions that it reads.

    Rows of the input of a table function pass through the function.  Each query has its own calls,
    which begin when the query begins; equal calls in one query are one call.
    """

    def __init__(
        self, query: Plan, env: Environment, requested: RequestedColumns = frozenset()
    ) -> None:
        super().__init__(query, env, requested)
        self._calls = start_calls(query, env)

    def enter(self, ingress: Ingress, rows: Relation) -> Train:
        """Take rows of a stream, and pass them through the table functions that read it.

        Returns the rows that the query emits, and its bounds after them.
        """
        train = super().enter(ingress, rows)
        for each in self._calls:
            if each.input == ingress.source.name:
                sent = each.take(ingress, rows)
                further = super().enter(each.ingress, sent)
                train = Train([*train.rows, *further.rows], further.bounds)
        return train


def start_calls(query: Plan, env: Environment) -> "list[RunningCall]":
    """Start the calls of table functions in a query; equal calls are started once.

    The binder has given each call a stream, the call's output, which the query scans.
    """
    scanned = {each.source.name: each.source for each in scans(query)}
    return [
        RunningCall(each, env)
        for each in scanned.values()
        if isinstance(each, Stream) and each.call is not None
    ]


@stateful
class RunningCall:
    """A call of a table function, and the ingress of its output, which is a stream (S-611.d)."""

    def __init__(self, source: Stream, env: Environment) -> None:
        assert source.call is not None
        call = source.call
        self.input = call.input.name
        self.ingress = ingress_of(source)
        self._accept = env.forms.ingress(self.ingress, env)
        self._transform = call.function.start(call.input.columns, call.arguments)

    def take(self, ingress: Ingress, rows: Relation) -> Relation:
        """Pass rows of its input, and the bound after them, to the function.

        Returns the rows that the function sends.

        Raises EXTERNAL_ROUTINE if the function fails, if it sends a row that violates its columns,
        its bound or the order of its rowtime, or if it sends a bound that goes back.

        Defines: S-611.d, S-611.o
        """
        sent: list[Row] = []
        bound = None if ingress.bound is None else integer(ingress.bound)
        for each in self._transform(rows, bound):
            if isinstance(each, int):
                self.ingress, error = self.ingress.with_bound(each)
                if error is not None:
                    raise self._fault(error.message)
                continue
            self.ingress, accepted, refused = accepted_rows(self.ingress, [each], self._accept)
            for one in refused:
                raise self._fault(one.dropped.reason)
            sent += accepted
        return sent

    def _fault(self, reason: str) -> Exception:
        """The error EXTERNAL_ROUTINE of a function that has sent a wrong row or bound."""
        name = self.ingress.source.name[-1]
        hint = "correct the function"
        return failure(Code.EXTERNAL_ROUTINE, f"{name} has sent what it may not: {reason}", hint)
