"""Linear model of measured joint torques: tau = W(q, v, a) theta.

theta: base parameters of the inertias, rotor inertias, viscous and Coulomb friction (regrouped exactly
[Gautier1990]); a constant offset of each torque, which is also the asymmetry of Coulomb friction; parameters
of motors of several joints, springs and Stribeck friction; the ten parameters of an unknown load.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache

import numpy as np
from numpy.typing import NDArray

from rikigaku.binding.bound_law import BoundLaw
from rikigaku.core.errors import UnknownName, WrongValue
from rikigaku.core.types import Array
from rikigaku.identification.experiment import Experiment
from rikigaku.identification.measured_equations import MeasuredEquations, difference
from rikigaku.identification.model_elements import Element, Stribeck
from rikigaku.identification.packed_rows import Indices, RowLayout
from rikigaku.identification.streaming_qr import independent_columns
from rikigaku.laws.tree.regressor import JOINT_PARAMETER_NAMES, regressor_bodies
from rikigaku.model.evaluated_parameters import EvaluatedParameters
from rikigaku.model.inertial_parameters import PARAMETER_NAMES, Inertia
from rikigaku.model.mechanism import instantiate
from rikigaku.numbers.number_kind import FLOATS
from rikigaku.robot import Robot
from rikigaku.symbolic.base_parameters.base_parameter_set import BaseParameters
from rikigaku.symbolic.base_parameters.minimal_regressor_law import MinimalRegressor


@dataclass(frozen=True)
class MeasurementModel:
    """The columns of W and their names.

    carriers: experiments with a load to be identified.
    """

    robot: Robot
    equations: MeasuredEquations
    regressor: MinimalRegressor
    offsets: bool
    elements: tuple[Element, ...]
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
    def _kept(self) -> list[int]:
        """Base parameters that are identified: a free base has no friction and no rotors."""
        if not self.equations.floating:
            return list(range(self.base.count))
        K = self.base.regrouping
        free = self._of_base
        others = [k for k in range(K.shape[1]) if k not in free]
        return [i for i in range(len(K)) if np.abs(K[i, others]).max() > 0]

    @cached_property
    def _of_base(self) -> set[int]:
        """Places of the joint parameters of a free base among the full parameters."""
        if not self.equations.floating:
            return set()
        base = self.equations.coordinates[0].split("[")[0]
        names = enumerate(self.base.parameters)
        return {k for k, name in names if name.split(" of ", 1)[1].startswith(f"{base}[")}

    @cached_property
    def parameters(self) -> tuple[str, ...]:
        """Names of the full parameters: ten of each body, then those of the joints."""
        return tuple(name for k, name in enumerate(self.base.parameters) if k not in self._of_base)

    @cached_property
    def regrouping(self) -> Array:
        """K with the base parameters of theta = K @ full parameters."""
        own = [k for k in range(len(self.base.parameters)) if k not in self._of_base]
        return np.asarray(self.base.regrouping[np.ix_(self._kept, own)])

    @property
    def count(self) -> int:
        """Number of base parameters in theta; they come first."""
        return len(self._kept)

    @property
    def rows(self) -> tuple[str, ...]:
        """Names of the equations."""
        return self.equations.final_rows

    @cached_property
    def names(self) -> tuple[str, ...]:
        """Names of the parameters theta."""
        names = [self.base.names[k] for k in self._kept]
        names += [f"offset of {joint}" for joint in self.equations.torques] if self.offsets else []
        names += [name for element in self.elements for name in element.parameters]
        for k, link in enumerate(self.loads):
            which = f" {k + 1}" if len(self.loads) > 1 else ""
            names += [f"{what} of load{which} on {link}" for what in PARAMETER_NAMES]
        return tuple(names)

    @cached_property
    def not_negative(self) -> list[int]:
        """Places, in (full parameters, rest of theta), of what cannot be negative, without the inertias."""
        bodies = sum(name.startswith("m of ") for name in self.parameters)
        signs = [False] * (len(self.equations.torques) if self.offsets else 0)
        signs += [sign for element in self.elements for sign in element.not_negative]
        first = len(self.parameters)
        return [*range(10 * bodies, first), *(first + k for k, sign in enumerate(signs) if sign)]

    @cached_property
    def layout(self) -> RowLayout:
        """Packed rows of W and the right-hand side."""
        return RowLayout(self._places, len(self.names))

    @cached_property
    def _places(self) -> tuple[Indices, ...]:
        """For each equation the columns that are not zero at every state."""
        if self.equations.contact_rows:
            return tuple(np.arange(len(self.names)) for _ in self.rows)
        if self._simple:
            own = [np.append(place, self.count + j) for j, place in enumerate(self._base_places)]
            return tuple(own) if self.offsets else self._base_places
        W = self.columns(*self.equations.closed_states(), None)
        W[:, :, W.shape[2] - 10 * len(self.loads) :] = 1.0  # loads may act on every joint
        start = self.count + (len(self.equations.torques) if self.offsets else 0)
        for element in self.elements:  # a Stribeck column may be zero before its amplitude is known
            size = len(element.parameters)
            if isinstance(element, Stribeck):
                used = W[:, :, start].any(axis=0)
                W[:, used, start + 1] = 1.0
            start += size
        return tuple(np.flatnonzero(W[:, j].any(axis=0)) for j in range(len(self.rows)))

    @cached_property
    def separable(self) -> NDArray[np.bool_]:
        """Parameters that some motion separates from the others, as many as possible.

        Mass, rotor inertia and offset of a vertical prismatic joint are three parameters of two columns.
        """
        W = self.columns(*self.equations.closed_states(), None)
        return independent_columns(W.reshape(-1, W.shape[2]))

    @property
    def _simple(self) -> bool:
        """Whether W has the base parameters' columns and offsets of a tree on the ground, nothing else."""
        return self._is_tree and not self.elements and not self.carriers

    @property
    def _is_tree(self) -> bool:
        return not self.equations.closed and not self.equations.floating

    @cached_property
    def _base_places(self) -> tuple[Indices, ...]:
        """Of a tree, for each joint the base parameters that act on it."""
        acts = self.regressor.structure(*self.equations.closed_states())
        return tuple(np.flatnonzero(row) for row in acts)

    @cached_property
    def _packed_regressor(self) -> BoundLaw:
        """Packed rows of a tree: base parameters, 1 for the offset, and 0 in place of the torque."""
        constants = (1.0, 0.0) if self.offsets else (0.0,)
        return self.regressor.packed(tuple(tuple(map(int, x)) for x in self._base_places), constants)

    def packed_rows(
        self, q: Array, v: Array, a: Array, y: Array, load: int | None, mass_known: bool = False
    ) -> Array:
        """Packed rows [W, y] at these states, (states, layout.size); load, mass_known: as of `columns`."""
        if not self._simple:
            return self.layout.packed(self.columns(q, v, a, load, mass_known), y)
        values = np.asarray(self._packed_regressor(q, v, a))
        values[:, self.layout.right_sides] = y
        return values

    @cached_property
    def _base_layout(self) -> RowLayout:
        """Packed rows of the base parameters of a tree, and of offsets if there are any."""
        ends = [np.append(place, self.count + j) for j, place in enumerate(self._base_places)]
        return RowLayout(tuple(ends) if self.offsets else self._base_places, self.count + len(ends))

    def columns(self, q: Array, v: Array, a: Array, load: int | None, mass_known: bool = False) -> Array:
        """W at these states, (states, rows, parameters).

        load: place in `loads` of the load that the robot carries; None: none of them.
        mass_known: the mass of that load is no parameter.
        """
        W = self.equations.solved(q, self._reduced(q, v, a, load, mass_known))
        self._add_offsets(q, W)
        return W

    def momentum_columns(
        self, q: Array, v: Array, dt: float, load: int | None, mass_known: bool = False
    ) -> Array:
        """W along consecutive states at steps dt without accelerations: d/dt (M v) - (dM/dt) v + h.

        Each term is linear in theta. dM/dt v is a central difference along the motion.
        """
        e = self.equations
        zero = np.zeros_like(v)

        def momentum(at: Array) -> Array:
            return self._reduced(at, zero, e.acceleration(at, v), load, mass_known) - self._reduced(
                at, zero, zero, load, mass_known
            )

        W = difference(momentum(q), dt)
        W -= (momentum(e.moved(q, v, 1.0)) - momentum(e.moved(q, v, -1.0))) / (2 * e.step)
        W += self._reduced(q, v, e.bias(q, v), load, mass_known)
        W = e.solved(q, W)
        self._add_offsets(q, W)
        return W

    def _reduced(self, q: Array, v: Array, a: Array, load: int | None, mass_known: bool) -> Array:
        """Columns before the equations are solved for torques; without offsets."""
        e, k = self.equations, self.count
        rows = len(e.rows)
        W = np.zeros((len(q), rows, len(self.names)))
        if self._is_tree:
            at, joints, columns = self._base_layout.entries
            own = columns < k
            W[:, joints[own], columns[own]] = np.asarray(self._packed_regressor(q, v, a))[:, at[own]]
        else:
            whole = np.asarray(self.regressor(q, v, a))
            W[:, :, :k] = whole[:, :rows] if k == self.base.count else whole[:, :rows, self._kept]
        k += len(e.torques) if self.offsets else 0
        for element in self.elements:
            size = len(element.parameters)
            W[:, :, k : k + size] = e.reduced(q, element.columns(self.robot, q, v, a))
            k += size
        if load is not None:
            k += 10 * load
            W[:, :, k : k + 10] = self._link_columns(q, v, a, self.loads[load])
            if mass_known:
                W[:, :, k] = 0.0
        return W

    def _add_offsets(self, q: Array, W: Array) -> None:
        if self.offsets and self.equations.torques:
            W[:, :, self.count : self.count + len(self.equations.torques)] = self.equations.channels(q)

    def _link_columns(self, q: Array, v: Array, a: Array, link: str) -> Array:
        """The ten columns of one link, before the equations are solved for torques, (states, rows, 10)."""
        at = self._owners.index(link)
        tree = self.robot.tree if self.equations.closed else self.robot
        Y = np.asarray(tree.regressor(q, v, a))[:, :, 10 * at : 10 * at + 10]
        return self.equations.reduced(q, Y)

    def load_torque(self, q: Array, v: Array, a: Array, load: Mapping[str, Inertia | float]) -> Array:
        """Torques of known loads and known masses, (states, rows)."""
        total = np.zeros((len(q), len(self.equations.rows)))
        for link, x in load.items():
            ten = ten_parameters(x) if isinstance(x, Inertia) else np.append(x, np.zeros(9))
            total += self.equations.solved(q, self._link_columns(q, v, a, link)) @ ten
        return total

    def spring_torque(self, q: Array) -> Array | None:
        """Torques of the springs that the robot's file gives to its joints, (states, rows); None: none."""
        own = {name for element in self.elements for name in element.parameters}
        forces = np.zeros((len(q), self.robot.nv, 1))
        values = EvaluatedParameters(FLOATS, self.robot.declared_values)
        for joint in self.robot.joints:
            if joint.nv == 1 and f"stiffness of {joint.name}" not in own:
                k, rest = (float(values.value(x)) for x in (joint.stiffness, joint.rest))
                if k:
                    forces[:, self.robot.v_slices[joint.name].start, 0] = k * (
                        q[:, self.robot.q_slices[joint.name].start] - rest
                    )
        if not forces.any():
            return None
        return self.equations.solved(q, self.equations.reduced(q, forces))[:, :, 0]

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
    joint_parameters: Sequence[str] = JOINT_PARAMETER_NAMES,
    offsets: bool = True,
    elements: Sequence[Element] = (),
    experiments: Sequence[Experiment] = (),
) -> MeasurementModel:
    """The model of a tree, a closed robot, or a robot on a free base.

    Raises:
        WrongValue: for robots that it does not describe.
    """
    measured = {bool(x.tau.shape[1]) for x in experiments} or {True}
    if len(measured) > 1:
        raise WrongValue("Torques are measured in all experiments, or in none of them.")
    equations = MeasuredEquations(robot, measured.pop())
    equations.check_robot()
    if any(x.contacts for x in experiments):
        equations = replace(equations, contact_rows=_contact_rows(equations, experiments))
    if not equations.torques_measured and not equations.floating:
        raise WrongValue(f"Robot {robot.name!r} has no free base: torques must be measured.")
    for element in elements:
        element.check(robot)
    carriers = tuple(x for x in experiments if x.unknown_load is not None)
    regressor = _regressor(robot, tuple(joint_parameters) if equations.torques_measured else ())
    model = MeasurementModel(robot, equations, regressor, offsets, tuple(elements), carriers)
    for experiment in experiments:
        model.check_load(experiment)
    return model


def _contact_rows(equations: MeasuredEquations, experiments: Sequence[Experiment]) -> int:
    """Most equations without contact forces at a time, over all sets of contacts that occur."""
    counts = []
    for x in experiments:
        equations.check_sizes(x)
        if not isinstance(x.contacts, Mapping) or not x.contacts:
            counts.append(equations.robot.nv)
            continue
        patterns = np.unique(np.stack([np.asarray(c) for c in x.contacts.values()], axis=1), axis=0)
        for pattern in patterns:
            frames = [frame for frame, touching in zip(x.contacts, pattern, strict=True) if touching]
            counts.append(equations.free_row_count(x.q[0], frames))
    return max(counts)


@lru_cache(maxsize=8)
def _regressor(robot: Robot, joint_parameters: tuple[str, ...]) -> MinimalRegressor:
    """Kept for the next experiment with the same robot."""
    return robot.base_parameters(joint_parameters=joint_parameters).regressor
