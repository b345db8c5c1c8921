"""A plan as a network of operators, through which events are pushed one after the other."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from algebra.catalog import QualifiedName
from algebra.monotonicity.progress import Bounds
from algebra.plan import Plan
from reference.incremental.operator import Operator, State
from reference.incremental.train import Shape, Train, nothing
from reference.relation import Row


@dataclass(slots=True)
class Leaf:
    """Where the rows of a stream enter; ``bounds`` are the last ones that came."""

    source: QualifiedName
    bounds: Bounds


@dataclass(slots=True)
class Node:
    """An operator, the plan node that it does the work of, and what it reads: one for each port."""

    plan: Plan
    operator: Operator
    inputs: tuple["Node | Leaf", ...]


@dataclass(frozen=True, slots=True)
class Route:
    """The way from a leaf to the top: operators, each with the port at which it is entered."""

    leaf: Leaf
    steps: tuple[tuple[Operator, int], ...]


class Network:
    """The operators of one plan.  ``top`` gives the rows; ``bounds`` are its last ones.

    ``shape`` is that of the rows that come out.
    """

    def __init__(self, top: Node | Leaf, shape: Shape) -> None:
        self.top = top
        self.shape = shape
        self.bounds = nothing(shape)
        self._routes = list(_routes(top, ()))

    def push(self, source: QualifiedName, train: Train) -> Train:
        """What comes out because ``train`` has come into ``source``.

        A source that is read several times takes the train at one place after the other.
        """
        rows: list[Row] = []
        for route in self._routes:
            if route.leaf.source == source:
                route.leaf.bounds = train.bounds
                rows += self._up(route, train)
        return Train(rows, self.bounds)

    def tick(self) -> Train:
        """What comes out because the session's clock has moved, or a table has changed."""
        rows: list[Row] = []
        for route in self._routes:
            rows += self._up(route, Train((), route.leaf.bounds))
        return Train(rows, self.bounds)

    def _up(self, route: Route, train: Train) -> Sequence[Row]:
        """The rows at the top; what comes out of each operator goes into the one above."""
        for operator, port in route.steps:
            train = operator.take(train, port)
        self.bounds = train.bounds
        return train.rows

    def states(self) -> Mapping[Plan, State]:
        """What each operator keeps, by its plan node; equal nodes together."""
        kept: dict[Plan, State] = {}
        for node in _nodes(self.top):
            kept[node.plan] = kept.get(node.plan, State()) + node.operator.state()
        return kept


def _routes(node: Node | Leaf, above: tuple[tuple[Operator, int], ...]) -> Iterator[Route]:
    """The ways to the top from all leaves below ``node``, left to right; ``above`` is the rest."""
    if isinstance(node, Leaf):
        yield Route(node, above)
    else:
        for port, each in enumerate(node.inputs):
            yield from _routes(each, ((node.operator, port), *above))


def _nodes(node: Node | Leaf) -> Iterator[Node]:
    """All operators, the top first."""
    if isinstance(node, Node):
        yield node
        for each in node.inputs:
            yield from _nodes(each)
