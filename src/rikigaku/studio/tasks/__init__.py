"""Tasks of the studio: named functions of a robot that run in a worker process.

A task is `function(robot, arguments) -> result`; arguments and result are frozen records (of numbers, texts,
lists, records) that `tools/web_types.py` writes as TypeScript too. It may report progress with
`rikigaku.symbolic.algebra.child_process.progress("...")`.
To add one, write a module here and list it in TASKS.
"""

from dataclasses import dataclass
from importlib import import_module
from typing import Any


@dataclass(frozen=True)
class Task:
    """A task by the name of its module and function; seconds: its time limit.

    of_robot: False for a task that needs no document; its robot is None. of_source: it also takes the file
    that the document was read from, and the folder of the workspace.
    """

    module: str
    function: str
    seconds: float = 120.0
    of_robot: bool = True
    of_source: bool = False

    @property
    def call(self) -> Any:
        """The function. Its annotations name the records of its arguments and result."""
        return getattr(import_module(f"rikigaku.studio.tasks.{self.module}"), self.function)


TASKS: dict[str, Task] = {
    "assembly_modes": Task("assembly_task", "assembly_modes", 60.0),
    "visuals": Task("visuals_task", "visuals", 60.0, of_source=True),
    "laws": Task("equations_task", "laws", 60.0),
    "equations": Task("equations_task", "equations", 600.0),
    "branches": Task("inverse_kinematics_task", "branches"),
    "joint_formulas": Task("inverse_kinematics_task", "joint_formulas", 300.0),
    "base_parameters": Task("base_parameters_task", "base_parameters", 600.0),
    "loops": Task("loops_task", "loops", 300.0),
    "simulation": Task("simulation_task", "simulation", 3600.0),
    "elastic": Task("elastic_task", "elastic", 300.0),
    "paper": Task("papers_task", "paper", 600.0, of_robot=False),
    "law_export": Task("export_task", "law_export", 300.0),
    "robot_export": Task("export_task", "robot_export", 60.0),
    "code_export": Task("export_task", "code_export", 600.0),
    "report_export": Task("export_task", "report_export", 900.0),
}
