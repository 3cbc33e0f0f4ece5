"""Identification of inertial parameters, friction, rotor inertias and loads from measured motion."""

from rikigaku.identification.experiment import Experiment, read_experiment
from rikigaku.identification.fourier_excitation import Excitation, excitation
from rikigaku.identification.identification_record import Identification
from rikigaku.identification.measurement_model import Motor
from rikigaku.identification.parameter_identification import identify

__all__ = ["Excitation", "Experiment", "Identification", "Motor", "excitation", "identify", "read_experiment"]
