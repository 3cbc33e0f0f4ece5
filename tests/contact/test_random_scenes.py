"""A sample of the random scenes of `tools/random_scenes.py`; the tool runs hundreds of them."""

import importlib.util
import sys
from pathlib import Path

import pytest

_PATH = Path(__file__).parents[2] / "tools" / "random_scenes.py"
_SPEC = importlib.util.spec_from_file_location("random_scenes", _PATH)
scenes = importlib.util.module_from_spec(_SPEC)
sys.modules["random_scenes"] = scenes  # dataclasses look their module up
_SPEC.loader.exec_module(scenes)


# 1: four corners that bounce in turns; 6: frictionless feet, stiction in the legs; 20: feet that creep;
# 25: a wedged arm that lets go; 35: a box that rocks; 188: dampers whose torques jump with an
# impact; 284: a point of two freedoms that cannot both stick and bounce
@pytest.mark.parametrize("seed", [1, 3, 6, 8, 11, 16, 20, 25, 30, 35, 44, 188, 284])
def test_a_random_scene_is_followed_without_gap_made_energy_or_unexplained_end(seed):
    verdict = scenes.judged(seed, duration=3.0)
    assert verdict.faults == (), verdict
    assert verdict.status == "done", verdict
