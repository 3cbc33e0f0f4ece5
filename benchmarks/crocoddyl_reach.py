"""Crocoddyl's FDDP on our action model, beside its own Pinocchio model: a Panda reaches a point.

With and without a contact at its hand. Run in an environment with `crocoddyl`, which is no requirement.

    python benchmarks/crocoddyl_reach.py
"""

import sys
import tempfile
import time
import warnings
from pathlib import Path
from typing import Any

import crocoddyl
import numpy as np
import pinocchio as pin

import rikigaku as rk
from rikigaku.bridges.action_model import QuadraticCost
from rikigaku.bridges.crocoddyl_models import DifferentialActionModel

KNOTS, DT = 100, 0.01
Q = np.array([0.0, -0.5, 0.0, -2.0, 0.0, 1.6, 0.8])
_kept: list[Any] = []  # Crocoddyl 3.2 does not keep all parts of a model alive
TARGET = np.array([0.45, 0.25, 0.55])


def own_models(file: str, contact: bool, place: np.ndarray) -> tuple[Any, Any]:
    """Running and terminal model on Pinocchio, with Crocoddyl's own costs."""
    model = pin.buildModelFromUrdf(file)
    last = model.njoints - 1
    parent = model.getFrameId(model.names[last])
    place_of_point = pin.SE3(np.eye(3), place)
    frame = model.addFrame(pin.Frame("point", last, parent, place_of_point, pin.FrameType.OP_FRAME))
    state = crocoddyl.StateMultibody(model)
    actuation = crocoddyl.ActuationModelFull(state)
    _kept.extend((model, state, actuation))
    x0 = np.concatenate([Q, np.zeros(7)])

    def differential(weight: float) -> Any:
        costs = crocoddyl.CostModelSum(state)
        _kept.append(costs)
        reach = crocoddyl.ResidualModelFrameTranslation(state, frame, TARGET)
        costs.addCost("reach", crocoddyl.CostModelResidual(state, reach), weight)
        costs.addCost("x", crocoddyl.CostModelResidual(state, crocoddyl.ResidualModelState(state, x0)), 0.1)
        costs.addCost("u", crocoddyl.CostModelResidual(state, crocoddyl.ResidualModelControl(state)), 1e-4)
        if not contact:
            return crocoddyl.DifferentialActionModelFreeFwdDynamics(state, actuation, costs)
        contacts = crocoddyl.ContactModelMultiple(state, 7)
        axes = pin.ReferenceFrame.LOCAL_WORLD_ALIGNED
        point = crocoddyl.ContactModel3D(state, frame, np.zeros(3), axes, 7, np.zeros(2))
        _kept.append(contacts)
        contacts.addContact("point", point)
        return crocoddyl.DifferentialActionModelContactFwdDynamics(
            state, actuation, contacts, costs, 0.0, True
        )

    return differential(1.0), differential(1000.0)


def our_models(robot: rk.Robot, contact: bool) -> tuple[Any, Any]:
    x0 = np.concatenate([Q, np.zeros(7)])

    def differential(weight: float) -> Any:
        cost = QuadraticCost(x0, 0.1, 0.0, 1e-4, "hand", TARGET, weight)
        return DifferentialActionModel(robot, cost, ("hand",) if contact else ())

    return differential(1.0), differential(1000.0)


def solved(models: tuple[Any, Any]) -> tuple[float, int, float]:
    """Cost, iterations and seconds of processor time."""
    running, last = (
        crocoddyl.IntegratedActionModelEuler(model, step)
        for model, step in zip(models, (DT, 0.0), strict=True)
    )
    problem = crocoddyl.ShootingProblem(np.concatenate([Q, np.zeros(7)]), [running] * KNOTS, last)
    problem.nthreads = 1
    solver = crocoddyl.SolverFDDP(problem)
    solver.th_stop = 1e-10
    began = time.process_time()
    states = [problem.x0] * (KNOTS + 1)
    solver.solve(states, problem.quasiStatic(states[:-1]), 100, False)
    return solver.cost, solver.iter, time.process_time() - began


def main() -> None:
    warnings.simplefilter("ignore")
    robot = rk.load("panda")
    with tempfile.TemporaryDirectory() as name:
        file = Path(name) / "panda.urdf"
        robot.save(file)
        model = pin.buildModelFromUrdf(str(file))
        data = model.createData()
        pin.forwardKinematics(model, data, Q)
        hand = robot.pose(Q, "hand")
        place = data.oMi[model.njoints - 1].actInv(hand[:3, 3])
        for contact in (False, True):
            print("contact at the hand" if contact else "free reach")
            for what, models in (
                ("ours", our_models(robot, contact)),
                ("Pinocchio", own_models(str(file), contact, place)),
            ):
                cost, iterations, seconds = solved(models)
                print(f"  {what:10} cost {cost:.10g}  iterations {iterations}  {seconds:.2f} s")


if __name__ == "__main__":
    sys.exit(main())
