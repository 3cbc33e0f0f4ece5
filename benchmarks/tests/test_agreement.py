"""Libraries whose values differ are rejected, not timed."""

import numpy as np
import pytest
from numpy.typing import NDArray

from benchmarks.errors import Disagreement
from benchmarks.harness import Job, check_agreement
from benchmarks.laws import LAWS, Law
from benchmarks.peers.mujoco_c import OFFERED, MujocoC
from benchmarks.peers.mujoco_model import mujoco_model
from benchmarks.peers.pinocchio_model import PinocchioModel, pinocchio_model
from benchmarks.peers.pinocchio_python import PinocchioPython
from benchmarks.robots import SUBJECTS, subject
from benchmarks.states import Array, States, random_states

COUNT = 20


def answers(robot: PinocchioModel, law: Law, states: States) -> Array:
    out = np.empty(len(states.q) * int(np.prod(law.shape(states.nv, states.bodies))))
    job = PinocchioPython(robot).jobs(law, states, out)[0]
    job.run()
    return job.value(np.arange(len(states.q)))


@pytest.mark.parametrize("law", OFFERED)
@pytest.mark.parametrize("name", SUBJECTS)
def test_mujoco_and_pinocchio_agree_whatever_the_order_of_the_joints(name: str, law: str) -> None:
    robot = pinocchio_model(subject(name))
    # Sorted by name: an order neither library has, so both must find their joints by name.
    states = random_states(sorted(robot.joints), robot.floating, COUNT)
    out = np.empty(COUNT * int(np.prod(LAWS[law].shape(states.nv, states.bodies))))
    engines = (PinocchioPython(robot), MujocoC(mujoco_model(subject(name)), robot.frame_in_body()))
    jobs = {engine.name: engine.jobs(LAWS[law], states, out)[0] for engine in engines}
    # 1e-11: MuJoCo rotates inertias to principal axes, and Talos has light fingers far from a heavy base.
    assert check_agreement(LAWS[law], jobs, COUNT, out)["MuJoCo C"] < 1e-11


@pytest.mark.parametrize("name", SUBJECTS)
def test_regressor_times_our_parameters_gives_inverse_dynamics(name: str) -> None:
    robot = pinocchio_model(subject(name))
    states = random_states(sorted(robot.joints), robot.floating, COUNT)
    bodies = ["root_joint"] * robot.floating + list(states.joints)
    inertias = [robot.model.inertias[robot.model.getJointId(body)] for body in bodies]
    upper = np.triu_indices(3)  # Ixx, Ixy, Ixz, Iyy, Iyz, Izz
    parameters = np.concatenate(
        [
            [
                body.mass,
                *(body.mass * body.lever),
                *(body.inertia - body.mass * np.linalg.matrix_power(skew(body.lever), 2))[upper],
            ]
            for body in inertias
        ]
    )
    tau = answers(robot, LAWS["inverse_dynamics"], states)
    np.testing.assert_allclose(answers(robot, LAWS["regressor"], states) @ parameters, tau, rtol=0, atol=1e-9)


def skew(x: Array) -> Array:
    return np.array([[0, -x[2], x[1]], [x[2], 0, -x[0]], [-x[1], x[0], 0]])


def job_of(fill: float, out: Array, until: int | None = None) -> Job:
    def run() -> None:
        out[:until] = fill

    def value(rows: NDArray[np.intp]) -> Array:
        return out.reshape(-1, 1)[rows]

    return Job(run, value)


def test_a_wrong_answer_is_refused_with_both_names_and_the_error() -> None:
    out = np.empty(50)
    jobs = {"theirs": job_of(1.0, out), "mine": job_of(1.000001, out)}
    with pytest.raises(
        Disagreement, match=r"mine and theirs disagree on inverse_dynamics: .* 1\.0e-06"
    ) as caught:
        check_agreement(LAWS["inverse_dynamics"], jobs, 50, out)
    assert caught.value.error == pytest.approx(1e-6)


def test_an_answer_that_was_not_written_cannot_pass_for_the_one_before() -> None:
    out = np.empty(50)
    jobs = {"theirs": job_of(1.0, out), "mine": job_of(1.0, out, until=49)}
    with pytest.raises(Disagreement):
        check_agreement(LAWS["inverse_dynamics"], jobs, 50, out)
