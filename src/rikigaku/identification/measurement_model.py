"""Linear model of measured joint torques: tau = W(q, v, a) theta.

theta: base parameters of the inertias, rotor inertias, viscous and Coulomb friction (regrouped exactly
[Gautier1990]); a constant offset of each joint, which is also the asymmetry of its Coulomb friction; rotor
inertia and friction of motors that move with several joints; the ten parameters of an unknown load.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np

from rikigaku.core.checked_calls import check_fields, checked_data
from rikigaku.core.errors import UnknownName, WrongValue
from rikigaku.core.types import Array
from rikigaku.core.validation import number
from rikigaku.identification.experiment import Experiment
from rikigaku.identification.streaming_qr import Indices
from rikigaku.laws.tree.regressor import JOINT_PARAMETER_NAMES, regressor_bodies
from rikigaku.model.evaluated_parameters import EvaluatedParameters
from rikigaku.model.inertial_parameters import PARAMETER_NAMES, Inertia
from rikigaku.model.mechanism import instantiate
from rikigaku.numbers.number_kind import FLOATS
from rikigaku.robot import Robot
from rikigaku.symbolic.base_parameters.base_parameter_set import BaseParameters
from rikigaku.symbolic.base_parameters.minimal_regressor_law import MinimalRegressor

_STATES = 40  # random ones, at which structural zeros are found


@checked_data
@dataclass(frozen=True)
class Motor:
    """A motor that moves with several joints: its angle is the sum of ratio * q, as in a coupled wrist.

    joints: {joint: ratio}. Its rotor inertia and friction are three parameters, referred to that sum.
    """

    name: str
    joints: Mapping[str, float]

    def __post_init__(self) -> None:
        check_fields(self)
        if not self.joints:
            raise WrongValue(f"Motor {self.name!r} moves with no joint: give joints={{'q5': 1, 'q6': 1}}.")
        for joint, ratio in self.joints.items():
            number(f"The ratio of motor {self.name!r} at joint {joint!r}", ratio)


@dataclass(frozen=True)
class MeasurementModel:
    """The columns of W and their names.

    carriers: experiments with a load to be identified.
    """

    robot: Robot
    regressor: MinimalRegressor
    offsets: bool
    motors: tuple[Motor, ...]
    carriers: tuple[Experiment, ...]

    @cached_property
    def loads(self) -> tuple[str, ...]:
        """Links with a load to be identified, one for each such experiment."""
        return tuple(x.unknown_load for x in self.carriers if x.unknown_load is not None)

    @property
    def base(self) -> BaseParameters:
        """Base parameters of the inertias, rotors and friction."""
        return self.regressor.parameters

    @cached_property
    def joints(self) -> tuple[str, ...]:
        """Names of the joints, one coordinate each."""
        return tuple(joint.name for joint in self.robot.joints)

    @cached_property
    def names(self) -> tuple[str, ...]:
        """Names of the parameters theta."""
        names = list(self.base.names)
        names += [f"offset of {joint}" for joint in self.joints] if self.offsets else []
        names += [f"{what} of {motor.name}" for motor in self.motors for what in JOINT_PARAMETER_NAMES]
        for k, link in enumerate(self.loads):
            which = f" {k + 1}" if len(self.loads) > 1 else ""
            names += [f"{what} of load{which} on {link}" for what in PARAMETER_NAMES]
        return tuple(names)

    @cached_property
    def places(self) -> tuple[Indices, ...]:
        """For each joint the columns that are not zero in its row at every state."""
        q, v, a = self.robot.random_state(5, size=_STATES)
        W = self.columns(q, v, a, None)
        W[:, :, W.shape[2] - 10 * len(self.loads) :] = 1.0  # loads may act on every joint
        return tuple(np.flatnonzero(W[:, j].any(axis=0)) for j in range(len(self.joints)))

    def columns(self, q: Array, v: Array, a: Array, load: int | None, mass_known: bool = False) -> Array:
        """W at these states, (states, joints, parameters).

        load: place in `loads` of the load that the robot carries; None: none of them.
        mass_known: the mass of that load is no parameter.
        """
        n, joints = len(q), len(self.joints)
        W = np.zeros((n, joints, len(self.names)))
        k = self.base.count
        W[:, :, :k] = self.regressor(q, v, a)
        if self.offsets:
            W[:, range(joints), range(k, k + joints)] = 1.0
            k += joints
        for motor in self.motors:
            ratios = np.array([motor.joints.get(joint, 0.0) for joint in self.joints])
            speed = v @ ratios
            for x in (a @ ratios, speed, np.sign(speed)):
                W[:, :, k] = x[:, None] * ratios
                k += 1
        if load is not None:
            k += 10 * load
            W[:, :, k : k + 10] = self.link_columns(q, v, a, self.loads[load])
            if mass_known:
                W[:, :, k] = 0.0
        return W

    def link_columns(self, q: Array, v: Array, a: Array, link: str) -> Array:
        """The ten columns of one link in the full regressor, (states, joints, 10)."""
        at = self._owners.index(link)
        Y: Array = np.asarray(self.robot.regressor(q, v, a))[:, :, 10 * at : 10 * at + 10]
        return Y

    def load_torque(self, q: Array, v: Array, a: Array, load: Mapping[str, Inertia | float]) -> Array:
        """Joint torques of known loads and known masses, (states, joints)."""
        total = np.zeros(q.shape)
        for link, x in load.items():
            ten = ten_parameters(x) if isinstance(x, Inertia) else np.append(x, np.zeros(9))
            total += self.link_columns(q, v, a, link) @ ten
        return total

    @cached_property
    def _owners(self) -> list[str]:
        mechanism = instantiate(self.robot, FLOATS, self.robot.declared_values)
        return [mechanism.bodies[i].name for i in regressor_bodies(mechanism)]

    def check_load(self, experiment: Experiment) -> None:
        """Raises UnknownName if the load is on no moving link."""
        load = experiment.load
        for link in () if load is None else (load,) if isinstance(load, str) else load:
            if link not in self._owners:
                raise UnknownName("moving link", link, self._owners, f"robot {self.robot.name!r}")


def ten_parameters(inertia: Inertia) -> Array:
    """m, msx ... Izz of an inertia, about the origin of its link [kg, kg m, kg m^2]."""
    return np.array([float(x) for x in EvaluatedParameters(FLOATS, {}).inertia(inertia).parameters()])


def measurement_model(
    robot: Robot,
    joint_parameters: Sequence[str],
    offsets: bool,
    motors: Sequence[Motor],
    experiments: Sequence[Experiment],
) -> MeasurementModel:
    """The model of a robot whose joints have one coordinate each.

    Raises:
        WrongValue: for robots with loops, gears, free bases or springs, which it does not describe.
    """
    several = [joint.name for joint in robot.joints if joint.nv != 1]
    springs = [
        joint.name for joint in robot.joints if not (joint.stiffness.is_number and not joint.stiffness)
    ]
    reasons = {
        "loops or gears": robot.loops or robot.couplings,
        f"joints of several coordinates ({', '.join(several)})": several,
        f"joint springs ({', '.join(springs)})": springs,
        "no joints": not robot.joints,
    }
    for text, holds in reasons.items():
        if holds:
            raise WrongValue(
                f"Robot {robot.name!r} has {text}. identify takes trees of joints with one coordinate each, "
                "without springs."
            )
    names = {joint.name for joint in robot.joints}
    for motor in motors:
        for joint in motor.joints:
            if joint not in names:
                raise UnknownName("joint", joint, names, f"robot {robot.name!r}")
    carriers = tuple(x for x in experiments if x.unknown_load is not None)
    model = MeasurementModel(
        robot, _regressor(robot, tuple(joint_parameters)), offsets, tuple(motors), carriers
    )
    for experiment in experiments:
        model.check_load(experiment)
    return model


@lru_cache(maxsize=8)
def _regressor(robot: Robot, joint_parameters: tuple[str, ...]) -> MinimalRegressor:
    """Kept for the next experiment with the same robot."""
    return robot.base_parameters(joint_parameters=joint_parameters).regressor
