"""What worker processes of the studio run: a task on the robot of a document, and the check of a document."""

import typing
import warnings
from importlib import import_module
from pathlib import Path
from typing import Any

from rikigaku.core.errors import RikigakuError
from rikigaku.studio.document_check import parsed_robot
from rikigaku.studio.json_records import decoded, encoded, finite
from rikigaku.studio.tasks import TASKS

_NEEDED = ("rikigaku", "rikigaku.symbolic.formulas.sympy_conversion", "rikigaku.web.robot_document")


def warm_up(_: Any) -> Any:
    """Import what tasks need, so that the first of them does not wait for it."""
    for name in _NEEDED:
        import_module(name)
    for task in TASKS.values():
        _ = task.call
    return None


def run_task(data: Any) -> Any:
    """{"task", "text", "source", "workspace", "arguments"} -> {"result"}, or {"error"}.

    The error is a sentence of ours for the user.
    """
    task = TASKS[data["task"]]
    try:
        hints = typing.get_type_hints(task.call)
        arguments = decoded(hints["arguments"], data["arguments"])
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            robot = parsed_robot(data["text"]) if task.of_robot else None
            files = (Path(data["source"]), Path(data["workspace"])) if task.of_source else ()
            return {"result": finite(encoded(task.call(robot, arguments, *files)))}
    except RikigakuError as error:
        return {"error": str(error)}
