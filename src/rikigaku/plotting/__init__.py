"""Pictures of robots. matplotlib is imported when a picture is drawn, not before."""

from rikigaku.plotting.configuration_pictures import save_configurations
from rikigaku.plotting.display_configuration import default_configuration
from rikigaku.plotting.robot_picture import plot, save_plot

__all__ = ["default_configuration", "plot", "save_configurations", "save_plot"]
