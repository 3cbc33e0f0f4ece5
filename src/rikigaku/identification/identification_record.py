"""Result of an identification: parameters with standard errors, errors on held-out motion, the robot."""

import json
from dataclasses import dataclass, field
from functools import cached_property
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rikigaku.core.arrays import sized
from rikigaku.core.checked_calls import checked
from rikigaku.core.errors import WrongValue
from rikigaku.core.files import write_whole
from rikigaku.core.types import Array
from rikigaku.core.validation import number
from rikigaku.identification.estimate_tests import (
    EssentialParameters,
    InstrumentalEstimate,
    essential_parameters,
    instrumental_estimate,
    residual_samples,
)
from rikigaku.identification.experiment import Experiment
from rikigaku.identification.identified_robot import identified_robot
from rikigaku.identification.measurement_model import MeasurementModel
from rikigaku.identification.model_elements import Stribeck
from rikigaku.identification.regression_blocks import Regression
from rikigaku.identification.signal_filtering import FilteredMotion
from rikigaku.identification.weighted_least_squares import Estimate
from rikigaku.robot import Robot
from rikigaku.symbolic.base_parameters.base_parameter_set import BaseParameters

_MOST_RESIDUALS = 20_000


@dataclass(frozen=True)
class HeldOut:
    """Motion that was not used for the estimate: times, measured and predicted torques after decimation.

    moving: whether a joint moves at a sample; where it rests, torques are left out (0).
    """

    name: str
    t: Array
    moving: NDArray[np.bool_]
    measured: Array
    predicted: Array
    consistent: Array | None
    file: Array


@dataclass(frozen=True, repr=False, eq=False)
class Identification:
    """What was identified.

    Attributes:
        model: the measurement model: names and columns.
        estimate: values, covariance, information and noise of the unconstrained least squares.
        full: physically consistent parameters of all links and joints by name; of `consistent=False` those
            nearest to the file's that have the identified base parameters.
        consistent: whether `full` is physically consistent.
        theta_consistent: the model's parameters that follow from `full`.
        held_out: measured and predicted torques of motion that was not used.
        regression: the samples that were used.
        instruments: experiments with commanded positions, and their motions.
        cutoff: of the filter of positions [Hz].
        notes: what was done to the data, in words.
    """

    model: MeasurementModel
    estimate: Estimate
    full: dict[str, float]
    consistent: bool
    theta_consistent: Array
    held_out: tuple[HeldOut, ...]
    regression: Regression
    instruments: tuple[tuple[Experiment, FilteredMotion], ...]
    cutoff: float
    notes: tuple[str, ...] = field(default=())

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the parameters: base parameters, offsets, motors, loads."""
        return self.model.names

    @property
    def base(self) -> BaseParameters:
        """The base parameters, each with its regrouping: `base.formulas`."""
        return self.model.base

    @property
    def gains(self) -> Array:
        """Torque constants of the joints [N m/A], 1 where torques were measured."""
        return self.regression.scale

    @cached_property
    def values(self) -> dict[str, float]:
        """The estimates by name; NaN for those in `unobserved`."""
        values = dict(zip(self.names, map(float, self.estimate.theta), strict=True))
        for x in self.model.elements:
            if isinstance(x, Stribeck):  # theta has the change from the speed of the linearisation
                values[x.parameters[1]] += x.speed
        return values

    @cached_property
    def standard_errors(self) -> dict[str, float]:
        """Standard errors by name; they hold for noise that is correlated over time and between joints."""
        errors = np.sqrt(np.diag(self.estimate.covariance))
        return dict(zip(self.names, map(float, errors), strict=True))

    @cached_property
    def unobserved(self) -> dict[str, str]:
        """Parameters that the data do not determine, each with the reason."""
        reasons = dict.fromkeys(self.base.unimportant, "it has no effect on the joint torques")
        into: dict[str, list[str]] = {}
        for name, terms in self.base.formulas.items():
            for other in list(terms)[1:]:
                into.setdefault(other, []).append(name)
        for name, groups in into.items():
            if name not in self.base.found.kept:
                reasons[name] = f"it acts only in sums: {', '.join(groups)}"
        most = np.count_nonzero(self.model.separable)
        none = np.count_nonzero(self.estimate.observed) >= most
        which = "no motion separates" if none else "this motion does not separate"
        for name, seen in zip(self.names, self.estimate.observed, strict=True):
            if not seen:
                reasons[name] = f"{which} it from the other parameters"
            elif abs(self.values[name]) < 2 * self.standard_errors[name]:
                reasons[name] = (
                    f"it is not distinguished from zero: {self.values[name]:.3g} with a standard error of "
                    f"{self.standard_errors[name]:.2g}"
                )
        return reasons

    @cached_property
    def torque_error(self) -> Array:
        """Relative torque error of each joint on held-out motion: rms(measured - predicted)/rms(measured).

        Measured torques are low-pass filtered as the regressor is; samples where a joint rests are left out.
        Of the unconstrained base parameters.
        """
        return _relative(self.held_out, [x.predicted for x in self.held_out])

    @cached_property
    def torque_error_consistent(self) -> Array:
        """The same of the physically consistent parameters."""
        return _relative(self.held_out, [np.asarray(x.consistent) for x in self.held_out])

    @cached_property
    def torque_error_file(self) -> Array:
        """The same of the parameters in the robot's file, before identification."""
        return _relative(self.held_out, [x.file for x in self.held_out])

    @cached_property
    def robot(self) -> Robot:
        """The robot with the identified inertias, rotor inertias and friction of its joints.

        A link holds the inertia of all links fixed to it. Offsets, loads and motors of several joints are in
        `values`: a robot's description does not have them.
        """
        return identified_robot(self.model.robot, self.full)

    @checked
    def predict(self, q: ArrayLike, v: ArrayLike, a: ArrayLike) -> NDArray[np.float64]:
        """Torques of the unconstrained estimate, offsets included, without loads: (..., rows).

        q, v, a: of all joints of the tree; of closed robots they satisfy the loops.
        """
        e = self.model.equations
        sizes = (e.robot.nq, e.robot.nv, e.robot.nv)
        states = [sized(name, x, n) for name, x, n in zip("qva", (q, v, a), sizes, strict=True)]
        batch = np.broadcast_shapes(*(x.shape[:-1] for x in states))
        flat = [np.broadcast_to(x, (*batch, x.shape[-1])).reshape(-1, x.shape[-1]) for x in states]
        W = self.model.columns(flat[0], flat[1], flat[2], None)
        tau = W @ np.where(self.estimate.observed, self.estimate.theta, 0.0)
        springs = self.model.spring_torque(flat[0])
        tau = tau if springs is None else tau + springs
        return np.asarray(tau.reshape(*batch, len(self.model.rows)))

    @cached_property
    def instrumental(self) -> InstrumentalEstimate:
        """Estimate with the commanded motion as instruments, unbiased by noise of the positions.

        Needs `Experiment(..., reference=...)`.
        """
        if len(self.instruments) != len(self.regression.motions):
            raise WrongValue(
                "Instruments are commanded positions: give Experiment(..., reference=q_commanded)."
            )
        others = self.regression.instruments(self.instruments)
        return instrumental_estimate(self.regression, others, self.estimate)

    @checked
    def essential(self, level: float = 0.05) -> EssentialParameters:
        """The parameters that matter: the others are together not distinguished from zero (Wald test).

        level: of the test; smaller removes more.
        """
        number("level", level, above=0, most=0.5)
        return essential_parameters(self.names, self.estimate, level)

    @cached_property
    def residuals(self) -> Array:
        """Measured minus fitted torques, (samples, rows), at most 20 000; NaN where a joint rests."""
        return residual_samples(self.regression, self.estimate.theta, self.estimate.observed, _MOST_RESIDUALS)

    @checked
    def report(self, path: str | PathLike[str]) -> Path:
        """Write an HTML page: verdict, torques on held-out motion, residuals, parameters."""
        from rikigaku.identification.identification_report import identification_report

        place = Path(path)
        write_whole(place, identification_report(self).encode())
        return place

    @checked
    def save(self, path: str | PathLike[str]) -> Path:
        """Write values, standard errors, covariance, gains and errors as JSON."""
        held = {"least_squares": self.torque_error, "consistent": self.torque_error_consistent}
        document = {
            "robot": self.model.robot.name,
            "parameters": [
                {"name": name, "value": _finite(self.values[name]), "standard_error": _finite(error)}
                for name, error in self.standard_errors.items()
            ],
            "covariance": [[_finite(x) for x in row] for row in self.estimate.covariance],
            "full": self.full,
            "unobserved": self.unobserved,
            "gains": list(map(float, self.gains)),
            "rows": list(self.model.rows),
            "noise": list(map(float, self.estimate.noise)),
            "held_out_error": {name: list(map(float, x)) for name, x in held.items()},
            "condition": self.estimate.condition,
            "notes": list(self.notes),
        }
        place = Path(path)
        write_whole(place, json.dumps(document, indent=1, allow_nan=False).encode())
        return place

    def plot(self) -> Any:
        """Measured, predicted and residual torques of held-out motion, one axes for each joint.

        Returns matplotlib's figure.
        """
        from matplotlib import pyplot

        def shown(x: HeldOut, y: Array) -> Array:
            return np.where(x.moving, y, np.nan)

        joints = self.model.rows
        figure, rows = pyplot.subplots(
            len(joints), 1, sharex=True, squeeze=False, figsize=(8, 1.5 * len(joints) + 0.8)
        )
        for j, ax in enumerate(rows[:, 0]):
            for k, x in enumerate(self.held_out):
                words = ("measured", "predicted", "difference") if k == 0 else (None, None, None)
                ax.plot(x.t, shown(x, x.measured)[:, j], color="0.6", linewidth=1.6, label=words[0])
                ax.plot(x.t, shown(x, x.predicted)[:, j], color="C0", linewidth=0.9, label=words[1])
                error = shown(x, x.measured - x.predicted)[:, j]
                ax.plot(x.t, error, color="C3", linewidth=0.7, label=words[2])
            ax.set_title(f"{joints[j]}: {100 * self.torque_error[j]:.1f} %", fontsize="small", loc="left")
            ax.set_ylabel("[N m, N]", fontsize="small")
        rows[0, 0].legend(fontsize="x-small", loc="upper right", ncols=3)
        rows[-1, 0].set_xlabel("time [s]")
        figure.tight_layout()
        return figure

    def __repr__(self) -> str:
        seen = int(self.estimate.observed.sum())
        lines = [
            f"Identification of {self.model.robot.name!r}: {seen} of {len(self.names)} parameters from "
            f"{self.estimate.rows} equations, condition number {self.estimate.condition:.3g}.",
            f"  {'parameter':<40} {'value':>11} {'std. error':>11}",
        ]
        for name in self.names:
            value, error = self.values[name], self.standard_errors[name]
            lines.append(f"  {name:<40} {value:>11.4g} {error:>11.2g}")
        if self.held_out:
            joints = ", ".join(self.model.rows)
            lines.append(f"Relative torque error on held-out motion, in percent ({joints}):")
            lines.append(f"  least squares {_percent(self.torque_error)}")
            kind = "consistent   " if self.consistent else "nearest to file"
            lines.append(f"  {kind} {_percent(self.torque_error_consistent)}")
            lines.append(f"  file          {_percent(self.torque_error_file)}")
        return "\n".join([*lines, *self.notes])


def _finite(x: float) -> float | None:
    return float(x) if np.isfinite(x) else None


def _percent(x: Array) -> str:
    return " ".join(f"{100 * y:6.2f}" for y in x)


def _relative(held_out: tuple[HeldOut, ...], predicted: list[Array]) -> Array:
    if not held_out:
        return np.zeros(0)
    measured = np.concatenate([x.measured for x in held_out])
    left = measured - np.concatenate(predicted)
    errors: Array = np.sqrt(np.mean(left**2, axis=0) / np.mean(measured**2, axis=0))
    return errors
