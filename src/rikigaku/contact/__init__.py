"""Contact: surfaces that points of a robot touch, friction, modes and impacts."""

from rikigaku.contact.contact import Contact
from rikigaku.contact.friction import Friction, JointFriction
from rikigaku.contact.guide import Guide
from rikigaku.contact.stops import JointStop, joint_stops
from rikigaku.contact.surfaces import Cylinder, HeightField, Plane, Sphere, Surface, Torus
from rikigaku.contact.system import ContactSystem
from rikigaku.contact.time_stepping import Stepped, time_stepping

__all__ = [
    "Contact",
    "ContactSystem",
    "Cylinder",
    "Friction",
    "Guide",
    "HeightField",
    "JointFriction",
    "JointStop",
    "Plane",
    "Sphere",
    "Stepped",
    "Surface",
    "Torus",
    "joint_stops",
    "time_stepping",
]
