"""The keys that the grouping sets of an Aggregate have in common."""

from algebra.plan import Aggregate


def common_keys(plan: Aggregate) -> tuple[int, ...]:
    """The places of the keys that all grouping sets of ``plan`` have."""
    return tuple(sorted(frozenset[int].intersection(*map(frozenset[int], plan.sets))))
