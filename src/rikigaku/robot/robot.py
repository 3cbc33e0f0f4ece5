"""`Robot`: the frozen model plus declarations; every law an attribute, every method a delegation.

There is no logic here. `robot.pyi` beside this file has the signature and the text of each declaration for
type checkers and editors; `tools/robot_stub.py` writes it from the catalogue and the functions named below.
"""

from rikigaku.model.robot_model import RobotModel
from rikigaku.robot.declarations import (
    LawAttribute,
    LawGroup,
    Method,
    closed_only,
    free_floating_only,
)


class Robot(RobotModel):
    """A robot: links and joints in a spanning tree, loops, frames and symbols, with its laws and methods.

    Laws take arrays (..., n), broadcast, and run as native code; `.derivative`, `.symbolic`, `.operations`,
    `.export`, `.status` and `.fix` belong to each law. Editing methods return a new robot. SI units, radians.
    """

    # Kinematics
    pose = LawAttribute("pose")
    poses = LawAttribute("poses")
    jacobian = LawAttribute("jacobian")
    euler_jacobian = LawAttribute("euler_jacobian")
    velocity = LawAttribute("velocity")
    acceleration = LawAttribute("acceleration")
    jacobian_rate = LawAttribute("jacobian_rate")
    integrate = LawAttribute("integrate")

    # Dynamics
    inverse_dynamics = LawAttribute("inverse_dynamics")
    forward_dynamics = LawAttribute("forward_dynamics")
    mass_matrix = LawAttribute("mass_matrix")
    inverse_mass_matrix = LawAttribute("inverse_mass_matrix")
    velocity_forces = LawAttribute("velocity_forces")
    gravity_forces = LawAttribute("gravity_forces")
    coriolis_matrix = LawAttribute("coriolis_matrix")
    regressor = LawAttribute("regressor")

    # Energy and momentum
    kinetic_energy = LawAttribute("kinetic_energy")
    potential_energy = LawAttribute("potential_energy")
    center_of_mass = LawAttribute("center_of_mass")
    momentum = LawAttribute("momentum")
    momentum_matrix = LawAttribute("momentum_matrix")

    # Loops and gears
    loop_residual = closed_only(LawAttribute("loop_residual"))
    loop_jacobian = closed_only(LawAttribute("loop_jacobian"))
    loop_bias = closed_only(LawAttribute("loop_bias"))
    loop_alignment = closed_only(LawAttribute("loop_alignment"))
    complete = closed_only(LawAttribute("complete"))
    loop_forces = closed_only(LawAttribute("loop_forces"))
    loop_dynamics = closed_only(LawAttribute("loop_dynamics"))
    state_rate = closed_only(LawAttribute("state_rate"))
    loop_projection_step = closed_only(LawAttribute("loop_projection_step"))
    loop_projected_velocity = closed_only(LawAttribute("loop_projected_velocity"))

    # Groups of laws
    reduced = closed_only(LawGroup("reduced", "Laws over the independent coordinates of a closed robot."))
    space = free_floating_only(LawGroup("space", "Laws of a robot whose base floats freely in space."))

    # States and parameters
    neutral = Method("model.states", "neutral")
    random_state = Method("model.states", "random_state")
    difference = Method("model.configuration_difference", "difference")
    parameters = Method("laws.structure", "parameters")
    mass_pattern = Method("laws.structure", "mass_pattern")
    recognised_angles = Method("laws.structure", "recognised_angles")
    check_inertias = Method("model.physical_consistency", "check_inertias")

    # Editing: each returns a new robot
    lock = Method("model.editing", "lock")
    free = Method("model.editing", "free")
    on_free_base = Method("model.editing", "on_free_base")
    attach = Method("model.editing", "attach")
    join = Method("model.joining", "join")
    bind = Method("model.editing", "bind")
    with_gravity = Method("model.editing", "with_gravity")
    with_actuated = Method("model.editing", "with_actuated")
    regrouped = Method("symbolic.base_parameters.regrouped_robot", "regrouped")

    # Inverse kinematics and base parameters
    inverse_kinematics = Method("inverse_kinematics.solve_pose", "inverse_kinematics")
    self_motion = Method("inverse_kinematics.self_motion", "self_motion")
    inverse_kinematics_formulas = Method(
        "symbolic.inverse_kinematics.closed_form", "inverse_kinematics_formulas"
    )
    base_parameters = Method("symbolic.base_parameters.base_parameters", "base_parameters")

    # Closure of loops
    tree = closed_only(Method("closure.open_tree", "tree", is_property=True))
    closure = closed_only(Method("closure.closure_plan", "closure"))
    assemble = closed_only(Method("symbolic.loops.assembly_modes", "assemble"))
    platform_poses = closed_only(Method("symbolic.loops.assembly_modes", "all_platform_poses"))
    assembly_mode = closed_only(Method("closure.singularity", "assembly_mode"))
    singularity = closed_only(Method("closure.singularity", "singularity"))
    actuation_forces = closed_only(Method("closure.actuation_sharing", "actuation_forces"))
    loop_rows = closed_only(Method("laws.structure", "loop_rows"))
    loop_constraints = closed_only(Method("symbolic.loops.loop_constraints", "loop_constraints"))

    # Motions of many worlds
    rollout = Method("rollout.batched_rollout", "rollout")

    # Laws of your own
    law = Method("robot.robot_law", "law")

    # Beams, pictures, files
    fem = Method("fem.mesh", "fem")
    plot = Method("plotting.robot_picture", "plot")
    view = Method("web.notebook", "view")
    save = Method("formats.robot_files", "save")
    _repr_html_ = Method("web.notebook", "_repr_html_")
    _repr_mimebundle_ = Method("web.notebook", "_repr_mimebundle_")

    def __dir__(self) -> list[str]:
        return [name for name in super().__dir__() if _applies(self, name)]


def _applies(robot: Robot, name: str) -> bool:
    """Whether the attribute is of use on this robot: names about loops are listed where there are loops."""
    condition = getattr(Robot.__dict__.get(name), "condition", None)
    return condition is None or condition(robot)
