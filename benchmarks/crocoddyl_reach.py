"""Crocoddyl's FDDP on our action model, beside its own Pinocchio model.

A Panda reaches a point, with and without a contact at its hand; Solo12 moves its trunk on four feet.
Run in an environment with `crocoddyl`, which is no requirement: `pip install crocoddyl==3.2.1 pin==4.0.0`
(the wheel of Crocoddyl 3.2.1 ends with a segmentation fault beside Pinocchio 4.1).

    python benchmarks/crocoddyl_reach.py
"""

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
from rikigaku.bridges.crocoddyl_models import DifferentialActionModel, EulerActionModel

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


def shooting(models: tuple[Any, Any], x0: np.ndarray) -> Any:
    running, last = (
        crocoddyl.IntegratedActionModelEuler(model, step)
        for model, step in zip(models, (DT, 0.0), strict=True)
    )
    problem = crocoddyl.ShootingProblem(x0, [running] * KNOTS, last)
    problem.nthreads = 1
    return problem


def solved(problem: Any, u0: np.ndarray) -> tuple[Any, float]:
    """The solver after its work, and seconds of processor time of a second solution."""
    states = [problem.x0] * (KNOTS + 1)
    for _ in range(2):  # the first compiles ours
        solver = crocoddyl.SolverFDDP(problem)
        solver.th_stop = 1e-10
        began = time.process_time()
        solver.solve(states, [u0] * KNOTS, 100, False)
    return solver, time.process_time() - began


def compared(what: str, ours: Any, theirs: Any, u0: np.ndarray) -> None:
    """Prints cost, iterations and time of both, and the cost of our solution by their model."""
    print(what)
    found = []
    for name, problem in (("ours", ours), ("Pinocchio", theirs)):
        solver, seconds = solved(problem, u0)
        found.append(solver)
        print(f"  {name:10} cost {solver.cost:.10g}  iterations {solver.iter}  {seconds:.3f} s")
    controls = list(found[0].us)
    cost = theirs.calc(theirs.rollout(controls), controls)
    print(f"  our controls on Pinocchio's model: cost {cost:.10g}")


def panda(contact: bool, folder: Path) -> tuple[Any, Any, np.ndarray]:
    """Both problems, and the torques they start from."""
    robot, file = rk.load("panda"), folder / "panda.urdf"
    robot.save(file)
    model = pin.buildModelFromUrdf(str(file))
    data = model.createData()
    pin.forwardKinematics(model, data, Q)
    place = data.oMi[model.njoints - 1].actInv(robot.pose(Q, "hand")[:3, 3])
    x0 = np.concatenate([Q, np.zeros(7)])
    ours = shooting(our_models(robot, contact), x0)
    theirs = shooting(own_models(str(file), contact, place), x0)
    return ours, theirs, np.asarray(robot.gravity_forces(Q))


FEET = ("FL_FOOT", "FR_FOOT", "HL_FOOT", "HR_FOOT")


def solo() -> tuple[Any, Any, np.ndarray]:
    """Solo12 on four feet: its trunk moves 3 cm forward, 2 cm to the left and 4 cm down."""
    root = Path(crocoddyl.__file__).parents[4] / "share" / "example-robot-data" / "robots"
    file = root / "solo_description" / "robots" / "solo12.urdf"
    robot = rk.load(file, free_base=True)
    legs = np.array([0, 0.7, -1.4, 0, 0.7, -1.4, 0, -0.7, 1.4, 0, -0.7, 1.4])
    trunk = np.array([0, 0, 0.25])
    target = trunk + np.array([0.03, 0.02, -0.04])
    base = robot.links[0].name

    def our_model(weight: float, dt: float) -> Any:
        x0 = np.concatenate([trunk, [1, 0, 0, 0], legs, np.zeros(18)])  # quaternion w x y z
        cost = QuadraticCost(x0, 0.1, 0.0, 1e-3, base, target, weight)
        return EulerActionModel(robot, cost, dt, FEET)

    model = pin.buildModelFromUrdf(str(file), pin.JointModelFreeFlyer())
    state = crocoddyl.StateMultibody(model)
    actuation = crocoddyl.ActuationModelFloatingBase(state)
    _kept.extend((model, state, actuation))
    start = np.concatenate([trunk, [0, 0, 0, 1], legs, np.zeros(18)])  # quaternion x y z w

    def own_model(weight: float) -> Any:
        costs, contacts = crocoddyl.CostModelSum(state, 12), crocoddyl.ContactModelMultiple(state, 12)
        _kept.extend((costs, contacts))
        reach = crocoddyl.ResidualModelFrameTranslation(state, model.getFrameId("root_joint"), target, 12)
        costs.addCost("reach", crocoddyl.CostModelResidual(state, reach), weight)
        x = crocoddyl.ResidualModelState(state, start, 12)
        costs.addCost("x", crocoddyl.CostModelResidual(state, x), 0.1)
        u = crocoddyl.ResidualModelControl(state, 12)
        costs.addCost("u", crocoddyl.CostModelResidual(state, u), 1e-3)
        axes = pin.ReferenceFrame.LOCAL_WORLD_ALIGNED
        for foot in FEET:
            frame = model.getFrameId(foot)
            contacts.addContact(
                foot, crocoddyl.ContactModel3D(state, frame, np.zeros(3), axes, 12, np.zeros(2))
            )
        return crocoddyl.DifferentialActionModelContactFwdDynamics(
            state, actuation, contacts, costs, 0.0, True
        )

    running, last = our_model(1.0, DT), our_model(1000.0, 0.0)
    ours = crocoddyl.ShootingProblem(running.model.cost.x_ref, [running] * KNOTS, last)
    theirs = shooting((own_model(1.0), own_model(1000.0)), start)
    balanced = theirs.quasiStatic([start] * KNOTS)  # kept until its first element is copied
    return ours, theirs, np.array(balanced[0])


def main() -> None:
    warnings.simplefilter("ignore")
    with tempfile.TemporaryDirectory() as name:
        compared("Panda, free reach", *panda(False, Path(name)))
        compared("Panda, contact at the hand", *panda(True, Path(name)))
    compared("Solo12 on four feet", *solo())


if __name__ == "__main__":
    main()
