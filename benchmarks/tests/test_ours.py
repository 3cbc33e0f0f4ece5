"""Tests of our engine: chains, packed mass matrix and exported C."""

import numpy as np
import pytest

from benchmarks.chains import TIP, our_chain, pinocchio_chain, random_links
from benchmarks.harness import check_agreement
from benchmarks.laws import LAWS
from benchmarks.ours import Ours, our_robot
from benchmarks.packed import PackedOurs
from benchmarks.peers.generated_c import GeneratedC
from benchmarks.peers.pinocchio_model import pinocchio_model
from benchmarks.peers.pinocchio_python import PinocchioPython
from benchmarks.robots import subject
from benchmarks.scaling import Point, exponent
from benchmarks.states import Array, random_states

COUNT = 20


def buffer(law: str, nv: int) -> Array:
    return np.empty(COUNT * int(np.prod(LAWS[law].shape(nv, nv))))


@pytest.mark.parametrize("law", ["inverse_dynamics", "forward_dynamics", "jacobian", "regressor"])
def test_our_chain_and_pinocchios_are_the_same_robot(law: str) -> None:
    links = random_links(9)
    model, out = pinocchio_chain(links), buffer(law, 9)
    states = random_states(model.joints, False, COUNT)
    engines = (PinocchioPython(model), Ours(our_chain(links), TIP, False))
    jobs = {engine.name: engine.jobs(LAWS[law], states, out)[0] for engine in engines}
    # 1e-12: forward dynamics of nine small links divides by inertias that span three decades.
    assert check_agreement(LAWS[law], jobs, COUNT, out)["ours"] < 1e-12


@pytest.mark.parametrize(
    "law", ["inverse_dynamics", "mass_matrix", "forward_dynamics", "jacobian", "regressor"]
)
def test_generated_c_gives_the_bits_of_the_native_code(law: str) -> None:
    robot = subject("ur5")
    mine = our_robot(robot)
    states = random_states(pinocchio_model(robot).joints, False, COUNT)
    answers = []
    for engine in (Ours(mine, robot.frame, False), GeneratedC(mine, robot.frame, False)):
        out = buffer(law, 6)
        job = engine.jobs(LAWS[law], states, out)[0]
        job.run()
        answers.append(job.value(np.arange(COUNT)))
    assert np.array_equal(answers[0], answers[1])


def test_a_call_for_one_state_gives_the_first_row_of_the_batch() -> None:
    robot, law = subject("talos"), LAWS["inverse_dynamics"]
    engine = Ours(our_robot(robot), robot.frame, True)
    states = random_states(pinocchio_model(robot).joints, True, COUNT)
    batch, one = buffer(law.name, 38), np.empty(38)
    engine.jobs(law, states, batch)[0].run()
    engine.one_call(law, states, one)()
    assert np.array_equal(one, batch[:38])


@pytest.mark.parametrize("name", ["ur5", "talos"])
def test_the_packed_mass_matrix_is_the_whole_one_once_spread(name: str) -> None:
    robot, law = subject(name), LAWS["mass_matrix"]
    model = pinocchio_model(robot)
    states = random_states(sorted(model.joints), robot.floating, COUNT)
    out = buffer(law.name, states.nv)
    peer = PinocchioPython(model).jobs(law, states, out)[0]
    packed = PackedOurs(our_robot(robot), robot.floating).jobs(law, states, out)[0]
    # 1e-11: the UR5's file writes right angles with twelve digits, and we read them as right angles.
    assert check_agreement(law, {"Pinocchio": peer, "ours": packed}, COUNT, out)["ours"] < 1e-11


def test_the_growth_exponent_is_that_of_the_power_law_and_of_long_chains_only() -> None:
    points = [Point(n, 3 * n**2 if n >= 20 else 999, 1.0, peer=None) for n in (5, 10, 20, 50, 200)]
    assert exponent(points, "operations") == pytest.approx(2)
    assert exponent(points, "peer") is None
