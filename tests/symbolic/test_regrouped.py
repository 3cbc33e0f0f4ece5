"""Reduced robots: the same motion from base parameters, in shorter programs."""

from dataclasses import replace

import numpy as np
import pytest
from random_robots import random_robot, random_state

import rikigaku as rk
from rikigaku.core.errors import MissingValue, NotVerified, WrongValue
from rikigaku.laws.tree.newton_euler import joint_forces
from rikigaku.laws.tree.simplified_mechanism import outward_motion, simplified
from rikigaku.model.mechanism import instantiate
from rikigaku.numbers.elementary_functions import is_zero, sign
from rikigaku.numbers.formula import Formula
from rikigaku.numbers.number_kind import FLOATS, Number
from rikigaku.numbers.program import Program, trace
from rikigaku.symbolic.base_parameters import regrouped_robot

Array = np.ndarray
# A reduced robot adds and subtracts regrouped parameters: rounding alone stands between it and the full one.
TOLERANCE = 1e-12


def agree(mine: Array, full: Array) -> bool:
    """Equal relative to the largest element."""
    return bool(np.abs(mine - full).max() <= TOLERANCE * np.abs(full).max())


def with_values(name: str) -> rk.Robot:
    """A shipped robot, its symbols bound to their values."""
    robot = rk.load(name)
    return (
        robot.bind(**{s: robot.declared_values[s] for s in robot.free_symbols})
        if robot.free_symbols
        else robot
    )


@pytest.mark.parametrize("name", ["puma560", "stanford", "scara", "ur5", "panda", "rx90"])
def test_joint_forces_of_a_regrouped_robot_are_the_same_for_less_work(name: str) -> None:
    robot = with_values(name)
    less = robot.regrouped()
    q, v, a = random_state(robot, np.random.default_rng(0), 20)
    assert agree(less.inverse_dynamics(q, v, a), robot.inverse_dynamics(q, v, a))
    assert less.inverse_dynamics.operations.total <= robot.inverse_dynamics.operations.total
    assert less.inverse_dynamics.operations.total < 0.95 * _from_all_inertias(robot).operations.total


def _from_all_inertias(robot: rk.Robot) -> Program:
    """Inverse dynamics without inertia regrouping."""
    mechanism = instantiate(robot, FLOATS, {})

    def run(q: list[Number], v: list[Number], a: list[Number]) -> dict[str, list[Number]]:
        bodies = simplified(mechanism, q, v, a)
        moving = outward_motion(bodies, v, a, mechanism.gravity)
        tau = joint_forces(bodies, [body.wrench(m) for body, m in zip(bodies, moving, strict=True)])
        for body in mechanism.bodies:
            for k in body.v:
                tau[k] = tau[k] + body.rotor * a[k] + body.viscous * v[k]
                if not is_zero(body.coulomb):
                    tau[k] = tau[k] + body.coulomb * sign(v[k])
        return {"tau": tau}

    return trace("all", [(name, (robot.nv,)) for name in "qva"], run)


@pytest.mark.parametrize("seed", range(4))
def test_random_trees_with_every_joint_rotors_and_friction_move_the_same_when_reduced(seed: int) -> None:
    robot = random_robot(seed, 4, drives=True, right_angles=seed % 2 == 0)
    less = robot.regrouped()
    q, v, a = random_state(robot, np.random.default_rng(0), 4)
    assert agree(less.inverse_dynamics(q, v, a), robot.inverse_dynamics(q, v, a))


def test_every_law_of_motion_is_kept_and_every_frame_stays_where_it_was() -> None:
    robot = rk.load("stanford")
    less = robot.regrouped()
    q, v, a = random_state(robot, np.random.default_rng(1), 5)
    assert agree(less.mass_matrix(q), robot.mass_matrix(q))
    assert agree(less.velocity_forces(q, v), robot.velocity_forces(q, v))
    assert agree(less.gravity_forces(q), robot.gravity_forces(q))
    assert agree(less.forward_dynamics(q, v, a), robot.forward_dynamics(q, v, a))
    places = [less.frame_names.index(name) for name in robot.frame_names]
    assert agree(less.poses(q)[:, places], robot.poses(q))
    wrenches = {"hand": np.arange(6.0)}
    assert agree(
        less.inverse_dynamics(q, v, a, wrenches=wrenches), robot.inverse_dynamics(q, v, a, wrenches=wrenches)
    )


def test_a_regrouped_robot_holds_for_its_gravity_and_with_any_gravity_for_all() -> None:
    robot = rk.load("puma560")
    q, v, a = random_state(robot, np.random.default_rng(2), 5)
    g = np.array([3.0, -4.0, 1.0])
    full = robot.inverse_dynamics(q, v, a, gravity=g)
    assert agree(robot.regrouped(any_gravity=True).inverse_dynamics(q, v, a, gravity=g), full)
    assert not agree(robot.regrouped().inverse_dynamics(q, v, a, gravity=g), full)
    along = np.array([0, 0, -1.62])  # on the moon
    moon = robot.inverse_dynamics(q, v, a, gravity=along)
    assert agree(robot.regrouped().inverse_dynamics(q, v, a, gravity=along), moon)


def test_a_payload_and_a_locked_joint_do_to_a_regrouped_robot_what_they_do_to_the_full_one() -> None:
    robot = rk.load("puma560")
    payload = rk.Inertia("com", 1.5, (0, "0.02", "0.05"), ("0.01", 0, 0, "0.02", 0, "0.02"))

    def changed(r: rk.Robot) -> rk.Robot:
        return r.attach(robot.frames[-1].name, payload).lock(robot.joints[2].name, "0.3")

    full, less = changed(robot), changed(robot.regrouped())
    q, v, a = random_state(full, np.random.default_rng(5), 5)
    assert agree(less.inverse_dynamics(q, v, a), full.inverse_dynamics(q, v, a))


def test_base_parameters_as_symbols_are_inputs_that_start_with_the_robots_values() -> None:
    robot = rk.load("puma560")
    less = robot.regrouped("symbols")
    assert len(less.free_symbols) == 36
    q, v, a = random_state(robot, np.random.default_rng(3), 5)
    full = robot.inverse_dynamics(q, v, a)
    assert agree(less.inverse_dynamics(q, v, a), full)
    name = next(s for s in less.free_symbols if s.startswith("Izz"))
    given = {name: less.declared_values[name] + 0.5}
    assert not agree(less.inverse_dynamics(q, v, a, **given), full)
    assert agree(less.bind(**given).inverse_dynamics(q, v, a), less.inverse_dynamics(q, v, a, **given))


def test_values_identified_by_least_squares_predict_the_joint_forces() -> None:
    """The symbols of a reduced robot are the columns of the minimal regressor: tau is linear in them."""
    robot = rk.load("scara")
    less = robot.regrouped("symbols")
    q, v, a = random_state(robot, np.random.default_rng(4), 40)
    measured = robot.inverse_dynamics(q, v, a, friction=False)
    base = [s for s in less.free_symbols if s not in robot.free_symbols]
    zero = dict.fromkeys(base, 0.0)
    rest = less.inverse_dynamics(q, v, a, friction=False, **zero).ravel()
    columns = [less.inverse_dynamics(q, v, a, friction=False, **zero | {s: 1.0}).ravel() - rest for s in base]
    found, _, rank, _ = np.linalg.lstsq(np.array(columns).T, measured.ravel() - rest, rcond=None)
    assert rank == len(base) == 8
    identified = less.bind(**dict(zip(base, found, strict=True)))
    assert agree(identified.inverse_dynamics(q, v, a, friction=False), measured)


def test_a_symbolic_length_stays_an_input_of_the_regrouped_robot() -> None:
    less = rk.load("rx90").regrouped("symbols")
    assert {"D3", "RL4"} <= set(less.free_symbols)
    q, v, a = less.random_state(0)
    assert agree(less.inverse_dynamics(q, v, a), with_values("rx90").inverse_dynamics(q, v, a))


def test_a_robot_without_values_is_refused_with_what_to_do() -> None:
    arm = rk.Robot("arm", (rk.Link("l", "base", rk.Joint("j"), inertia=rk.Inertia("origin", "M")),))
    with pytest.raises(MissingValue, match=r"needs values for M.*robot\.regrouped\(M=\.\.\.\)"):
        arm.regrouped()
    assert arm.regrouped(M=2).nv == 1
    with pytest.raises(WrongValue, match="'numbers' or 'symbols'"):
        arm.regrouped("letters")
    with pytest.raises(WrongValue, match="bind the symbols"):
        arm.regrouped("symbols", M=2)


def test_a_robot_that_does_not_depend_on_its_inertias_reduces_to_none() -> None:
    arm = rk.Robot("bare", (rk.Link("l", "base", rk.Joint("j")),))
    assert arm.regrouped().inverse_dynamics.operations.total == 0


def test_rotors_that_act_like_the_link_are_regrouped_with_it() -> None:
    joint = rk.Joint("j", rotor="0.5")
    inertia = rk.Inertia("origin", 1, (0, 0, 0), (0, 0, 0, 0, 0, 2))
    arm = rk.Robot("arm", (rk.Link("l", "base", joint, inertia=inertia),))
    less = replace(arm, name="same").regrouped()
    assert float(less.joints[0].rotor) == 0
    assert less.inverse_dynamics(np.ones(1), np.ones(1), np.ones(1)) == pytest.approx(2.5, abs=1e-15)


@pytest.mark.parametrize(
    ("parameters", "rules"), [("numbers", "numbers_by_rules"), ("symbols", "base_by_rules")]
)
def test_a_regrouping_that_errs_is_found_out_before_it_is_returned(
    parameters: str, rules: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Rules applied without gravity omit parameters that are observable with it."""
    right = getattr(regrouped_robot, rules)

    def wrong(robot: rk.Robot, *others: object) -> object:
        return right(replace(robot, gravity=(Formula.of(0),) * 3), *others)

    monkeypatch.setattr(regrouped_robot, rules, wrong)
    with pytest.raises(NotVerified, match="puma560"):
        rk.load("puma560").regrouped(parameters)
