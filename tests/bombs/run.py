"""`python -m tests.bombs.run`: give each bomb to the embedded database, and print the outcomes.

A process of its own takes each bomb.  A line has the seconds of computing, the memory, the exit
status, and an answer or an error.  A line begins with ``!`` if the bomb took more than five seconds
or a gigabyte, if there was a traceback, or if the process died.
"""

import argparse
import os
import resource
import sys
import traceback
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from tests.bombs.bombs import BOMBS, Bomb
from tests.bombs.driver import drive

SECONDS: Final = 5
MEMORY: Final = 1 << 30
#: Where the system ends the process: above what is allowed, to see by how much.
MOST_SECONDS: Final = 20


@dataclass(frozen=True, slots=True)
class Outcome:
    """The outcome of a bomb: computing in seconds, memory in bytes, exit status, a line of text."""

    seconds: float
    memory: int
    status: int
    told: str

    @property
    def is_fault(self) -> bool:
        """Whether it took too much, or ended as no command may."""
        crashed = self.status < 0 or "Traceback" in self.told or "has a bug" in self.told
        return crashed or self.seconds > SECONDS or self.memory > MEMORY


def throw(bomb: Bomb) -> Outcome:
    """Give a bomb to the embedded database, in a process with limits."""
    with TemporaryDirectory() as folder:
        output = Path(folder) / "output"
        process = _fork(bomb, output)
        _, status, used = os.wait4(process, 0)
        lines = output.read_text("utf-8", "replace").strip().splitlines() or [""]
    seconds = used.ru_utime + used.ru_stime
    ended = os.waitstatus_to_exitcode(status)
    faults = (line for line in lines if "Traceback" in line or "has a bug" in line)
    told = next(faults, next((line for line in lines if ": " in line), lines[-1]))
    return Outcome(seconds, used.ru_maxrss * 1024, ended, told[:110])


def _fork(bomb: Bomb, output: Path) -> int:
    """A child that asks the driver, which this process has imported already."""
    child = os.fork()
    if not child:
        _limit()
        os.dup2(os.open(output, os.O_WRONLY | os.O_CREAT), 2)
        try:
            output.write_text(drive(bomb))
            os._exit(0)
        except BaseException:
            output.write_text("Traceback: " + traceback.format_exc()[-300:].replace("\n", " "))
            os._exit(1)
    return child


def _limit() -> None:
    resource.setrlimit(resource.RLIMIT_CPU, (MOST_SECONDS, MOST_SECONDS))
    resource.setrlimit(resource.RLIMIT_DATA, (3 * MEMORY, 3 * MEMORY))


def main() -> int:
    """Throw the bombs that are named, or all; exit status 1 if one has broken something."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("bombs", nargs="*", help="default: all")
    given = parser.parse_args()
    faults = 0
    for name in given.bombs or BOMBS:
        found = throw(BOMBS[name])
        mark = "!" if found.is_fault else " "
        size = f"{found.memory / 1e6:6,.0f} MB"
        cost = f"{found.seconds:.1f} s, {size}, exit status {found.status}"
        print(f"{mark} {name}: {cost}: {found.told}", flush=True)
        faults += found.is_fault
    print(f"{faults} faults")
    return min(1, faults)


if __name__ == "__main__":
    sys.exit(main())
