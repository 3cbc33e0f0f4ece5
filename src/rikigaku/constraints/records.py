"""The laws of closed robots as records, with what was found about a robot's loops fixed in them."""

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from rikigaku.errors import NoValue
from rikigaku.laws.record import Law, by_name
from rikigaku.model.robot import Robot

if TYPE_CHECKING:
    from rikigaku.constraints.plan import ClosurePlan

_SINGULAR = "the loops are singular here: the coordinates held do not decide the others"
_TYPE_2 = "the robot is singular here: with all drives locked it can still move"
_DEPENDENT = "the loops are singular here: their equations depend on each other (or some link has no mass)"


def _forward_derivatives(name: str) -> Law:
    """The derivatives of a forward dynamics as a law of their own."""
    return Law(
        f"{name}_derivative",
        f"closed_derivatives.{name}_derivatives",
        inputs=("q", "v", "tau"),
        outputs=("q", "v", "tau"),
        summary="Derivatives of the accelerations with respect to q (tangent), v and tau, loops closed.",
        options={"friction": True},
        overrides=("gravity",),
        singular=_DEPENDENT,
        typed=f"{name}.derivative",
    )


_FORCES: dict[str, Any] = {"options": {"friction": True}, "overrides": ("gravity", "wrenches")}

# Laws of a closed robot by name; those of robot.reduced begin with "reduced_".
CLOSED = by_name(
    Law(
        "complete",
        "closed.complete",
        inputs=("q", "v", "a"),
        outputs=("v", "a"),
        summary="Velocities and accelerations of all joints from those of the independent ones.",
        singular=_SINGULAR,
    ),
    Law(
        "inverse_dynamics",
        "closed.closed_inverse_dynamics",
        inputs=("q", "v", "a"),
        outputs=("tau",),
        summary="Forces of the driven joints that produce the accelerations, loops closed.",
        singular=_TYPE_2,
        **_FORCES,
    ),
    Law(
        "loop_forces",
        "closed.loop_forces",
        inputs=("q", "v", "a", "tau"),
        outputs=("f",),
        summary="Forces in the cut joints, one for each row of the residual, in a motion under tau.",
        singular=_SINGULAR,
        **_FORCES,
    ),
    Law(
        "forward_dynamics",
        "closed_forward.closed_forward_dynamics",
        inputs=("q", "v", "tau"),
        outputs=("a",),
        summary="Accelerations of all joints under the forces of the driven ones, loops closed.",
        derivative=_forward_derivatives("forward_dynamics"),
        singular=_DEPENDENT,
        **_FORCES,
    ),
    Law(
        "loop_dynamics",
        "closed_forward.loop_dynamics",
        inputs=("q", "v", "tau"),
        outputs=("a",),
        summary="Accelerations of all joints under forces in all of them, loops closed.",
        derivative=_forward_derivatives("loop_dynamics"),
        singular=_DEPENDENT,
        **_FORCES,
    ),
    Law(
        "state_rate",
        "closed_forward.state_rate",
        inputs=("q", "v", "tau"),
        outputs=("rate",),
        summary="Rates of q, then of v, under forces in all joints, loops closed.",
        options={"friction": True},
        overrides=("gravity",),
        singular=_DEPENDENT,
    ),
    Law(
        "closing_step",
        "closed_forward.closing_step",
        inputs=("q",),
        outputs=("step",),
        summary="Newton's step in the tangent of q that closes small gaps of the loops.",
        singular=_DEPENDENT,
    ),
    Law(
        "closed_velocity",
        "closed_forward.closed_velocity",
        inputs=("q", "v"),
        outputs=("v",),
        summary="The nearest velocities (in kinetic energy) that keep the loops closed.",
        singular=_DEPENDENT,
    ),
    Law(
        "reduced_jacobian",
        "closed.following",
        typed="reduced.jacobian",
        inputs=("q",),
        outputs=("P",),
        summary="P with v = P v_independent, nv x mobility.",
        singular=_SINGULAR,
    ),
    Law(
        "reduced_actuation",
        "closed_reduced.actuation",
        typed="reduced.actuation",
        inputs=("q",),
        outputs=("A",),
        summary="A with A tau the forces of the drives along the independent coordinates.",
        singular=_SINGULAR,
    ),
    Law(
        "reduced_mass_matrix",
        "closed_reduced.reduced_mass_matrix",
        typed="reduced.mass_matrix",
        inputs=("q",),
        outputs=("M",),
        summary="Mass matrix over the independent coordinates.",
        singular=_SINGULAR,
    ),
    Law(
        "reduced_velocity_forces",
        "closed_reduced.reduced_velocity_forces",
        typed="reduced.velocity_forces",
        inputs=("q", "v"),
        outputs=("h",),
        summary="Centrifugal, Coriolis and gyroscopic forces over the independent coordinates.",
        singular=_SINGULAR,
    ),
    Law(
        "reduced_coriolis_matrix",
        "closed_reduced.reduced_coriolis_matrix",
        typed="reduced.coriolis_matrix",
        inputs=("q", "v"),
        outputs=("C",),
        summary="C over the independent coordinates, with C v = h and dM/dt - 2 C skew.",
        singular=_SINGULAR,
    ),
    Law(
        "reduced_gravity_forces",
        "closed_reduced.reduced_gravity_forces",
        typed="reduced.gravity_forces",
        inputs=("q",),
        outputs=("g",),
        summary="Forces along the independent coordinates that hold against gravity.",
        overrides=("gravity",),
        singular=_SINGULAR,
    ),
    Law(
        "reduced_inverse_dynamics",
        "closed_reduced.reduced_inverse_dynamics",
        typed="reduced.inverse_dynamics",
        inputs=("q", "v", "a"),
        outputs=("tau",),
        summary="Forces along the independent coordinates that produce their accelerations.",
        singular=_SINGULAR,
        **_FORCES,
    ),
    Law(
        "reduced_forward_dynamics",
        "closed_forward.reduced_forward_dynamics",
        typed="reduced.forward_dynamics",
        inputs=("q", "v", "tau"),
        outputs=("a",),
        summary="Accelerations of the independent coordinates under forces along them.",
        singular=_DEPENDENT,
        **_FORCES,
    ),
)

# What closed robots have and open ones have not, under its own name.
OWN_NAMES = ("complete", "loop_forces", "loop_dynamics", "state_rate", "closing_step", "closed_velocity")
REDUCED = "reduced_"


def closed_law(robot: Robot, name: str) -> Law:
    """The law of that name with the robot's plan fixed in it, and the sizes of its inputs."""
    from rikigaku.constraints.plan import closure  # for robots that have loops

    plan = closure(robot)
    law = CLOSED[name]
    if name == "inverse_dynamics" and plan.undriven:
        raise underactuated(plan)
    own: dict[str, Any] = {"plan": plan.places, "coordinates": _coordinates(plan, name)}
    derivative = law.derivative and replace(law.derivative, **own)
    return replace(law, derivative=derivative, **own)


def _coordinates(plan: "ClosurePlan", name: str) -> dict[str, tuple[str, ...]]:
    """Inputs that are not those of all joints of the tree."""
    if name.startswith(REDUCED):
        return dict.fromkeys(("v", "a", "tau"), plan.independent)
    if name == "complete":
        return dict.fromkeys(("v", "a"), plan.independent)
    return {"tau": plan.driven} if name in ("forward_dynamics", "loop_forces") else {}


def underactuated(plan: "ClosurePlan") -> NoValue:
    """The error for drives that do not decide all freedoms."""
    robot = plan.robot
    return NoValue(
        f"Robot {robot.name!r} has mobility {plan.mobility} and {len(plan.driven)} driven coordinates "
        f"({', '.join(plan.driven) or 'none'}), which decide {plan.reach}: no forces of theirs produce a "
        f"motion at will. With all drives locked {', '.join(plan.undriven)} can still move. "
        "robot.reduced.inverse_dynamics gives the forces it takes along the independent coordinates "
        f"({', '.join(plan.independent)})."
    )
