"""Results as printed tables and as JSON files."""

import json
import os
import platform
from collections.abc import Sequence
from datetime import datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

RESULTS = Path(__file__).resolve().parent / "results"
LIBRARIES = ("rikigaku", "pin", "mujoco", "numpy", "llvmlite")


def machine() -> dict[str, Any]:
    """What the numbers depend on: processor, system and versions."""
    model = platform.processor()
    info = Path("/proc/cpuinfo")
    if info.exists():
        names = [
            line.split(":", 1)[1].strip() for line in info.read_text().splitlines() if "model name" in line
        ]
        model = names[0] if names else model
    versions = {}
    for name in LIBRARIES:
        try:
            versions[name] = version(name)
        except PackageNotFoundError:
            versions[name] = "not installed"
    system = {"processor": model, "cores": os.cpu_count(), "python": platform.python_version()}
    return {**system, "load": os.getloadavg(), "versions": versions}


def busy() -> bool:
    """Whether, over the last minute, more programs wanted a core than there are cores (one is ours)."""
    return os.getloadavg()[0] > (os.cpu_count() or 1)


def table(title: str, header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Aligned columns; the first one left, the others right."""
    widths = [max(len(line[i]) for line in (header, *rows)) for i in range(len(header))]
    lines = [
        "  ".join(
            [cells[0].ljust(widths[0]), *(c.rjust(w) for c, w in zip(cells[1:], widths[1:], strict=True))]
        )
        for cells in (header, *rows)
    ]
    return "\n".join([title, lines[0], "-" * len(lines[0]), *lines[1:], ""])


def figure(value: float | None, digits: int = 0) -> str:
    """A number for a table; a dash where there is none."""
    return "-" if value is None else f"{value:.{digits}f}"


def save(sections: dict[str, Any], options: dict[str, Any]) -> Path:
    """Writes one JSON file for this run, named by the time."""
    RESULTS.mkdir(exist_ok=True)
    now = datetime.now().astimezone()
    path = RESULTS / f"{now:%Y%m%d-%H%M%S}.json"
    record = {"time": now.isoformat(), "machine": machine(), "options": options, **sections}
    path.write_text(json.dumps(record, indent=1))
    return path
