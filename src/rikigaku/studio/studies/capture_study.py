"""A six-joint arm on a satellite catches a tumbling target, by Umetani, Yoshida and Kurazume.

The hand approaches the grip on a line that moves with the target and grasps it a little early, so that the
contact is a small impact. Then the joints are braked, and the momentum of the target passes to the satellite.
"""

import numpy as np

from rikigaku import space
from rikigaku.core.types import Array
from rikigaku.model.joining import world
from rikigaku.robot import Robot
from rikigaku.robot.loading import load
from rikigaku.studio.plot_records import EventRecord, plot_record
from rikigaku.studio.studies.study_records import StudyFact, StudyResult
from rikigaku.symbolic.algebra.child_process import progress
from rikigaku.web.model_document import Motion
from rikigaku.web.robot_document import robot_document

CASES = ("capture",)
_DURATION, _BRAKING = 30.0, 60.0
_START = (0.2, 0.5, -0.3, 0.3, 0.9, 0.1)
_BRAKE = np.array([400.0, 400.0, 300.0, 80.0, 80.0, 40.0])  # [N m s/rad]
_TUMBLING = np.array([0.004, -0.003, 0.002, 0.02, -0.03, 0.04])


def capture(case: str) -> StudyResult:
    """Approach, contact, and the two as one."""
    sat, target = load("space_arm_6"), load("space_target")
    q0 = sat.neutral()
    q0[7:] = _START
    hand = sat.pose(q0, "hand")
    meeting = hand.copy()
    meeting[:3, 3] += [0.35, 0.25, 0.15]
    body = meeting @ np.linalg.inv(target.pose(target.neutral(), "grip"))
    progress("motion of the target")
    back = space.floating_motion(target, space.coordinates_of(body), -_TUMBLING, _DURATION)
    floating = space.MovingFrame(target, back.q[-1], -back.v[-1], "grip", _DURATION)
    contact = 0.85 * _DURATION
    progress("approach")
    times = np.linspace(0, contact, 241)
    approach = space.Approach.start(hand, floating, _DURATION)
    run = space.follow(sat, q0, approach, "hand", contact, gains=(4.0, 4.0), times=times)
    q, v = run.motion.q[-1], run.motion.v[-1]
    target_q, target_v = floating.state(contact)
    before = sat.momentum(q, v, about="world") + target.momentum(target_q, target_v, about="world")
    caught = space.capture(sat, q, v, "hand", target, target_q, target_v, "grip")
    joined = caught.robot
    after = joined.momentum(caught.q, caught.v, about="world")
    progress("braking")
    held = space.floating_motion(
        joined, caught.q, caught.v, _BRAKING, lambda t, q, v: -_BRAKE * v[6:], tolerance=1e-9
    )
    both = world([sat, target], "capture")
    targets = np.array([floating.state(t)[0] for t in times])
    first = np.concatenate([run.motion.q, targets], axis=1)
    second = np.concatenate([held.q, _carried(joined, held.q)], axis=1)
    t = np.concatenate([times, contact + held.t])
    grips = np.array([floating(x).pose[:3] for x in times])
    distance = np.linalg.norm(run.pose[:, :3, 3] - grips, axis=1)
    rates = np.concatenate([run.motion.v[:, 6:], held.v[:, 6:]])
    spin = np.degrees(np.concatenate([run.motion.v[:, 3:6], held.v[:, 3:6]]))
    attitude = np.degrees(2 * np.arccos(np.clip(np.concatenate([run.motion.q[:, 3], held.q[:, 3]]), -1, 1)))
    joints = [joint.name for joint in sat.joints[1:]]
    return StudyResult(
        robot_document(both, first[0]),
        _motion(t, np.concatenate([first, second])),
        10.0,
        [
            plot_record("papers.plot.distance", "m", times, {"papers.curve.handToGrip": distance}),
            plot_record("papers.plot.jointRates", "rad/s", t, dict(zip(joints, rates.T, strict=True))),
            plot_record("papers.plot.spin", "deg/s", t, dict(zip("xyz", spin.T, strict=True))),
            plot_record("papers.plot.attitude", "deg", t, {"papers.curve.rotation": attitude}),
        ],
        [EventRecord(contact, ["capture"], "")],
        facts=[
            StudyFact("impulse", f"{np.linalg.norm(caught.impulse[:3]):.3f} N s"),
            StudyFact("lostEnergy", f"{1000 * caught.energy_loss:.2f} mJ"),
            StudyFact("momentum", f"{np.abs(after - before).max():.0e}"),
            StudyFact("drift", f"{np.abs(held.momentum - held.momentum[0]).max():.0e}"),
        ],
    )


def _carried(joined: Robot, q: Array) -> Array:
    """Coordinates of the target as a free body, from the joined robot."""
    poses = joined.pose(q, "target_target")
    return np.array([space.coordinates_of(pose) for pose in poses])


def _motion(t: Array, q: Array) -> Motion:
    """Ten samples a second, each the step of the integrator before it."""
    every = np.linspace(t[0], t[-1], 901)
    rows = q[np.searchsorted(t, every, side="right").clip(1, len(t)) - 1]
    return Motion("", [float(x) for x in every], [[float(x) for x in row] for row in rows])
