"""The steps of the action for GitHub, run as the runner would run them."""

import os
import re
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

import yaml

ROOT: Final = Path(__file__).parents[2]
#: The action as GitHub reads it; its types are those of a YAML document.
ACTION: Final[Mapping[str, Any]] = yaml.safe_load((ROOT / "action.yml").read_text("utf-8"))
#: The steps that have a name: those that are scripts.
STEPS: Final[Mapping[str, Mapping[str, Any]]] = {
    step["name"]: step for step in ACTION["runs"]["steps"] if "name" in step
}


def run_step(
    name: str, folder: Path, environment: Mapping[str, str], **inputs: str
) -> tuple[int, str]:
    """The exit status and output of a step with these inputs; others have their defaults.

    An underscore in the name of an argument stands for the hyphen of an input.  The step has the
    variables of ``environment``, its own, and those of the runner, whose files are in ``folder``.
    """
    given = {key: str(each.get("default", "")) for key, each in ACTION["inputs"].items()}
    given |= {key.replace("_", "-"): value for key, value in inputs.items()}

    def filled(text: str) -> str:
        return re.sub(r"\$\{\{ inputs\.([a-z-]+) \}\}", lambda found: given[found[1]], text)

    step = STEPS[name]
    variables = {key: filled(value) for key, value in step.get("env", {}).items()}
    done = subprocess.run(
        ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"]],
        cwd=folder / filled(step.get("working-directory", ".")),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=120,
        check=False,
        env={
            **environment,
            **variables,
            "GITHUB_ACTION_PATH": os.fspath(ROOT),
            "GITHUB_STEP_SUMMARY": str(folder / "summary.md"),
            "GITHUB_OUTPUT": str(folder / "output"),
        },
    )
    return done.returncode, done.stdout
