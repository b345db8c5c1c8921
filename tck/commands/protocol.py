"""The command `tck protocol`: print the messages between the kit and a backend."""

import inspect
import json
from typing import Annotated, cast

import typer

from tck.wire.messages import ANSWERS, ANSWERS_TO, MOST_ROWS, PROTOCOL, REQUESTS, protocol_schema
from tck.wire.shapes import schema_of

_HEAD = f"""\
Version {PROTOCOL} of the protocol between the kit and a backend: JSON lines, UTF-8.

The kit starts the backend's process.  Requests come on its descriptor 0 (standard input), one a
line; each is answered with one line on descriptor 3.  The text that the process prints on
descriptors 1 and 2 is not a part of the protocol, and is shown if a case fails.  A request has a
sequence number, which its answer echoes.  After the answer to `stop`, or when its input ends, the
process ends.

  {{"seq": 1, "request": "start", "protocol": {PROTOCOL}, "most_rows": {MOST_ROWS}, …}}
  {{"seq": 1, "answer": "hello", "protocol": {PROTOCOL}, "name": "toy", "version": "1.0", …}}

An engine that can only print on standard output is started as: cmd:sh -c 'exec my-engine >&3'
"""


def show_protocol(
    schema: Annotated[
        bool, typer.Option("--schema", help="Print the JSON Schema of all messages.")
    ] = False,
) -> None:
    """Print the protocol of backends, or its JSON Schema."""
    if schema:
        print(json.dumps(protocol_schema(), indent=2))
        return
    print(_HEAD)
    for kind, record in REQUESTS.items():
        answers = " or ".join((*ANSWERS_TO[kind], "error"))
        _print_message(f"{kind} -> {answers}", record)
    for kind, answer in ANSWERS.items():
        _print_message(kind, answer)


def _print_message(title: str, record: type) -> None:
    """Print a title, the fields of a message's record, and its docstring."""
    fields = ", ".join(inspect.signature(record).parameters) or "none"
    text = (inspect.getdoc(record) or "").replace("``", "`")
    print(f"{title}\n  fields: {fields}")
    required = cast("list[str]", schema_of(record)["required"])
    optional = [each for each in inspect.signature(record).parameters if each not in required]
    if optional:
        print(f"  may be left out: {', '.join(optional)}")
    print("\n".join(f"  {line}".rstrip() for line in text.splitlines()), end="\n\n")
