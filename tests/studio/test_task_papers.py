"""Studies of papers give the papers' numbers."""

import numpy as np
import pytest
from task_robots import shipped

from rikigaku.core.errors import UnknownName
from rikigaku.studio.studies.constrained_arm_study import CASES
from rikigaku.studio.tasks.papers_task import PaperRequest, paper


def facts(found):
    return {fact.key: fact.value for fact in found.study.facts}


def test_the_hand_stays_on_the_floor_and_slides_until_it_sticks():
    found = paper(None, PaperRequest("constrained_arm", "iii"))
    assert found.cases == list(CASES)
    assert float(facts(found)["height"].split()[0]) < 1e-12
    heights = found.study.plots[0].curves[0].values
    assert np.abs(heights).max() < 1e-12
    assert len(found.study.events) > 2
    assert found.study.motion.times[-1] == pytest.approx(10.0)


def test_formulas_of_the_rosam_paper_are_ours_and_ten_base_parameters_remain():
    found = paper(None, PaperRequest("rosam", ""))
    assert len(found.study.formulas) == 8
    assert all(line.equal for line in found.study.formulas)
    assert facts(found)["baseParameters"] == "10, 11"
    assert facts(found)["baseParametersGravity"] == "14, 15"


@pytest.mark.parametrize(("case", "part"), [("10 s, 1:1", 0.5), ("10 s, 4:1", 0.8)])
def test_slow_torques_of_the_portal_frame_end_at_statics(case, part):
    found = paper(None, PaperRequest("portal_frame", case))
    torque = {curve.name: curve.values for curve in found.study.plots[0].curves}
    length, mass, load, g, tilt = 0.5, 1.0, 1.0, 9.81, np.radians(30)
    corner = -g * (length * mass / 2 + length * part * load)
    knee = corner - g * np.sin(tilt) * (length * mass / 2 + length * (mass + part * load))
    assert torque["joint3"][-1] == pytest.approx(corner, abs=0.15)
    assert torque["joint2"][-1] == pytest.approx(knee, abs=0.15)


def test_the_foot_of_the_humanoid_sticks_and_slips_within_its_friction_cone():
    found = paper(None, PaperRequest("humanoid_friction", ""))
    friction = {curve.name: np.array(curve.values) for curve in found.study.plots[0].curves}
    sliding = np.abs(np.array(found.study.plots[2].curves[0].values)) > 1e-6
    assert np.abs(np.abs(friction["f_y"]) - friction["+μ f_n"])[sliding].max() < 1e-6
    assert float(facts(found)["energy"]) < 1e-11
    assert [event.names for event in found.study.events]


def test_a_capture_keeps_the_momentum_and_holds_the_target_in_the_hand():
    found = paper(None, PaperRequest("capture", ""))
    assert float(facts(found)["momentum"]) < 1e-9
    assert float(facts(found)["drift"]) < 1e-9
    sat, target = shipped("space_arm_6"), shipped("space_target")
    caught = next(event.t for event in found.study.events)
    t, q = np.array(found.study.motion.times), np.array(found.study.motion.positions)
    after = q[t > caught + 0.2]
    hand = sat.pose(after[:, : sat.nq], "hand")[:, :3, 3]
    grip = target.pose(after[:, sat.nq :], "grip")[:, :3, 3]
    gap = np.linalg.norm(hand - grip, axis=1)
    assert np.ptp(gap) < 1e-6  # grasped a little early: the distance stays


def test_an_unknown_case_names_those_that_exist():
    with pytest.raises(UnknownName, match="vii"):
        paper(None, PaperRequest("constrained_arm", "viii"))
