"""Identification of a robot from measured motion: `rk.identify(robot, experiments)`."""

from collections.abc import Iterator, Mapping, Sequence
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
from rikigaku.identification.measurement_model import MeasurementModel, Motor, measurement_model
from rikigaku.identification.signal_filtering import FilteredMotion, default_cutoff, filtered
from rikigaku.identification.weighted_least_squares import Estimate, estimate
from rikigaku.laws.tree.regressor import JOINT_PARAMETER_NAMES
from rikigaku.robot import Robot

BLOCK = 1024  # samples after decimation that are in memory at a time
_BEFORE = 8192  # rows before decimation that are in memory at a time, at least
_CHECKED = 4000  # samples for the comparison of channels

Motions = list[tuple[Experiment, FilteredMotion]]


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
    gains: ArrayLike | Literal["identify"] | None = None,
    cutoff: float | None = None,
    rate: float | None = None,
    still: float = 0.02,
    loss: Literal["squares", "huber"] = "squares",
    consistent: bool = True,
    prior_weight: float = 1.0,
    check_signs: bool = True,
) -> Identification:
    """Parameters of a robot from measured motion, with standard errors, and the robot that has them.

    Weighted least squares of tau = W(q, v, a) theta over all experiments; then the physically consistent full
    parameters nearest to them. Bad data are reported before anything is fitted.

    Args:
        robot: a tree of joints with one coordinate each; its inertias are the prior of the full parameters.
        data: one Experiment or several, or a mapping with the arrays t, q, tau (and v).
        validation: experiments on which errors are reported; None: the last part of each experiment.
        held_out: that part, not used for the estimate; 0: all is used and no error is reported.
        joint_parameters: of "rotor", "viscous", "coulomb" those that are identified.
        offsets: identify a constant torque of each joint (asymmetric Coulomb friction, sensor offset).
        motors: motors that move with several joints (coupled wrists).
        gains: torque constants (joints,) [N m/A] that multiply tau; "identify": tau are currents, and the
            constants follow from an experiment with a known load and one without it.
        cutoff: of the zero-phase filter of positions [Hz]; None: ten times the bandwidth of the motions.
        rate: samples per second after decimation; None: four times the cut-off.
        still: a joint slower than this part of its largest speed is taken to be at rest, where Coulomb
            friction has no known value: these samples of this joint are left out.
        loss: "huber" weights outliers down.
        consistent: find physically consistent full parameters (needs the extra `identify`); else those
            nearest to the file's that have the estimated base parameters.
        prior_weight: weight of the divergence from the file's inertias; 1: one unit of divergence is worth
            two units of weighted squares.
        check_signs: refuse torques of swapped joints or with the wrong sign.
    Raises:
        BadMeasurements: with all problems of the data.
        WrongValue: for robots with loops, free bases or springs.
    """
    _check_options(robot, held_out, joint_parameters, cutoff, rate, prior_weight, still)
    choice("loss", loss, ("squares", "huber"))
    flag("offsets", offsets), flag("consistent", consistent), flag("check_signs", check_signs)
    experiments = as_experiments(data)
    others = [] if validation is None else as_experiments(validation)
    model = measurement_model(robot, joint_parameters, offsets, motors, experiments)
    for experiment in (*experiments, *others):
        check_channels(robot, experiment)
        model.check_load(experiment)
    for x in others:
        if x.unknown_load is not None:
            raise WrongValue(
                f"The load of the validation {x.name!r} is unknown: give load={{link: Inertia}}."
            )
    scale, unknown = _gains(model, gains)
    fc = max(map(default_cutoff, (*experiments, *others))) if cutoff is None else cutoff
    rest = still if "coulomb" in joint_parameters else 0.0
    motions: Motions = [(x, filtered(x, fc, rate, rest)) for x in experiments]
    cut = held_out if validation is None else 0.0
    used = [(x, motion.part(0.0, 1 - cut)) for x, motion in motions]
    if unknown:
        scale = identified_gains(model, used, _blocks)
    if check_signs:
        check_torques(model, list(_some(model, used, scale)))

    def blocks(backward: bool = False) -> Iterator[tuple[int, Array, Array]]:
        return _blocks(model, used, scale, backward)

    found = estimate(blocks, model.places, len(model.names), loss == "huber")
    if consistent:
        result, changed = consistent_parameters(model, found, prior_weight), prior_parameters(model)[1]
    else:
        result, changed = nearest_parameters(model, found), []
    if validation is None:
        tests = [(x, motion.part(1 - cut, 1.0)) for x, motion in motions] if cut else []
    else:
        tests = [(x, filtered(x, fc, rate, rest)) for x in others]
    held = tuple(_held_out(model, x, m, scale, found, result) for x, m in tests if m.count)
    notes = [
        f"{m.name}: positions low-passed at {m.cutoff:.3g} Hz, {m.count} samples at "
        f"{1 / (m.dt * m.step):.4g} Hz."
        for _, m in used
    ]
    notes.append(f"Standard errors: autoregressive noise, order {found.order}.")
    if changed:
        links = ", ".join(changed)
        notes.append(f"The file's inertias of {links} are impossible or thin; their prior was repaired.")
    return Identification(model, found, result.full, consistent, result.theta, held, scale, fc, tuple(notes))


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
    n = len(model.joints)
    if gains is None:
        return np.ones(n), False
    if isinstance(gains, str):
        choice("gains", gains, ("identify",))
        return np.ones(n), True
    x = np.asarray(gains, float)
    if x.shape != (n,) or not (np.isfinite(x).all() and (x != 0).all()):
        raise WrongValue(f"gains are {n} finite numbers other than zero, or 'identify'; {gains!r} was given.")
    return x, False


def _blocks(
    model: MeasurementModel, motions: Motions, scale: Array, backward: bool = False
) -> Iterator[tuple[int, Array, Array]]:
    """(experiment, W, tau) after decimation; torques of known loads are subtracted."""
    direction = -1 if backward else 1
    for k, (x, motion) in list(enumerate(motions))[::direction]:
        size = max(32, min(BLOCK, _BEFORE // motion.step))
        for first in range(0, motion.count, size)[::direction]:
            last = min(first + size, motion.count)
            rows = motion.inputs(first, last)
            state = motion.q[rows], motion.v[rows], motion.a[rows]
            load = model.carriers.index(x) if x.unknown_load is not None else None
            W = model.columns(*state, load, isinstance(x.load, Mapping))
            tau = motion.tau[rows] * scale
            if isinstance(x.load, Mapping):
                tau = tau - model.load_torque(*state, x.load)
            W, tau = (motion.decimated(x, last - first) for x in (W, tau))
            left_out = ~motion.moving[first:last]
            W[left_out] = tau[left_out] = 0.0
            yield k, W, tau


def _some(model: MeasurementModel, motions: Motions, scale: Array) -> Iterator[tuple[Array, Array]]:
    count = 0
    for _, W, y in _blocks(model, motions, scale):
        yield W, y
        count += len(W)
        if count >= _CHECKED:
            return


def _held_out(
    model: MeasurementModel,
    x: Experiment,
    motion: FilteredMotion,
    scale: Array,
    found: Estimate,
    result: ConsistentParameters,
) -> HeldOut:
    own = model.robot.parameters(joint_parameters=True)
    file = np.zeros(len(model.names))
    file[: model.base.count] = model.base.regrouping @ [own[name] for name in model.base.parameters]
    thetas = [np.where(found.observed, found.theta, 0.0), result.theta, file]
    measured, torques = [], [[], [], []]  # type: ignore[var-annotated]
    for _, W, y in _blocks(model, [(x, motion)], scale):
        measured.append(y)
        for some, theta in zip(torques, thetas, strict=True):
            some.append(W @ theta)
    t = motion.t[motion.half :: motion.step][: motion.count]
    all_of = [np.concatenate(some) for some in torques]
    return HeldOut(motion.name, t, motion.moving, np.concatenate(measured), *all_of)
