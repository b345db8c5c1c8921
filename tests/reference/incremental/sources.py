"""What a generated query reads: streams and queries, with what is known of their columns."""

from dataclasses import dataclass

#: The streams of all generated catalogs.
STREAMS = ("A", "B", "C")


@dataclass(frozen=True)
class Item:
    """A column: ``moves`` if rows arrive in its order, ``whole`` if it is an INTEGER."""

    name: str
    moves: bool = False
    whole: bool = True


@dataclass(frozen=True)
class Source:
    """What may stand in FROM: a stream, or a query whose own SELECTs are marked by ``~``.

    ``arrival``: its rows arrive in an order that is certain, ties included (S-307).
    """

    text: str
    items: tuple[Item, ...]
    arrival: bool = True

    @property
    def nested(self) -> str:
        """The text in FROM of another query."""
        return self.text if self.text in STREAMS else f"({self.text.replace('~', '')})"

    @property
    def top(self) -> str:
        """The text of a streaming query."""
        text = f"SELECT~ * FROM {self.text}" if self.text in STREAMS else self.text
        return text.replace("~", " STREAM")

    def has(self, *names: str) -> bool:
        """Whether it has columns of these names."""
        return {*names} <= {each.name for each in self.items}

    @property
    def numbers(self) -> list[str]:
        """The columns of whole numbers that are in no order."""
        return [each.name for each in self.items if each.whole and not each.moves]

    @property
    def moving(self) -> list[str]:
        """The columns that rows arrive in the order of."""
        return [each.name for each in self.items if each.moves]
