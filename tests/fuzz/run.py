"""`make fuzz MINUTES=10`: each target for so long, in a process of its own; findings are kept.

A finding is an exception that a target does not expect, five seconds without an end, more than a
gigabyte of memory, or the end of the process.  The input is written to ``build/fuzz/TARGET-HASH``;
``python -m tests.fuzz.run --input FILE TARGET`` runs it again.

``--atheris`` lets atheris choose the inputs, by the lines that they reach, in targets whose code is
Python's alone.  It must be installed: it is large, and no dependency.
"""

import argparse
import faulthandler
import resource
import subprocess
import sys
import time
import traceback
from hashlib import sha256
from pathlib import Path
from random import Random
from typing import Final

from tests.fuzz.limits import KEPT, prepare_process, run_in_time
from tests.fuzz.mutation import mutations
from tests.fuzz.targets import TARGETS

MEMORY: Final = 1 << 30


def _attempt(target: str, data: bytes) -> str:
    """The traceback of a finding; empty: there is none."""
    try:
        run_in_time(TARGETS[target].run, data)
    except (Exception, RecursionError, MemoryError):
        return traceback.format_exc(limit=-6)
    return ""


def _keep(target: str, data: bytes) -> Path:
    path = KEPT / f"{target}-{sha256(data).hexdigest()[:12]}"
    path.write_bytes(data)
    return path


def fuzz(target: str, seconds: float, seed: int) -> int:
    """Fuzz one target in this process; the number of findings, each printed once."""
    faulthandler.enable()
    prepare_process()
    TARGETS[target].run(b"")
    used = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (used + MEMORY, used + MEMORY))
    current = KEPT / f"{target}-current"
    seeds = TARGETS[target].seeds()
    until, count, seen = time.monotonic() + seconds, 0, set[str]()
    for data in mutations(seeds, Random(seed)):
        if time.monotonic() > until:
            break
        current.write_bytes(data)  # what is left of a process that has died
        count += 1
        found = _attempt(target, data)
        place = "\n".join(line for line in found.splitlines() if line.startswith("  File"))
        if found and place not in seen:
            seen.add(place)
            print(f"{target}: {_keep(target, data)}\n{found}", flush=True)
    current.unlink(missing_ok=True)
    took = f"{seconds:.0f} s, {time.process_time():.0f} of them computing"
    print(f"{target}: {count:,} inputs in {took}, {len(seen)} findings", flush=True)
    return len(seen)


def main() -> int:
    """Fuzz the targets named, or all; exit status 1 if anything was found."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("targets", nargs="*", choices=[*TARGETS, []], help="default: all")
    parser.add_argument("--minutes", type=float, default=1)
    parser.add_argument("--seed", type=int, default=int(time.time()))
    parser.add_argument("--input", type=Path, help="run this input alone")
    parser.add_argument("--atheris", action="store_true", help="inputs by coverage, with atheris")
    parser.add_argument("--here", action="store_true", help=argparse.SUPPRESS)
    given = parser.parse_args()
    chosen = given.targets or list(TARGETS)
    if given.input:
        for each in chosen:
            TARGETS[each].run(given.input.read_bytes())
        return 0
    if given.here:
        return min(1, sum(fuzz(each, given.minutes * 60, given.seed) for each in chosen))
    if given.atheris:
        command = ["tests.fuzz.by_coverage", str(given.minutes * 60), *chosen]
        return subprocess.run([sys.executable, "-m", *command], check=False).returncode
    failed = False
    for each in chosen:
        command = ["tests.fuzz.run", "--here", "--minutes", str(given.minutes)]
        command += ["--seed", str(given.seed), each]
        status = subprocess.run([sys.executable, "-m", *command], check=False).returncode
        if status < 0:
            left = KEPT / f"{each}-current"
            print(f"{each}: the process died of signal {-status}; its input is {left}", flush=True)
        failed = failed or status != 0
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
