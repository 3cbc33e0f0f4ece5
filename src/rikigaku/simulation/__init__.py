"""Motion in time."""

from rikigaku.simulation.closed import Motion, closed_motion, onto_loops

__all__ = ["Motion", "closed_motion", "onto_loops"]
