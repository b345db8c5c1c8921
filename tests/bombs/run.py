"""`python -m tests.bombs.run`: give each bomb to each entrance, and print the outcomes.

A process of its own takes each bomb.  A line has the seconds of computing, the memory, the exit
status, and an answer or an error.  A line begins with ``!`` if the bomb took more than five seconds
or a gigabyte, if there was a traceback, or if the process died.
"""

import argparse
import os
import re
import resource
import subprocess
import sys
import traceback
from dataclasses import dataclass
from functools import partial
from itertools import product
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from tests.bombs.bombs import BOMBS, Bomb
from tests.bombs.entrances import CALLS, COMMANDS, ENTRANCES, Call, Command

SECONDS: Final = 5
MEMORY: Final = 1 << 30
#: Where the system ends the process: above what is allowed, to see by how much.
MOST_SECONDS: Final = 20
#: A line that has an error with its code, an answer of the protocol, or a fault of the playground.
_ERROR: Final = re.compile(r'[A-Z]{3,}(_[A-Z]+)*: |"answer": "(refused|error)"|^fault: ')
ROOT: Final = Path(__file__).parents[2]


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


def throw(bomb: Bomb, entrance: str, memory: int) -> Outcome:
    """Give a bomb to an entrance, in a process that has at most so much memory for its data."""
    with TemporaryDirectory() as folder:
        output = Path(folder) / "output"
        if entrance in CALLS:
            process = _fork(CALLS[entrance], bomb, output, memory)
        else:
            process = _start(COMMANDS[entrance](bomb, output.parent), output, memory)
        _, status, used = os.wait4(process, 0)
        lines = output.read_text("utf-8", "replace").strip().splitlines() or [""]
    seconds = used.ru_utime + used.ru_stime
    ended = os.waitstatus_to_exitcode(status)
    faults = (line for line in lines if "Traceback" in line or "has a bug" in line)
    told = next(faults, next(filter(_ERROR.search, lines), lines[-1]))
    return Outcome(seconds, used.ru_maxrss * 1024, ended, told[:110])


def _fork(call: Call, bomb: Bomb, output: Path, memory: int) -> int:
    """A child that calls a function, which this process has imported already."""
    child = os.fork()
    if not child:
        _limit(memory)
        os.dup2(os.open(output, os.O_WRONLY | os.O_CREAT), 2)
        try:
            output.write_text(call(bomb))
            os._exit(0)
        except BaseException:
            output.write_text("Traceback: " + traceback.format_exc()[-300:].replace("\n", " "))
            os._exit(1)
    return child


def _start(command: Command, output: Path, memory: int) -> int:
    """A process that runs a command."""
    with command.stdin.open("rb") as stdin, output.open("wb") as file:
        return subprocess.Popen(
            command.arguments,
            stdin=stdin,
            stdout=file,
            stderr=file,
            cwd=output.parent,
            preexec_fn=partial(_limit, memory),  # this process has one thread
            env={**os.environ, "PYTHONPATH": str(ROOT)},
        ).pid


def _limit(memory: int) -> None:
    resource.setrlimit(resource.RLIMIT_CPU, (MOST_SECONDS, MOST_SECONDS))
    resource.setrlimit(resource.RLIMIT_DATA, (memory, memory))


def main() -> int:
    """Throw the bombs that are named, or all; exit status 1 if one has broken something."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("bombs", nargs="*", help="default: all")
    parser.add_argument("--entrance", action="append", choices=ENTRANCES, help="default: all")
    parser.add_argument("--memory", type=int, default=3 * MEMORY, help="bytes for the data")
    given = parser.parse_args()
    faults = 0
    for name, entrance in product(given.bombs or BOMBS, given.entrance or ENTRANCES):
        found = throw(BOMBS[name], entrance, given.memory)
        mark = "!" if found.is_fault else " "
        size = f"{found.memory / 1e6:6,.0f} MB"
        cost = f"{found.seconds:.1f} s, {size}, exit status {found.status}"
        print(f"{mark} {name}, {entrance}: {cost}: {found.told}", flush=True)
        faults += found.is_fault
    print(f"{faults} faults")
    return min(1, faults)


if __name__ == "__main__":
    sys.exit(main())
