"""Functions of Spark are looked for in the JVM once."""

from typing import Any

import pytest
from py4j.java_gateway import GatewayClient  # type: ignore[import-untyped]  # it has no types
from pyspark.sql import functions as F  # noqa: N812  the name that all of PySpark's own text uses

from spark_backend.runtime.reflection import remember
from spark_backend.runtime.session import spark_session

pytestmark = [pytest.mark.spark, pytest.mark.usefixtures("spark")]


def test_a_function_is_called_by_one_message(monkeypatch: pytest.MonkeyPatch) -> None:
    """Not by one for the class, one for the method, and the call; and it is the same function."""
    session = spark_session()
    remember(session)
    sides = session.range(1).select(F.lit(3).alias("a"), F.lit(4).alias("b"))
    assert sides.select(F.hypot("a", "b")).collect()[0][0] == 5.0
    sent: list[str] = []
    client: Any = GatewayClient  # it has no types
    send: Any = client.send_command

    def counted(self: object, command: str, *rest: object) -> object:
        sent.append(command[0])
        return send(self, command, *rest)

    monkeypatch.setattr(GatewayClient, "send_command", counted)
    F.hypot("a", "b")
    assert "r" not in sent
    assert sent.count("c") == 3


def test_a_function_that_is_not_there_is_none() -> None:
    """The JVM says so as ever."""
    context: Any = spark_session().sparkContext  # Spark's way into Java is not typed
    with pytest.raises(Exception, match="nothing_of_this_name"):
        context._jvm.functions.nothing_of_this_name()
