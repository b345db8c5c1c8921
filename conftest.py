"""The modules of the packages whose docstrings have examples: only these are collected."""

from pathlib import Path


def pytest_ignore_collect(collection_path: Path) -> bool | None:
    """Whether a file is left out: a module without examples would be imported for nothing."""
    if collection_path.suffix != ".py" or collection_path.name.startswith(("test_", "conftest")):
        return None
    return True if ">>>" not in collection_path.read_text("utf-8") else None
