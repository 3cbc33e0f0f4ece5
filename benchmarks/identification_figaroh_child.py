"""FIGAROH's regressor, elimination, base parameters and least squares; run by a Python that has FIGAROH.

Arguments: URDF, .npz with q, v, a, tau of the fit and of the judged motion. Prints errors.
"""

import importlib
import json
import sys
import warnings
from types import SimpleNamespace
from typing import Any

import numpy as np
import pinocchio as pin

warnings.simplefilter("ignore")


def main(urdf: str, data: str) -> None:
    """Print the errors as JSON."""
    # FIGAROH is installed in another environment.
    names_of = importlib.import_module
    bases, regressors = names_of("figaroh.tools.qrdecomposition"), names_of("figaroh.tools.regressor")
    model = pin.buildModelFromUrdf(urdf)
    robot = SimpleNamespace(model=model, data=model.createData())
    options = {
        "has_friction": True,
        "has_actuator_inertia": True,
        "has_joint_offset": True,
        "is_joint_torques": True,
        "act_idxv": list(range(model.nv)),
    }
    x = np.load(data)

    def regressor(kind: str) -> Any:
        return regressors.build_regressor_basic(robot, *(x[f"{kind}_{name}"] for name in "qva"), options)

    W = regressor("fit")
    names = {str(k): 0.0 for k in range(W.shape[1])}
    idle, left = regressors.get_index_eliminate(W, names, 1e-6)
    W = regressors.build_regressor_reduced(W, idle)
    base = bases.get_baseIndex(W, left)
    tau = x["fit_tau"].T.ravel()  # joint after joint, as FIGAROH stacks them
    theta = np.linalg.lstsq(bases.build_baseRegressor(W, base), tau, rcond=None)[0]
    judged = bases.build_baseRegressor(regressors.build_regressor_reduced(regressor("judge"), idle), base)
    predicted = (judged @ theta).reshape(model.nv, -1).T
    moving = x["judge_moving"]
    error = np.where(moving, x["judge_tau"] - predicted, 0.0)
    whole = np.where(moving, x["judge_tau"], 0.0)
    print(json.dumps(list(np.sqrt(np.mean(error**2, axis=0) / np.mean(whole**2, axis=0)))))


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2])
