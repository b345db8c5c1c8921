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
import signal
import subprocess
import sys
import tempfile
import time
import traceback
from hashlib import sha256
from importlib import import_module
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from types import FrameType
from typing import Any, Final, Never

from tests.fuzz.mutation import mutations
from tests.fuzz.targets import TARGETS

KEPT: Final = Path("build/fuzz")
#: Where files are made, if there is such a folder: on a disk a database waits to be written.
MEMORY_DISK: Final = Path("/dev/shm")  # noqa: S108  # each file is in a folder of its own
SECONDS: Final = 5
#: The packages whose lines guide atheris.
INSTRUMENTED: Final = ("algebra", "grammar", "reference", "tck")
MEMORY: Final = 1 << 30


class HangError(Exception):
    """A target has not come to its end in time."""


def _hang(_signal: int, _frame: FrameType | None) -> Never:
    raise HangError(f"no end after {SECONDS} s")


def _attempt(target: str, data: bytes) -> str:
    """The traceback of a finding; empty: there is none."""
    signal.setitimer(signal.ITIMER_VIRTUAL, SECONDS)  # of this process: the machine may be busy
    try:
        TARGETS[target].run(data)
    except (Exception, RecursionError, MemoryError):
        return traceback.format_exc(limit=-6)
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
    return ""


def _keep(target: str, data: bytes) -> Path:
    KEPT.mkdir(parents=True, exist_ok=True)
    path = KEPT / f"{target}-{sha256(data).hexdigest()[:12]}"
    path.write_bytes(data)
    return path


def fuzz(target: str, seconds: float, seed: int) -> int:
    """Fuzz one target in this process; the number of findings, each printed once."""
    faulthandler.enable()
    signal.signal(signal.SIGVTALRM, _hang)
    if MEMORY_DISK.is_dir():
        tempfile.tempdir = str(MEMORY_DISK)
    TARGETS[target].run(b"")
    used = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (used + MEMORY, used + MEMORY))
    current = KEPT / f"{target}-current"
    KEPT.mkdir(parents=True, exist_ok=True)
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


def by_coverage(target: str, seconds: float) -> Never:
    """Fuzz one target in this process with atheris, which ends it: at its first finding, too."""
    atheris: Any = import_module("atheris")  # it has no types
    for name in list(sys.modules):  # what is imported again is instrumented
        if name.partition(".")[0] in INSTRUMENTED:
            del sys.modules[name]
    for name in ("tests.fuzz.targets", "tests.fuzz.kit"):
        del sys.modules[name]
    with atheris.instrument_imports(include=[*INSTRUMENTED]):
        targets: Any = import_module("tests.fuzz.targets")
    chosen = targets.TARGETS[target]
    with TemporaryDirectory() as corpus:
        for place, seed in enumerate(chosen.seeds()):
            (Path(corpus) / str(place)).write_bytes(seed)
        KEPT.mkdir(parents=True, exist_ok=True)
        limits = [f"-max_total_time={seconds:.0f}", "-timeout=5", "-rss_limit_mb=2048"]
        options = [*limits, f"-artifact_prefix={KEPT}/{target}-", "-print_final_stats=1"]
        atheris.Setup([target, *options, corpus], chosen.run)
        atheris.Fuzz()
    raise AssertionError("atheris ends the process")


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
    if given.here and given.atheris:
        by_coverage(chosen[0], given.minutes * 60)
    if given.here:
        return min(1, sum(fuzz(each, given.minutes * 60, given.seed) for each in chosen))
    failed = False
    for each in chosen:
        command = [sys.executable, "-m", "tests.fuzz.run", "--here", "--minutes"]
        command += [str(given.minutes), "--seed", str(given.seed), each]
        command += ["--atheris"] if given.atheris else []
        status = subprocess.run(command, check=False).returncode
        if status < 0:
            left = KEPT / f"{each}-current"
            print(f"{each}: the process died of signal {-status}; its input is {left}", flush=True)
        failed = failed or status != 0
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
