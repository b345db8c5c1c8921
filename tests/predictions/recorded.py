"""A network of the reference whose arrivals are written down."""

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field

from algebra.parts.mentions import scans
from algebra.plan import Plan
from reference.incremental import rowwise
from reference.incremental.network import Leaf, Node
from reference.incremental.node_facts import shape_of
from reference.incremental.operator import Operator, State
from reference.incremental.train import Shape, Train
from reference.relation import Row


@dataclass(slots=True)
class Recorded:
    """An operator, and the rows that have arrived and that have left at the present step.

    ``clocks`` are those of its inputs, which are rows of these ``shapes``.
    """

    operator: Operator
    shapes: tuple[Shape, ...]
    clocks: dict[int, float] = field(default_factory=dict[int, float])
    arrived: dict[int, list[Row]] = field(default_factory=lambda: defaultdict[int, list[Row]](list))
    left: int = 0

    @property
    def shape(self) -> Shape:
        """The operator's."""
        return self.operator.shape

    def take(self, train: Train, port: int = 0, /) -> Train:
        """What the operator makes of the train."""
        self.arrived[port] += train.rows
        self.clocks[port] = self.shapes[port].time_bound(train.bounds)
        out = self.operator.take(train, port)
        self.left += len(out.rows)
        return out

    def state(self) -> State:
        """The operator's."""
        return self.operator.state()

    def now(self, time: int) -> float:
        """The smallest clock of the inputs."""
        return min(self.at(port, time) for port in range(len(self.shapes)))

    def at(self, port: int, time: int) -> float:
        """The clock of an input, or ``time`` if it has none yet."""
        return self.clocks.get(port, time)


def recorded(node: Node | Leaf) -> Node | Leaf:
    """The same network, with recorded operators."""
    if isinstance(node, Leaf):
        return node
    read = {each.source.name: shape_of(each) for each in scans(node.plan)}
    shapes = tuple(
        read[each.source] if isinstance(each, Leaf) else each.operator.shape for each in node.inputs
    )
    return Node(node.plan, Recorded(node.operator, shapes), tuple(map(recorded, node.inputs)))


def nodes(top: Node | Leaf) -> Iterator[tuple[Plan, Recorded]]:
    """The operators of a recorded network that retain something, and the plans they implement."""
    if isinstance(top, Node):
        assert isinstance(top.operator, Recorded)
        if not isinstance(top.operator.operator, rowwise.Project):
            yield top.plan, top.operator
        for each in top.inputs:
            yield from nodes(each)
