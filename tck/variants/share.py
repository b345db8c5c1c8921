"""The share of the variants that every run of the whole corpus has."""

from collections.abc import Container, Iterable, Iterator
from hashlib import sha256
from typing import Final

from tck.corpus.case import Case
from tck.variants.variants import variants

#: The share of the cases of which a run has one variant each.
SHARE: Final = 0.1


def with_some_variants(
    cases: Iterable[Case], seed: int, without: Container[str] = ()
) -> Iterator[Case]:
    """Each case; about a tenth of them are followed by one of their variants, which a seed draws.

    The cases whose ids are in ``without`` are followed by none.
    """
    for case in cases:
        yield case
        drawn = _drawn(case.id, seed)
        if drawn < SHARE and case.id not in without:
            there = list(variants(case))
            if there:
                yield there[int(drawn / SHARE * len(there))]


def _drawn(id: str, seed: int) -> float:
    """A number from 0 to 1, less than 1, which looks random."""
    return int.from_bytes(sha256(f"{seed} {id}".encode()).digest()[:6]) / 2**48
