"""Arrangements: what is known of the order of rows, and whether that is the order asked (S-408)."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final, TypeAlias

from algebra.constraints.ranges import Range
from algebra.expression import Expression, InputRef, SortKey
from algebra.monotonicity.columns import Orders
from algebra.monotonicity.deduction import monotonicity
from algebra.monotonicity.equality import Equalities
from algebra.monotonicity.normal_form import coarser, normal
from algebra.monotonicity.tables import Monotonicity
from algebra.rewrite import columns_of, rewritten
from algebra.types import APPROXIMATE, RowType

_C: Final = Monotonicity.CONSTANT
_N: Final = Monotonicity.NOT_MONOTONIC
_S: Final = Monotonicity.STRICTLY_INCREASING


@dataclass(frozen=True, slots=True)
class Key:
    """A key of an order.  ``strict``: no two rows agree in it and in the keys before it.

    ``nulls_first`` is None where it is never NULL.  A NaN is the greatest value (S-202).
    """

    expression: Expression
    descending: bool = False
    strict: bool = False
    nulls_first: bool | None = None

    def serves(self, asked: SortKey) -> bool:
        """Whether rows in order of this key are in that of ``asked``, if the two are equal."""
        nulls = self.nulls_first is None or self.nulls_first == asked.nulls_first
        return self.descending == asked.descending and nulls


#: An order: the rows come by the first key, those of one value of it by the second, and so on.
Order: TypeAlias = tuple[Key, ...]


@dataclass(frozen=True, slots=True)
class Arrangement:
    """How the rows of a plan come.

    ``fields``: the columns; their types are NOT NULL also where that is known by a condition.
    ``columns``: how each column alone goes.  ``orders``: those by several keys, and by keys that
    are no column.  ``unique``: sets of columns whose values do not come twice.
    """

    fields: RowType
    columns: Orders
    orders: tuple[Order, ...]
    unique: tuple[frozenset[int], ...]
    ranges: tuple[Range, ...]
    equal: Equalities

    def column(self, place: int) -> InputRef:
        """The column at ``place`` as an expression."""
        return InputRef(place, self.fields[place].type)

    def sorted_on(self, keys: Sequence[SortKey]) -> bool:
        """Whether the rows are known to come in the order of ``keys``."""
        run = Run.all(self)
        for key in keys:
            if run.single:
                return True
            if not run.goes(key):
                return False
            run = run.within(key.expression)
        return True

    def alone(self) -> Iterator[Order]:
        """The columns that go one way, each as an order."""
        for place, each in enumerate(self.columns):
            column = self.column(place)
            sure = not column.type.nullable and column.type.kind not in APPROXIMATE
            if each.progresses and sure:
                yield (Key(column, each.descending, each.strict),)

    def needed(self) -> Iterator[Order]:
        """The orders that the columns alone do not tell."""
        alone = replace(self, orders=())
        for each in self.orders:
            asked = [SortKey(k.expression, k.descending, k.nulls_first is True) for k in each]
            if not alone.sorted_on(asked):
                yield each

    def together(self) -> Iterator[Order]:
        """Columns that go one way each, and do not come twice together."""
        for each in self.unique:
            keys = [order[0] for order in self.alone() if columns_of(order[0].expression) <= each]
            if len(keys) > 1:
                yield tuple(keys)

    def trimmed(self, order: Order) -> Order:
        """``order`` without keys that say nothing, up to the one that no two rows agree in."""
        kept: list[Key] = []
        run = Run.all(self)
        for key in order:
            if run.single:
                break
            if run.order_of(key.expression) is _C:
                continue
            run = run.within(key.expression)
            kept.append(replace(key, strict=key.strict or run.single))
        return tuple(kept)


# --- is it sorted? ------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Run:
    """The rows that agree in some expressions, as far as their order is known.

    They come one after the other, as the plan is sorted by those.  ``columns`` says how each column
    goes among them, ``orders`` what is left of the orders, ``fixed`` in what they agree.
    """

    of: Arrangement
    columns: Orders
    orders: tuple[Order, ...]
    fixed: tuple[Expression, ...]
    single: bool

    @staticmethod
    def all(of: Arrangement) -> "Run":
        """All rows of an arrangement."""
        return Run(of, of.columns, of.orders, (), single=False)._settled()

    def goes(self, key: SortKey) -> bool:
        """Whether the rows of the run come in the order of ``key``."""
        for order in self.orders:
            if order and order[0].serves(key) and self._same(order[0].expression, key.expression):
                return True
        known = self.order_of(key.expression)
        if known is _C:
            return True
        # What may be NULL, or no number, has a place in an order that monotonicity does not tell.
        type_ = key.expression.type
        if isinstance(key.expression, InputRef):
            type_ = self.of.fields[key.expression.index].type
        sure = not type_.nullable and type_.kind not in APPROXIMATE
        return sure and known.progresses and known.descending == key.descending

    def order_of(self, expression: Expression) -> Monotonicity:
        """How the values of ``expression`` go among the rows of the run; the best that is found."""
        found = [
            monotonicity(written, columns, self.of.ranges)
            for way in self.of.equal.ways(expression)
            for columns, written in self._spellings(way)
        ]
        if _C in found:
            return _C
        moving = [each for each in found if each.progresses]
        return next((e for e in moving if e.strict), next(iter(moving), _N))

    def _spellings(self, way: Expression) -> Iterator[tuple[Orders, Expression]]:
        """``way`` with what the run is fixed in as constants, and each next key as a column."""
        width = len(self.columns)
        places: dict[Expression, Expression] = {}
        for i, each in enumerate(self.fixed):
            place = InputRef(width + i, each.type)
            places |= {**coarser(way, each, place), each: place}
        columns = self.columns + (_C,) * len(self.fixed)
        yield columns, _with(way, places)
        for key in (order[0] for order in self.orders if order):
            if key.expression.type.kind in APPROXIMATE:
                continue  # a NaN, the greatest in an order, is neither above nor below (S-202)
            direction = Monotonicity.DECREASING if key.descending else Monotonicity.INCREASING
            for written in self.of.equal.ways(key.expression):
                place = InputRef(len(columns), written.type)
                near = {**coarser(way, written, place), written: place}
                yield (*columns, direction), _with(way, {**places, **near})

    def _same(self, a: Expression, b: Expression) -> bool:
        return normal(a) == normal(b) or self.of.equal.agree(a, b)

    def within(self, expression: Expression) -> "Run":
        """The rows of the run that agree in ``expression``, too."""
        columns = list(self.columns)
        fixed = list(self.fixed)
        for way in self.of.equal.ways(expression):
            if isinstance(way, InputRef):
                columns[way.index] = _C
            elif way not in fixed:
                fixed.append(way)
            # Of a function that never comes back, one value is of one argument.
            moving = [i for i in columns_of(way) if columns[i] is not _C]
            if len(moving) == 1:
                alone = tuple(_S if i == moving[0] else c for i, c in enumerate(columns))
                if monotonicity(way, alone, self.of.ranges).strict:
                    columns[moving[0]] = _C
        return replace(self, columns=tuple(columns), fixed=tuple(fixed))._settled()

    def _settled(self) -> "Run":
        """The run, with the columns and keys that are constant in it seen to be so."""
        run = self
        while True:
            columns = tuple(
                _C if run._is_constant(i, each) else each for i, each in enumerate(run.columns)
            )
            again = replace(run, columns=columns)
            orders, single = again._left()
            again = replace(again, orders=orders, single=single)
            if again == run:
                return run
            run = again

    def _is_constant(self, place: int, known: Monotonicity) -> bool:
        return known is _C or self.order_of(self.of.column(place)) is _C

    def _left(self) -> tuple[tuple[Order, ...], bool]:
        """What is left of the orders behind keys that are constant; whether one row is left."""
        single = any(all(self.columns[i] is _C for i in each) for each in self.of.unique)
        left: list[Order] = []
        for order in self.orders:
            rest = order
            while rest and self.order_of(rest[0].expression) is _C:
                single = single or rest[0].strict
                rest = rest[1:]
            left.append(rest)
        return tuple(dict.fromkeys(each for each in left if each)), single


def _with(expression: Expression, places: Mapping[Expression, Expression]) -> Expression:
    return rewritten(expression, lambda leaf: places.get(leaf, leaf), places)


def loose(order: Order) -> Order:
    """The order, where each row may come several times."""
    return tuple(replace(key, strict=False) for key in order)
