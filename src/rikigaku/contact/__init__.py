"""Contact: surfaces, friction, guides, joint limits, contact modes and impacts."""

from rikigaku.contact.compound_shapes import shape_contacts
from rikigaku.contact.contact_point import Contact
from rikigaku.contact.contact_system import ContactSystem
from rikigaku.contact.friction_law import Friction, JointFriction
from rikigaku.contact.guide import Guide
from rikigaku.contact.joint_stop import JointStop, joint_stops
from rikigaku.contact.surfaces import Cylinder, HeightField, HeightGrid, Plane, Sphere, Surface, Torus
from rikigaku.contact.uniform_body import free_body
from rikigaku.laws.contact.contact_shapes import Ball, Box, Capsule, Rim, SolidCylinder, Vertex

__all__ = [
    "Ball",
    "Box",
    "Capsule",
    "Contact",
    "ContactSystem",
    "Cylinder",
    "Friction",
    "Guide",
    "HeightField",
    "HeightGrid",
    "JointFriction",
    "JointStop",
    "Plane",
    "Rim",
    "SolidCylinder",
    "Sphere",
    "Surface",
    "Torus",
    "Vertex",
    "free_body",
    "joint_stops",
    "shape_contacts",
]
