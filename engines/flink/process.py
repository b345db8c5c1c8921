"""The driver: a Java process with one Flink cluster in it, asked by lines."""

import subprocess
from collections.abc import Iterable
from pathlib import Path
from typing import Final

import yaml

from engines.flink.lines import fields, line

#: The folder that ``make tck-flink`` sets up: Flink's own environment, and the driver's classes.
HOME: Final = Path(__file__).parents[2] / "build" / "engines" / "flink"


class FlinkError(Exception):
    """Flink's reason for a rejection: the messages of its exception and the causes."""


class FlinkProcess:
    """A running driver.  Its standard error is this process's."""

    def __init__(self) -> None:
        installed = _installed()
        # A job lives for a second or less: code is compiled quickly, and not once more.
        command = ["java", "-Xmx1500m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"]
        command += ["-Duser.timezone=UTC", "-Dlog4j2.level=OFF"]
        command += _java_options(installed / "conf" / "config.yaml")
        command += ["-cp", f"{HOME / 'classes'}:{installed / 'lib'}/*", "Driver"]
        self._process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, encoding="utf-8"
        )

    def ask(self, *request: str | None) -> list[list[str | None]]:
        """The lines of the answer.  Raises `FlinkError`; `EOFError` if the process has died."""
        self.send([request])
        return self.answers(1)[0]

    def send(self, requests: Iterable[Iterable[str | None]]) -> None:
        """Send requests whose answers are read later."""
        assert self._process.stdin is not None, "it is a pipe"
        self._process.stdin.writelines(line(each) + "\n" for each in requests)
        self._process.stdin.flush()

    def answers(self, count: int) -> list[list[list[str | None]]]:
        """The answers of as many requests.  Raises as `ask`, for the first that is an error."""
        answers: list[list[list[str | None]]] = []
        error = None
        for _ in range(count):
            word, *rest = self._line()
            if word == "ok":
                answers.append([self._line() for _ in range(int(rest[0] or 0))])
            else:
                error = error or FlinkError(rest[0])
        if error is not None:
            raise error
        return answers

    def _line(self) -> list[str | None]:
        assert self._process.stdout is not None, "it is a pipe"
        text = self._process.stdout.readline()
        if not text:
            raise EOFError(f"the driver has ended, with status {self._process.wait()}")
        return fields(text.rstrip("\n"))

    def stop(self) -> None:
        """End the process."""
        self._process.communicate()


def version() -> str:
    """The version of Flink that is installed; raises `FileNotFoundError` if none is."""
    (jar,) = (_installed() / "lib").glob("flink-dist-*.jar")
    return jar.stem.removeprefix("flink-dist-")


def _installed() -> Path:
    """The folder of Flink in its environment."""
    found = sorted(HOME.glob("venv/lib/python*/site-packages/pyflink"))
    if not found:
        raise FileNotFoundError(f"no Flink in {HOME}: make tck-flink installs it")
    return found[-1]


def _java_options(config: Path) -> list[str]:
    """The options with which Flink's own scripts start Java."""
    options = yaml.safe_load(config.read_text(encoding="utf-8"))
    return str(options["env"]["java"]["opts"]["all"]).split()
