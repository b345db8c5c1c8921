"""The columns in reach of an expression, and the names of a query's own columns (S-205)."""

from collections.abc import Iterable
from dataclasses import dataclass

from algebra.catalog import QualifiedName
from algebra.expression import Expression
from algebra.plan import Plan
from algebra.rewrite import shifted
from grammar import tree
from grammar.names import is_plain


@dataclass(frozen=True, slots=True)
class Visible:
    """A column by the name it goes by; an ``implicit`` one is not part of ``*`` (EXT-031)."""

    name: str
    expression: Expression
    implicit: bool = False

    def shifted(self, by: int, padded: bool) -> "Visible":
        """This column where its row stands ``by`` places further on in a join's row."""
        return Visible(self.name, shifted(self.expression, by, padded), self.implicit)


@dataclass(frozen=True, slots=True)
class Variable:
    """A FROM item: its alias, or its object's full name; its columns in order."""

    name: QualifiedName
    columns: tuple[Visible, ...]


@dataclass(frozen=True, slots=True)
class FromRow:
    """The row of a FROM clause.

    ``star`` are the columns of ``*``, in order; ``unqualified`` those that a name without a
    qualifier may mean.  Over a join that has a ROWTIME, these leave out its sides' own (S-513).
    """

    plan: Plan
    variables: tuple[Variable, ...]
    star: tuple[Visible, ...]
    unqualified: tuple[Visible, ...]

    def named(self, name: str) -> tuple[Visible, ...]:
        """The columns that ``name`` alone may mean."""
        return tuple(each for each in self.unqualified if each.name == name)

    def qualified(self, qualifier: tuple[str, ...]) -> tuple[Variable, ...]:
        """The FROM items that ``qualifier`` may mean."""
        return tuple(v for v in self.variables if v.name[-len(qualifier) :] == qualifier)


def parts_of(name: tree.Name) -> QualifiedName:
    """The parts of a name, folded."""
    return tuple(each.name for each in name.parts)


def own_name(node: tree.Expression) -> str | None:
    """The name that an expression without an alias has by itself: a column's."""
    return node.name.parts[-1].name if isinstance(node, tree.ColumnRef) else None


def quoted(name: str) -> str:
    """The name as SQL text means it: in quotes, where it would be read otherwise without."""
    return name if is_plain(name) else '"' + name.replace('"', '""') + '"'


def unique_names(names: Iterable[str | None]) -> tuple[str, ...]:
    """``names``, an absent one EXPR$ and its place, a repeated one with the suffix 0, 1, … (S-205).

    >>> unique_names(["A", None, "A", "A", "A0"])
    ('A', 'EXPR$1', 'A0', 'A1', 'A00')

    Defines: S-205.b, S-205.e
    """
    taken: dict[str, None] = {}
    for place, name in enumerate(names):
        base = f"EXPR${place}" if name is None else name
        unique, attempt = base, 0
        while unique in taken:
            unique, attempt = f"{base}{attempt}", attempt + 1
        taken[unique] = None
    return tuple(taken)
