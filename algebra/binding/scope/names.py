"""Names in a query: the columns that they can mean, and the names of a query's columns (S-205)."""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property

from algebra.catalog import QualifiedName
from algebra.expression import Expression
from algebra.plan import Plan
from algebra.rewrite import shifted
from grammar import tree
from grammar.names import delimited, is_plain


@dataclass(frozen=True, slots=True)
class Visible:
    """A column that an expression can name; ``*`` leaves out an ``implicit`` column (EXT-031)."""

    name: str
    expression: Expression
    implicit: bool = False

    def shifted(self, by: int, padded: bool) -> "Visible":
        """This column in the row of a join, in which its own side starts at the place ``by``.

        ``padded``: the join can pad this side with NULLs, so the column becomes nullable.
        """
        return Visible(self.name, shifted(self.expression, by, padded), self.implicit)


@dataclass(frozen=True, slots=True)
class Variable:
    """A FROM item: its alias or its object's full name, and its columns in order."""

    name: QualifiedName
    columns: tuple[Visible, ...]


@dataclass(frozen=True)
class FromRow:
    """The row of a FROM clause.

    ``plan`` computes such rows.  ``variables`` are the items by which names are qualified.
    ``star`` are the columns of ``*``, in order.  ``unqualified`` are the columns that a name
    without a qualifier may mean; if a join has a ROWTIME of its own, the ROWTIMEs of its sides are
    not among them (S-513).
    """

    plan: Plan
    variables: tuple[Variable, ...]
    star: tuple[Visible, ...]
    unqualified: tuple[Visible, ...]

    def named(self, name: str) -> tuple[Visible, ...]:
        """The columns that ``name`` may mean without a qualifier."""
        return self._by_name.get(name, ())

    @cached_property
    def _by_name(self) -> Mapping[str, tuple[Visible, ...]]:
        """The columns of ``unqualified`` by their names."""
        found: dict[str, tuple[Visible, ...]] = {}
        for each in self.unqualified:
            found[each.name] = (*found.get(each.name, ()), each)
        return found

    def qualified(self, qualifier: tuple[str, ...]) -> tuple[Variable, ...]:
        """The FROM items that ``qualifier`` may mean: those whose name ends with it."""
        return tuple(v for v in self.variables if v.name[-len(qualifier) :] == qualifier)


def parts_of(name: tree.Name) -> QualifiedName:
    """The parts of a name; those without quotes are in upper case."""
    return tuple(each.name for each in name.parts)


def own_name(node: tree.Expression) -> str | None:
    """The name that an expression has without an alias: that of a column; None: it has no name."""
    return node.name.parts[-1].name if isinstance(node, tree.ColumnRef) else None


def quoted(name: str) -> str:
    """The name as SQL text, in quotes if it needs them."""
    return name if is_plain(name) else delimited(name)


def unique_names(names: Iterable[str | None]) -> tuple[str, ...]:
    """``names`` made unique: None becomes EXPR$ and its place, and a repeated name gets a number.

    >>> unique_names(["A", None, "A", "A", "A0"])
    ('A', 'EXPR$1', 'A0', 'A1', 'A00')

    Defines: S-205.b, S-205.e
    """
    taken: dict[str, None] = {}
    attempts = Counter[str]()
    for place, name in enumerate(names):
        base = f"EXPR${place}" if name is None else name
        unique = base
        while unique in taken:
            unique = f"{base}{attempts[base]}"
            attempts[base] += 1
        taken[unique] = None
    return tuple(taken)
