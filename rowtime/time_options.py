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
    """How numbers and texts in the TIMESTAMP columns of files are read.

    ``unit`` is the unit that numbers count since 1970 in all columns; if it is empty, a number is
    not a time.  ``columns`` has the units of single columns, by name in upper case.  ``strict``: a
    time with parts of a millisecond is refused; else these parts are cut.
    """

    unit: str = ""
    columns: tuple[tuple[str, str], ...] = ()
    strict: bool = False

    @property
    def settings(self) -> tuple[tuple[str, Setting], ...]:
        """``unit`` and ``strict`` as OPTIONS of a file, which hold for all of its columns."""
        unit: list[tuple[str, Setting]] = [("time_unit", self.unit)] if self.unit else []
        return (*unit, *([("strict_times", True)] if self.strict else []))

    def units(self, rowtime: str) -> dict[str, str]:
        """The units of the columns of a file that no script declares, by name in upper case.

        In such a file, ``unit`` holds only for the column ``rowtime``, because other numbers are
        probably not times.
        """
        of_rowtime = {rowtime.upper(): self.unit} if self.unit else {}
        return {**of_rowtime, **dict(self.columns)}

    def with_units(self, source: Table | Stream) -> Table | Stream:
        """The table or stream ``source``, whose columns have the units of ``columns``.

        Raises `RunError` for a column with a unit that is not a TIMESTAMP.
        """
        units = dict(self.columns)
        columns = tuple(self._with_unit(each, units) for each in source.columns)
        return replace(source, columns=columns)

    @staticmethod
    def _with_unit(column: Column, units: dict[str, str]) -> Column:
        """The column with its unit in ``units``; unchanged if it has none there."""
        unit = units.get(column.name.upper())
        if unit is None:
            return column
        if column.type.kind is not Kind.TIMESTAMP:
            raise RunError(
                f"--times {column.name}={unit}: the column has the type {column.type}\n"
                f"  hint: declare it as TIMESTAMP(3)"
            )
        return replace(column, time_unit=unit)

    def unknown_column(self, sources: Sequence[Table | Stream]) -> str | None:
        """The first column that ``--times`` names and no source has; None if all columns exist."""
        known = {column.name.upper() for each in sources for column in each.columns}
        return next((name for name, _ in self.columns if name not in known), None)


#: Without options: numbers are not times, and times are cut to milliseconds.
DEFAULT: Final = TimeOptions()


def time_options(arguments: Sequence[str], strict: bool) -> TimeOptions:
    """The options of ``--times``, such as ``ms`` for all columns, or ``placed=s`` for one column.

    ``strict`` is the option ``--strict-times``.  If two arguments are for the same column, or for
    all columns, the last one counts.

    Raises `RunError` for an argument of another form.
    """
    unit, columns = "", dict[str, str]()
    for each in arguments:
        column, equals_sign, written_unit = each.rpartition("=")
        if written_unit not in PER_SECOND or (equals_sign and not column):
            units = ", ".join(PER_SECOND)
            raise RunError(f"--times {each}: write a unit, {units}, or COLUMN=UNIT")
        if equals_sign:
            columns[column.upper()] = written_unit
        else:
            unit = written_unit
    return TimeOptions(unit, tuple(columns.items()), strict)
