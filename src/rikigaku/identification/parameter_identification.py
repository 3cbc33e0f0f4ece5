"""Identification of a robot from measured motion: `rk.identify(robot, experiments)`."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from rikigaku.core.checked_calls import checked
from rikigaku.core.errors import MissingValue, UnknownName, WrongValue
from rikigaku.core.types import Array
from rikigaku.core.validation import choice, flag, number
from rikigaku.identification.consistent_inertias import (
    ConsistentParameters,
    consistent_parameters,
    nearest_parameters,
    prior_parameters,
)
from rikigaku.identification.drive_gains import identified_gains
from rikigaku.identification.experiment import Experiment, as_experiments
from rikigaku.identification.identification_record import HeldOut, Identification
from rikigaku.identification.measurement_check import check_channels, check_torques
from rikigaku.identification.measurement_model import MeasurementModel, measurement_model
from rikigaku.identification.model_elements import JointSpring, Motor, Spring
from rikigaku.identification.regression_blocks import Regression
from rikigaku.identification.signal_filtering import FilteredMotion, default_cutoff, filtered
from rikigaku.identification.stribeck_fit import with_stribeck
from rikigaku.identification.weighted_least_squares import Estimate, estimate
from rikigaku.laws.tree.regressor import JOINT_PARAMETER_NAMES
from rikigaku.robot import Robot

_CHECKED = 4000  # samples for the comparison of channels
_POOR = 1000.0  # condition number of a motion that excites too little


@checked
def identify(
    robot: Robot,
    data: Experiment | Sequence[Experiment] | Mapping[str, ArrayLike],
    validation: Experiment | Sequence[Experiment] | Mapping[str, ArrayLike] | None = None,
    *,
    held_out: float = 0.25,
    joint_parameters: Sequence[str] = JOINT_PARAMETER_NAMES,
    offsets: bool = True,
    motors: Sequence[Motor] = (),
    springs: Sequence[Spring | str] = (),
    stribeck: Sequence[str] | bool = False,
    gains: ArrayLike | Literal["identify"] | None = None,
    cutoff: float | None = None,
    rate: float | None = None,
    still: float = 0.02,
    form: Literal["acceleration", "momentum"] = "acceleration",
    loss: Literal["squares", "huber"] = "squares",
    consistent: bool = True,
    prior_weight: float = 1.0,
    check_signs: bool = True,
) -> Identification:
    """Parameters of a robot from measured motion, with standard errors, and the robot that has them.

    Weighted least squares of tau = W(q, v, a) theta over all experiments; then the physically consistent full
    parameters nearest to them. Bad data are reported before anything is fitted.

    Args:
        robot: a tree of joints with one coordinate each, on the ground or on a free base, or a closed robot;
            its inertias are the prior of the full parameters.
        data: one Experiment or several, or a mapping with the arrays t, q, tau (and v).
        validation: experiments on which errors are reported; None: the last part of each experiment.
        held_out: that part, not used for the estimate; 0: all is used and no error is reported.
        joint_parameters: of "rotor", "viscous", "coulomb" those that are identified.
        offsets: identify a constant torque of each joint (asymmetric Coulomb friction, sensor offset).
        motors: motors that move with several joints (coupled wrists).
        springs: names of joints with a spring; `Spring` objects between frames (gravity compensators).
        stribeck: joints with Stribeck friction, fitted with their Stribeck speeds; True: all of them.
        gains: torque constants (joints,) [N m/A] that multiply tau; "identify": tau are currents, and the
            constants follow from an experiment with a known load and one without it.
        cutoff: of the zero-phase filter of positions [Hz]; None: ten times the bandwidth of the data.
        rate: samples per second after decimation; None: four times the cut-off.
        still: a joint slower than this part of its largest speed is taken to be at rest, where Coulomb
            friction has no known value: these samples of this joint are left out.
        form: "momentum" differentiates the momentum's columns in place of the velocities: no acceleration.
        loss: "huber" weights outliers down.
        consistent: find physically consistent full parameters (needs the extra `identify`); else those
            nearest to the file's that have the estimated base parameters.
        prior_weight: weight of the divergence from the file's inertias; 1: one unit of divergence is worth
            two units of weighted squares.
        check_signs: refuse torques of swapped joints or with the wrong sign.
    Raises:
        BadMeasurements: with all problems of the data.
        WrongValue: for robots with joints of several coordinates that are not measured.
    """
    _check_options(robot, held_out, joint_parameters, cutoff, rate, prior_weight, still)
    choice("loss", loss, ("squares", "huber"))
    flag("offsets", offsets), flag("consistent", consistent), flag("check_signs", check_signs)
    experiments = as_experiments(data)
    others = [] if validation is None else as_experiments(validation)
    elements = [*motors, *(JointSpring(x) if isinstance(x, str) else x for x in springs)]
    model = measurement_model(robot, joint_parameters, offsets, elements, experiments)
    for experiment in (*experiments, *others):
        check_channels(model.equations, experiment)
        model.check_load(experiment)
    for x in others:
        if x.unknown_load is not None:
            raise WrongValue(
                f"The load of the validation {x.name!r} is unknown: give load={{link: Inertia}}."
            )
    fc = max(map(default_cutoff, experiments)) if cutoff is None else cutoff
    rest = still if "coulomb" in joint_parameters else 0.0

    def motion(x: Experiment) -> FilteredMotion:
        return filtered(x, fc, rate, rest, model.equations)

    motions = [(x, motion(x)) for x in experiments]
    cut = held_out if validation is None else 0.0
    used = tuple((x, m.part(0.0, 1 - cut)) for x, m in motions)
    scale, unknown = _gains(model, gains)
    regression = Regression(model, used, scale, form)
    if unknown:
        regression = replace(regression, scale=identified_gains(regression))
    if check_signs and model.equations.direct:
        check_torques(model, list(regression.some(_CHECKED)))
    if stribeck:
        chosen = model.equations.torques if stribeck is True else tuple(stribeck)
        model = with_stribeck(regression, chosen)
        regression = regression.of(model)
    found = estimate(regression, model.layout, loss == "huber")
    if consistent:
        result, changed = consistent_parameters(model, found, prior_weight), prior_parameters(model)[1]
    else:
        result, changed = nearest_parameters(model, found), []
    if validation is None:
        tests = [(x, m.part(1 - cut, 1.0)) for x, m in motions] if cut else []
    else:
        tests = [(x, motion(x)) for x in others]
    held = tuple(_held_out(regression, x, m, found, result) for x, m in tests if m.count)
    notes = [
        f"{m.name}: positions low-passed at {m.cutoff:.3g} Hz, {m.count} samples at "
        f"{1 / (m.dt * m.step):.4g} Hz."
        for _, m in used
    ]
    notes.append(f"Standard errors: autoregressive noise, order {found.order}.")
    seen, most = (int(np.count_nonzero(x)) for x in (found.observed, model.separable))
    if found.condition > _POOR or (seen < most and not model.equations.contact_rows):
        notes.append(
            f"This motion determines {seen} of {most} parameters that a motion can separate, with condition "
            f"number {found.condition:.3g}. Record longer, or move as rk.excitation proposes."
        )
    if changed:
        links = ", ".join(changed)
        notes.append(f"The file's inertias of {links} are impossible or thin; their prior was repaired.")
    commanded = [replace(x, q=x.reference, v=None) for x in experiments if x.reference is not None]
    instruments = tuple((x, motion(x).part(0.0, 1 - cut)) for x in commanded)
    return Identification(
        model, found, result.full, consistent, result.theta, held, regression, instruments, fc, tuple(notes)
    )


def _check_options(
    robot: Robot, held_out: float, joint_parameters: Sequence[str], cutoff: float | None,
    rate: float | None, prior_weight: float, still: float,
) -> None:  # fmt: skip
    if not isinstance(robot, Robot):
        raise WrongValue(f"identify takes a Robot first; {type(robot).__name__} was given.")
    missing = [name for name in robot.free_symbols if name not in robot.declared_values]
    if missing:
        raise MissingValue(
            f"Robot {robot.name!r} has symbols without values: {', '.join(missing)}. Use bind."
        )
    number("held_out", held_out, least=0, most=0.9)
    number("still", still, least=0, most=0.5)
    number("prior_weight", prior_weight, above=0)
    for what, x in (("cutoff [Hz]", cutoff), ("rate [1/s]", rate)):
        if x is not None:
            number(what, x, above=0)
    for name in joint_parameters:
        if name not in JOINT_PARAMETER_NAMES:
            raise UnknownName("joint parameter", name, JOINT_PARAMETER_NAMES, "identify")


def _gains(model: MeasurementModel, gains: ArrayLike | str | None) -> tuple[Array, bool]:
    n = len(model.equations.torques)
    if gains is None:
        return np.ones(n), False
    if isinstance(gains, str):
        choice("gains", gains, ("identify",))
        return np.ones(n), True
    x = np.asarray(gains, float)
    if x.shape != (n,) or not (np.isfinite(x).all() and (x != 0).all()):
        raise WrongValue(f"gains are {n} finite numbers other than zero, or 'identify'; {gains!r} was given.")
    return x, False


def _held_out(
    regression: Regression,
    x: Experiment,
    motion: FilteredMotion,
    found: Estimate,
    result: ConsistentParameters,
) -> HeldOut:
    model = regression.model
    own = model.robot.parameters(joint_parameters=True)
    file = np.zeros(len(model.names))
    file[: model.count] = model.regrouping @ [own[name] for name in model.parameters]
    thetas = [np.where(found.observed, found.theta, 0.0), result.theta, file]
    measured, torques = [], [[], [], []]  # type: ignore[var-annotated]
    for _, W, y in replace(regression, motions=((x, motion),))():
        measured.append(y)
        for some, theta in zip(torques, thetas, strict=True):
            some.append(W @ theta)
    t = motion.t[motion.half :: motion.step][: motion.count]
    all_of = [np.concatenate(some) for some in torques]
    return HeldOut(motion.name, t, motion.moving, np.concatenate(measured), *all_of)
