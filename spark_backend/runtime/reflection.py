"""What PySpark asks the JVM again and again is asked once.

For each function on a column PySpark has the JVM look for the class, then for the method, and then
call it: three messages for one.  A micro-batch calls some hundred and fifty of them.
"""

from typing import Any, Final

from pyspark.sql import SparkSession

#: The classes of Java whose methods PySpark calls, by the names that it uses.
_CLASSES: Final = ("org.apache.spark.sql.functions", "functions", "PythonUtils")


class _Remembered:
    """A class of Java; what has been asked of it is there as an attribute."""

    def __init__(self, of_java: Any) -> None:  # Any: Spark's way into Java is not typed
        self._of_java = of_java

    def __getattr__(self, name: str) -> Any:  # Any: a method of Java
        found = getattr(self._of_java, name)
        setattr(self, name, found)
        return found


def remember(session: SparkSession) -> None:
    """Let PySpark find these classes, and their methods, without a message to the JVM."""
    of_context: Any = session.sparkContext  # Spark's way into Java is not typed
    jvm: Any = of_context._jvm
    for name in _CLASSES:
        if name not in vars(jvm):
            setattr(jvm, name, _Remembered(getattr(jvm, name)))
