"""Rollouts of many worlds in native code, and sweeps over many items on many processes."""

from rikigaku.rollout.parameter_sweep import Sweep, sweep
from rikigaku.rollout.rollout_result import Rollout

__all__ = ["Rollout", "Sweep", "sweep"]
