"""Spark's own standalone cluster on this machine: a master and workers, each a process."""

import os
import signal
import socket
import subprocess
import time
from pathlib import Path
from typing import Final

import pyspark

_HOME: Final = Path(pyspark.__file__).parent
#: What the machines of a cluster have of their own: no path of this checkout is in it.
_ENVIRONMENT: Final = {
    "PATH": os.environ["PATH"],
    "SPARK_HOME": str(_HOME),
    "SPARK_LOCAL_IP": "127.0.0.1",
    "SPARK_DAEMON_MEMORY": "512m",
}


class Cluster:
    """A master and its workers of one core each, with a folder for what they log."""

    def __init__(self, folder: Path, workers: int) -> None:
        self._folder = folder
        folder.mkdir()
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            port = probe.getsockname()[1]
        self.url: Final = f"spark://127.0.0.1:{port}"
        self._processes: dict[str, subprocess.Popen[bytes]] = {}
        self._start("master", "master.Master", "--port", str(port))
        for number in range(workers):
            name = f"worker-{number}"
            work = ("--cores", "1", "--memory", "1g", "--work-dir", str(folder / name))
            self._start(name, "worker.Worker", *work, self.url)

    def wait(self) -> None:
        """Return when all workers are known to the master; `RuntimeError` after two minutes."""
        workers = len(self._processes) - 1
        for _ in range(1200):
            log = self._folder / "master.log"
            if log.is_file() and log.read_text().count("Registering worker") == workers:
                return
            time.sleep(0.1)
        raise RuntimeError((self._folder / "master.log").read_text()[-2000:])

    def has_executor(self, name: str) -> bool:
        """Whether a worker has started an executor."""
        folder = self._folder / name
        return folder.is_dir() and any(folder.rglob("stderr"))

    def kill(self, name: str) -> None:
        """End a worker at once (SIGKILL), with its executors, which are of its group."""
        process = self._processes.pop(name)
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()

    def stop(self) -> None:
        """End all processes."""
        for name in list(self._processes):
            self.kill(name)

    def _start(self, name: str, main: str, *arguments: str) -> None:
        command = [str(_HOME / "bin" / "spark-class"), f"org.apache.spark.deploy.{main}"]
        command += ["--host", "127.0.0.1", "--webui-port", "0"]
        with (self._folder / f"{name}.log").open("wb") as log:
            self._processes[name] = subprocess.Popen(
                [*command, *arguments],
                cwd=self._folder,
                env=_ENVIRONMENT,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )
