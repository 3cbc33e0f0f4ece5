"""What a robot can do beyond its laws, attached to Robot in one place; Robot itself holds data only."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

from rikigaku import display, states, structure
from rikigaku.constraints.assembly import assemble
from rikigaku.constraints.measures import assembly, singularity
from rikigaku.constraints.plan import closure
from rikigaku.constraints.tree import tree
from rikigaku.model.edit import EDITS
from rikigaku.model.robot import Robot

if TYPE_CHECKING:
    from rikigaku.constraints.drives import DriveForces
    from rikigaku.fem import Mesh
    from rikigaku.inverse_kinematics import Solution
    from rikigaku.symbolic.base.parameters import BaseParameters
    from rikigaku.symbolic.closed_form.result import JointFormulas
    from rikigaku.symbolic.loops.constraints import LoopConstraints


def plot(robot: Robot, *args: Any, **options: Any) -> Any:
    """A picture of the robot; see `rikigaku.plotting.plot`."""
    from rikigaku import plotting  # pictures are for those who look at them

    return plotting.plot(robot, *args, **options)


def save(robot: Robot, path: str | Path) -> None:
    """Write the robot to a .robot.toml (comments survive), .urdf or .xml (MJCF) file.

    See `rikigaku.model.saving.save`.
    """
    from rikigaku.model.saving import save as write  # writers for those who write

    write(robot, path)


def inverse_kinematics(robot: Robot, *args: Any, **options: Any) -> "Solution":
    """Joint positions that bring a frame to a pose; see `rikigaku.inverse_kinematics.inverse_kinematics`."""
    from rikigaku.inverse_kinematics import inverse_kinematics as solve

    return solve(robot, *args, **options)


def inverse_kinematics_formulas(robot: Robot, *args: Any, **options: Any) -> "JointFormulas":
    """Joint positions as formulas of a frame's pose, all branches.

    See `rikigaku.symbolic.closed_form.find.inverse_kinematics_formulas`.
    """
    # algebra for those who ask
    from rikigaku.symbolic.closed_form.find import inverse_kinematics_formulas as find

    return find(robot, *args, **options)


def base_parameters(robot: Robot, *args: Any, **options: Any) -> "BaseParameters":
    """The fewest parameters the joint forces depend on, each with its regrouping.

    See `rikigaku.symbolic.base.parameters.base_parameters`.
    """
    # algebra for those who ask
    from rikigaku.symbolic.base.parameters import base_parameters as find

    return find(robot, *args, **options)


def regrouped(robot: Robot, *args: Any, **options: Any) -> Robot:
    """A robot that moves as this one with base parameters for inertias: shorter programs.

    See `rikigaku.regrouped.regrouped`.
    """
    from rikigaku.regrouped import regrouped as regroup  # algebra for those who ask

    return regroup(robot, *args, **options)


def drive_forces(robot: Robot, *args: Any, **options: Any) -> "DriveForces":
    """Forces of the drives for a motion, shared as asked; see `rikigaku.constraints.drives.drive_forces`."""
    from rikigaku.constraints.drives import drive_forces as shared  # SciPy's optimisers for those who ask

    return shared(robot, *args, **options)


def loop_constraints(robot: Robot, *args: Any, **options: Any) -> "LoopConstraints":
    """The constraints of a closed robot as formulas; see `rikigaku.symbolic.loops.constraints`."""
    # algebra for those who ask
    from rikigaku.symbolic.loops.constraints import loop_constraints as constraints

    return constraints(robot, *args, **options)


def fem(robot: Robot, *args: Any, **options: Any) -> "Mesh":
    """The robot as an assembly of beams, rigid or elastic; see `rikigaku.fem.Mesh`."""
    from rikigaku.fem import Mesh  # SciPy's sparse matrices for those who ask

    return Mesh(robot, *args, **options)


for _method in (
    *EDITS,
    *structure.METHODS,
    *states.METHODS,
    *display.METHODS,
    plot,
    save,
    inverse_kinematics,
    inverse_kinematics_formulas,
    loop_constraints,
    base_parameters,
    regrouped,
    closure,
    assemble,
    assembly,
    singularity,
    drive_forces,
    fem,
):
    setattr(Robot, _method.__name__, _method)
Robot.tree = property(tree)  # type: ignore[attr-defined]
