"""Known orders of rows, and whether they satisfy a required order (S-408)."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final, TypeAlias

from algebra.constraints.number_range import Range
from algebra.expression import Expression, InputRef, SortKey
from algebra.monotonicity.columns import Orders
from algebra.monotonicity.deduction import monotonicity
from algebra.monotonicity.equality import Equalities
from algebra.monotonicity.normal_form import coarser
from algebra.monotonicity.tables import Monotonicity
from algebra.rewrite import columns_of, rewritten
from algebra.types import APPROXIMATE, RowType

_C: Final = Monotonicity.CONSTANT
_N: Final = Monotonicity.NOT_MONOTONIC
_S: Final = Monotonicity.STRICTLY_INCREASING


@dataclass(frozen=True, slots=True)
class CollationKey:
    """A key of a collation.

    ``strict``: no two rows agree in this key and all keys before it.  ``nulls_first`` is None for a
    key that is never NULL.  NaN is the greatest value (S-202).
    """

    expression: Expression
    descending: bool = False
    strict: bool = False
    nulls_first: bool | None = None

    def satisfies(self, required: SortKey) -> bool:
        """Whether rows sorted on this key are sorted on ``required``.

        The expressions of the two keys are known to be equal, so only the directions and the place
        of NULLs are compared.
        """
        nulls = self.nulls_first is None or self.nulls_first == required.nulls_first
        return self.descending == required.descending and nulls


#: An order of rows: by the first key, rows that agree in it by the second, and so on.
Collation: TypeAlias = tuple[CollationKey, ...]


@dataclass(frozen=True, slots=True)
class Orderings:
    """The known orders of the rows of a plan.

    - ``fields``: the columns; the type of a column is also NOT NULL if a condition implies it
    - ``columns``: the monotonicity of each column
    - ``collations``: orders by several keys, or by keys that are not columns
    - ``unique``: sets of columns; no two rows agree in all columns of a set
    - ``ranges``: the range of values of each column
    - ``equal``: the expressions that are equal in each row
    """

    fields: RowType
    columns: Orders
    collations: tuple[Collation, ...]
    unique: tuple[frozenset[int], ...]
    ranges: tuple[Range, ...]
    equal: Equalities

    def column(self, place: int) -> InputRef:
        """The column at ``place`` as an expression."""
        return InputRef(place, self.fields[place].type)

    def sorted_on(self, keys: Sequence[SortKey]) -> bool:
        """Whether the rows are known to be in the order of ``keys``."""
        peers = Peers.of_all(self)
        for key in keys:
            if peers.single:
                return True
            if not peers.sorted_by(key):
                return False
            peers = peers.where_equal(key.expression)
        return True

    def single_columns(self) -> Iterator[Collation]:
        """A collation for each monotonic column that is never NULL or NaN."""
        for place, each in enumerate(self.columns):
            column = self.column(place)
            has_only_numbers = not column.type.nullable and column.type.kind not in APPROXIMATE
            if each.progresses and has_only_numbers:
                yield (CollationKey(column, each.descending, each.strict),)

    def not_implied(self) -> Iterator[Collation]:
        """The collations that the monotonicity of the columns does not imply."""
        by_columns = replace(self, collations=())
        for each in self.collations:
            # A monotonic column is never NULL, so the place of NULLs does not matter.
            required = [SortKey(k.expression, k.descending, nulls_first=False) for k in each]
            if not by_columns.sorted_on(required):
                yield each

    def unique_together(self) -> Iterator[Collation]:
        """Collations by the monotonic columns of each unique set."""
        for each in self.unique:
            yield tuple(
                order[0]
                for order in self.single_columns()
                if columns_of(order[0].expression) <= each
            )

    def trimmed(self, order: Collation) -> Collation:
        """``order`` without its keys that are constant, or that follow a strict key.

        A key becomes strict if no two rows agree in it and in the keys before it.
        """
        keys: list[CollationKey] = []
        peers = Peers.of_all(self)
        for key in order:
            if not peers.single and peers.order_of(key.expression) is not _C:
                peers = peers.where_equal(key.expression)
                keys.append(replace(key, strict=key.strict or peers.single))
        return tuple(keys)


# --- whether rows are sorted --------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Peers:
    """Rows of a plan that agree in some expressions, and their known orders.

    The plan is sorted by these expressions, so the rows are consecutive.

    - ``of``: the known orders of all rows of the plan, of which the peers are some
    - ``columns``: the monotonicity of each column among the peers
    - ``collations``: the known orders of the peers, without leading keys that are constant in them
    - ``fixed``: the expressions in which the peers agree, except columns
    - ``single``: whether there is at most one such row
    """

    of: Orderings
    columns: Orders
    collations: tuple[Collation, ...]
    fixed: tuple[Expression, ...]
    single: bool

    @staticmethod
    def of_all(of: Orderings) -> "Peers":
        """All rows of a plan, as peers that need not agree in any expression."""
        return Peers(of, of.columns, of.collations, (), single=False)._with_consequences()

    def sorted_by(self, key: SortKey) -> bool:
        """Whether the rows are in the order of ``key``."""
        leading = [order[0] for order in self.collations]
        equal = self.of.equal
        if any(e.satisfies(key) and equal.agree(e.expression, key.expression) for e in leading):
            return True
        known = self.order_of(key.expression)
        if known is _C:
            return True
        # Monotonicity does not say where NULL and NaN are in the order.
        type_ = key.expression.type
        if isinstance(key.expression, InputRef):
            type_ = self.of.fields[key.expression.index].type
        has_only_numbers = not type_.nullable and type_.kind not in APPROXIMATE
        return has_only_numbers and known.progresses and known.descending == key.descending

    def order_of(self, expression: Expression) -> Monotonicity:
        """The monotonicity of ``expression`` among the peers.

        It may be returned as not strict although it is strict.
        """
        found = [
            monotonicity(written, columns, self.of.ranges)
            for equivalent in self.of.equal.equivalents(expression)
            for columns, written in self._with_columns_of_keys(equivalent)
        ]
        return _C if _C in found else next((each for each in found if each.progresses), _N)

    def _with_columns_of_keys(self, equivalent: Expression) -> Iterator[tuple[Orders, Expression]]:
        """``equivalent``, written over rows with further columns, and the orders of all columns.

        A further column has the values of an expression, and replaces it in ``equivalent``.  The
        first result has a CONSTANT column for each of the fixed expressions.  Each other result has
        one more column: the first key of a collation, by which the peers are sorted.
        """
        width = len(self.columns)
        places: dict[Expression, Expression] = {}
        for i, each in enumerate(self.fixed):
            place = InputRef(width + i, each.type)
            # The column also replaces its expression inside functions of a coarser unit.
            places |= {**coarser(equivalent, each, place), each: place}
        columns = self.columns + (_C,) * len(self.fixed)
        yield columns, _with(equivalent, places)
        for key in (order[0] for order in self.collations):
            if key.expression.type.kind in APPROXIMATE:
                continue  # a NaN, the greatest in an order, is neither above nor below (S-202)
            direction = Monotonicity.DECREASING if key.descending else Monotonicity.INCREASING
            for written in self.of.equal.equivalents(key.expression):
                place = InputRef(len(columns), written.type)
                by_key = {**coarser(equivalent, written, place), written: place}
                yield (*columns, direction), _with(equivalent, {**places, **by_key})

    def where_equal(self, expression: Expression) -> "Peers":
        """Those of the peers that also agree in ``expression``."""
        columns = list(self.columns)
        fixed = list(self.fixed)
        for equivalent in self.of.equal.equivalents(expression):
            if isinstance(equivalent, InputRef):
                columns[equivalent.index] = _C
            else:
                fixed.append(equivalent)
            # If the expression is a strict function of a single column, equal values of the
            # expression mean equal values of the column.
            varying = [i for i in columns_of(equivalent) if columns[i] is not _C]
            if len(varying) == 1:
                one_strict = tuple(_S if i == varying[0] else c for i, c in enumerate(columns))
                if monotonicity(equivalent, one_strict, self.of.ranges).strict:
                    columns[varying[0]] = _C
        return replace(self, columns=tuple(columns), fixed=tuple(fixed))._with_consequences()

    def _with_consequences(self) -> "Peers":
        """The same peers with all consequences of the expressions in which they agree.

        Each column that must be constant becomes CONSTANT, and leading keys that are constant are
        dropped from the collations.  This is repeated until nothing changes.
        """
        peers = self
        while True:
            columns = tuple(
                _C if peers.order_of(self.of.column(i)) is _C else each
                for i, each in enumerate(peers.columns)
            )
            next_peers = replace(peers, columns=columns)
            collations, single = next_peers._collations_and_single()
            next_peers = replace(next_peers, collations=collations, single=single)
            if next_peers == peers:
                return peers
            peers = next_peers

    def _collations_and_single(self) -> tuple[tuple[Collation, ...], bool]:
        """The collations without leading constant keys, and whether there is at most one row."""
        single = any(all(self.columns[i] is _C for i in each) for each in self.of.unique)
        remaining: list[Collation] = []
        for order in self.collations:
            rest = order
            while rest and self.order_of(rest[0].expression) is _C:
                rest = rest[1:]
            remaining.append(rest)
        return tuple(dict.fromkeys(each for each in remaining if each)), single


def _with(expression: Expression, places: Mapping[Expression, Expression]) -> Expression:
    """``expression``, in which each key of ``places`` is replaced by its value."""
    return rewritten(expression, lambda leaf: places.get(leaf, leaf), places)


def not_strict(order: Collation) -> Collation:
    """``order`` without its strictness: that of the same rows if each may be repeated."""
    return tuple(replace(key, strict=False) for key in order)
