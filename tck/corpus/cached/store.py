"""Store the cases of a corpus in a file of the user's cache folder, so that they are read faster.

Each line has the cases of one case file: a key, a digest, and the cases as text
(`tck.corpus.cached.case_text`).  The digest is the SHA-256 of the text, by which damage is noticed.
The key is the SHA-256 of everything on which the cases depend: the text of the case file, its
chapter, the fixtures, the result types, and the code that reads them.  When the file is written
again, damaged lines and lines that were not used are left out.
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

    ``path`` None: there is no folder for the file, and nothing is stored.  ``basis`` is a digest of
    the files on which all cases depend.
    """

    path: Path | None
    basis: str
    #: By key: the rest of its line in the file that `open` has read.
    _found: Mapping[str, str] = field(default_factory=dict[str, str])
    #: By key: the rest of its line in the file that `save` will write.
    _used: dict[str, str] = field(default_factory=dict[str, str])
    #: Whether lines were added, so that the file must be written.
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
        found = dict(line.split(" ", 1) for line in text.split("\n") if " " in line)
        return cls(path, basis, found)

    def key_of(self, chapter: str, text: str) -> str:
        """The key of the case file with this text in a chapter."""
        return digest_of_texts((self.basis, chapter, text))

    def cases_of(self, key: str, file: str) -> list[Case] | None:
        """The cases of the file with this key; None: they are not stored.

        ``file`` is the name of the file in messages.
        """
        cases = self._read(key, file, read_cases_text)
        if cases is not None:
            self._used[key] = self._found[key]
        return cases

    def headings_of(self, key: str, file: str) -> list[Heading] | None:
        """The headings of the cases that `cases_of` returns; reading only them is much faster.

        None: they are not stored.
        """
        return self._read(key, file, read_headings_text)

    def _read(self, key: str, file: str, read: Callable[[str, str], list[_H]]) -> list[_H] | None:
        """The result of ``read`` for the text with this key; None: it is missing or damaged."""
        digest, _, text = self._found.get(key, "").partition(" ")
        try:
            return read(text, file) if text and digest == digest_of_texts((text,)) else None
        except ValueError:
            return None

    def keep(self, key: str, cases: Iterable[Case]) -> None:
        """Store the cases of a file with this key; all cases of the file must be valid."""
        text = cases_text(cases)
        self._used[key] = f"{digest_of_texts((text,))} {text}"
        self._is_stale = True

    def save(self) -> None:
        """Write the file if lines were added, with these and the lines that were used.

        A failure to write is ignored.  Several processes may write at the same time, because each
        replaces the whole file.
        """
        if self.path is None or not self._is_stale:
            return
        with suppress(OSError):
            write_whole(self.path, "".join(f"{key} {line}\n" for key, line in self._used.items()))


def cache_folder() -> Path | None:
    """The folder for files of this project that can be made again; None if it cannot be found.

    It is ``rowtime`` in the folder of the variable ``XDG_CACHE_HOME``, or else in ``~/.cache``.
    """
    chosen, home = (Path(os.environ.get(name, "")) for name in ("XDG_CACHE_HOME", "HOME"))
    if chosen.is_absolute():  # the XDG specification demands that a relative path is ignored
        return chosen / "rowtime"
    return home / ".cache" / "rowtime" if home.is_absolute() else None


def digest_of_texts(texts: Iterable[str]) -> str:
    """The SHA-256 of some texts and their lengths, in hexadecimal digits."""
    digest = sha256()
    for text in texts:
        data = text.encode("utf-8", "surrogatepass")
        digest.update(b"%d\n" % len(data))
        digest.update(data)
    return digest.hexdigest()


def digest_of_files(paths: Iterable[Path]) -> str:
    """The SHA-256 of the names and contents of some files.  Raises `OSError`."""
    return digest_of_texts(
        text for path in paths for text in (path.name, sha256(path.read_bytes()).hexdigest())
    )


def _is_ours_alone(path: Path) -> bool:
    """Whether a file belongs to this user, and nobody else can write it.  Raises `OSError`."""
    status = path.stat()
    return status.st_uid == os.geteuid() and not status.st_mode & 0o022
