"""Lists the modules and functions that are mutated, and the subject of each module in the report.

A module is left out because the cases cannot depend on it, or because it only makes texts.
"""

from collections.abc import Iterator, Mapping
from importlib import import_module
from pkgutil import walk_packages
from types import ModuleType
from typing import Final

from rowtime.score.change import PACKAGES
from rowtime.score.fresh.wording import is_wording_function

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

#: The modules that are not mutated although the backend reaches them: the beginnings of their
#: names, and the reasons.
LEFT_OUT: Final[Mapping[str, str]] = {
    "algebra.binding.query.bind_table_function": "the kit has no functions of a host language",
    "algebra.binding.scope.meant": "it suggests names",
    "algebra.explain": "it prints plans",
    "algebra.refusal.suggest": "it suggests queries",
    "algebra.spelling": "it prints expressions",
    "reference.fast": "the kit runs the definitions",
    "reference.provenance": "it explains rows",
    "reference.relational.emission": "tests of laws run it; the kit runs the operators",
    "reference.relational.streams": "tests of laws run it; the kit runs the operators",
}

#: The reason to leave out the functions that count the rows that an operator retains.
_COUNT: Final = "the kit detects only that a backend counts too many retained rows"
#: The functions that are not mutated although the backend reaches them, and the reasons.  A name
#: without a module means all functions with this name, also methods; ``reference:name`` means those
#: of the package `reference`.
FUNCTIONS_LEFT_OUT: Final[Mapping[str, str]] = {
    "completion": "only `explain --metadata` shows it",
    "fresh_part": "only a checkpoint restores it",
    "signature": "the page of functions shows it",
    "state_of_relation": "only `explain --metadata` shows it",
    "algebra.binding.expression.bind_expression:_call_of_host": (
        "the kit has no functions of a host language"
    ),
    "algebra.binding.query.bind_group:namespace_of_groups": "suggestions name values by it",
    "algebra.binding.query.bind_join:_naming": "it words a refusal",
    "algebra.binding.query.bind_select:_texts": "suggestions name columns by it",
    "algebra.binding.scope.function_calls:check_parameters": (
        "the kit has no functions of a host language"
    ),
    "algebra.binding.scope.names:quoted": "only hints quote names",
    "algebra.facts:deduced_once": "it has run when the modules are loaded",
    "algebra.functions.aggregates:OverFunction.low": "the page of functions shows it",
    "algebra.functions.aggregates:_of_pairs": "it has run when the modules are loaded",
    "algebra.functions.aggregates:_percentile": "it has run when the modules are loaded",
    "algebra.functions.aggregates:_shifted": "it has run when the modules are loaded",
    "algebra.functions.aggregates:_spread": "it has run when the modules are loaded",
    "algebra.functions.scalar_functions:_pad": "it has run when the modules are loaded",
    "algebra.metadata.plan_metadata:Summary.__len__": "the kit asks for each text by its name",
    "algebra.metadata.schedule.of_aggregate:_joined_by_or": "only `explain --metadata` shows it",
    "algebra.metadata.schedule.facts:unbounded_node": (
        "each node that it can find has been rejected before, by the rule of its operator"
    ),
    "algebra.metadata.schedule.of_join:_plus": "only `explain --metadata` shows it",
    "algebra.metadata.schedule.of_join:right_side": "only `explain --metadata` shows it",
    "algebra.monotonicity.lockstep:LockStep.unmatched_offset": "only plans for Spark ask for it",
    "algebra.monotonicity.lockstep:_missing": "it words a refusal",
    "algebra.monotonicity.lockstep:_name": "it words a refusal",
    "algebra.monotonicity.lockstep:_names": "it words a refusal",
    "algebra.monotonicity.lockstep:_no_pair": "it words a refusal",
    "algebra.monotonicity.lockstep:_within_an_hour": "it words a refusal",
    "algebra.outside.foreign:Connection.flag": "only files are read by it",
    "algebra.outside.foreign:_one_of": "it has run when the modules are loaded",
    "algebra.outside.foreign:_separate_by_tabs": "only files are read by it",
    "algebra.outside.json_path:_steps": "only files are read by it",
    "algebra.outside.read_times:_count_fault": "it words a report",
    "algebra.outside.read_times:_offset_millis": "a case writes its times without an offset",
    "algebra.outside.read_times:_refuse_too_fine": "only files are read by it",
    "algebra.parts.node_expressions:with_expressions": "it explains rows",
    "algebra.plan:with_inputs": "it explains rows",
    "algebra.prepare:_check": "only `rowtime lint` calls it",
    "algebra.refusal.validate:check_state": (
        "each plan that it can reject has been rejected before, by the rule of an operator"
    ),
    "algebra.wire:half_character": "no file of cases can hold half of a character",
    "algebra.wire:require_characters": "no file of cases can hold half of a character",
    "reference:pending_rows": _COUNT,
    "reference:retained": _COUNT,
    "reference:state": _COUNT,
    "reference.backend:ReferenceBackend.__init__": "it has run when the cases begin",
    "reference.backend:ReferenceBackend._name": "the kit names only objects of the script",
    "reference.backend:ReferenceBackend._remember": "only `explain` of rows reads it",
    "reference.backend:ReferenceBackend.feed_values": "only a driver feeds values",
    "reference.backend:ReferenceBackend.start": "it has run when the cases begin",
    "reference.backend:ReferenceBackend.stop": "it runs after the cases",
    "reference.backend:_rows_text": "it explains rows",
    "reference.backend:event_text": "it explains rows",
    "reference.engine.session:Session._feed": "the kit sends rows only to producers that are open",
    "reference.engine.session:Session.states": "only a driver asks for it",
    "reference.engine.session:Session.take_values": "only a driver feeds values",
    "reference.evaluate:_Evaluation.stream": "tests of laws run it; the kit runs the operators",
    "reference.incremental.changes.join:Index.__len__": (
        "the kit does not ask what a changelog retains"
    ),
    "reference.incremental.operator:State.bytes": "the kit asks how many rows there are",
    "reference.incremental.over.frame_group:Partitions.accumulated": _COUNT,
    "reference.incremental.over.frame_group:Partitions._accumulated": (
        "the kit asks how many rows there are"
    ),
    "reference.incremental.standing.named_stream:Producers.pending": "only a driver asks for it",
    "reference.incremental.standing.named_stream:Producers.slowest": "only a driver asks for it",
    "reference.incremental.standing.named_stream:Producers.state": "only a driver asks for it",
    "reference.incremental.standing.pump:Feed._ingress_of": (
        "the kit sends rows only to producers that are open"
    ),
    "reference.relational.table_rows:TableRows.__eq__": "only tests compare the rows of tables",
    "reference.relational.table_rows:TableRows.__len__": "only a driver counts the rows of a table",
    "reference.relational.table_rows:TableRows._own_store": (
        "only a driver reads an earlier version of a table"
    ),
    "reference.relational.table_rows:_Store.listed": (
        "only a driver reads an earlier version of a table"
    ),
    "reference.scalar.expression:_external": "the kit has no functions of a host language",
}


def is_left_out(module: str, function: str) -> bool:
    """Whether a function is not mutated.

    It is left out if its name shows that it makes texts for people, or if `FUNCTIONS_LEFT_OUT` or
    `LEFT_OUT` has the function or its module.
    """
    name = function.rpartition(".")[2]
    names = (f"{module}:{function}", name, f"{module.partition('.')[0]}:{name}")
    return (
        is_wording_function(function)
        or any(each in FUNCTIONS_LEFT_OUT for each in names)
        or any(module.startswith(beginning) for beginning in LEFT_OUT)
    )


def subject_of(module: str) -> str:
    """The subject of a module; empty if it is not mutated."""
    if any(module.startswith(beginning) for beginning in LEFT_OUT):
        return ""
    beginnings = [each for each in SUBJECTS if f"{module}.".startswith(f"{each}.")]
    return SUBJECTS[max(beginnings, key=len)] if beginnings else ""


def modules_of_packages() -> Iterator[ModuleType]:
    """All modules of the packages of the reference, loaded, in the order of their names."""
    for package in map(import_module, PACKAGES):
        found = walk_packages(package.__path__, f"{package.__name__}.")
        yield from map(import_module, sorted(each.name for each in found))


def modules() -> Iterator[ModuleType]:
    """The modules that are mutated, loaded, in the order of their names."""
    return (each for each in modules_of_packages() if subject_of(each.__name__))
