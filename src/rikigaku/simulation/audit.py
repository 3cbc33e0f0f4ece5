"""Where the energy of a motion went."""

from typing import NamedTuple


class Audit(NamedTuple):
    """Where the energy went [J]: kinetic + potential + dissipated - work stays what it was at the start.

    Attributes:
        start, end: kinetic and potential energy (springs of joints too) as given and at the end.
        work: done on the robot, positive where it gains energy: by its drives, the integral of tau . v, and
            by surfaces that move, of f . w with w the velocity of their material (a lift, a belt).
        dissipated: turned into heat, positive: friction of contacts, the integral of -f . (sliding velocity
            on the material), dry and viscous friction of joints, and what impacts take (with friction and
            Newton's restitution some give; a note says so).
        error: the largest deviation of that sum at any of the solution's times.
        relative: against the largest kinetic energy (against 1 J where nothing moves).
    """

    start: float
    end: float
    work: float
    dissipated: float
    error: float
    relative: float
