"""The minimal regressor is a law like any other: compiled, counted, exported; symbols are its inputs."""

from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

import numpy as np
import pytest
from linkages import four_bar, parallelogram

import rikigaku as rk
from rikigaku.core.errors import MissingValue

Array = np.ndarray


def closed_motion(robot: rk.Robot, **symbols: float) -> tuple[Array, Array, Array]:
    """A batch of closed states of the tree."""
    plan, rng = robot.closure(), np.random.default_rng(0)
    own = 0.5 + 0.1 * rng.normal(size=(4, plan.mobility))
    q = robot.assemble(own, **symbols)
    return q, *robot.complete(q, *rng.normal(size=(2, 4, plan.mobility)), **symbols)


@pytest.mark.parametrize("name", ["scara", "five_bar"])
def test_exported_as_python_it_gives_the_same_numbers(name: str, tmp_path: Path) -> None:
    robot = rk.load(name)
    robot = robot.bind(**{s: 0.3 + 0.1 * k for k, s in enumerate(robot.free_symbols)})
    base = robot.base_parameters()
    state = closed_motion(robot) if robot.loops else robot.random_state(0, 4)
    path = tmp_path / "exported.py"
    base.regressor.export("python", path, "W")
    spec = spec_from_file_location("exported", path)
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    assert np.abs(module.W(*state) - base.regressor(*state)).max() < 1e-13
    assert base.regressor(*state).shape == (4, len(base.regressor.law(*state)[0]), base.count)


def test_exported_to_c_it_has_no_inputs_but_its_own() -> None:
    text = rk.load("rosam_loop").base_parameters().regressor.export("c", name="minimal")
    (line,) = (line for line in text.splitlines() if line.startswith("void minimal("))
    assert (
        line.split("(")[1]
        == "const double q[5], const double v[5], const double a[5], double L, double W[30])"
    )


def test_a_length_that_occurs_in_the_ends_of_loops_only_is_an_input() -> None:
    robot = four_bar("0.4", "c", "0.8", "0.9")
    symbolic = robot.base_parameters()
    numbers = robot.bind(c=1).base_parameters()
    state = closed_motion(robot, c=1)
    W = symbolic.regressor(*state, c=1)
    assert np.abs(W - numbers.regressor(*state)).max() < 1e-12
    tau = W @ symbolic.base_values(c=1)
    tree = robot.bind(c=1).tree.inverse_dynamics(*state, friction=False)
    P = robot.bind(c=1).reduced.jacobian(state[0])
    assert np.abs(tau - np.einsum("kij,ki->kj", P, tree)).max() < 1e-12 * np.abs(tree).max()
    with pytest.raises(MissingValue, match="c"):
        symbolic.regressor(*state)


def test_symbols_of_inertias_may_be_given_and_gravity_too() -> None:
    robot = rk.load("rosam_loop")
    base = robot.base_parameters(gravity="any")
    state = closed_motion(robot)
    values = {"m11": 2.0, "L": 0.4}
    pulled = base.regressor(*state, gravity=[0, -9.81, 0], **values)
    assert np.abs(pulled - base.regressor(*state, **values)).max() > 1
    other = robot.base_parameters(gravity=(0, "-9.81", 0))
    assert other.count <= base.count
    shared = [base.names.index(name) for name in other.names if name in base.names]
    own = [other.names.index(name) for name in other.names if name in base.names]
    assert np.abs(pulled[..., shared] - other.regressor(*state)[..., own]).max() < 1e-12


def test_its_program_is_shorter_than_that_of_the_whole_regressor() -> None:
    robot = parallelogram()
    base = robot.base_parameters()
    assert base.regressor.law.operations.total < robot.tree.regressor.operations.total
