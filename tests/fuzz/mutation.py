"""Bytes made of other bytes, as fuzzers do it: cut, doubled, spliced, with words of the seeds."""

import re
from collections.abc import Iterator, Sequence
from random import Random
from typing import Final

#: Longer than this no input grows.
MOST: Final = 100_000
_TELLING: Final = (
    b"\x00", b"\xff", b"\xed\xa0\x80", b"\xf0\x9f\x98\x80", b"'", b'"', b"(", b")", b"[", b"{",
    b"/*", b"--", b"9" * 40, b"-1", b"1e999", b"NaN", b"null", b"\r\n", b"\\u0000", b"\\ud800",
    b"2147483648", b"9223372036854775808", b"0001-01-01 00:00:00", b"9999-12-31 23:59:59.999",
)  # fmt: skip


def mutations(seeds: Sequence[bytes], random: Random) -> Iterator[bytes]:
    """The seeds, then mutants of them without end."""
    yield from seeds
    words = sorted({word for seed in seeds for word in re.findall(rb"\w+|[^\w\s]", seed[:5_000])})
    while True:
        data = random.choice(seeds)
        for _ in range(random.choice((1, 1, 2, 4, 8))):
            data = _mutant(data, seeds, words, random)
        yield data[:MOST]


def _mutant(data: bytes, seeds: Sequence[bytes], words: Sequence[bytes], random: Random) -> bytes:
    start, end = sorted(random.randint(0, len(data)) for _ in range(2))
    match random.randrange(8):
        case 0:
            return data[:start] + data[end:]
        case 1:
            return data[:end] + data[start:end] * random.choice((1, 2, 50)) + data[end:]
        case 2:
            other = random.choice(seeds)
            return data[:start] + other[random.randint(0, len(other)) :]
        case 3:
            return data[:start] + random.choice(_TELLING) + data[start:]
        case 4:
            return data[:start] + random.choice(words or _TELLING) + data[start:]
        case 5:
            return data[:start] + bytes([random.randrange(256)]) + data[start + 1 :]
        case 6:
            found = list(re.finditer(rb"\w+", data))
            if not found:
                return data
            at = random.choice(found)
            return data[: at.start()] + random.choice(words or _TELLING) + data[at.end() :]
        case _:
            return data[:start] + random.choice(_TELLING) * random.choice((2, 300)) + data[end:]
