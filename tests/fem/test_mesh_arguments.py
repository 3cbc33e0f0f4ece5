"""What makes no sense to a mesh is refused in words of ours: what was given, what is known, what to do."""

import numpy as np
import pytest
from mechanisms import portal, rod, tilting

import rikigaku as rk
from rikigaku.core.errors import CannotClose, UnknownName, WrongSize, WrongValue
from rikigaku.fem import Motion, Phases, Ratio, Weighted
from rikigaku.trajectory import cubic, quintic

NAN = float("nan")
FRAME = portal()
TIP = rod()
PATH = tilting(FRAME, 1.0)
STILL = Motion(TIP, [0.0], [[0.0]], [[0.0]], [[0.0]])
TURN = cubic([0.0], [1.0], 1.0)


def torques(**options):
    return FRAME.fem(masses={"top": 1.0}).inverse_dynamics(PATH, **{"samples": 5, "sharing": 0.5} | options)


def elastic(**options):
    return TIP.fem().elastic(**{"elements": 2} | options)


def simulated(**options):
    return elastic().simulate([0.0], **{"duration": 2e-3} | options)


def refused(cases):
    return pytest.mark.parametrize(("error", "match", "call"), cases)


@refused(
    [
        (WrongValue, "mass at 'top'.* 0 or more; None was", lambda: FRAME.fem(masses={"top": None})),
        (WrongValue, "mass at 'top'.*; 'x' was", lambda: FRAME.fem(masses={"top": "x"})),
        (WrongValue, r"mass at 'top'.*; \[1, 2\] was", lambda: FRAME.fem(masses={"top": [1, 2]})),
        (WrongValue, "mass at 'top'.*; nan was", lambda: FRAME.fem(masses={"top": NAN})),
        (WrongValue, r"by name, masses=\{.*; \[1\] was", lambda: FRAME.fem(masses=[1])),
        (UnknownName, "'mases'.*Did you mean 'masses'", lambda: FRAME.fem(mases={})),
        (WrongValue, "number of samples .* 1 or more; 0 was", lambda: torques(samples=0)),
        (WrongValue, "samples .*; -3 was", lambda: torques(samples=-3)),
        (WrongValue, "samples .*; 2.5 was", lambda: torques(samples=2.5)),
        (UnknownName, "'sample'.*Did you mean 'samples'", lambda: torques(sample=3)),
        (WrongValue, "friction is True or False", lambda: torques(friction=None)),
        (WrongValue, "Gravity.* finite", lambda: torques(gravity=[0, 0, NAN])),
        (WrongValue, "wrench at 'link1'.* finite", lambda: torques(wrenches={"link1": [NAN] * 6})),
        (WrongValue, r"by name, wrenches=\{", lambda: torques(wrenches=[1, 2, 3, 4, 5, 6])),
    ],
)
def test_masses_and_loads_are_finite_numbers_by_name(error, match, call):
    with pytest.raises(error, match=match):
        call()


@refused(
    [
        (WrongValue, r"Weights are given by name, Weighted\(\{", lambda: torques(sharing=Weighted([1, 2]))),
        (WrongValue, "Weights are given by name", lambda: torques(sharing=Weighted(None))),
        (WrongValue, "weight of joint 'joint1'", lambda: torques(sharing=Weighted({"joint1": "a"}))),
        (WrongValue, "weight of joint 'joint1'", lambda: torques(sharing=Weighted({"joint1": 0}))),
        (WrongValue, "no sharing rule True", lambda: torques(sharing=True)),
        (WrongValue, "sharing ratio of loop 'top'.* takes real", lambda: torques(sharing=lambda t: "a")),
        (WrongValue, "sharing ratio of loop 'top'.* takes real", lambda: torques(sharing=object())),
        (WrongValue, "sharing ratio of loop 'top'.* finite", lambda: torques(sharing=NAN)),
        (
            UnknownName,
            "no loop named 'tpo'. Did you mean 'top'",
            lambda: torques(sharing=Ratio({"tpo": 0.5})),
        ),
        (WrongValue, "no ratio for loop 'top'", lambda: torques(sharing=Ratio({}))),
    ],
)
def test_rules_of_sharing_name_loops_and_joints_and_have_numbers(error, match, call):
    with pytest.raises(error, match=match):
        call()


@refused(
    [
        (WrongValue, "pairs of times.*nan", lambda: torques(phases=Phases({"top": [(NAN, 0.2)]}))),
        (WrongValue, r"pairs .*; \(0.1, 0.2\) was", lambda: torques(phases=Phases({"top": (0.1, 0.2)}))),
        (WrongValue, "pairs .*; None was", lambda: torques(phases=Phases({"top": None}))),
        (WrongValue, r"pairs .*; \[\(0, 1, 2\)\] was", lambda: torques(phases=Phases({"top": [(0, 1, 2)]}))),
        (WrongValue, "blend .* 0 or more; nan", lambda: torques(phases=Phases({}, blend=NAN))),
        (
            UnknownName,
            "'tpo'.*Did you mean 'top'",
            lambda: torques(phases=Phases({}, mass_on={"tpo": "end"})),
        ),
        (WrongValue, "mass_on.* 'strat'", lambda: torques(phases=Phases({}, mass_on="strat"))),
        (WrongValue, "mass_on.* 5", lambda: torques(phases=Phases({}, mass_on={"top": 5}))),
        (WrongValue, r"Phases\(\{'top'", lambda: torques(phases={"top": [(0.1, 0.2)]})),
    ],
)
def test_phases_are_pairs_of_times_of_loops_there_are(error, match, call):
    with pytest.raises(error, match=match):
        call()


def motion(target, **options):
    return FRAME.fem().motion(target, **options)


ZEROS = np.zeros((3, 6))


@refused(
    [
        (WrongValue, "Motion.*array", lambda: motion(np.zeros((5, 6)))),
        (WrongValue, "path of 'joint1' is a function of time", lambda: motion({"joint1": 1.0})),
        (WrongValue, "path of 'joint1' is a function of time", lambda: motion({"joint1": None})),
        (WrongValue, "motion.*None was given", lambda: motion(None)),
        (WrongValue, "positions, velocities and accel", lambda: motion(lambda t: t, t=[0, 1])),
        (WrongValue, "velocities that are not finite", lambda: motion(lambda t: (t, t * NAN, t), t=[0, 1])),
        (WrongSize, "for 2 times at once", lambda: motion(lambda t: (0.0, 0.0, 0.0), t=[0, 1])),
        (WrongValue, "Times of a motion", lambda: motion(PATH, t=["a"])),
        (
            WrongSize,
            r"q of a motion .*\(3, 6\)",
            lambda: Motion(FRAME, [0, 1, 2], ZEROS[:, :5], ZEROS, ZEROS),
        ),
        (WrongSize, r"v of a motion .*\(3, 6\)", lambda: Motion(FRAME, [0, 1, 2], ZEROS, ZEROS[0], ZEROS)),
        (WrongValue, "Times of a motion", lambda: Motion(FRAME, [0, 2, 1], ZEROS, ZEROS, ZEROS)),
        (WrongValue, "a of a motion .* finite", lambda: Motion(FRAME, [0, 1, 2], ZEROS, ZEROS, ZEROS * NAN)),
        (WrongValue, "of robot 'rod'", lambda: motion(Motion(TIP, [0], [[0]], [[0]], [[0]]))),
    ],
)
def test_motions_are_functions_of_time_or_arrays_that_fit(error, match, call):
    with pytest.raises(error, match=match):
        call()


def test_a_motion_of_lists_is_one_of_arrays():
    made = Motion(TIP, [0, 1], [[0], [0.1]], [[0], [0]], [[1], [1]])
    assert TIP.fem().inverse_dynamics(made).torques.shape == (2, 1)


def test_paths_with_more_coordinates_than_freedoms_are_reported():
    robot = rk.load("four_bar")
    q = robot.assemble([0.7])
    start = robot.pose(q, robot.frame_names[-1])[:3, 3]
    axes = [k for k in range(3) if np.ptp(robot.jacobian(q, robot.frame_names[-1])[k]) > 0]
    path = quintic(start[axes], start[axes] + 0.01, 1.0)
    with pytest.raises(CannotClose, match=r"2 coordinates.* 1 freedom:"):
        robot.fem().motion({robot.frame_names[-1]: path}, near=q)


@refused(
    [
        (UnknownName, "'element'.*Did you mean 'elements'", lambda: elastic(element=4)),
        (WrongValue, "refined is True or False; None", lambda: elastic(refined=None)),
        (WrongValue, "even number.*; True", lambda: elastic(elements=True)),
        (WrongSize, r"Damping, .alpha, beta.*shape \(\) was", lambda: elastic(damping=0.1)),
        (WrongValue, "Damping, .*; None was", lambda: elastic(damping=None)),
        (WrongValue, "Damping, .*finite.*nan", lambda: elastic(damping=(0, NAN))),
        (WrongValue, "stiffness of joint 'root'.*; None", lambda: elastic(joint_stiffness={"root": None})),
        (WrongValue, "by name", lambda: elastic(joint_stiffness=3.0)),
        (WrongValue, "load at 'tip'.* finite", lambda: elastic().deflection(loads={"tip": (0, 0, NAN)})),
        (WrongValue, "Gravity.* finite", lambda: elastic().deflection(gravity=(0, 0, NAN))),
        (WrongValue, "by name", lambda: elastic().deflection(loads=(0, 0, 1))),
        (WrongValue, "count .*; 1.5 was", lambda: elastic().modes(count=1.5)),
        (WrongValue, "count .*; 0 was", lambda: elastic().damped_modes(count=0)),
        (WrongValue, "locked .*; 3 was", lambda: elastic().modes(locked=3)),
        (WrongValue, "every.* 1 or more; 0 was", lambda: simulated(every=0)),
        (WrongValue, "rest is True or False", lambda: simulated(rest=None)),
        (WrongValue, "duration .* above 0; nan", lambda: simulated(duration=NAN)),
        (WrongValue, "step .* above 0; 'a'", lambda: simulated(step="a")),
        (WrongValue, "rho .*; 1.5", lambda: simulated(rho=1.5)),
        (UnknownName, "'steps'.*Did you mean 'step'", lambda: simulated(steps=1)),
        (WrongValue, "simulate takes q, .*required argument: 'duration'", lambda: elastic().simulate([0.0])),
        (WrongValue, "q of robot 'rod' takes real", lambda: elastic().modes(["a"])),
        (WrongSize, r"v of robot 'rod' has the shape", lambda: TIP.fem().matrices([0.0], [0.0, 1.0], [0.0])),
        (WrongValue, r"torque is a function of t, q, v.*; \[1\] was", lambda: simulated(torque=[1])),
        (WrongValue, r"torque.* at t = 0", lambda: simulated(torque=lambda t, q, v: [NAN])),
        (WrongValue, "v of robot 'rod' .* finite", lambda: elastic().simulate([0.0], [NAN], duration=1e-3)),
        (WrongValue, "slip_speed .* above 0", lambda: simulated(slip_speed=0)),
        (WrongValue, "is a trajectory", lambda: elastic().inverse_dynamics(None, "tip")),
        (WrongValue, "known at samples only", lambda: elastic().inverse_dynamics(STILL, "tip")),
        (WrongValue, "before .* above 0", lambda: elastic().inverse_dynamics(TURN, "tip", before=-1)),
    ],
)
def test_elastic_meshes_take_numbers_in_bounds_and_known_options(error, match, call):
    with pytest.raises(error, match=match):
        call()
