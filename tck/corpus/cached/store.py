"""The file in the user's cache folder that has the cases of a corpus as they were last read.

Each line has the cases of one case file: the key, the SHA-256 of the rest, and the rest
(`tck.corpus.cached.case_text`).  The key is the SHA-256 of everything that the cases depend on: the
text of the case file, its chapter, the fixtures, the result types, and the code that reads them.
The next time that the file is written, damaged lines and lines that were not used are left out.
"""

import os
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import Self, TypeVar

from tck.corpus.cached.case_text import (
    cases_text,
    read_cases_text,
    read_headings_text,
)
from tck.corpus.case import Case, Heading
from tck.files import write_whole

#: A case, or only its heading.
_H = TypeVar("_H", bound=Heading)


@dataclass(slots=True)
class CaseStore:
    """The cases that were read before, by the keys of their files.

    ``path`` None: there is no folder for the file, and nothing is kept.  ``basis`` is a digest of
    the files that all cases depend on.
    """

    path: Path | None
    basis: str
    _found: Mapping[str, str] = field(default_factory=dict[str, str])
    _used: dict[str, str] = field(default_factory=dict[str, str])
    _is_stale: bool = False

    @classmethod
    def open(cls, path: Path | None, basis: str) -> Self:
        """The store of the file at ``path``; empty if it cannot be read, or if others can write it.

        Its cases decide whether an engine passes, so other users must not be able to change them.
        """
        text = ""
        with suppress(OSError, UnicodeDecodeError):
            if path is not None and _is_ours_alone(path):
                text = path.read_text("utf-8")
        return cls(
            path, basis, dict(line.split(" ", 1) for line in text.split("\n") if " " in line)
        )

    def key_of(self, chapter: str, text: str) -> str:
        """The key of a case file in a chapter."""
        return digest_of_texts((self.basis, chapter, text))

    def cases_of(self, key: str, file: str) -> list[Case] | None:
        """The cases of the file with this key, which messages call ``file``; None: not known."""
        cases = self._read(key, file, read_cases_text)
        if cases is not None:
            self._used[key] = self._found[key]
        return cases

    def headings_of(self, key: str, file: str) -> list[Heading] | None:
        """The headings of the cases that `cases_of` returns; reading only them is much faster.

        None: they are not known.
        """
        return self._read(key, file, read_headings_text)

    def _read(self, key: str, file: str, read: Callable[[str, str], list[_H]]) -> list[_H] | None:
        digest, _, text = self._found.get(key, "").partition(" ")
        try:
            return read(text, file) if text and digest == digest_of_texts((text,)) else None
        except ValueError:
            return None

    def keep(self, key: str, cases: Iterable[Case]) -> None:
        """Add the cases of a file that was read, all of which are valid."""
        text = cases_text(cases)
        self._used[key] = f"{digest_of_texts((text,))} {text}"
        self._is_stale = True

    def save(self) -> None:
        """Write the lines that were used or added, if any was added; a failure has no effect.

        Several processes may write at once: each replaces the file whole.
        """
        if self.path is None or not self._is_stale:
            return
        with suppress(OSError):
            write_whole(self.path, "".join(f"{key} {line}\n" for key, line in self._used.items()))


def cache_folder() -> Path | None:
    """The folder for files of this project that can be made again; None: the user has no home.

    ``rowtime`` in ``XDG_CACHE_HOME`` or, without this variable, in ``~/.cache``.
    """
    chosen, home = (Path(os.environ.get(name, "")) for name in ("XDG_CACHE_HOME", "HOME"))
    if chosen.is_absolute():  # by its specification, a relative one is ignored
        return chosen / "rowtime"
    return home / ".cache" / "rowtime" if home.is_absolute() else None


def digest_of_texts(texts: Iterable[str]) -> str:
    """The SHA-256 of some texts, each with its length, in hexadecimal digits."""
    digest = sha256()
    for text in texts:
        data = text.encode("utf-8", "surrogatepass")
        digest.update(b"%d\n" % len(data))
        digest.update(data)
    return digest.hexdigest()


def digest_of_files(paths: Iterable[Path]) -> str:
    """The SHA-256 of some files, of their names and contents.  Raises `OSError`."""
    return digest_of_texts(
        text for path in paths for text in (path.name, sha256(path.read_bytes()).hexdigest())
    )


def _is_ours_alone(path: Path) -> bool:
    """Whether a file belongs to this user, and nobody else can write it.  Raises `OSError`."""
    status = path.stat()
    return status.st_uid == os.geteuid() and not status.st_mode & 0o022
