"""ClickHouse in the environment of chDB: lines of JSON in and out; it imports nothing of rowtime.

A request is a list of statements.  The answer is ``{"rows": …, "types": …}`` of the last one, or
``{"error": …}``.
"""

import importlib
import json
import sys
from typing import Any


def answer(session: Any, statements: list[str]) -> dict[str, object]:
    """The rows and types of the last statement, each value as ClickHouse writes it in JSON."""
    text = ""
    try:
        for each in statements:
            text = str(session.query(each, "JSONCompactEachRowWithNamesAndTypes"))
    except Exception as error:
        return {"error": str(error)}
    lines = [json.loads(line) for line in text.splitlines()]
    return {"rows": lines[2:], "types": lines[1] if lines else []}


def main() -> None:
    """Answer requests until the input ends."""
    session = importlib.import_module("chdb.session").Session()
    for line in sys.stdin:
        print(json.dumps(answer(session, json.loads(line))), flush=True)


if __name__ == "__main__":
    main()
