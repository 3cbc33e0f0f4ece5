"""What inverse dynamics found: torques, forces through loops and inside links; as arrays and curves."""

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rikigaku.constraints.plan import coordinate_names
from rikigaku.errors import UnknownName
from rikigaku.fem.internal import InternalForces
from rikigaku.fem.layout import Layout
from rikigaku.fem.motion import Motion
from rikigaku.fem.phases import Impulse

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Result:
    """Of a motion: torques (samples, nv) [N m, N], passive joints zero.

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

    def torque(self, joint: str) -> Array:
        """The force of one joint over the motion."""
        if joint not in self.names:
            raise UnknownName("joint", joint, self.names, f"robot {self.layout.robot.name!r}")
        return self.torques[:, self.names.index(joint)]

    @property
    def power(self) -> Array:
        """Of all joints together [W], (samples,)."""
        return np.asarray((self.torques * self.motion.v).sum(axis=1))

    def plot(self, ax: Any = None, **options: Any) -> Any:
        """Torque curves of all joints over time; see `rikigaku.fem.pictures.plot_torques`."""
        from rikigaku.fem.pictures import plot_torques  # pictures are for those who look at them

        return plot_torques(self, ax, **options)

    def plot_internal(
        self, component: str = "bending", sample: int = 0, ax: Any = None, **options: Any
    ) -> Any:
        """The mechanism with a component of the internal forces drawn across its links, at one sample."""
        from rikigaku.fem.pictures import plot_internal

        return plot_internal(self, component, sample, ax, **options)

    def __repr__(self) -> str:
        largest = np.abs(self.torques).max(axis=0, initial=0.0)
        lines = [f"Inverse dynamics of {self.layout.robot.name!r}, {len(self.t)} samples to {self.t[-1]:g} s"]
        lines += [f"  {name}: up to {x:.4g}" for name, x in zip(self.names, largest, strict=True)]
        lines += [
            f"  {i.loop} closes at {i.t:g} s with a blow: {i.speed:.3g} m/s, {i.spin:.3g} rad/s, "
            f"{i.energy:.3g} J"
            for i in self.impulses
            if i.speed or i.spin
        ]
        return "\n".join(lines)
