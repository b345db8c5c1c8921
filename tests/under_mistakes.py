"""Which mistakes of the code some tests find, before a change of these tests and after it.

    git worktree add /tmp/before main
    python -m tests.under_mistakes --before /tmp/before --count 40 \
        tests/reference/fast/test_forms.py
    python -m tests.under_mistakes --before /tmp/before --count 6 \
        --modules spark_backend.stream.retention spark_backend.stream.compaction \
        -- tests/spark_backend/stream/retention/test_per_row_retention.py

The mistakes are some of those of `rowtime tck score`, by hand and by tool; with --modules they are
made by tool in these modules.  In both folders each mistake has a fork of its own, in which the
tests run until one fails.  Without a mistake the tests must pass, which is tried first.  The exit
status is 1 if the tests of before find a mistake that those of now do not find.  A file of tests
that is there in one folder alone is not run in the other.
"""

import argparse
import json
import os
import random
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from importlib import import_module
from pathlib import Path
from pkgutil import walk_packages
from types import ModuleType
from typing import Any, Final

import pytest

from rowtime.score.change import Change, ChangeError, apply
from rowtime.score.mistake import by_hand
from rowtime.score.mutants import mutants

ROOT: Final = Path(__file__).parents[1]
#: The seconds after which tests that still run have found their mistake: something is endless.
_MOST: Final = 1_200
#: Until the first failure; several runs in one process, whose modules are the same.
_OPTIONS: Final = ("-x", "-q", "-p", "no:cacheprovider", "--assert=plain")


def chosen(modules: Sequence[str], count: int, seed: int) -> Mapping[str, Change]:
    """Mistakes by their names: by hand and by tool, as many of each; with ``modules`` by tool."""
    if modules:
        made = mutants(count, seed, [each for name in modules for each in _modules(name)])
        return {each.id: each.change for each in made}
    some = random.Random(seed).sample(by_hand(), count // 2)
    return {each.id: each.change for each in (*some, *mutants(count - len(some), seed))}


def _modules(name: str) -> Iterator[ModuleType]:
    """A module, and those inside of it."""
    module = import_module(name)
    yield module
    for found in walk_packages(getattr(module, "__path__", ()), f"{name}."):
        yield import_module(found.name)


def is_found(change: Change | None, tests: Sequence[str]) -> str:
    """``found`` if some of the tests fail under a mistake, ``not found``, or ``is no change``.

    None: there is no mistake.
    """
    process = os.fork()
    if process == 0:
        try:
            if change is not None:
                apply(change)
        except ChangeError:
            os._exit(64)
        silent = os.open(os.devnull, os.O_WRONLY)
        os.dup2(silent, 1)
        os.dup2(silent, 2)
        os._exit(pytest.main([*_OPTIONS, *tests]))
    until = time.monotonic() + _MOST
    while time.monotonic() < until:
        ended, status = os.waitpid(process, os.WNOHANG)
        if ended:
            code = os.waitstatus_to_exitcode(status)
            return {0: "not found", 64: "is no change"}.get(code, "found")
        time.sleep(0.05)
    os.kill(process, 9)
    os.waitpid(process, 0)
    return "found"


def tried_here(tests: Sequence[str]) -> None:
    """Print whether the tests of this folder find each mistake that standard input lists."""
    mistakes: dict[str, dict[str, Any]] = json.load(sys.stdin)
    there = [each for each in tests if Path(each.partition("::")[0]).exists()]
    collected = pytest.main([*_OPTIONS, "--collect-only", *there])
    assert collected == 0, "the tests can be collected"
    assert is_found(None, there) == "not found", "the tests pass without a mistake"
    for name, change in mistakes.items():
        print(json.dumps([name, is_found(Change(**change), there)]), file=sys.stderr, flush=True)


def tried(folder: Path, mistakes: Mapping[str, Change], tests: Sequence[str]) -> dict[str, str]:
    """Whether the tests of a folder, a checkout, find each mistake, by its name."""
    done = subprocess.run(
        [sys.executable, str(Path(__file__)), "--here", "--", *tests],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(folder)},
        input=json.dumps({name: asdict(change) for name, change in mistakes.items()}),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return dict(json.loads(line) for line in done.stderr.splitlines() if line.startswith('["'))


def main() -> int:
    """Try all, and print how many mistakes are found before and now."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0] if __doc__ else "")
    parser.add_argument("--before", type=Path, help="a checkout with the tests of before")
    parser.add_argument("--count", type=int, default=20, help="how many mistakes")
    parser.add_argument("--seed", type=int, default=0, help="which mistakes")
    parser.add_argument("--modules", nargs="*", default=[], help="where they are made, by tool")
    parser.add_argument("--here", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("tests", nargs="+")
    given = parser.parse_args()
    if given.here:
        tried_here(given.tests)
        return 0
    mistakes = chosen(given.modules, given.count, given.seed)
    before, now = (tried(each, mistakes, given.tests) for each in (given.before, ROOT))
    counts = Counter((before[each], now[each]) for each in mistakes)
    for (old, new), count in sorted(counts.items()):
        print(f"{count:4} {old} before, {new} now")
    lost = [each for each in mistakes if (before[each], now[each]) == ("found", "not found")]
    for each in lost:
        print(f"found before alone: {each}")
    return 1 if lost else 0


if __name__ == "__main__":
    sys.exit(main())
