"""Vibration and deflection of tasks against the beam theory of textbooks."""

import numpy as np
import pytest
from task_robots import shipped

import rikigaku as rk
from rikigaku.model.beam_section import section
from rikigaku.studio.tasks.elastic_task import ElasticRequest, LoadRequest, elastic

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
