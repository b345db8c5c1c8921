"""The plugin of pytest by its public name, where the entry point finds it.

pytest loads it in every run of an environment where the kit is installed.
"""

from tck.pytest_plugin import pytest_addoption, pytest_configure

__all__ = ["pytest_addoption", "pytest_configure"]
