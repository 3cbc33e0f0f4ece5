"""Models for Crocoddyl and systems for Drake, with stand-ins for both: neither is a requirement of the tests.

`benchmarks/crocoddyl_reach.py` runs the real Crocoddyl; docs/optimal-control.md says what was compared.
"""

import sys
from enum import Enum
from importlib import import_module
from types import ModuleType, SimpleNamespace
from typing import Any

import numpy as np
import pytest

import rikigaku as rk
from rikigaku.bridges.action_model import QuadraticCost
from rikigaku.core.errors import WrongValue

SPACE = rk.load("space_arm_6")
RANDOM = np.random.default_rng(1)
X = np.concatenate([SPACE.integrate(SPACE.neutral(), RANDOM.normal(size=12)), RANDOM.normal(size=12)])
U = RANDOM.normal(size=6)
COST = QuadraticCost(np.concatenate([SPACE.neutral(), np.zeros(12)]), 0.3, 0.1, 0.2)


class StandIn:
    """A base class that takes any arguments."""

    def __init__(self, *arguments: Any) -> None:
        self.arguments = arguments


class LeafSystem:
    """Records what a system declares."""

    def DeclareContinuousState(self, start: Any, nq: int, nv: int, nz: int) -> tuple[Any, ...]:
        self.declared = (start, nq, nv, nz)
        return self.declared

    def DeclareVectorInputPort(self, name: str, size: int) -> Any:
        return SimpleNamespace(Eval=lambda context: context.torque, name=name, size=size)

    def DeclareStateOutputPort(self, name: str, state: Any) -> None:
        self.output = (name, state)


@pytest.fixture
def crocoddyl_models(monkeypatch: pytest.MonkeyPatch) -> Any:
    fake: Any = ModuleType("crocoddyl")
    for name in ("StateAbstract", "StateVector", "ActionModelAbstract", "DifferentialActionModelAbstract"):
        setattr(fake, name, type(name, (StandIn,), {}))
    fake.Jcomponent = Enum("Jcomponent", ["both", "first", "second"])
    monkeypatch.setitem(sys.modules, "crocoddyl", fake)
    monkeypatch.delitem(sys.modules, "rikigaku.bridges.crocoddyl_models", raising=False)
    yield import_module("rikigaku.bridges.crocoddyl_models")
    sys.modules.pop("rikigaku.bridges.crocoddyl_models", None)


@pytest.mark.parametrize("contacts", [(), ("hand",)], ids=["free", "contact"])
def test_a_step_of_a_free_base_has_the_derivatives_of_differences(crocoddyl_models, contacts) -> None:
    model = crocoddyl_models.EulerActionModel(SPACE, COST, 0.01, contacts)
    state, data = model.manifold, SimpleNamespace()
    model.calc(data, X, U)
    model.calcDiff(data, X, U)
    middle, h = data.xnext, 1e-6
    for k in range(30):
        step, ends, costs = h * np.eye(30)[k], [], []
        for s in (1, -1):
            moved = SimpleNamespace()
            model.calc(moved, state.integrate(X, s * step[:24]), U + s * step[24:])
            ends.append(state.diff(middle, moved.xnext))
            costs.append(moved.cost)
        exact = np.hstack([data.Fx, data.Fu])[:, k]
        np.testing.assert_allclose((ends[0] - ends[1]) / (2 * h), exact, atol=1e-6 * np.abs(data.Fx).max())
        slope = np.concatenate([data.Lx, data.Lu])[k]
        assert (costs[0] - costs[1]) / (2 * h) == pytest.approx(slope, rel=1e-6, abs=1e-7)


def test_a_step_is_that_of_a_rollout_and_the_last_node_stays(crocoddyl_models) -> None:
    data = SimpleNamespace()
    crocoddyl_models.EulerActionModel(SPACE, COST, 0.01).calc(data, X, U)
    torque = np.concatenate([np.zeros(6), U])
    moved = SPACE.rollout(X[None, :13], X[None, 13:], torque[None, None], steps=1, dt=0.01, every=0)
    np.testing.assert_allclose(data.xnext, np.concatenate([moved.q[0], moved.v[0]]), rtol=1e-9, atol=1e-9)
    last = crocoddyl_models.EulerActionModel(SPACE, COST, 0.0)
    last.calc(data, X)
    last.calcDiff(data, X)
    np.testing.assert_array_equal(data.xnext, X)
    np.testing.assert_array_equal(data.Fx, np.eye(24))


def test_slopes_of_states_come_alone_or_as_a_pair(crocoddyl_models) -> None:
    state, which = crocoddyl_models.RobotState(SPACE), sys.modules["crocoddyl"].Jcomponent
    other = state.integrate(X, 0.1 * RANDOM.normal(size=24))
    first, second = state.Jdiff(X, other)
    np.testing.assert_array_equal(first, state.Jdiff(X, other, which.first))
    np.testing.assert_array_equal(second, state.Jdiff(X, other, which.second))
    d = 1e-6 * RANDOM.normal(size=24)
    np.testing.assert_allclose(
        state.diff(X, state.integrate(other, d)) - state.diff(X, other), second @ d, atol=1e-11
    )
    np.testing.assert_allclose(
        state.diff(state.integrate(X, d), other) - state.diff(X, other), first @ d, atol=1e-11
    )


def test_quaternions_are_refused_where_crocoddyl_integrates(crocoddyl_models) -> None:
    with pytest.raises(WrongValue, match="Use EulerActionModel"):
        crocoddyl_models.DifferentialActionModel(SPACE, COST)
    ur5 = rk.load("ur5")
    own = crocoddyl_models.DifferentialActionModel(ur5, QuadraticCost(np.zeros(12), 1.0))
    data = SimpleNamespace()
    own.calc(data, np.full(12, 0.2), np.ones(6))
    expected = ur5.forward_dynamics(np.full(6, 0.2), np.full(6, 0.2), np.ones(6))
    np.testing.assert_allclose(data.xout, expected, rtol=1e-12)


@pytest.mark.parametrize("name", ["ur5", "space_arm_6"])
def test_a_system_of_drake_has_the_rates_of_the_robot(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    framework: Any = ModuleType("pydrake.systems.framework")
    framework.LeafSystem, framework.BasicVector = LeafSystem, np.asarray
    for module, content in {
        "pydrake": ModuleType("pydrake"),
        "pydrake.systems": ModuleType("pydrake.systems"),
        "pydrake.systems.framework": framework,
    }.items():
        monkeypatch.setitem(sys.modules, module, content)
    monkeypatch.delitem(sys.modules, "rikigaku.bridges.drake_system", raising=False)
    drake_system = import_module("rikigaku.bridges.drake_system")
    robot = rk.load(name)
    system = drake_system.RobotSystem(robot)
    start, *parts = system.declared
    assert len(start) == sum(parts) == robot.nq + robot.nv
    rng = np.random.default_rng(0)
    q, v = robot.integrate(robot.neutral(), rng.normal(size=robot.nv)), rng.normal(size=robot.nv)
    x, torque, found = np.concatenate([q, v]), rng.normal(size=robot.nv), []
    context = SimpleNamespace(
        torque=torque,
        get_continuous_state_vector=lambda: SimpleNamespace(CopyToVector=lambda: x),
    )
    system.DoCalcTimeDerivatives(context, SimpleNamespace(SetFromVector=found.append))
    ahead, behind = (robot.integrate(q, s * 1e-6 * v) for s in (1, -1))
    np.testing.assert_allclose(found[0][: robot.nq], (ahead - behind) / 2e-6, rtol=1e-6, atol=1e-8)
    np.testing.assert_array_equal(found[0][robot.nq :], robot.forward_dynamics(q, v, torque))
    with pytest.raises(WrongValue, match="has loops or gears"):
        drake_system.RobotSystem(rk.load("five_bar"))
    monkeypatch.delitem(sys.modules, "rikigaku.bridges.drake_system", raising=False)
