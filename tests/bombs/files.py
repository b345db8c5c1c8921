"""The files that contain a bomb: data, scripts of events, and cases."""

import csv
import json
from collections.abc import Mapping
from pathlib import Path
from typing import TypeAlias

from tck.wire.messages import MOST_BYTES, MOST_ROWS, PROTOCOL
from tests.bombs.bombs import Bomb

Document: TypeAlias = Mapping[str, object]


def data_file(bomb: Bomb, name: str, folder: Path) -> Path:
    """A CSV file with the rows of a table or stream."""
    path = folder / f"{name}.csv"
    with path.open("w", newline="") as file:
        csv.writer(file).writerows([bomb.columns[name], *bomb.rows.get(name, ())])
    return path


def case_file(bomb: Bomb, folder: Path, name: str) -> Path:
    """A file with one case, which expects no rows."""
    ddl = ";\n".join(bomb.ddl)
    expected: Document = {} if bomb.is_streaming else {"rows": []}
    case = {"id": "a-bomb", "cites": ["S-1"], "ddl": ddl, "sql": bomb.query, **expected}
    path = folder / name
    document = {"subject": "bombs", "cases": [{**case, **_events(bomb)}]}
    path.write_text(json.dumps(document))  # JSON is YAML
    return path


def script(bomb: Bomb) -> str:
    """A script of events for the playground."""
    return json.dumps({"steps": [{"end": True}], **_events(bomb)})


def requests(bomb: Bomb, folder: Path) -> Path:
    """A file with the requests of the protocol."""
    limits = {"most_rows": MOST_ROWS, "most_bytes": MOST_BYTES}
    messages: list[Document] = [{"request": "start", "protocol": PROTOCOL, **limits}]
    messages.append({"request": "open", "ddl": ";\n".join(bomb.ddl), "sql": bomb.query})
    for name, rows in bomb.rows.items():
        streaming = bomb.is_streaming and name not in bomb.tables
        kind, field = ("rows", "input") if streaming else ("load", "object")
        messages.append({"request": kind, field: name, "rows": [list(row) for row in rows]})
    messages += [{"request": "end"}, {"request": "poll"}, {"request": "stop"}]
    path = folder / "requests.jsonl"
    lines = (json.dumps({"seq": seq, **each}) for seq, each in enumerate(messages, 1))
    path.write_text("".join(f"{line}\n" for line in lines))
    return path


def _events(bomb: Bomb) -> Document:
    """The keys of a case for the rows: contents of tables, and events of streams."""
    rows = {name: [list(row) for row in each] for name, each in bomb.rows.items()}
    if not bomb.is_streaming:
        return {"tables": rows} if rows else {}
    tables = {name: each for name, each in rows.items() if name in bomb.tables}
    feed = {name: each for name, each in rows.items() if name not in tables}
    steps = [{"feed": feed}, {"end": True}] if feed else [{"end": True}]
    return {"steps": steps, **({"tables": tables} if tables else {})}
