"""The objects that a plan reads, wherever in it."""

from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from typing import cast

from algebra.plan import Scan


def scans(node: object) -> Iterator[Scan]:
    """The scans in a plan, those of sub-queries in its expressions included."""
    match node:
        case Scan():
            yield node
        case tuple():
            # cast: a tuple pattern does not say of what
            for each in cast("tuple[object, ...]", node):
                yield from scans(each)
        case _ if is_dataclass(node):
            for field in fields(node):
                yield from scans(getattr(node, field.name))
        case _:
            pass
