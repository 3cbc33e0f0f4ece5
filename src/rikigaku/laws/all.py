"""The list of laws: what `robot.<name>` offers."""

from rikigaku.laws import (
    composite_body,
    coriolis,
    dynamics_derivatives,
    energy,
    forward,
    integration,
    kinematics,
    momentum,
    newton_euler,
    regressor,
)
from rikigaku.laws.record import REQUIRED, Law

_NO_MASS = "the mass matrix is singular: some joint moves no inertia (a massless link, an unphysical inertia)"

inverse_derivatives = Law(
    "inverse_dynamics_derivative",
    dynamics_derivatives.inverse_derivatives,
    ("q", "v", "a"),
    ("q", "v", "a"),
    "Derivatives of the joint forces with respect to q (tangent), v and a.",
    options={"friction": True},
    overrides=("gravity",),
)
forward_derivatives = Law(
    "forward_dynamics_derivative",
    dynamics_derivatives.forward_derivatives,
    ("q", "v", "tau"),
    ("q", "v", "tau"),
    "Derivatives of the accelerations with respect to q (tangent), v and tau.",
    options={"friction": True},
    overrides=("gravity",),
    singular=_NO_MASS,
)

LAWS: dict[str, Law] = {
    law.name: law
    for law in (
        Law("pose", kinematics.pose, ("q",), ("pose",), "Pose of a frame in the world, 4x4.", {"frame": REQUIRED}),
        Law("poses", kinematics.poses, ("q",), ("poses",), "Poses of all frames in the world, in the order of `frame_names`."),
        Law(
            "jacobian",
            kinematics.jacobian,
            ("q",),
            ("J",),
            "Velocity of a frame per unit joint velocity, 6 x nv, linear rows first.",
            {"frame": REQUIRED, "axes": "world"},
        ),
        Law(
            "euler_jacobian",
            kinematics.euler_jacobian,
            ("q",),
            ("J",),
            "Linear velocity and Euler-angle rates of a frame per unit joint velocity, 6 x nv.",
            {"frame": REQUIRED, "angles": "zyx"},
            singular="the Euler angles are singular at this orientation",
        ),
        Law(
            "jacobian_rate",
            kinematics.jacobian_rate,
            ("q", "v"),
            ("Jdot_v",),
            "(dJ/dt) v: acceleration of a frame when the joints do not accelerate.",
            {"frame": REQUIRED, "axes": "world"},
        ),
        Law(
            "inverse_dynamics",
            newton_euler.inverse_dynamics,
            ("q", "v", "a"),
            ("tau",),
            "Joint forces that produce the accelerations.",
            {"friction": True},
            ("gravity", "wrenches"),
            inverse_derivatives,
        ),
        Law("velocity_forces", newton_euler.velocity_forces, ("q", "v"), ("h",), "Centrifugal, Coriolis and gyroscopic forces."),
        Law("gravity_forces", newton_euler.gravity_forces, ("q",), ("g",), "Joint forces that hold against gravity.", overrides=("gravity",)),
        Law("mass_matrix", composite_body.mass_matrix, ("q",), ("M",), "Mass matrix, with reflected rotor inertia."),
        Law("inverse_mass_matrix", forward.inverse_mass_matrix, ("q",), ("Minv",), "Inverse of the mass matrix.", singular=_NO_MASS),
        Law(
            "forward_dynamics",
            forward.forward_dynamics,
            ("q", "v", "tau"),
            ("a",),
            "Accelerations under the joint forces.",
            {"friction": True, "method": "auto"},
            ("gravity", "wrenches"),
            forward_derivatives,
            singular=_NO_MASS,
        ),
        Law("coriolis_matrix", coriolis.coriolis_matrix, ("q", "v"), ("C",), "C with C v = h and dM/dt - 2 C skew; Christoffel where v is dq/dt."),
        Law("kinetic_energy", energy.kinetic_energy, ("q", "v"), ("T",), "Kinetic energy [J]."),
        Law("potential_energy", energy.potential_energy, ("q",), ("U",), "Energy in the field of gravity [J].", overrides=("gravity",)),
        Law("center_of_mass", energy.center_of_mass, ("q",), ("c",), "Centre of mass of the moving bodies in the world [m]."),
        Law("momentum", momentum.momentum, ("q", "v"), ("h",), "Linear and angular momentum, world axes.", {"about": "com"}),
        Law("momentum_matrix", momentum.momentum_matrix, ("q",), ("A",), "Momentum per unit joint velocity, 6 x nv: the centroidal momentum matrix.", {"about": "com"}),
        Law("regressor", regressor.regressor, ("q", "v", "a"), ("Y",), "Y with tau = Y pi, linear in the parameters.", {"drives": False}, ("gravity",)),
        Law("integrate", integration.integrate, ("q", "v"), ("q",), "q after a unit of time at the rates v, on its manifold."),
    )
}
