"""Measurements in a new process, where nothing is loaded, compiled or allocated yet."""

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import rikigaku
from benchmarks.errors import BenchmarkError

ROOT = Path(__file__).resolve().parent.parent


def fresh_result(
    module: str,
    *arguments: str,
    environment: Mapping[str, str] | None = None,
    patience: float | None = None,
) -> Any:
    """What `python -m module arguments` prints as JSON on its last line; None if it was stopped.

    Args:
        patience: seconds the process gets.
    Raises:
        BenchmarkError: with the process's last words.
    """
    package = Path(rikigaku.__file__).resolve().parent.parent
    path = os.pathsep.join([str(ROOT), str(package), os.environ.get("PYTHONPATH", "")])
    try:
        done = subprocess.run(
            [sys.executable, "-m", module, *arguments],
            env={**os.environ, "PYTHONPATH": path, **(environment or {})},
            capture_output=True,
            text=True,
            check=False,
            timeout=patience,
        )
    except subprocess.TimeoutExpired:
        return None
    if done.returncode:
        last = (done.stderr.strip().splitlines() or ["no word"])[-1]
        raise BenchmarkError(f"{module} {' '.join(arguments)} ended with status {done.returncode}: {last}")
    return json.loads(done.stdout.strip().splitlines()[-1])
