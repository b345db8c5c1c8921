"""How times in files are read: the options `--times` and `--strict-times` of a run."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from algebra.catalog import Column, Stream, Table
from algebra.outside.foreign import Setting
from algebra.outside.read_times import PER_SECOND
from algebra.records.pipeline import RunError
from algebra.types import Kind


@dataclass(frozen=True, slots=True)
class TimeOptions:
    """The units that numbers in TIMESTAMP columns count since 1970.

    ``unit`` is the unit for all columns; empty if a number is not a time.  ``columns`` has the
    units of single columns, by name in upper case.  ``strict``: parts of a millisecond are refused,
    and not cut.
    """

    unit: str = ""
    columns: tuple[tuple[str, str], ...] = ()
    strict: bool = False

    @property
    def settings(self) -> tuple[tuple[str, Setting], ...]:
        """The options of the files."""
        unit: list[tuple[str, Setting]] = [("time_unit", self.unit)] if self.unit else []
        return (*unit, *([("strict_times", True)] if self.strict else []))

    def units(self, rowtime: str) -> dict[str, str]:
        """The units of columns of files without a declaration, by name in upper case.

        In such files the unit for all columns holds only for the column ``rowtime``, because other
        numbers are probably not times.
        """
        all_columns = {rowtime.upper(): self.unit} if self.unit else {}
        return {**all_columns, **dict(self.columns)}

    def declared(self, source: Table | Stream) -> Table | Stream:
        """A table or stream whose columns have their units.

        Raises `RunError` for a column with a unit that is not a TIMESTAMP.
        """
        units = dict(self.columns)
        return replace(source, columns=tuple(self._column(each, units) for each in source.columns))

    @staticmethod
    def _column(column: Column, units: dict[str, str]) -> Column:
        unit = units.get(column.name.upper())
        if unit is None:
            return column
        if column.type.kind is not Kind.TIMESTAMP:
            raise RunError(
                f"--times {column.name}={unit}: the column has the type {column.type}\n"
                f"  hint: declare it as TIMESTAMP(3)"
            )
        return replace(column, time_unit=unit)

    def unknown(self, sources: Sequence[Table | Stream]) -> str | None:
        """A column that ``--times`` names and that no table or stream has; None: all exist."""
        known = {column.name.upper() for each in sources for column in each.columns}
        return next((name for name, _ in self.columns if name not in known), None)


#: Numbers are not times, and times are cut to milliseconds.
DEFAULT: Final = TimeOptions()


def time_options(arguments: Sequence[str], strict: bool) -> TimeOptions:
    """The options of ``--times``: ``ms`` for all columns, and ``placed=s`` for one column.

    Raises `RunError` for an argument of another form.
    """
    unit, columns = "", dict[str, str]()
    for each in arguments:
        column, marker, named = each.rpartition("=")
        if named not in PER_SECOND or (marker and not column):
            units = ", ".join(PER_SECOND)
            raise RunError(f"--times {each}: write a unit, {units}, or COLUMN=UNIT")
        if marker:
            columns[column.upper()] = named
        else:
            unit = named
    return TimeOptions(unit, tuple(columns.items()), strict)
