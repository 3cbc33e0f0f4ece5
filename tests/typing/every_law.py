"""A user's script with every law and method of `Robot` once, and the functions around them, with types.

Type checkers read it (test_type_checkers.py), and it runs: `python tests/typing/every_law.py`.
"""

import os
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any, assert_type

os.environ.setdefault("MPLBACKEND", "Agg")

import numpy as np
from numpy.typing import NDArray

import rikigaku as rk
from rikigaku import space
from rikigaku.symbolic.formulas.exact_formula import ExactFormula
from rikigaku.trajectory import Trajectory, cubic, in_sequence, quintic, septic, trapezoid

Array = NDArray[np.float64]


def tree_laws(folder: Path) -> None:
    """Kinematics, dynamics, energy and momentum of a tree."""
    arm: rk.Robot = rk.load("planar_2r")
    q, v, a = arm.random_state(0)
    tau: Array = arm.inverse_dynamics(q, v, a, gravity=(0, 0, -1.6), wrenches={"hand": np.ones(6)})
    tau = arm.inverse_dynamics(q, v, a, friction=False, out=np.empty(arm.nv))
    forward: Array = arm.forward_dynamics(q, v, tau, friction=False)
    M: Array = arm.mass_matrix(q)
    M_inverse: Array = arm.inverse_mass_matrix(q)
    h: Array = arm.velocity_forces(q, v)
    g: Array = arm.gravity_forces(q)
    C: Array = arm.coriolis_matrix(q, v)
    Y: Array = arm.regressor(q, v, a)
    second: Any = arm.inverse_dynamics.derivative(q, v, a, wrt="q", order=2)
    assert second.q.q.shape == (2, 2, 2)
    gradient: Any = arm.inverse_dynamics.gradient(q, v, a, weights=np.ones(2), wrt=("q", "m1"))
    slope: Any = arm.inverse_dynamics.tangent(q, v, a, directions={"q": v})
    product: Any = arm.inverse_dynamics.hessian_product(q, v, a, weights=np.ones(2), directions={"q": v})
    assert np.isclose(gradient.q @ v, slope.sum())
    assert np.allclose(product.q, np.ones(2) @ (second.q.q @ v))
    assert np.allclose(forward, a)
    assert np.allclose(M @ M_inverse, np.eye(2))
    assert np.allclose(C @ v, h)
    assert np.allclose(M @ a + h + g, tau)
    assert np.allclose(Y @ list(arm.parameters().values()), tau)

    pose: Array = arm.pose(q, "hand")
    poses: Array = arm.poses(q)
    J: Array = arm.jacobian(q, "hand", axes="local")
    J_euler: Array = arm.euler_jacobian(q, "hand", angles="zyx")
    twist: Array = arm.velocity(q, v, "hand", axes="local")
    acceleration: Array = arm.acceleration(q, v, a, "hand")
    bias: Array = arm.jacobian_rate(q, v, "hand")
    moved: Array = arm.integrate(q, 0.1 * v)
    assert pose.shape == (4, 4)
    assert len(poses) == len(arm.frame_names)
    assert np.allclose(J @ v, twist)
    assert J_euler.shape == J.shape
    assert np.allclose(acceleration, arm.jacobian(q, "hand") @ a + bias)
    assert np.allclose(arm.difference(q, moved), 0.1 * v)

    kinetic: float | Array = arm.kinetic_energy(q, v)
    potential: float | Array = arm.potential_energy(q)
    center: Array = arm.center_of_mass(q)
    momentum: Array = arm.momentum(q, v)
    A: Array = arm.momentum_matrix(q)
    assert np.allclose(kinetic, v @ M @ v / 2)
    assert np.isfinite(potential)
    assert center.shape == (3,)
    assert np.allclose(A @ v, momentum)

    derivative: Array = arm.inverse_dynamics.derivative(q, v, a).q
    assert derivative.shape == (2, 2)
    print(arm.mass_matrix.symbolic[0, 0], arm.inverse_dynamics.formulas(friction=False)[0])
    print(arm.inverse_dynamics.operations, arm.forward_dynamics.intermediates().operations)
    print(arm.inverse_dynamics.program(friction=False).operations)
    assert_type(arm.mass_matrix.symbolic[0, 0], ExactFormula)
    assert_type(arm.gravity_forces.symbolic[0] * 2, ExactFormula)
    assert_type([x.latex() for x in arm.mass_matrix.symbolic[0]], list[str])
    assert_type(arm.potential_energy.symbolic, ExactFormula)
    hand = arm.jacobian.fix(frame="hand")
    assert_type(hand(q), Array)
    assert_type(hand.fix(axes="local").derivative(q).q, Array)
    assert_type(arm.inverse_dynamics.fix(friction=False)(q, v, a), Array)
    assert np.allclose(hand(q), arm.jacobian(q, "hand"))
    assert arm.inverse_mass_matrix.status(q) == "ok"
    source: Any = arm.mass_matrix.export("c")
    assert "mass_matrix" in source
    arm.gravity_forces.export("python", folder / "gravity.py")


def own_robot() -> None:
    """A robot from plain numbers and formulas: links, joints, a frame, a loop, a gear, a symbol."""
    rod = rk.Inertia("com", 2, (0.25, 0, 0), (0.001, 0, 0, 0.04, 0, 0.04))
    first = rk.Link("first", "base", rk.Joint("q1", viscous=0.1), rk.ModifiedDH(0, 0, 0, 0), rod)
    second = rk.Link(
        "second", "first", rk.Joint("q2", axis=np.array([0, 0, 1])), rk.ModifiedDH(0, "l1", 0, 0), rod
    )
    third = rk.Link(
        "third", "second", rk.Joint("q3", actuated=False), rk.Placement(np.array([0.5, 0, 0])), rod
    )
    hand = rk.Frame("hand", "third", rk.StandardDH(a=0.5))
    chain = rk.Robot("chain", (first, second, third), (hand,), symbols=(rk.Symbol("l1", 0.5, "m"),))
    assert chain.pose(np.zeros(3), "hand")[0, 3] == 1.5
    assert str(chain.bind(l1=rk.Formula.of("1/4")).name) == "chain"
    loop = rk.Loop("cut", "revolute", rk.LoopEnd("third", rk.Placement((0.5, 0, 0))), rk.LoopEnd("base"))
    closed = rk.Robot("triangle", chain.links, loops=(loop,), symbols=chain.symbols)
    geared = rk.Robot(
        "geared", chain.links, couplings=(rk.Coupling("q3", "q2", -1, 0.2),), symbols=chain.symbols
    )
    assert len(closed.loops) == len(geared.couplings) == 1


def errors() -> None:
    """Errors of one base class, and the number of threads."""
    rk.set_threads(1)
    try:
        rk.load("planar_2r").pose([0.0, 0.0], "hnd")
    except rk.errors.UnknownName as error:
        known: rk.RikigakuError = error
        print(known, rk.__version__)


def own_law() -> None:
    """A law of the user's own."""

    def half_square(mechanism: object, v: Sequence[Any]) -> Any:
        return sum(x * x for x in v) / 2

    record = rk.Law("half_square", half_square, ("v",), ("e",), "Half the square of the velocities.")
    law = rk.load("planar_2r").law(record)
    assert np.isclose(law(np.array([0.3, -0.4])), 0.125)


def states_and_editing(folder: Path) -> None:
    """States, parameters, edits of a robot, pictures and files."""
    arm = rk.load("planar_2r")
    q: Array = arm.neutral()
    states: Array = arm.random_state(1, size=10).q
    assert states.shape == (10, arm.nq)
    names: list[str] = list(arm.parameters())
    rows, columns = arm.mass_pattern()
    angles: dict[str, str] = arm.recognised_angles()
    print(names[0], rows, columns, angles)
    checked: rk.Robot = arm.check_inertias(strict=True)
    first, second = (joint.name for joint in arm.joints)
    locked: rk.Robot = checked.lock(second, "30*deg")
    assert locked.nv == 1
    assert locked.free(locked.links[-1].joint.name).nv == 2
    assert arm.on_free_base().nv == 8
    payload = rk.Inertia("com", 1.5, (0, 0, 0.05))
    loaded: rk.Robot = arm.attach("hand", payload, frame="tool")
    joined: rk.Robot = arm.join(arm, "hand", prefix="second_")
    assert "tool" in loaded.frame_names
    assert joined.nv == 4
    bound: rk.Robot = arm.bind(l1=0.5)
    weightless: rk.Robot = bound.with_gravity((0, 0, 0))
    assert np.allclose(weightless.gravity_forces(q), 0)
    assert arm.with_actuated([first]).nv == 2
    regrouped: rk.Robot = rk.load("scara").regrouped()
    assert regrouped.nv == 4
    arm.plot(q)
    arm.save(folder / "arm.robot.toml")
    assert rk.load(folder / "arm.robot.toml").nv == 2
    assert "<table" in arm._repr_html_()
    assert arm._repr_mimebundle_() is not None
    picture = arm.view(q)
    picture.q = q
    assert np.allclose(picture.q, q)


def parameters_and_inverse_kinematics() -> None:
    """Base parameters, and inverse kinematics by iteration and by formulas."""
    scara = rk.load("scara")
    base = scara.base_parameters()
    count: int = base.count
    assert count == 8
    q = np.array([0.3, 0.4, -0.1, 0.2])
    pose: Array = scara.pose(q, "hand")
    found = scara.inverse_kinematics(pose, "hand")
    seven = rk.load("panda")
    held = seven.pose([0.1, 0.2, 0.3, -1.5, 0.4, 1.2, 0.5], "hand")
    assert len(seven.self_motion(held, "hand", "panda_joint7").curves) > 0
    assert np.allclose(scara.pose(found.q, "hand"), pose, atol=1e-7)
    branches = scara.inverse_kinematics_formulas("hand").solve(pose)
    assert any(np.allclose(x, q) for x in branches)


def closed_laws() -> None:
    """Laws of a robot with a loop, over all joints and over the independent coordinates."""
    five = rk.load("five_bar")
    q: Array = five.assemble([0.3, 1.2])
    assert rk.load("three_rrr").platform_poses([0.5, 0.5, 0.5]).poses.shape[1:] == (4, 4)
    v_independent, a_independent = np.array([1.0, 2.0]), np.array([0.0, -1.0])
    v, a = five.complete(q, v_independent, a_independent)
    tau: Array = five.inverse_dynamics(q, v, a)
    assert np.allclose(five.forward_dynamics(q, v, tau), a)
    residual: Array = five.loop_residual(q)
    J: Array = five.loop_jacobian(q)
    bias: Array = five.loop_bias(q, v)
    alignment: Array = five.loop_alignment(q)
    assert np.allclose(residual, 0)
    assert np.allclose(J @ v, 0)
    assert np.allclose(J @ a + bias, 0)
    assert np.allclose(alignment, 1)
    assert len(five.loop_rows()) == len(residual)
    f: Array = five.loop_forces(q, v, a, tau)
    all_tau = five.tree.inverse_dynamics(q, v, a)
    assert f.shape == residual.shape
    assert np.allclose(five.loop_dynamics(q, v, all_tau), a)
    rate: Array = five.state_rate(q, v, all_tau)
    step: Array = five.loop_projection_step(q)
    projected: Array = five.loop_projected_velocity(q, v)
    assert np.allclose(rate, np.concatenate([v, a]))
    assert np.allclose(step, 0)
    assert np.allclose(projected, v)

    P: Array = five.reduced.jacobian(q)
    B: Array = five.reduced.actuation(q)
    M: Array = five.reduced.mass_matrix(q)
    h: Array = five.reduced.velocity_forces(q, v_independent)
    C: Array = five.reduced.coriolis_matrix(q, v_independent)
    g: Array = five.reduced.gravity_forces(q)
    generalized: Array = five.reduced.inverse_dynamics(q, v_independent, a_independent, friction=False)
    solved: Array = five.reduced.forward_dynamics(q, v_independent, generalized, friction=False)
    assert np.allclose(P @ v_independent, v)
    assert np.allclose(B @ five.inverse_dynamics(q, v, a, friction=False), generalized)
    assert np.allclose(C @ v_independent, h)
    assert np.allclose(M @ a_independent + h + g, generalized)
    assert np.allclose(solved, a_independent)

    print(five.closure(), five.assembly_mode(q), five.singularity(q, "hand", output="position"))
    shared: Array = five.actuation_forces(q, v, a).tau
    assert np.allclose(shared, tau)
    print(rk.load("four_bar").loop_constraints())


def space_laws() -> None:
    """Laws of a free-floating robot."""
    sat = rk.load("space_arm_6")
    q: Array = sat.neutral()
    q[7:] = [0.3, -0.5, 0.8, 0.4, 0.9, -0.2]
    v_arm, a_arm, zero = 0.1 * np.ones(6), 0.2 * np.ones(6), np.zeros(6)
    J: Array = sat.space.generalized_jacobian(q, "hand", axes="world")
    v: Array = sat.space.floating_velocity(q, v_arm, zero)
    base: Array = sat.space.base_motion(q, v_arm, zero)
    bias: Array = sat.space.generalized_jacobian_rate(q, v, "hand")
    assert np.allclose(J @ v_arm, sat.velocity(q, v, "hand"))
    assert np.allclose(base, v[:6])
    assert bias.shape == (6,)
    I_s: Array = sat.space.locked_inertia(q)
    I_m: Array = sat.space.coupling_inertia(q)
    P: Array = sat.space.reaction_projector(q)
    w: float | Array = sat.space.generalized_manipulability(q, "hand")
    assert I_s.shape == (3, 3)
    assert np.allclose(I_m @ P, 0, atol=1e-9)
    assert w > 0
    H: Array = sat.space.generalized_inertia(q)
    C: Array = sat.space.generalized_coriolis(q, v_arm)
    tau: Array = sat.space.floating_inverse_dynamics(q, v, a_arm, friction=False)
    inertial: Array = sat.space.inertial_torques(q, a_arm)
    a: Array = sat.space.floating_forward_dynamics(q, v, tau, friction=False)
    assert np.allclose(H @ a_arm, inertial)
    assert np.allclose(inertial + C @ v_arm, tau)
    assert np.allclose(a[6:], a_arm)
    twist, gains = np.array([0.1, 0, 0, 0, 0, 0]), np.array([4.0, 4.0])
    target: Array = space.coordinates_of(sat.pose(q, "hand"))
    rate: Array = sat.space.resolved_rate(q, twist, zero, "hand")
    assert np.allclose(J @ rate, twist)
    resolved = sat.space.resolved_acceleration(q, v, target, twist, zero, gains, "hand")
    resolved_a: Array = resolved.a
    resolved_tau: Array = resolved.tau
    transposed: Array = sat.space.transposed_jacobian(q, v, target, twist, gains, "hand")
    unified = sat.space.unified_computation(q, v, target, twist, zero, gains, resolved_a, "hand")
    assert np.allclose(unified.J @ resolved_a, unified.demand)
    assert resolved_tau.shape == transposed.shape == unified.tau.shape


def space_functions() -> None:
    """Motion, tracking and capture of free-floating robots."""
    plane = rk.load("space_planar_2r")
    q = np.array([0, 0, 0, 2.2, -2.0])
    start = plane.pose(q, "hand")
    line: space.Line = space.line(start, start[:3, 3] + [0, -0.1, 0], velocity=0.8, acceleration=0.4)
    run: space.Followed = space.follow(plane, q, line, "hand", line.duration, rows="xy", tolerance=1e-7)
    tau: Array = run.tau
    status: str = run.status
    assert status == "ok"
    assert run.position_error.max() < 1e-5
    assert tau.shape == run.a.shape == run.inertial_tau.shape
    motion: space.FloatingMotion = space.floating_motion(
        plane, q, np.zeros(5), 0.1, lambda t, q, v: np.array([1.0, 0.0])
    )
    assert np.abs(motion.momentum).max() < 1e-10
    assert np.allclose(motion.energy, motion.work)
    assert motion.center_of_mass.shape == (len(motion.t), 3)
    prescribed: space.FloatingMotion = space.prescribed_motion(plane, q, lambda t, q: np.ones(2), 0.1)
    assert prescribed.status == "ok"
    singularity: space.Singularity = space.dynamic_singularity(plane, q, "hand", rows="xy")
    assert singularity.smallest > 0
    null_space: Array = space.reaction_null_space(plane, q)
    momenta: Array = space.link_momenta(plane, motion.q, motion.v)
    assert null_space.shape == (2, 1)
    assert momenta.shape == (len(motion.t), 2)

    sat, target = rk.load("space_arm_6"), rk.load("space_target")
    q_sat: Array = sat.neutral()
    body = sat.pose(q_sat, "hand") @ np.linalg.inv(target.pose(target.neutral(), "grip"))
    q_target, v_target = space.coordinates_of(body), np.array([0, 0, 0.02, 0, 0.01, 0])
    grip = space.MovingFrame(target, q_target, v_target, "grip", 0.2)
    approach: space.Approach = space.Approach.start(sat.pose(q_sat, "hand"), grip, 0.1)
    desired: space.TargetState = approach(0.05)
    assert desired.pose.shape == (7,)
    caught: space.Captured = space.capture(
        sat, q_sat, np.zeros(12), "hand", target, q_target, v_target, "grip"
    )
    joined: rk.Robot = caught.robot
    assert caught.energy_loss > 0
    assert joined.nv == sat.nv


def trajectories() -> Trajectory:
    """Trajectories between configurations."""
    first = quintic([0.0, 0.0], [0.4, 0.2], 0.5)
    second = trapezoid([0.4, 0.2], [0.6, 0.3], velocity=2.0, acceleration=8.0)
    whole = in_sequence(first, second)
    q, v, a = whole(np.linspace(0, whole.duration, 5))
    assert q.shape == v.shape == a.shape == (5, 2)
    assert cubic([0.0], [1.0], 1.0).duration == septic([0.0], [1.0], 1.0).duration
    return first


def simulations(folder: Path) -> None:
    """Motion under torques, controllers and contacts, and what a solution offers."""
    arm = rk.load("planar_2r")
    path = trajectories()

    def torque(t: float, q: Array, v: Array) -> Array:
        return -0.5 * v

    free: rk.Solution = rk.simulate(
        arm, [0.3, 0.2], None, torque, duration=0.2, events={"q1 = 0.3": lambda t, q, v: q[0] - 0.3}
    )
    assert free.done
    for controller in (
        rk.PD(arm, path, 100.0, 20.0),
        rk.LinearPolicy(arm, np.zeros((2, 4))),
        rk.NetworkPolicy(arm, [(np.zeros((2, 4)), np.zeros(2))]),
        rk.ComputedTorque(arm, path, 100.0, 20.0),
        rk.ResolvedAcceleration(arm, "hand", arm.pose([0.3, 0.2], "hand")[1:3, 3], 100.0, 20.0, axes="yz"),
        rk.Sampled(torque, 0.05),
        rk.Data(np.array([0.0, 1.0]), np.zeros((2, 2))),
        ["sin(t)", "0"],
        rk.PD(arm, path, 100.0, 20.0, gravity=False) + rk.GravityCompensation(arm) + [0.1, 0.0],
    ):
        assert rk.simulate(arm, [0.3, 0.2], torque=controller, duration=0.1).done

    worlds: rk.Rollout = arm.rollout(np.zeros((3, 2)), steps=2, dt=1e-3, parameters={"m1": [1.0, 2.0, 3.0]})
    assert worlds.finite.all()
    assert worlds.q.shape == (2, 3, 2)
    drawn: rk.Sweep = rk.sweep(lambda item, random: item + random.random(), [1.0, 2.0], seed=3)
    assert drawn["value"].shape == (2,)

    pushed: rk.Solution = rk.simulate(
        arm,
        [0.3, 0.2],
        duration=0.1,
        wrenches={"hand": ["0", "0", "sin(t)", "0", "0", "0"]},
        torque_limits=10.0,
        joint_friction=True,
        progress=print,
    )
    assert pushed.done
    three = rk.load("planar_3r")
    floor = rk.Contact("hand", rk.Plane(), friction=rk.Friction(0.2), bilateral=True)
    q0: Array = rk.ContactSystem(three, [floor]).placed([-0.42, -1.05, -1.05], ["hand"])
    resting: Array = rk.ContactSystem(three, [floor]).balanced(q0).tau
    assert resting.shape == (3,)
    rubbing = rk.JointFriction(three.joints[0].name, coulomb=0.1)
    touching: rk.Solution = rk.simulate(three, q0, duration=0.2, contacts=[floor, rubbing], output=0.05)
    x0: Array = three.pose(q0, "hand")[:3, 3]
    wiping = quintic(x0, x0 + np.array([0, -0.02, 0]), 0.2)
    force = rk.ForcePosition(three, floor, wiping, force=10.0, stiffness=100.0, damping=20.0)
    wiped: rk.Solution = rk.simulate(three, q0, None, force, duration=0.2, contacts=[floor])
    assert wiped.done
    joint = rk.Joint("height", "prismatic", limits=rk.Limits(lower=0.0))
    inertia = rk.Inertia("com", 1, (0, 0, 0), (1, 0, 0, 1, 0, 1))
    box = rk.Robot("box", (rk.Link("box", "base", joint, rk.Placement(), inertia),))
    stops = rk.joint_stops(box, restitution=0.5)
    stopped: rk.Solution = rk.simulate(box, [0.1], duration=0.2, contacts=stops)
    assert stopped.done
    surfaces: list[rk.Surface] = [
        rk.Sphere(0.1),
        rk.Cylinder(0.1, axis=(1, 0, 0)),
        rk.Torus(0.3, 0.1),
        rk.HeightField("0.01*sin(x)"),
        rk.Plane(np.array([0.0, 0.0, 1.0]), point=("0.1*t", 0, 0)),
        rk.Surface("z - 0.1*cos(x)", belt=(0.5, 0, "sin(t)")),
    ]
    rough = rk.Contact("hand", surfaces[0], friction=0.2, restitution=0.5)
    assert rough.friction.kinetic == 0.2
    assert all(rk.Contact("hand", surface).surface is surface for surface in surfaces)
    held = rk.ContactSystem(three, [rk.Guide("hand", keep="z")])
    assert np.isclose(three.pose(held.placed([-0.42, -1.05, -1.05], []), "hand")[2, 3], 0)
    guard = rk.Guard("shoulder", lambda mechanism, now, flow: now.q[0] - 0.31, rising=True)
    assert rk.simulate(arm, [0.3, 0.2], duration=0.5, events=[guard]).t[-1] < 0.5

    t: Array = touching.t
    q: Array = touching.q
    v: Array = touching.v
    a: Array = touching.a
    tau: Array = touching.tau
    energy: Array = touching.energy
    residual: Array = touching.residual
    assert len(t) == len(q) == len(v) == len(a) == len(tau) == len(energy) == len(residual)
    assert np.allclose(energy, touching.kinetic_energy + touching.potential_energy)
    assert touching.at(0.1).q.shape == (3,)
    assert touching.positions(t).shape == q.shape
    assert touching.energy_audit().relative < 1e-6
    print(touching.status, touching.modes, touching.events, touching.notes, list(touching.forces))
    touching.plot("q", "tau", "energy")
    touching.animate(folder / "motion.gif")
    touching.save(folder / "solution.npz")


def beams() -> None:
    """Finite elements: inverse dynamics of a rigid robot, and vibration of an elastic one."""
    five = rk.load("five_bar")
    mesh = five.fem(masses={"cut": 1.0})
    result = mesh.inverse_dynamics({"hand": quintic([0.0, 0.55], [0.1, 0.6], 1.0)}, samples=21)
    torque: Array = result.torque("left_motor")
    assert torque.shape == (21,)
    arm = rk.load("planar_2r")
    elastic = arm.bind(**arm.declared_values).fem(masses={"hand": 2.0}).elastic(elements=2)
    frequencies: Array = elastic.modes([0.3, 0.5], count=2).frequencies
    assert (frequencies > 0).all()


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as name:
        tree_laws(Path(name))
        own_robot()
        errors()
        own_law()
        states_and_editing(Path(name))
        parameters_and_inverse_kinematics()
        closed_laws()
        space_laws()
        space_functions()
        simulations(Path(name))
        beams()
