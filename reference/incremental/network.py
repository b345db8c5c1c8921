"""A network: the operators of a streaming plan, which process one event after the other.

The lowering (`reference.incremental.lowering`) makes a network.  It is a tree: the rows of streams
enter at the leaves, and the top emits the output rows.  A train is a batch of rows with the bounds
of all later rows.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from algebra.catalog import QualifiedName
from algebra.monotonicity.progress import Bounds
from algebra.plan import Plan
from reference.incremental.operator import Operator, State
from reference.incremental.train import Shape, Train, nothing
from reference.relation import Row
from reference.snapshot import stateful


@stateful
@dataclass(slots=True)
class Leaf:
    """The entrance of the rows of the stream ``source``; ``bounds`` are those of its last train."""

    source: QualifiedName
    bounds: Bounds


@stateful
@dataclass(slots=True)
class Node:
    """An operator, the plan node that it implements, and its inputs, one for each port."""

    plan: Plan
    operator: Operator
    inputs: tuple["Node | Leaf", ...]


@stateful
@dataclass(frozen=True, slots=True)
class Route:
    """The path from a leaf to the top: operators, each with the port that the path enters."""

    leaf: Leaf
    steps: tuple[tuple[Operator, int], ...]


@stateful
class Network:
    """The operators of one plan, below and including ``top``.

    ``shape`` is the shape of the output rows, ``bounds`` are the bounds of the last output train.
    """

    def __init__(self, top: Node | Leaf, shape: Shape) -> None:
        self.top = top
        self.shape = shape
        self.bounds = nothing(shape)
        self._routes = list(_routes(top, ()))

    def push(self, source: QualifiedName, train: Train) -> Train:
        """Push ``train`` in at the stream ``source``; return the output rows and the new bounds.

        A stream that the plan reads several times takes the train at each of its leaves in turn.
        """
        rows: list[Row] = []
        for route in self._routes:
            if route.leaf.source == source:
                route.leaf.bounds = train.bounds
                rows += self._push_along(route, train)
        return Train(rows, self.bounds)

    def tick(self) -> Train:
        """Push a train without rows in at all leaves; return the output rows and the new bounds.

        This is called when the session's clock has advanced, or a table has changed.
        """
        rows: list[Row] = []
        for route in self._routes:
            rows += self._push_along(route, Train((), route.leaf.bounds))
        return Train(rows, self.bounds)

    def _push_along(self, route: Route, train: Train) -> Sequence[Row]:
        """Push a train through the operators of ``route``; return the output rows."""
        for operator, port in route.steps:
            train = operator.take(train, port)
        self.bounds = train.bounds
        return train.rows

    def states(self) -> Mapping[Plan, State]:
        """The state of each plan node: the sum over the operators that implement it.

        Several operators can belong to one node, or to equal nodes.
        """
        retained: dict[Plan, State] = {}
        for node in _nodes(self.top):
            retained[node.plan] = retained.get(node.plan, State()) + node.operator.state()
        return retained


def _routes(node: Node | Leaf, path: tuple[tuple[Operator, int], ...]) -> Iterator[Route]:
    """The paths from all leaves below ``node`` to the top, the leftmost leaf first.

    ``path`` is the part of the paths above ``node``.
    """
    if isinstance(node, Leaf):
        yield Route(node, path)
    else:
        for port, each in enumerate(node.inputs):
            yield from _routes(each, ((node.operator, port), *path))


def _nodes(node: Node | Leaf) -> Iterator[Node]:
    """All nodes from ``node`` down, each before its inputs; leaves are not among them."""
    if isinstance(node, Node):
        yield node
        for each in node.inputs:
            yield from _nodes(each)
