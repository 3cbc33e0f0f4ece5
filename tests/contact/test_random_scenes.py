"""A sample of the random scenes of `tools/random_scenes.py`; the tool runs hundreds of them."""

import sys
from pathlib import Path

import pytest

sys.path.append(str(Path(__file__).parents[2] / "tools"))

import random_scenes as scenes
import scene_kinds


# 1: four corners that bounce in turns; 6: frictionless feet, stiction in the legs; 20: feet that creep;
# 25: a wedged arm that lets go; 35: a box that rocks; 188: dampers whose torques jump with an
# impact; 284: a point of two freedoms that cannot both stick and bounce; 10169: sliding stops at a singular
# configuration, where the point cannot stick
@pytest.mark.parametrize("seed", [1, 3, 6, 8, 11, 16, 20, 25, 30, 35, 44, 188, 284, 10169])
def test_a_random_scene_is_followed_without_gap_made_energy_or_unexplained_end(seed):
    verdict = scenes.judged(seed, duration=3.0)
    assert verdict.faults == (), verdict
    assert verdict.status == "done", verdict


# 32: two capsules, chaotic; 1012: one capsule slides to the end of another, where two contacts
# coincide and part again; the others: balls with moments of friction, balls on a crate and on one another
@pytest.mark.parametrize("seed", [1, 4, 8, 32, 1012])
def test_a_random_scene_of_balls_and_capsules_is_followed_by_both_engines(seed):
    verdict = scenes.judged(seed, duration=2.0, kinds=scene_kinds.SHAPES)
    assert verdict.faults == (), verdict
    assert verdict.status == "done", verdict


def test_a_spinning_capsule_whose_rolling_has_come_to_rest_sticks():
    """Its axis turns: a rolling speed that is left turns with it, which sticking must not contradict."""
    verdict = scenes.judged(1023, duration=1.0, kinds=scene_kinds.SHAPES)
    assert verdict.status == "done", verdict
    assert verdict.changes < 20, verdict  # 46 in 0.6 s when it slips anew after every stop


def test_a_scene_over_its_limit_of_processor_time_is_reported_with_its_status():
    verdict = scenes.judged(1, duration=1000.0, limit=0.05)
    assert verdict.faults == ("slow",)
    assert verdict.status.startswith("more than 0.05 s of processor time")
    assert verdict.seconds < 5.0
    text = scenes.summary([verdict])
    assert "1 scenes, 0 done" in text
    assert "violations: 1 {'slow': 1}" in text
    assert verdict.status in text
