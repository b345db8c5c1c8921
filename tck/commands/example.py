"""The command `tck example`: copy an example of a backend out of the package."""

from collections.abc import Mapping
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import Annotated, Final

import typer

from tck import examples
from tck.commands.options import usage_error, write_file
from tck.terminal.messages import print_text


@dataclass(frozen=True, slots=True)
class Example:
    """An example of a backend.

    ``files`` are its paths in the package `tck.examples`.  ``backend`` is the value of the option
    ``--backend`` that starts it.  ``chapters`` are those that the printed command runs.
    """

    files: tuple[str, ...]
    backend: str
    chapters: tuple[str, ...]


#: The examples by the name that users give.
EXAMPLES: Final[Mapping[str, Example]] = {
    "sqlite": Example(
        ("sqlite_backend.py", "known.yaml"),
        "sqlite_backend:SqliteBackend",
        ("simple", "filtering", "union", "sorting", "dml", "stream-table-join"),
    ),
    "node": Example(
        ("node/engine.mjs", "node/hello.json"),
        "cmd:node engine.mjs",
        ("simple", "filtering", "tumbling"),
    ),
    "upserts": Example(
        ("upsert_backend.py",),
        "upsert_backend:UpsertBackend",
        ("groups",),
    ),
}


def copy_example(
    name: Annotated[
        str | None, typer.Argument(help="sqlite, node or upserts; without it they are listed.")
    ] = None,
    folder: Annotated[
        Path, typer.Option("--output", "-o", metavar="DIR", help="Where the files are written.")
    ] = Path(),
) -> None:
    """Write an example of a backend into a folder.

    The examples are SQLite in Python, an engine in Node.js, and one of changelogs in Python.
    """
    if name is None:
        for known, each in EXAMPLES.items():
            print_text(f"{known}: {', '.join(map(str, _targets(each, Path())))}")
        return
    if name not in EXAMPLES:
        usage_error(f"there is no example {name}: {' or '.join(EXAMPLES)}")
    example = EXAMPLES[name]
    targets = _targets(example, folder)
    taken = [target for target in targets if target.exists()]
    if taken:
        usage_error(f"{taken[0]} is there already; name another folder with -o")
    for path, target in zip(example.files, targets, strict=True):
        write_file(target, files(examples).joinpath(path).read_text("utf-8"))
    print_text(f"wrote {', '.join(map(str, targets))}; run it there with:")
    only = " ".join(f"--only '{chapter}/*'" for chapter in example.chapters)
    known = "--known known.yaml " if "known.yaml" in example.files else ""
    print_text(f"  rowtime tck run --backend '{example.backend}' {known}{only}")


def _targets(example: Example, folder: Path) -> list[Path]:
    """The paths in a folder to which the files of an example are written."""
    return [folder / Path(path).name for path in example.files]
