"""The fingerprint of the grammar's files and of the parser that was generated from them.

A test compares the fingerprint with the recorded one.  The two differ if the grammar was changed
and the parser was not generated again.  Run as a program, this module prints the fingerprint;
``--write`` records it.
"""

import sys
from hashlib import sha256
from pathlib import Path
from typing import Final

_HERE: Final = Path(__file__).parent
#: The file with the fingerprint of the last generation.
RECORD: Final = _HERE / "generated" / "grammar.sha256"
_FILES: Final = (
    "StreamingSqlLexer.g4",
    "StreamingSqlParser.g4",
    "generated/StreamingSqlLexer.py",
    "generated/StreamingSqlParser.py",
)


def fingerprint() -> str:
    """A line for each file of the grammar and of the generated code: its SHA-256 and its name."""
    return "".join(
        f"{sha256((_HERE / each).read_bytes()).hexdigest()}  {each}\n" for each in _FILES
    )


if __name__ == "__main__":
    if sys.argv[1:] == ["--write"]:
        RECORD.write_text(fingerprint())
    else:
        sys.stdout.write(fingerprint())
