"""Simulations of tasks against closed forms, and against the same motion by `rk.simulate`."""

import json
from dataclasses import asdict, replace
from typing import Any

import numpy as np
import pytest
from task_robots import shipped

import rikigaku as rk
from rikigaku.core.errors import MissingValue, RikigakuError
from rikigaku.simulation.state_formulas import StateFormulas
from rikigaku.studio.plot_records import plot_record
from rikigaku.studio.tasks.simulation_task import (
    ContactRequest,
    ControllerRequest,
    SimulationRequest,
    simulation,
)

NONE = ControllerRequest("none", [], 0.0, 0.0, 0.0)
FLOOR = ContactRequest("hand", "plane", [0, 0, 1], [0, 0, 0], 0.0, "", 0.2, 0.0, 0.0, bilateral=True)


def request(robot: rk.Robot, **given: Any) -> SimulationRequest:
    plain: dict[str, Any] = {
        "q": [0.0] * robot.nq, "v": [0.0] * robot.nv, "duration": 1.0, "torques": [],
        "gravity": [0, 0, -9.81],
        "controller": NONE, "contacts": [], "free_base": False, "base_mass": 20.0, "stops": False,
        "joint_friction": False, "torque_limits": False, "typical": False, "method": "dop853", "step": 0.001,
    }  # fmt: skip
    return SimulationRequest(**{**plain, **given})


def slider() -> rk.Robot:
    """A mass of 2 kg on a vertical rail."""
    inertia = rk.Inertia("com", 2.0, (0, 0, 0), (1, 0, 0, 1, 0, 1))
    link = rk.Link("box", "base", rk.Joint("z", "prismatic"), rk.Placement(), inertia)
    return rk.Robot("slider", (link,), (rk.Frame("hand", "box", rk.Placement()),))


def test_a_spring_and_damper_typed_as_a_formula_oscillate_as_the_textbook_says():
    found = simulation(
        slider(), request(slider(), q=[0.1], gravity=[0, 0, 0], torques=["-50*z - 4*z_dot"], duration=2.0)
    )
    t, q = np.array(found.motion.times), np.array(found.motion.positions)[:, 0]
    w = np.sqrt(25 - 1)  # z'' + 2 z' + 25 z = 0
    np.testing.assert_allclose(q, 0.1 * np.exp(-t) * (np.cos(w * t) + np.sin(w * t) / w), atol=1e-9)
    assert found.audit.relative < 1e-10


def test_a_falling_box_hits_the_floor_when_gravity_says():
    floor = replace(FLOOR, bilateral=False, friction=0.0)
    found = simulation(slider(), request(slider(), q=[0.5], contacts=[floor], duration=0.6))
    assert found.events[0].t == pytest.approx(np.sqrt(2 * 0.5 / 9.81), rel=1e-9)
    assert "hand" in found.events[0].names[0]
    assert found.audit.dissipated == pytest.approx(2 * 9.81 * 0.5, rel=1e-9)
    normal = next(plot for plot in found.plots if plot.title == "simulation.normalForces")
    assert normal.curves[0].values[-1] == pytest.approx(2 * 9.81, rel=1e-9)
    assert len(found.motion.contacts) == 1
    assert found.motion.surfaces


def test_a_motion_on_the_floor_is_that_of_simulate():
    arm, q = shipped("planar_3r"), [-np.pi / 6, -np.pi / 3, -np.pi / 3]
    found = simulation(
        arm, request(arm, q=q, torques=["3*sin(2*pi*t/10)"] * 3, contacts=[FLOOR], duration=2.0)
    )
    floor = rk.Contact("hand", rk.Plane(), friction=0.2, bilateral=True)
    direct = rk.simulate(arm, q, torque=["3*sin(2*pi*t/10)"] * 3, duration=2.0, contacts=[floor])
    np.testing.assert_allclose(
        found.motion.positions, direct.positions(np.array(found.motion.times)), atol=1e-8
    )
    assert [event.t for event in found.events] == pytest.approx([event.t for event in direct.events])
    assert found.residual < 1e-12


def test_controllers_reach_their_target():
    arm = shipped("planar_3r")
    for kind, gains in (("pd", (200.0, 40.0)), ("computed torque", (100.0, 20.0))):
        target = ControllerRequest(kind, [0.5, -0.4, 0.3], *gains, duration=1.0)  # type: ignore[arg-type]
        found = simulation(arm, request(arm, controller=target, duration=3.0))
        np.testing.assert_allclose(found.motion.positions[-1], [0.5, -0.4, 0.3], atol=2e-3)


def test_a_robot_in_space_keeps_its_momentum():
    arm = shipped("planar_3r")
    found = simulation(
        arm, request(arm, gravity=[0, 0, 0], torques=["0.5", "", "-0.2*q3_dot"], free_base=True, duration=1.0)
    )
    assert found.done
    assert found.document is not None
    assert (found.document.nq, found.document.nv) == (10, 9)
    bound = arm.bind(**arm.declared_values)
    base = rk.Inertia("com", 20.0, (0, 0, 0), (0.18, 0, 0, 0.18, 0, 0.18))
    floating = replace(bound, base_inertia=base).on_free_base()
    q = np.array(found.motion.positions)
    centre = floating.center_of_mass(q)
    np.testing.assert_allclose(centre, np.broadcast_to(centre[0], centre.shape), atol=1e-9)
    assert np.abs(q[-1, 7:]).max() > 0.05


def test_a_closed_robot_takes_forces_of_its_motors_and_stays_closed():
    five = shipped("five_bar")
    found = simulation(
        five, request(five, q=list(five.assemble([0.3, 1.2])), torques=["0.4", "-0.1*right_motor_dot"])
    )
    assert found.done
    assert np.abs(five.loop_residual(np.array(found.motion.positions))).max() < 1e-9
    assert found.audit.relative < 1e-8


def test_formulas_name_what_is_unknown_and_symbols_need_values():
    with pytest.raises(RikigakuError, match="no variable named 'q9'"):
        simulation(slider(), request(slider(), torques=["q9"]))
    with pytest.raises(RikigakuError, match="1 formula"):
        StateFormulas(slider(), ["0", "0"])
    arm = shipped("planar_2r")
    unknown = replace(arm, symbols=tuple(replace(one, value=None) for one in arm.symbols))
    with pytest.raises(MissingValue, match="l1"):
        simulation(unknown, request(arm))
    found = simulation(unknown, request(arm, q=[1.0, 0.0], typical=True, duration=0.2))
    assert found.done
    bound = arm.bind(l1=0.5, l2=0.5, m1=1.0, m2=1.0)
    direct = rk.simulate(bound, [1.0, 0.0], duration=0.2)
    np.testing.assert_allclose(found.motion.positions[-1], direct.q[-1], atol=1e-9)


def test_curves_have_at_most_1500_points():
    arm = shipped("planar_3r")
    found = simulation(
        arm, request(arm, q=[1.0, 0.5, 0.2], duration=2.0, method="time_stepping", step=0.0005, contacts=[])
    )
    assert all(len(plot.times) <= 1500 and plot.times[-1] == pytest.approx(2.0) for plot in found.plots)


def test_values_that_are_not_finite_are_gaps_of_a_curve() -> None:
    made = plot_record("title", "N", [1.0, 1.5, 2.0, 2.5], {"f": [0.5, np.nan, np.inf, -2.0]})
    assert made.curves[0].values == [0.5, None, None, -2.0]
    assert made.times == [0.0, 0.5, 1.0, 1.5]
    json.dumps(asdict(made), allow_nan=False)
