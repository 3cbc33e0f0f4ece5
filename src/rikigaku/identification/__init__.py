"""Identification of inertial parameters, friction, rotor inertias and loads from measured motion."""

from rikigaku.identification.experiment import Experiment, read_experiment
from rikigaku.identification.fourier_excitation import Excitation, excitation
from rikigaku.identification.identification_record import Identification
from rikigaku.identification.model_elements import Motor, Spring
from rikigaku.identification.online_identification import OnlineIdentification
from rikigaku.identification.parameter_identification import identify

__all__ = [
    "Excitation",
    "Experiment",
    "Identification",
    "Motor",
    "OnlineIdentification",
    "Spring",
    "excitation",
    "identify",
    "read_experiment",
]
