"""What inverse dynamics found: torques, forces through loops and inside links; as arrays and curves."""

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from rikigaku.constraints.plan import coordinate_names
from rikigaku.errors import UnknownName
from rikigaku.fem import curves, pictures
from rikigaku.fem.internal import InternalForces
from rikigaku.fem.joints import driven, units
from rikigaku.fem.layout import Layout
from rikigaku.fem.motion import Motion
from rikigaku.fem.phases import Impulse

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Result:
    """Of a motion: torques (samples, nv), [N m] of hinges and [N] of slides; passive joints have none (0).

    cut_forces: {loop: (samples, 6)}, force and moment from the start link on the end link, world axes.
    internal_forces: along the links; impulses: blows at closing loops.
    """

    motion: Motion
    torques: Array
    cut_forces: dict[str, Array]
    forces: Callable[[], InternalForces] = field(repr=False)
    impulses: tuple[Impulse, ...]
    layout: Layout

    @cached_property
    def internal_forces(self) -> InternalForces:
        """Along the links; computed when they are first asked for."""
        return self.forces()

    @property
    def t(self) -> Array:
        """Times [s]."""
        return self.motion.t

    @property
    def names(self) -> tuple[str, ...]:
        """Of the columns of torques."""
        return coordinate_names(self.layout.robot)

    @property
    def units(self) -> tuple[str, ...]:
        """Of the columns of torques: "N m" or "N"."""
        return units(self.layout.robot)

    def torque(self, joint: str) -> Array:
        """The torque [N m] or force [N] of one joint over the motion, (samples,)."""
        if joint not in self.names:
            raise UnknownName("joint", joint, self.names, f"robot {self.layout.robot.name!r}")
        return self.torques[:, self.names.index(joint)]

    @property
    def power(self) -> Array:
        """Of all joints together [W], (samples,)."""
        return np.asarray((self.torques * self.motion.v).sum(axis=1))

    plot = curves.plot_torques
    plot_internal = pictures.plot_internal

    def __repr__(self) -> str:
        largest = np.abs(self.torques).max(axis=0, initial=0.0)
        lines = [f"Inverse dynamics of {self.layout.robot.name!r}, {len(self.t)} samples to {self.t[-1]:g} s"]
        motors = np.flatnonzero(driven(self.layout.robot))
        lines += [f"  {self.names[k]}: up to {largest[k]:.4g} {self.units[k]}" for k in motors]
        passive = [name for k, name in enumerate(self.names) if k not in motors]
        lines += [f"  passive: {', '.join(passive)}"] if passive else []
        lines += [
            f"  {i.loop} closes at {i.t:g} s with a blow: {i.speed:.3g} m/s, {i.spin:.3g} rad/s, "
            f"{i.energy:.3g} J"
            for i in self.impulses
            if i.speed or i.spin
        ]
        return "\n".join(lines)
