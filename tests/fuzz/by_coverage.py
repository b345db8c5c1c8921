"""``python -m tests.fuzz.by_coverage SECONDS TARGET…``: targets, with inputs that atheris chooses.

atheris chooses inputs by the lines that they reach, of modules that were imported through atheris.
So this process imports no module of rowtime before it.  The import is slow, so all targets share
it: each is fuzzed in a fork of this process, which its first finding ends.
"""

import os
import sys
from collections.abc import Sequence
from functools import partial
from importlib import import_module
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final, Never

from tests.fuzz.limits import KEPT, prepare_process, run_in_time

#: The packages whose lines guide atheris.
INSTRUMENTED: Final = ("algebra", "grammar", "reference", "rowtime", "spark_backend", "tck")


def fuzz_by_coverage(seconds: float, targets: Sequence[str]) -> int:
    """Fuzz targets one after another; the number of those that have a finding."""
    early = [name for name in sys.modules if name.partition(".")[0] in INSTRUMENTED]
    assert not early, f"imported without atheris, which cannot see their lines: {early}"
    atheris: Any = import_module("atheris")  # it has no types
    with atheris.instrument_imports(include=[*INSTRUMENTED]):
        known: Any = import_module("tests.fuzz.targets")
    found = 0
    for each in targets:
        process = os.fork()
        if process == 0:
            _fuzz_here(atheris, each, known.TARGETS[each], seconds)
        _, status, used = os.wait4(process, 0)
        took = used.ru_utime + used.ru_stime
        print(f"{each}: {took:.0f} s of processor time, status {status}", flush=True)
        found += status != 0
    return found


def _fuzz_here(atheris: Any, name: str, target: Any, seconds: float) -> Never:
    """Fuzz a target in this process, which atheris ends."""
    prepare_process()
    seeds = target.seeds()
    with atheris.instrument_imports(include=[*INSTRUMENTED]):
        for seed in seeds[:5]:
            target.run(seed)  # imports the modules that are imported late
    with TemporaryDirectory() as corpus:
        for place, seed in enumerate(seeds):
            (Path(corpus) / str(place)).write_bytes(seed)
        limits = [f"-max_total_time={seconds:.0f}", "-timeout=100", "-rss_limit_mb=2048"]
        options = [*limits, f"-artifact_prefix={KEPT}/{name}-", "-print_final_stats=1"]
        atheris.Setup([name, *options, corpus], partial(run_in_time, target.run))
        atheris.Fuzz()
    raise AssertionError("atheris ends the process")


if __name__ == "__main__":
    sys.exit(min(1, fuzz_by_coverage(float(sys.argv[1]), sys.argv[2:])))
