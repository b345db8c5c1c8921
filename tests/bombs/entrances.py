"""The entrances of a bomb: functions, which a fork calls, and commands."""

import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, TypeAlias

from tests.bombs.bombs import Bomb
from tests.bombs.calls import ask_playground, drive
from tests.bombs.files import case_file, data_file, requests

ROWTIME: Final = (sys.executable, "-m", "rowtime")
BACKEND: Final = "reference.backend:ReferenceBackend"


@dataclass(frozen=True, slots=True)
class Command:
    """A program with its arguments, and the file of its standard input."""

    arguments: Sequence[str]
    stdin: Path = Path("/dev/null")


Call: TypeAlias = Callable[[Bomb], str]
Prepare: TypeAlias = Callable[[Bomb, Path], Command]


def _run(bomb: Bomb, folder: Path) -> Command:
    (folder / "ddl.sql").write_text(";\n".join(bomb.ddl) + ";\n")
    (folder / "query.sql").write_text(bomb.query)
    data: list[str] = []
    for name in bomb.columns:
        data += ["--data", f"{name}={data_file(bomb, name, folder)}"]
    out = ("-o", str(folder / "out.csv"))
    return Command((*ROWTIME, "run", "--ddl", "ddl.sql", *data, "-f", "query.sql", *out))


def _shell(bomb: Bomb, folder: Path) -> Command:
    imports = [f".import {data_file(bomb, name, folder)} {name}\n" for name in bomb.rows]
    ddl = "".join(f"{each};\n" for each in bomb.ddl)
    before, after = (bomb.query + ";\n", "") if bomb.is_streaming else ("", bomb.query + ";\n")
    path = folder / "input.sql"
    path.write_text(ddl + before + "".join(imports) + after)
    return Command((*ROWTIME, "sql"), path)


#: The longest argument of a command on Linux, in bytes: a longer text is passed as a file.
LONGEST_ARGUMENT: Final = 128 * 1024 - 1


def _statements(bomb: Bomb, folder: Path) -> Command:
    rows = [
        f"INSERT INTO {name} VALUES ({', '.join(_literal(value) for value in row)})"
        for name, each in bomb.rows.items()
        for row in each[:20]
    ]
    text = ";\n".join([*bomb.ddl, *rows, bomb.query])
    if len(text) <= LONGEST_ARGUMENT:
        return Command((*ROWTIME, "sql", "-c", text))
    path = folder / "input.sql"
    path.write_text(text + ";\n")
    return Command((*ROWTIME, "sql"), path)


def _literal(value: object) -> str:
    if not isinstance(value, str):
        return str(value)
    return f"TIMESTAMP '{value}'" if value[:2] == "20" else f"'{value}'"


def _unit_test(bomb: Bomb, folder: Path) -> Command:
    path = case_file(bomb, folder, "bomb.test.yaml")
    return Command((*ROWTIME, "test", "--timeout", "20", str(path)))


def _kit(bomb: Bomb, folder: Path) -> Command:
    path = case_file(bomb, folder, "bomb.yaml")
    run = ("tck", "run", "--quiet", "--no-variants", "--timeout", "20", "--backend", "reference")
    return Command((*ROWTIME, *run, "--cases", str(path)))


def _protocol(bomb: Bomb, folder: Path) -> Command:
    serve = (sys.executable, "-m", "tck.wire.serve", BACKEND)
    return Command(("sh", "-c", 'exec "$@" 3>&1', "sh", *serve), requests(bomb, folder))


CALLS: Final[Mapping[str, Call]] = {"driver": drive, "playground": ask_playground}
COMMANDS: Final[Mapping[str, Prepare]] = {
    "run": _run,
    "shell": _shell,
    "sql -c": _statements,
    "test": _unit_test,
    "kit": _kit,
    "protocol": _protocol,
}
ENTRANCES: Final = (*CALLS, *COMMANDS)
