"""Contacts that change their modes at one time: wheels of an axle slip, stop, lift off and land together."""

import numpy as np
import pytest

import rikigaku as rk

HALF, RADIUS = 0.17, 0.1


def cart(friction):
    """A body on two driven wheels and a caster without friction; its contacts and its start."""
    trunk = rk.Inertia("com", 4.0, (-0.05, 0, 0), (0.04, 0, 0, 0.06, 0, 0.08))
    wheel = rk.Inertia("com", 0.5, (0, 0, 0), (0.002, 0, 0, 0.004, 0, 0.002))
    links = [rk.Link("body", "base", rk.Joint("fly", "free"), rk.Placement(), trunk)]
    for name, side in (("left", 1), ("right", -1)):
        axle = rk.Joint(f"{name}_axle", "revolute", (0, 1, 0))
        links.append(rk.Link(name, "body", axle, rk.Placement((0, side * HALF, 0)), wheel))
    frames = (rk.Frame("caster", "body", rk.Placement((-0.2, 0, -RADIUS))),)
    contacts = [
        rk.Contact(name, rk.Plane(), friction, shape=rk.Ball(RADIUS)) for name in ("left", "right")
    ] + [rk.Contact("caster", rk.Plane())]
    q = np.array([0, 0, RADIUS, 1, 0, 0, 0, 0, 0.0])
    return rk.Robot("cart", tuple(links), frames), contacts, q


def kinds_of_wheels(solution):
    """For each event of a wheel its kind, and the wheels that it names."""
    found = []
    for event in solution.events:
        names = [name.split(" ", 1) for name in (event.name, *event.also)]
        wheels = sorted(frame for frame, _ in names if frame != "caster")
        found += [(names[0][1], wheels)] if wheels else []
    return found


@pytest.mark.parametrize("friction", [0.3, rk.Friction(0.3, static=0.4)])
@pytest.mark.parametrize(
    ("torque", "kinds"), [("2*sin(5*t)", {"slips", "stops"}), ("-3", {"lifts off", "lands"})]
)
def test_both_wheels_of_an_axle_change_at_one_time_and_the_cart_runs_straight(torque, kinds, friction):
    """Sine: both slip, reverse their sliding at 0.89 s, with the caster in the air. Brake: the cart hops."""
    robot, contacts, q = cart(friction)
    v = np.zeros(robot.nv)
    if torque == "-3":
        v[0], v[6:] = 2.0, 20.0
    solution = rk.simulate(robot, q, v, ["0"] * 6 + [torque] * 2, duration=1.5, contacts=contacts)
    assert solution.done
    found = kinds_of_wheels(solution)
    assert kinds <= {kind for kind, _ in found}
    assert all(wheels == ["left", "right"] for _, wheels in found), found
    assert (
        abs(solution.q[-1, 7] - solution.q[-1, 8]) < 1e-8
    )  # 0.0025 and 0.075 rad if one stops before the other
    assert abs(solution.q[:, 1]).max() < 1e-9
