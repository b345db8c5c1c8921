"""`tck example`: copy a backend out of the package, to begin with."""

from collections.abc import Mapping
from importlib.resources import files
from pathlib import Path
from typing import Annotated, Final

import typer

from tck.commands.options import usage_error, write_file

#: The files of each example, in `tck.examples`, and the backend that they make.
EXAMPLES: Final[Mapping[str, tuple[tuple[str, ...], str]]] = {
    "sqlite": (("sqlite_backend.py", "known.yaml"), "sqlite_backend:SqliteBackend"),
    "node": (("node/engine.mjs", "node/hello.json", "node/known.yaml"), "cmd:node engine.mjs"),
}


def copy_example(
    name: Annotated[
        str | None, typer.Argument(help="sqlite or node; without it they are listed.")
    ] = None,
    folder: Annotated[
        Path, typer.Option("--output", "-o", metavar="DIR", help="Where the files are written.")
    ] = Path(),
) -> None:
    """Write an example of a backend into a folder: SQLite in Python, or an engine in Node.js."""
    if name is None:
        for known, (paths, backend) in EXAMPLES.items():
            typer.echo(f"{known}: {', '.join(_names(paths))}; --backend {_quoted(backend)}")
        return
    if name not in EXAMPLES:
        usage_error(f"there is no example {name}: {' or '.join(EXAMPLES)}")
    paths, backend = EXAMPLES[name]
    taken = [target for target in _names(paths) if (folder / target).exists()]
    if taken:
        usage_error(f"{folder / taken[0]} is there already; name another folder with -o")
    for path, target in zip(paths, _names(paths), strict=True):
        write_file(folder / target, files("tck.examples").joinpath(path).read_text("utf-8"))
    typer.echo(f"wrote {', '.join(str(folder / each) for each in _names(paths))}")
    typer.echo(
        f"run it there with: rowtime tck run --backend {_quoted(backend)} --known known.yaml"
    )


def _names(paths: tuple[str, ...]) -> list[str]:
    return [Path(path).name for path in paths]


def _quoted(backend: str) -> str:
    """A backend as a shell takes it."""
    return f"'{backend}'" if " " in backend else backend
