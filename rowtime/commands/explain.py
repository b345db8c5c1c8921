"""`rowtime explain`: the plan of a query."""

import json
from typing import Annotated

import typer

from algebra.catalog import Profile
from rowtime.command_errors import errors_to_the_user
from rowtime.commands.describe import Rowtime
from rowtime.commands.options import (
    Ddl,
    ProfileName,
    Query,
    QueryFile,
    query_on_files,
    query_text,
    script_of,
)
from tck.terminal.messages import print_text


def explain(
    query: Query = None,
    file: QueryFile = None,
    ddl: Ddl = None,
    rowtime: Rowtime = "rowtime",
    profile: ProfileName = Profile.CALCITE,
    metadata: Annotated[
        bool,
        typer.Option("--metadata", help="Below each node: its orders, latency and state."),
    ] = False,
    as_json: Annotated[
        bool, typer.Option("--json", help="With --metadata: as JSON (docs/metadata.md).")
    ] = False,
    backend: Annotated[
        str | None,
        typer.Option(
            "--backend",
            help="spark-stream: with each operator's state, and the rows that Spark retains.",
        ),
    ] = None,
) -> None:
    """Print the plan of a query, one node a line.

    Without --ddl the schema is that of the Calcite streaming page: Orders, Products,
    ProductVersions, Shipments.
    """
    from algebra.explain import explain as explain_plan
    from algebra.prepare import prepare

    if as_json and not metadata:
        raise typer.BadParameter("--json goes with --metadata")
    if backend not in (None, "spark-stream") or (backend and metadata):
        raise typer.BadParameter("--backend is spark-stream here, and goes without --metadata")
    inputs = query_on_files(script_of(ddl), query_text(query, file), (), rowtime)
    with errors_to_the_user(inputs.script):
        prepared = prepare(inputs.script.text, inputs.sql, profile)
        assert prepared.query is not None, "a query was given"
        if backend is not None:
            from rowtime.explain_spark import explain_state

            print_text(explain_state(prepared.query))
            return
        if not metadata:
            print_text(explain_plan(prepared.query))
            return
        # Imported here: a plan without metadata need not wait for it.
        from algebra.metadata.explain_metadata import as_json as metadata_json
        from algebra.metadata.explain_metadata import as_text
        from algebra.metadata.plan_metadata import node_facts

        facts = node_facts(prepared.query)
        print_text(json.dumps(metadata_json(facts), indent=2) if as_json else as_text(facts))
