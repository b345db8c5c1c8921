"""A broker of Apache Kafka on this machine, in KRaft mode: one process, which a test may kill."""

import os
import signal
import socket
import subprocess
import time
from pathlib import Path
from typing import Final

#: Where `make test-kafka` puts Kafka, and Spark's connector to it.
BUILD: Final = Path(__file__).parents[3] / "build" / "kafka"
_SETTINGS: Final = """\
process.roles=broker,controller
node.id=1
controller.quorum.voters=1@127.0.0.1:{controller}
listeners=PLAINTEXT://127.0.0.1:{port},CONTROLLER://127.0.0.1:{controller}
advertised.listeners=PLAINTEXT://127.0.0.1:{port}
controller.listener.names=CONTROLLER
listener.security.protocol.map=CONTROLLER:PLAINTEXT,PLAINTEXT:PLAINTEXT
log.dirs={folder}/log
num.partitions=1
offsets.topic.replication.factor=1
transaction.state.log.replication.factor=1
transaction.state.log.min.isr=1
"""


def free_port() -> int:
    """A port of the loopback address that nobody listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


class Broker:
    """A broker with a folder for its topics, which outlive its process."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._process: subprocess.Popen[bytes] | None = None
        port = free_port()
        self.address: Final = f"127.0.0.1:{port}"
        folder.mkdir()
        self._settings = folder / "server.properties"
        self._settings.write_text(
            _SETTINGS.format(port=port, controller=free_port(), folder=folder)
        )
        name = self._tool("kafka.tools.StorageTool", "random-uuid").strip()
        self._tool("kafka.tools.StorageTool", "format", "-t", name, "-c", str(self._settings))

    def start(self) -> None:
        """Start the process, and return when it takes connections."""
        with (self._folder / "broker.log").open("ab") as log:
            self._process = subprocess.Popen(
                [*self._java(), "kafka.Kafka", str(self._settings)],
                stdout=log,
                stderr=log,
                start_new_session=True,
            )
        host, port = self.address.split(":")
        for _ in range(1200):
            if self._process.poll() is not None:
                raise RuntimeError((self._folder / "broker.log").read_text()[-2000:])
            try:
                socket.create_connection((host, int(port)), timeout=1).close()
                return
            except OSError:
                time.sleep(0.1)
        raise RuntimeError("the broker takes no connection")

    def kill(self) -> None:
        """End the process at once (SIGKILL); nothing if there is none."""
        if self._process is not None:
            if self._process.poll() is None:
                os.killpg(self._process.pid, signal.SIGKILL)
            self._process.wait()
            self._process = None

    def send(self, topic: str, messages: list[str]) -> None:
        """Append messages to a topic, in order; they are stored when this returns."""
        self._tool(
            "org.apache.kafka.tools.ConsoleProducer",
            *("--bootstrap-server", self.address, "--topic", topic),
            *("--command-property", "acks=all"),
            text="".join(f"{each}\n" for each in messages),
        )

    def messages(self, topic: str) -> list[str]:
        """All messages of a topic with one partition, in their order."""
        here = ("--bootstrap-server", self.address, "--topic", topic)
        ends = self._tool("org.apache.kafka.tools.GetOffsetShell", *here)  # topic:partition:end
        count = ends.strip().rpartition(":")[2]
        output = self._tool(
            "org.apache.kafka.tools.consumer.ConsoleConsumer",
            *(*here, "--partition", "0", "--offset", "earliest"),
            *("--max-messages", count, "--timeout-ms", "120000"),
        )
        return output.splitlines()

    def _java(self) -> list[str]:
        return ["java", "-Xmx512m", "-classpath", f"{BUILD / 'broker'}/*"]

    def _tool(self, main: str, *arguments: str, text: str = "") -> str:
        """What a command of Kafka's prints; `RuntimeError` with its errors if it fails."""
        done = subprocess.run(
            [*self._java(), main, *arguments],
            input=text,
            capture_output=True,
            text=True,
            timeout=180,
            check=False,
        )
        if done.returncode:
            raise RuntimeError(f"{main}: {done.stderr[-2000:]}")
        return done.stdout
