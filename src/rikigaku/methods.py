"""What a robot can do beyond its laws, attached to Robot in one place; Robot itself holds data only."""

from collections.abc import Callable, Mapping
from importlib import import_module
from typing import TYPE_CHECKING, Any

from rikigaku.constraints.tree import tree
from rikigaku.given import names_its_options
from rikigaku.model.edit import EDITS
from rikigaku.model.robot import Robot

if TYPE_CHECKING:
    from rikigaku.fem import Mesh

# Methods by the module their functions are in: `robot.plot(...)` is `rikigaku.plotting.plot(robot, ...)`.
_METHODS = {
    "constraints.assembly": ("assemble",),
    "constraints.drives": ("drive_forces",),
    "constraints.measures": ("assembly", "singularity"),
    "constraints.plan": ("closure",),
    "difference": ("difference",),
    "display": ("_repr_html_",),
    "inverse_kinematics": ("inverse_kinematics",),
    "model.physical": ("check_inertias",),
    "model.saving": ("save",),
    "plotting": ("plot",),
    "regrouped": ("regrouped",),
    "states": ("neutral", "random_state"),
    "structure": ("parameters", "mass_pattern", "loop_rows", "recognised_angles"),
    "symbolic.base.parameters": ("base_parameters",),
    "symbolic.closed_form.find": ("inverse_kinematics_formulas",),
    "symbolic.loops.constraints": ("loop_constraints",),
}


class _Later:
    """A method whose module is loaded when first asked for; then the function itself takes its place."""

    def __init__(self, module: str, name: str) -> None:
        self.module, self.name = module, name

    def __get__(self, robot: Robot | None, owner: type[Robot]) -> Any:
        function: Callable[..., Any] = getattr(import_module(f"rikigaku.{self.module}"), self.name)
        setattr(Robot, self.name, function)
        return getattr(owner if robot is None else robot, self.name)


@names_its_options
def fem(robot: Robot, masses: Mapping[str, float] | None = None) -> "Mesh":
    """The robot as an assembly of beams, rigid or elastic; see `rikigaku.fem.Mesh`.

    masses: extra point masses [kg] at loops, frames or joints, by name.
    """
    from rikigaku.fem import Mesh  # SciPy's sparse matrices for those who ask

    return Mesh(robot, masses)


for _method in (*EDITS, fem):
    setattr(Robot, _method.__name__, _method)
for _module, _names in _METHODS.items():
    for _name in _names:
        setattr(Robot, _name, _Later(_module, _name))
Robot.tree = property(tree)  # type: ignore[attr-defined]
