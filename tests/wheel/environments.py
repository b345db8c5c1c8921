"""Clean environments on the Pythons of this machine, with nothing but a wheel and what it needs."""

import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).parents[2]
#: The minor versions of Python 3 that rowtime is for.
MINORS: Final = (11, 12, 13)
#: The versions of packages with which all else is tested.
CONSTRAINTS: Final = ROOT / ".ci" / "constraints.txt"


@dataclass(frozen=True, slots=True)
class Environment:
    """A virtual environment."""

    folder: Path

    def command(self, name: str) -> str:
        """The path of a command in it."""
        return str(self.folder / "bin" / name)

    def install(self, *what: str) -> None:
        """Install packages, at the versions with which all else is tested."""
        self.install_freely("-c", str(CONSTRAINTS), *what)

    def install_freely(self, *what: str) -> None:
        """Install packages, at whatever versions go together."""
        pip = [self.command("python"), "-m", "pip", "--quiet", "--disable-pip-version-check"]
        subprocess.run([*pip, "install", *what], check=True)

    def run(
        self, name: str, *arguments: str, folder: Path, input: str = ""
    ) -> subprocess.CompletedProcess[str]:
        """A command of it in a folder, ended; nothing of this environment is on its paths."""
        own = {k: v for k, v in os.environ.items() if k not in ("PYTHONPATH", "VIRTUAL_ENV")}
        return subprocess.run(
            [self.command(name), *arguments],
            cwd=folder,
            env=own,
            input=input,
            capture_output=True,
            text=True,
            encoding="utf-8",
            timeout=3600,
            check=False,
        )


def environment(python: str, folder: Path) -> Environment:
    """A new environment."""
    subprocess.run([python, "-m", "venv", "--clear", str(folder)], check=True)
    return Environment(folder)


def interpreter(minor: int) -> str | None:
    """The Python of a minor version: on the PATH, or of pyenv; None: there is none."""
    pyenv = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv")) / "versions"
    there = [shutil.which(f"python3.{minor}"), *pyenv.glob(f"3.{minor}.*/bin/python")]
    return next((str(each) for each in there if each and _is_of(minor, str(each))), None)


def _is_of(minor: int, python: str) -> bool:
    """Whether a command is a Python of that version; one of pyenv's may be none at all."""
    asked = [python, "-c", "import sys, venv; print(sys.version_info[1])"]
    done = subprocess.run(asked, capture_output=True, text=True, check=False)
    return done.returncode == 0 and done.stdout.strip() == str(minor)


def built(folder: Path, *, of: Path) -> Path:
    """The wheel that is made of a checkout, or of an sdist."""
    pip = [sys.executable, "-m", "pip", "--quiet", "--disable-pip-version-check", "wheel"]
    alone = ["--no-deps", "--no-build-isolation", "--no-index"]
    subprocess.run([*pip, *alone, "--wheel-dir", str(folder), str(of)], check=True)
    (wheel,) = folder.glob("*.whl")
    return wheel


def sdist(folder: Path) -> Path:
    """The sdist of the checkout."""
    hatchling = [sys.executable, "-m", "hatchling", "build", "--target", "sdist"]
    subprocess.run([*hatchling, "--directory", str(folder)], cwd=ROOT, check=True)
    (made,) = folder.glob("*.tar.gz")
    return made
