"""The conversation of a harness in the environment of its engine: a line for each message."""

import json
import math
import os
import sys
from collections.abc import Callable, Iterator, Mapping
from decimal import Decimal
from pathlib import Path
from typing import Any

from engines.harness.declarations import LackError


def answers(
    requests: Iterator[str], answer: Callable[[Mapping[str, Any]], dict[str, Any]]
) -> Iterator[dict[str, Any]]:
    """The answer to each request, until ``stop``; an exception is an answer, too."""
    for line in requests:
        request = json.loads(line)
        try:
            found = answer(request)
        except LackError as lack:
            found = {"answer": "unsupported", "reason": str(lack)}
        except Exception as error:  # the kit shows each of them
            found = {"answer": "error", "message": repr(error), "code": "failed"}
        yield found | {"seq": request["seq"]}
        if request["request"] == "stop":
            return


def serve(answer: Callable[[Mapping[str, Any]], dict[str, Any]]) -> None:
    """Answer standard input on descriptor 3 until ``stop``.  The log of the engine is discarded."""
    with os.fdopen(3, "w", encoding="utf-8") as out:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
        for each in answers(iter(sys.stdin.readline, ""), answer):
            out.write(f"{json.dumps(each)}\n")
            out.flush()


def hello(version: str, declared: Path) -> dict[str, Any]:
    """The answer to ``start``: the version of the engine, and the properties in ``declared``."""
    return {"answer": "hello", "version": version, **json.loads(declared.read_text("utf-8"))}


def refused(error: Exception, code: str) -> dict[str, Any]:
    """An error of the engine, without a place."""
    message = str(error).splitlines()[0]
    return {"code": code, "message": message, "at": [0, 0], "in_ddl": False}


def wire(value: Any) -> Any:
    """A value that is not a time, as the protocol has it."""
    if isinstance(value, Decimal):
        return format(value, "f")
    if isinstance(value, float) and not math.isfinite(value):
        return "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"
    return value if value is None or isinstance(value, int | float | str) else str(value)
