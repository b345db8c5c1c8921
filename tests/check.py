"""`make check`: the checks for every change, in two minutes.

1. ruff, mypy and import-linter, over everything.
2. The tests of each file that differs from the branch ``main``, but those on Spark:

   - a test file itself; of any other file of ``tests/``, the test files in its folder;
   - of a module ``PACKAGE/A/B.py`` its doctests, and the test files in ``tests/PACKAGE/A``, or in
     the nearest folder above that there is.  Sub-folders are left out.

3. The cases of each case file that differs, on the reference; of these and of the ledger, the lint.

Commits since the branch left ``main`` count, and so do changes that are not committed; on ``main``
itself only these.  The other checks are `make lint`, `make tck` and `make test`.
"""

import subprocess
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).parents[1]
#: The marks of tests that need more than this machine's Python.
_LEFT_OUT: Final = ("spark", "cluster", "kafka", "playground", "release", "faults")
_LINT: Final = (
    ("ruff", "check", "."),
    ("ruff", "format", "--check", "."),
    ("mypy",),
    ("lint-imports",),
)


def changed_files(root: Path = ROOT) -> list[Path]:
    """The files that differ from ``main`` and are there, relative to ``root``, in their order."""
    base = _git(root, "merge-base", "main", "HEAD") or ["HEAD"]
    names = [
        *_git(root, "diff", "--name-only", "--diff-filter=d", base[0]),
        *_git(root, "ls-files", "--others", "--exclude-standard"),
    ]
    return sorted({Path(name) for name in names})


def files_to_test(changed: Iterable[Path], root: Path = ROOT) -> list[Path]:
    """The files for pytest: test files, and modules with doctests; each once, in order."""
    return sorted({each for path in changed for each in _files_for(path, root)})


def case_files_of(changed: Iterable[Path]) -> list[Path]:
    """The case files among the files that differ."""
    return [path for path in changed if path.is_relative_to("tck/cases") and path.suffix == ".yaml"]


def _files_for(path: Path, root: Path) -> Iterator[Path]:
    if path.suffix != ".py":
        return
    is_test = path.parts[0] == "tests"
    if is_test and path.name.startswith("test_"):
        yield path
        return
    folder = path.parent if is_test else Path("tests") / path.parent
    while not (root / folder).is_dir():
        folder = folder.parent
    if folder != Path("tests"):  # there are the tests of the whole project
        yield from (each.relative_to(root) for each in sorted((root / folder).glob("test_*.py")))
    if not is_test and ">>> " in (root / path).read_text("utf-8"):
        yield path


def main() -> int:
    """Run all parts, whatever their outcome; 1 if one failed, else 0."""
    changed = changed_files()
    programs = Path(sys.executable).parent
    commands = [[str(programs / name), *arguments] for name, *arguments in _LINT]
    if tests := files_to_test(changed):
        marks = " and ".join(f"not {mark}" for mark in _LEFT_OUT)
        pytest = [sys.executable, "-m", "pytest", "--quiet", "--numprocesses", "2", "-m", marks]
        commands.append([*pytest, *map(str, tests)])
    kit = [str(programs / "rowtime"), "tck"]
    if files := case_files_of(changed):
        roots = [word for file in files for word in ("--cases", str(file))]
        commands.append([*kit, "run", "--quiet", "--backend", "reference", *roots])
    if files or any(path.is_relative_to("tck/ledger") for path in changed):
        commands.append([*kit, "lint"])
    failed = [each for each in commands if not _succeeds(each)]
    for each in failed:
        print(f"failed: {_shown(each)}")
    print(f"{len(changed)} files differ from main; the whole: make lint tck test")
    return 1 if failed else 0


def _succeeds(command: list[str]) -> bool:
    print(f"== {_shown(command)}", flush=True)
    # pytest has 5 if all tests were left out: those of the files that differ may all be on Spark.
    codes = (0, 5) if "pytest" in command else (0,)
    return subprocess.run(command, cwd=ROOT, check=False).returncode in codes


def _shown(command: list[str]) -> str:
    words = " ".join(Path(each).name if each.startswith("/") else each for each in command)
    return words if len(words) <= 100 else f"{words[:99]}…"


def _git(root: Path, *arguments: str) -> list[str]:
    """The lines that git prints; none if it fails."""
    done = subprocess.run(
        ["git", *arguments], cwd=root, capture_output=True, text=True, check=False
    )
    return done.stdout.splitlines() if done.returncode == 0 else []


if __name__ == "__main__":
    sys.exit(main())
