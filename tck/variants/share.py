"""Choose the variants that every run of the whole corpus has: a share of all, and large ones."""

from collections.abc import Container, Iterable, Iterator
from hashlib import sha256
from typing import Final

from tck.corpus.case import Case
from tck.variants.variants import large_variants, variants

#: The share of the cases that have one variant in a run.
SHARE: Final = 0.1
#: The number of rows of the large variants.
ROWS: Final = 1_000


def with_some_variants(
    cases: Iterable[Case], seed: int, without: Container[str] = ()
) -> Iterator[Case]:
    """All cases; about a tenth of them (`SHARE`) are each followed by one of their variants.

    ``seed`` determines the draw.  At the end there are variants with `ROWS` rows, one for each kind
    of query.  The cases whose ids are in ``without`` have no variants.
    """
    candidates: list[Case] = []  # the cases that may have a large variant
    for case in cases:
        yield case
        if case.id not in without:
            candidates.append(case)
        drawn = _drawn(case.id, seed)
        if drawn < SHARE and case.id not in without:
            choices = list(variants(case))
            if choices:
                # ``drawn`` is evenly spread below `SHARE`, so each choice is equally likely.
                yield choices[int(drawn / SHARE * len(choices))]
    yield from large_variants(candidates, ROWS)


def _drawn(id: str, seed: int) -> float:
    """A pseudo-random number for a case: at least 0, and less than 1."""
    return int.from_bytes(sha256(f"{seed} {id}".encode()).digest()[:6]) / 2**48
