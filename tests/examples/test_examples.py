"""Every example runs as a user would run it; each asserts its own claims."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

import rikigaku

EXAMPLES = sorted((Path(__file__).parents[2] / "examples").glob("*.py"))
SAYS = {
    "closed_robots_in_time": "Cassie (SDF): done; mobility 12, closure residual",
    "constrained_arm": "(iii) tau = 3 (-cos, -sin, cos) 2 pi t: 33 events",
    "constrained_curved_floors": "bowl: done, ['hand lifts off', 'hand lands'], energy drift",
    "constrained_polishing": "f_n = 20.000000 to 20.000000 N",
    "constrained_two_points": "t = 0.895805 s: knee slips",
    "contact_between_bodies": "t = 0.544286 s: ball (1) lifts off",
    "contact_block_on_incline": "mu = 0.6: moved 0.000000000 m",
    "draw_a_robot": "stewart.png",
    "fem_closed_loop": "sharing 0.8: within 0.09 N m of statics in 10 s; joint1 ends at -20.198 N m",
    "fem_flexible_arm": "12 mm: 4.45 Hz, sags 14.5 mm",
    "five_bar_design": "208 designs: inner links of 0.28 m, motors 0.02 m apart",
    "first_steps": "torques of 1000 states: (1000, 7)",
    "humanoid_fall": "J lost, joints, friction and impacts took",
    "humanoid_walking": "both feet moved forward by 0.2",
    "humanoid_stick_slip": "t = 0.263619213 s: sole stops",
    "iterative_lqr": "120 iterations, cost 8",
    "jax_fit_masses": "m1 = 1.300 kg, m2 = 0.700 kg after",
    "inverse_kinematics_branches": "8 configurations of the UR5, 8 curves of the iiwa",
    "monte_carlo_capture": "200 kg: the satellite rotates by 21",
    "pendulum_energy": "largest change of the energy",
    "random_quadruped": "100 landings: trunk at",
    "reach_a_pose": "Frame 'hand' is at the target",
    "rosam_section_6": "10 parameters of 50 against 11. A point mass at the pin",
    "sampling_control": "Panda: the hand is",
    "space_capture": "momentum of both kept to",
    "space_line": "the satellite has rotated by 53.3 degrees",
    "space_two_arms": "left arm alone: base rotates by 1.5e+00 degrees",
}


@pytest.mark.parametrize("file", EXAMPLES, ids=lambda file: file.stem)
def test_the_example_runs_and_says_what_it_found(file, tmp_path):
    source = str(Path(rikigaku.__file__).parents[1])
    answer = subprocess.run(
        [sys.executable, "-W", "error", str(file)],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": source},
        capture_output=True,
        text=True,
    )
    assert answer.returncode == 0, answer.stderr
    assert SAYS[file.stem] in answer.stdout


def test_every_example_is_expected():
    assert [file.stem for file in EXAMPLES] == sorted(SAYS)
