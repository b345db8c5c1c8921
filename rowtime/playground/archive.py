"""Makes the ZIP file of the Python modules that the playground runs in the browser.

The modules are found by following the imports of the module that the page calls.
"""

import io
import sys
from collections.abc import Iterator
from modulefinder import ModuleFinder
from pathlib import Path
from typing import Final
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

import tck
from tck import drawing

#: The modules that the page calls, and modules whose import cannot be seen in the code: the
#: validator for browsers, and MarkupSafe's module in Python.
_ENTRIES: Final = ("rowtime.playground.answer", "fastjsonschema", "markupsafe._native")
#: Modules that are imported by the code, but only for commands that the playground does not have.
_LEFT_OUT: Final = (
    "jsonschema_rs",
    "typing_extensions",
    "rowtime.driver",
    "rowtime.timeline.notebook",
)
#: The data files that modules of a package read: a pattern by the name of the package.
_DATA: Final = {drawing.__name__: "*.j2", tck.__name__: "case.schema.json"}


def archive() -> bytes:
    """The content of the ZIP file; it depends on nothing but the sources."""
    written = io.BytesIO()
    with ZipFile(written, "w", ZIP_DEFLATED) as file:
        for name, path in sorted(_files()):
            info = ZipInfo(name)  # with a fixed date
            info.compress_type = ZIP_DEFLATED
            file.writestr(info, path.read_bytes())
    return written.getvalue()


def _files() -> Iterator[tuple[str, Path]]:
    """The files of the archive: the name of each in the archive, and its path on the disk."""
    finder = ModuleFinder(sys.path, excludes=[*sys.stdlib_module_names, *_LEFT_OUT])
    for entry in _ENTRIES:
        finder.import_hook(entry)
    for name, module in finder.modules.items():
        # A folder without __init__.py has no file; then the path is "None".
        path = Path(str(getattr(module, "__file__", None)))
        if path.suffix == ".py":
            folder = name.replace(".", "/")
            yield (f"{folder}/__init__.py" if path.stem == "__init__" else f"{folder}.py"), path
        if name in _DATA:
            data = sorted(path.parent.glob(_DATA[name]))
            yield from ((f"{name.replace('.', '/')}/{each.name}", each) for each in data)
