"""Vibration and deflection of tasks against the beam theory of textbooks."""

import numpy as np
import pytest
from task_robots import shipped

import rikigaku as rk
from rikigaku.model.beam_section import section
from rikigaku.studio.tasks.elastic_task import ElasticRequest, ElasticResult, LoadRequest, elastic

LENGTH, DIAMETER = 1.0, 0.02


def cantilever() -> rk.Robot:
    rod = section(rod=DIAMETER, material="aluminium")
    m = rod.area * rod.material.density * LENGTH
    inertia = rk.Inertia("com", m, (LENGTH / 2, 0, 0), (0, 0, 0, m * LENGTH**2 / 12, 0, m * LENGTH**2 / 12))
    link = rk.Link("rod", "base", rk.Joint("shoulder", axis=(0, 1, 0)), rk.Placement(), inertia, rod)
    return rk.Robot("rod", (link,), (rk.Frame("hand", "rod", rk.Placement((LENGTH, 0, 0))),))


def test_a_cantilever_sags_and_vibrates_as_euler_and_bernoulli_say():
    robot = cantilever()
    rod = robot.links[0].section
    stiffness = rod.material.E * np.pi * DIAMETER**4 / 64
    line = float(rod.area) * float(rod.material.density)
    found = elastic(robot, ElasticRequest([0.0], 16, "motors", 4, [LoadRequest("hand", [0, 0, -3.0], 0.0)]))
    load, own = 3.0 * LENGTH**3 / (3 * stiffness), line * 9.81 * LENGTH**4 / (8 * stiffness)
    assert -found.frames[0].displacement[2] == pytest.approx(load + own, rel=3e-3)
    first = 1.8751041**2 / (2 * np.pi) * np.sqrt(stiffness / (line * LENGTH**4))
    assert found.frequencies[0] == pytest.approx(first, rel=5e-3)
    assert found.sections == ["rod"]
    assert found.deflection is not None
    assert found.beams == 16
    assert len(found.vibration.shapes) == len(found.frequencies)


def test_a_mass_at_the_hand_lowers_the_frequency_and_a_free_joint_has_no_deflection():
    arm = shipped("planar_2r")
    plain = elastic(arm, ElasticRequest([0.3, 0.5], 4, "motors", 2, []))
    loaded = elastic(arm, ElasticRequest([0.3, 0.5], 4, "motors", 2, [LoadRequest("hand", [0, 0, 0], 5.0)]))
    assert loaded.frequencies[0] < 0.8 * plain.frequencies[0]
    free = elastic(arm, ElasticRequest([0.3, 0.5], 4, "none", 2, []))
    assert free.deflection is None
    assert "lock" in free.problem


def test_a_rail_is_a_rigid_arm_from_the_origin_of_its_joint():
    """A weightless slider 0.8 m out on the rod: the rod bends where the joint has its origin there."""
    rod, F, at = cantilever().links[0], 3.0, 0.8
    stiffness = rod.section.material.E * np.pi * DIAMETER**4 / 64

    def sag(seat: float) -> tuple[float, ElasticResult]:
        joint = rk.Joint("slide", "prismatic", axis=(1, 0, 0))
        block = rk.Link("block", "rod", joint, rk.Placement((seat, 0, 0)), rk.Inertia("com", 1e-6))
        robot = rk.Robot("rail", (rod, block), (rk.Frame("hand", "block"),), gravity=(0, 0, 0))
        load = [LoadRequest("hand", [0, 0, -F], 0.0)]
        found = elastic(robot, ElasticRequest([0.0, at - seat], 8, "all", 2, load))
        return -found.frames[0].displacement[2], found

    rigid, found = sag(0.0)
    assert abs(rigid) < 1e-12
    assert found.rails == ["slide"]
    a, b = found.vibration.rails
    nodes = np.array(found.vibration.nodes).reshape(-1, 3)
    np.testing.assert_allclose(nodes[b] - nodes[a], [at, 0, 0], atol=1e-9)
    bent, found = sag(at)
    assert bent == pytest.approx(F * at**3 / (3 * stiffness), rel=1e-3)  # shear
    assert found.rails == found.vibration.rails == []
