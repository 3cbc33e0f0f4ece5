"""Pictures of robots. matplotlib is imported when a picture is drawn, not before."""

from rikigaku.plotting.picture import plot, save_plot
from rikigaku.plotting.posture import default_posture

__all__ = ["default_posture", "plot", "save_plot"]
