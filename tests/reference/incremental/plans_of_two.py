"""Generated queries over two streams: set operations and joins."""

from dataclasses import replace

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn

from tests.reference.incremental.sources import Item, Source


def united(draw: DrawFn, one: Source, other: Source) -> Source | None:
    """A set operation on the columns that both have."""
    common = [each for each in one.items if each in other.items and each.name != "w"]
    if not any(each.moves for each in common):
        return None
    names = ", ".join(each.name for each in common)
    operator = draw(
        st.sampled_from(
            ["UNION ALL"] * 4 + ["UNION", "INTERSECT", "INTERSECT ALL", "EXCEPT", "EXCEPT ALL"]
        )
    )
    branches = [one, other, *([one] if draw(st.integers(0, 3)) == 0 else [])]
    text = f" {operator} ".join(f"SELECT~ {names} FROM {each.nested} AS q" for each in branches)
    return Source(text, tuple(common), arrival=False)


_WINDOWS = (
    "",
    "OVER (RANGE CURRENT ROW) ",
    "OVER (RANGE INTERVAL '2' MINUTE PRECEDING) ",
    "OVER (RANGE INTERVAL '3' MINUTE FOLLOWING) ",
    "OVER (RANGE BETWEEN INTERVAL '1' MINUTE PRECEDING AND INTERVAL '2' MINUTE FOLLOWING) ",
    "OVER (ROWS CURRENT ROW) ",
    "OVER (ROWS 1 PRECEDING) ",
)
_KINDS = ("JOIN", "JOIN", "LEFT JOIN", "RIGHT JOIN", "FULL JOIN")


def joined(draw: DrawFn, one: Source, other: Source) -> Source | None:
    """A join of two streams, by condition or over windows."""
    both_timed = one.has("rowtime") and other.has("rowtime")
    kind = draw(st.sampled_from(_KINDS))
    conditions = ["1 = 1"]
    if one.numbers and other.numbers:
        equal = f"a.{draw(st.sampled_from(one.numbers))} = b.{draw(st.sampled_from(other.numbers))}"
        conditions += [equal, equal, equal, equal.replace("=", "<=")]
    on = draw(st.sampled_from(conditions))
    if both_timed and draw(st.booleans()):
        windows = [
            each for each in _WINDOWS if "ROWS" not in each or (one.arrival and other.arrival)
        ]
        left, right = draw(st.sampled_from(windows)), draw(st.sampled_from(windows[1:]))
        first = "ROWTIME AS rowtime, "
        text = f"{one.nested} {left}AS a {kind} {other.nested} {right}AS b ON {on}"
    else:
        steps: list[str] = []
        if both_timed:
            low, high = draw(st.sampled_from([(0, 2), (-2, 0), (-1, 3), (0, 0), (1, 2)]))
            ends = [
                f"a.rowtime + INTERVAL '{each}' MINUTE".replace("+ INTERVAL '-", "- INTERVAL '")
                for each in (low, high)
            ]
            steps += [f"b.rowtime BETWEEN {ends[0]} AND {ends[1]}"] * 3
            steps += ["FLOOR(a.rowtime TO MINUTE) = FLOOR(b.rowtime TO MINUTE)"]
            steps += ["a.rowtime = b.rowtime"]
        if "n" in one.moving and "n" in other.moving:
            steps += ["a.n = b.n", "b.n BETWEEN a.n - 1 AND a.n + 1"]
        if not steps:
            return None
        lock = draw(st.sampled_from(steps))
        base = {"LEFT JOIN": "a", "RIGHT JOIN": "b"}.get(kind, draw(st.sampled_from("ab")))
        side = one if base == "a" else other
        timed = side.has("rowtime") and kind != "FULL JOIN" and draw(st.integers(0, 3)) > 0
        first = f"{base}.rowtime AS rowtime, " if timed else ""
        text = f"{one.nested} AS a {kind} {other.nested} AS b ON {on} AND {lock}"
        if kind == "JOIN" and draw(st.booleans()):
            text = f"{one.nested} AS a JOIN {other.nested} AS b ON {on} WHERE {lock}"
    items = [Item("rowtime", moves=True, whole=False)] if first else []
    shown: list[str] = []
    for each in one.items:
        if each.name != "rowtime":
            shown.append(f"a.{each.name} AS {each.name}")
            items.append(replace(each, moves=False))
    for each in other.items:
        if each.whole and each.name != "w":
            shown.append(f"b.{each.name} AS w")
            items.append(Item("w"))
            break
    if not shown:
        return None
    return Source(f"SELECT~ {first}{', '.join(shown)} FROM {text}", tuple(items), arrival=False)
