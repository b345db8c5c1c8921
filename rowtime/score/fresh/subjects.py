"""The subject of each module of which mutants are made."""

from collections.abc import Iterator, Mapping
from types import ModuleType
from typing import Final

from rowtime.score.fresh.meaning import modules_of_packages

#: The subject of a module, by the beginning of its name; the longest beginning counts.  A module
#: without a subject is left out.
SUBJECTS: Final[Mapping[str, str]] = {
    "algebra": "names and types",
    "algebra.binding.expression.bind_aggregate": "aggregates",
    "algebra.binding.expression.bind_datetime": "dates",
    "algebra.binding.expression.bind_text": "text",
    "algebra.binding.query.bind_join": "joins",
    "algebra.binding.over.bind_window": "frames",
    "algebra.binding.over.frames": "frames",
    "algebra.binding.query.group_window": "windows",
    "algebra.binding.over.side_window": "joins",
    "algebra.binding.over.window_spec": "frames",
    "algebra.binding.scope.streaming": "validation",
    "algebra.binding.statement": "catalog",
    "algebra.binding.statement.modify": "DML",
    "algebra.catalog": "catalog",
    "algebra.constraints": "monotonicity",
    "algebra.outside.foreign": "catalog",
    "algebra.functions": "values",
    "algebra.functions.aggregates": "aggregates",
    "algebra.functions.arithmetic": "arithmetic",
    "algebra.functions.casts": "casts",
    "algebra.functions.coerce": "casts",
    "algebra.functions.datetimes": "dates",
    "algebra.functions.numbers": "arithmetic",
    "algebra.functions.timestamp_arithmetic": "dates",
    "algebra.functions.type_names": "casts",
    "algebra.hop_windows": "windows",
    "algebra.metadata": "metadata",
    "algebra.metadata.history": "history",
    "algebra.metadata.least_rowtime": "history",
    "algebra.monotonicity": "monotonicity",
    "algebra.monotonicity.join_progress": "joins",
    "algebra.monotonicity.lock_columns": "joins",
    "algebra.monotonicity.lockstep": "joins",
    "algebra.patterns": "text",
    "algebra.refusal": "validation",
    "algebra.types": "casts",
    "algebra.wire": "entry",
    "reference.acceptance": "entry",
    "reference.backend": "entry",
    "reference.definitions": "relational",
    "reference.dml": "DML",
    "reference.engine.histories": "history",
    "reference.engine.history_scan": "history",
    "reference.engine.session": "entry",
    "reference.environment": "relational",
    "reference.evaluate": "relational",
    "reference.incremental": "emission",
    "reference.incremental.group_sort": "aggregates",
    "reference.incremental.group_sort.sets": "sets",
    "reference.incremental.group_sort.sort": "sorts",
    "reference.incremental.join": "joins",
    "reference.incremental.over": "frames",
    "reference.incremental.standing": "standing inserts",
    "reference.ingress": "entry",
    "reference.relation": "relational",
    "reference.relational": "relational",
    "reference.relational.aggregates": "aggregates",
    "reference.relational.frames": "frames",
    "reference.relational.hop": "windows",
    "reference.relational.joins": "joins",
    "reference.relational.sets": "sets",
    "reference.relational.sorting": "sorts",
    "reference.relational.windows": "frames",
    "reference.scalar": "values",
    "reference.scalar.arithmetic": "arithmetic",
    "reference.scalar.casts": "casts",
    "reference.scalar.correlation": "aggregates",
    "reference.scalar.datetimes": "dates",
    "reference.scalar.logic": "NULLs",
    "reference.scalar.patterns": "text",
    "reference.scalar.statistics": "aggregates",
    "reference.scalar.sums": "aggregates",
    "reference.scalar.text": "text",
    "reference.values": "values",
}

#: The modules of which no mutants are made although the backend reaches them, by the beginning of
#: their names, and why.
LEFT_OUT: Final[Mapping[str, str]] = {
    "algebra.binding.scope.meant": "it suggests names",
    "algebra.explain": "it prints plans",
    "algebra.refusal.suggest": "it suggests queries",
    "algebra.spelling": "it prints expressions",
    "reference.fast": "the kit runs the definitions",
    "reference.provenance": "it explains rows",
    "reference.relational.emission": "tests of laws run it; the kit runs the operators",
    "reference.relational.streams": "tests of laws run it; the kit runs the operators",
}


def subject_of(module: str) -> str:
    """The subject of a module; empty: no mutants are made of it."""
    if any(module.startswith(beginning) for beginning in LEFT_OUT):
        return ""
    beginnings = [each for each in SUBJECTS if f"{module}.".startswith(f"{each}.")]
    return SUBJECTS[max(beginnings, key=len)] if beginnings else ""


def modules() -> Iterator[ModuleType]:
    """The modules of which mutants are made, loaded, in the order of their names."""
    return (each for each in modules_of_packages() if subject_of(each.__name__))
