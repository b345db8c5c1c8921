"""Builds the playground: one folder of static files, for any web server."""

import hashlib
import json
import shutil
import subprocess
import sys
from collections.abc import Iterable
from importlib.resources import files
from pathlib import Path
from typing import Final

from rowtime.playground.archive import archive
from rowtime.playground.cases import packed
from rowtime.playground.first import first_question, with_first_answer
from tck.corpus.load import kit_corpus
from tck.pages.rendering import base_style

_WEB: Final = Path(str(files("rowtime.playground") / "web"))
#: The files of Pyodide that the browser needs.
_PYODIDE: Final = (
    "pyodide.mjs",
    "pyodide.asm.js",
    "pyodide.asm.wasm",
    "python_stdlib.zip",
    "pyodide-lock.json",
)
#: The name of the file with the compiled modules, from which Python in the browser imports them.
_MODULES: Final = "python.zip.zlib"
#: The scripts that are bundled with their imports.
_BUNDLES: Final = ("page.js", "worker.js")


class CannotBuildError(Exception):
    """The reason why the folder cannot be built, for the user."""


def build(folder: Path, work: Path) -> None:
    """Build the playground in ``folder``, which is replaced.

    ``work`` is a folder for the packages that npm fetches; they are used again in the next build.
    Raises `CannotBuildError` if Node or npm is missing or fails.
    """
    for tool in ("node", "npm"):
        if shutil.which(tool) is None:
            hint = "on Debian: apt-get install nodejs npm"
            raise CannotBuildError(f"the playground needs {tool}, of version 18 or later; {hint}")
    _fetch(work)
    shutil.rmtree(folder, ignore_errors=True)
    (folder / "pyodide").mkdir(parents=True)
    for name in _PYODIDE:
        shutil.copyfile(work / "node_modules" / "pyodide" / name, folder / "pyodide" / name)
    _compile(folder, work)
    _bundle(folder, work, _loaded_bytes(folder))
    index = (_WEB / "index.html").read_text("utf-8")
    (folder / "index.html").write_text(with_first_answer(index, first_question()), "utf-8")
    (folder / "style.css").write_text(
        base_style() + (_WEB / "style.css").read_text("utf-8"), "utf-8"
    )
    (folder / "cases.json.zlib").write_bytes(packed(kit_corpus().cases))
    (folder / "offline.js").write_text(_offline(folder), "utf-8")


def _fetch(work: Path) -> None:
    """Install the packages that the lock file pins, unless they are installed."""
    work.mkdir(parents=True, exist_ok=True)
    lock = (_WEB / "package-lock.json").read_bytes()
    done = work / "installed.json"
    if done.exists() and done.read_bytes() == lock:
        return
    for name in ("package.json", "package-lock.json"):
        shutil.copyfile(_WEB / name, work / name)
    _run(["npm", "ci", "--no-audit", "--no-fund", "--ignore-scripts"], work)
    done.write_bytes(lock)


def _compile(folder: Path, work: Path) -> None:
    """Compile the modules with the browser's version of Python, so that pages start sooner."""
    sources = work / "sources.zip"
    try:
        sources.write_bytes(archive())
    except ImportError as error:
        raise CannotBuildError(f"{error}; pip install fastjsonschema") from None
    shutil.copyfile(_WEB / "compile.mjs", work / "compile.mjs")  # next to its packages
    _run(["node", "compile.mjs", sources.name, str(folder.resolve() / _MODULES)], work)


def _loaded_bytes(folder: Path) -> int:
    """The number of bytes that the worker fetches before it can answer."""
    loaded = ("pyodide/pyodide.asm.wasm", "pyodide/python_stdlib.zip", "pyodide/pyodide-lock.json")
    return sum((folder / name).stat().st_size for name in (*loaded, _MODULES))


def _bundle(folder: Path, work: Path, loaded_bytes: int) -> None:
    """Bundle the scripts of the page and of its worker into ``folder``.

    ``loaded_bytes`` is inserted into them, so that the page can show the progress of loading.
    """
    inside = work / "web"
    shutil.rmtree(inside, ignore_errors=True)
    shutil.copytree(_WEB, inside)
    options = ["--bundle", "--minify", "--format=esm", "--target=es2022", "--log-level=warning"]
    options += [f"--define:TOTAL_BYTES={loaded_bytes}"]
    options += ["--external:./pyodide/pyodide.mjs", f"--outdir={folder.resolve()}"]
    entries = [f"web/{name}" for name in _BUNDLES]
    _run(["node_modules/.bin/esbuild", *entries, *options], work)


def _offline(folder: Path) -> str:
    """The script of the service worker, with the list of all files, and their digest as version."""
    paths = sorted(path for path in folder.rglob("*") if path.is_file())
    names = ["./", *(path.relative_to(folder).as_posix() for path in paths)]
    head = f"const VERSION = {json.dumps(_digest(paths))};\nconst FILES = {json.dumps(names)};\n"
    return head + (_WEB / "offline.js").read_text("utf-8")


def _digest(paths: Iterable[Path]) -> str:
    digest = hashlib.sha256()
    for path in paths:
        digest.update(path.read_bytes())
    return digest.hexdigest()[:16]


def _run(command: list[str], folder: Path) -> None:
    """Run a command in a folder.  Raises `CannotBuildError` if it fails."""
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    if done.returncode:
        raise CannotBuildError(f"{' '.join(command)} has failed:\n{done.stderr.strip()}")


def main() -> None:
    """Build into the folder that the command line names; fetched packages are kept next to it."""
    folder = Path(sys.argv[1])
    try:
        build(folder, folder.with_name(f"{folder.name}-packages"))
    except CannotBuildError as error:
        sys.exit(str(error))
    size = sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())
    print(f"{folder}: {size / 1e6:.0f} MB; to open it: python3 -m http.server -d {folder}")


if __name__ == "__main__":
    main()
