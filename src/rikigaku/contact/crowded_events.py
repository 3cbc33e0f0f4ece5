"""Events that follow one another at once: thresholds after which other rules select the contact mode."""

from collections import deque

# Events without progress of time after which the state a moment later decides, or an implicit step is taken.
_CROWD, _STALLED = 6, 24
# As many events within a time [s] after which contacts that creep slower than a speed [m/s] are at rest.
_CREEP_TIME, _CREEP_SPEED = 1e-5, 1e-5
# Relative excess over static friction of redundant contacts that stay at their limits beside sliding ones,
# and the same after as many events within a time [s].
_TIE, _TIE_TIME, _LONG_TIE = 1e-7, 1e-3, 1e-5


class CrowdedEvents:
    """The times of the last events.

    crowded: several events happened at one time: rounding decides which modes fit. stalled: so many that an
    implicit step must decide.
    """

    def __init__(self) -> None:
        self._times: deque[float] = deque(maxlen=_STALLED)
        self.crowded = self.stalled = False

    def add(self, t: float) -> None:
        """Add an event at t [s]."""
        self._times.append(t)
        count = sum(t - before <= max(1e-10, 1e-15 * abs(t)) for before in self._times)
        self.crowded, self.stalled = count >= _CROWD, count == _STALLED

    def creep_speed(self, t: float) -> float:
        """Speed [m/s] below which sliding contacts are at rest, where many events follow one another.

        Friction of a foot that creeps follows velocities that change their directions within nanoseconds, and
        the forces of its redundant contacts reach one limit after the other. Its energy is dissipated.
        """
        many = len(self._times) == _STALLED and t - self._times[0] < _CREEP_TIME
        return _CREEP_SPEED if many else 0.0

    def tie(self, t: float) -> float:
        """Relative excess over static friction at which redundant contacts slip that stay at their limits.

        The layers of a sliding stack with equal friction stick at exactly their limits. Their forces follow
        the directions of slow sliding, which have the integration's error.
        """
        many = len(self._times) == _STALLED and t - self._times[0] < _TIE_TIME
        return _LONG_TIE if many else _TIE
