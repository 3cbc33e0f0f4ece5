"""The signs of sliding as the page on contact states them."""

import numpy as np
import pytest
from simple_bodies import block, particle, slider

import rikigaku as rk


@pytest.mark.parametrize("speed", [0.5, -0.5])
def test_slip_plus_is_along_the_plane_of_motions_normal_times_the_surfaces(speed) -> None:
    """A block in the plane y, z (e = x) on a floor (n = z): the tangent is x x z = -y."""
    system = rk.ContactSystem(block(), [rk.Contact(name, rk.Plane(), 0.3) for name in ("left", "right")])
    q, v = np.array([0.0, 0.05, 0.0]), np.array([speed, 0.0, 0.0])
    assert np.allclose(system.state(q, v).sliding, [[-speed, 0], [-speed, 0]], atol=1e-15)
    run = rk.simulate(system.robot, q, v, duration=0.01, contacts=system)
    assert run.modes == ("left slip-, right slip-" if speed > 0 else "left slip+, right slip+",)


def test_tangents_in_space_are_those_of_the_page() -> None:
    """On a floor x x n = -y and n x t = x; on a wall with the normal x they are y x n = -z and n x t = y."""
    floor, wall = (
        rk.ContactSystem(particle(), [rk.Contact("mass", rk.Plane(n))]) for n in ((0, 0, 1), (1, 0, 0))
    )
    v = np.array([0.1, 0.2, 0.3])
    assert np.allclose(floor.state(np.zeros(3), v).sliding, [[-0.2, 0.1]])
    assert np.allclose(wall.state(np.zeros(3), v).sliding, [[-0.3, 0.2]])


def test_a_joint_slips_plus_where_its_velocity_is_positive() -> None:
    run = rk.simulate(slider(), [0.0], [1.0], duration=0.01, joint_friction=True)
    assert run.modes == ("x slip+",)
