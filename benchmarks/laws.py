"""The laws that are measured: inputs, and the shape of the dense result.

Axes of an answer: "v" runs over the degrees of freedom, "p" over the inertial parameters (ten a moving
body, in the order m, msx, msy, msz, Ixx, Ixy, Ixz, Iyy, Iyz, Izz), a number is just that many entries.
"""

from dataclasses import dataclass


@dataclass(frozen=True)
class Law:
    """A law by the name it has on a robot, with its inputs and the axes of its result for one state."""

    name: str
    inputs: tuple[str, ...]
    axes: tuple[str | int, ...]

    def shape(self, nv: int, bodies: int) -> tuple[int, ...]:
        """Shape of the result for one state."""
        sizes = {"v": nv, "p": 10 * bodies}
        return tuple(axis if isinstance(axis, int) else sizes[axis] for axis in self.axes)


LAWS = {
    law.name: law
    for law in (
        Law("inverse_dynamics", ("q", "v", "a"), ("v",)),
        Law("mass_matrix", ("q",), ("v", "v")),
        Law("forward_dynamics", ("q", "v", "tau"), ("v",)),
        Law("jacobian", ("q",), (6, "v")),
        # Three blocks: with respect to q (in the tangent), v, and a or tau.
        Law("inverse_dynamics_derivative", ("q", "v", "a"), (3, "v", "v")),
        Law("forward_dynamics_derivative", ("q", "v", "tau"), (3, "v", "v")),
        Law("regressor", ("q", "v", "a"), ("v", "p")),
    )
}
