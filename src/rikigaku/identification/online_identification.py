"""Recursive least squares while the robot moves: the square-root information filter with forgetting.

The triangular factor of all samples so far is updated by orthogonal rotations with each new sample, as in
[Bierman1977]: no matrix is inverted and none loses its symmetry.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import linalg

from rikigaku.core.arrays import floats
from rikigaku.core.checked_calls import checked
from rikigaku.core.errors import BadMeasurements, WrongSize, WrongValue
from rikigaku.core.types import Array
from rikigaku.core.validation import number
from rikigaku.identification.measurement_model import measurement_model
from rikigaku.identification.model_elements import Element
from rikigaku.identification.streaming_qr import triangular
from rikigaku.laws.tree.regressor import JOINT_PARAMETER_NAMES
from rikigaku.robot import Robot


class OnlineIdentification:
    """Parameters of a robot, updated sample by sample.

    Attributes: `names`, `theta` and `standard_errors` (for white noise) of the parameters now; `samples`.
    """

    @checked
    def __init__(
        self,
        robot: Robot,
        *,
        noise: ArrayLike = 1.0,
        forgetting: float = 1.0,
        prior_error: float = 1.0,
        joint_parameters: Sequence[str] = JOINT_PARAMETER_NAMES,
        offsets: bool = True,
        elements: Sequence[Element] = (),
    ) -> None:
        """Start from the file's values.

        Args:
            noise: standard deviation of the torques [N m], a number or one for each row.
            forgetting: weight of a sample after the next one; 1: nothing is forgotten, 0.999 follows changes.
            prior_error: standard error of the file's values, relative to the largest of each kind.
            joint_parameters, offsets: as `identify` takes them. elements: motors and springs.
        """
        self.model = measurement_model(robot, joint_parameters, offsets, elements)
        self.forgetting = number("forgetting", forgetting, above=0, most=1)
        number("prior_error", prior_error, above=0)
        rows = len(self.model.rows)
        given = floats("noise", noise)
        if given.shape not in ((), (rows,)) or not (given > 0).all():
            raise WrongValue(f"noise takes a positive number, or {rows} of them; {noise!r} was given.")
        self.noise = np.broadcast_to(given, (rows,)).astype(float)
        own = robot.parameters(joint_parameters=True)
        start = np.zeros(len(self.model.names))
        start[: self.model.count] = self.model.regrouping @ [own[name] for name in self.model.parameters]
        size = prior_error * max(1e-3, float(np.abs(start).max()))
        self._factor: Array = np.column_stack([np.eye(len(start)), start]) / size
        self.samples = 0

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the parameters."""
        return self.model.names

    @checked
    def update(self, q: ArrayLike, v: ArrayLike, a: ArrayLike, tau: ArrayLike) -> NDArray[np.float64]:
        """Add one sample, or several in the order of time; returns the residuals before the update.

        q, v, a: of all joints; tau: of the measured ones.
        """
        e = self.model.equations
        sizes = (e.robot.nq, e.robot.nv, e.robot.nv, len(e.torques))
        arrays = [
            np.atleast_2d(floats(name, x))
            for name, x in zip(("q", "v", "a", "tau"), (q, v, a, tau), strict=True)
        ]
        for name, x, size in zip(("q", "v", "a", "tau"), arrays, sizes, strict=True):
            if x.ndim != 2 or x.shape[1] != size or len(x) != len(arrays[0]):
                raise WrongSize(f"{name} has shape {x.shape}; ({len(arrays[0])}, {size}) is expected.")
            if not np.isfinite(x).all():
                raise BadMeasurements([f"{name} of sample {self.samples} is NaN or infinite: leave it out"])
        W = self.model.columns(arrays[0], arrays[1], arrays[2], None)
        y = np.einsum("nij,nj->ni", e.channels(arrays[0]), arrays[3])
        springs = self.model.spring_torque(arrays[0])
        y = y if springs is None else y - springs
        residuals = np.empty_like(y)
        theta = self.theta
        for k in range(len(W)):
            residuals[k] = y[k] - W[k] @ theta
            new = np.column_stack([W[k], y[k]]) / self.noise[:, None]
            old = np.sqrt(self.forgetting) * self._factor
            self._factor = triangular(np.concatenate([old, new]))[: len(theta)]
            theta = self.theta
        self.samples += len(W)
        return residuals

    @property
    def theta(self) -> Array:
        """The estimate now."""
        return np.asarray(linalg.solve_triangular(self._factor[:, :-1], self._factor[:, -1]))

    @property
    def values(self) -> dict[str, float]:
        """The estimate by name."""
        return dict(zip(self.names, map(float, self.theta), strict=True))

    @property
    def standard_errors(self) -> dict[str, float]:
        """Standard errors for white noise of the given size."""
        inverse = linalg.solve_triangular(self._factor[:, :-1], np.eye(len(self._factor)))
        return dict(zip(self.names, map(float, np.linalg.norm(inverse, axis=1)), strict=True))
