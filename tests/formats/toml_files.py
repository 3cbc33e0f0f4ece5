"""Robot files for tests of their reader and writer, and the schema they are held against."""

import json
from importlib.resources import files

import jsonschema

SCHEMA = json.loads((files("rikigaku.formats.toml") / "robot.schema.json").read_text())
VALIDATOR = jsonschema.Draft202012Validator(SCHEMA)

ROSAM = """\
schema = 1                # the first lines of a file are kept too
name = "rosam"
gravity = [0, 0, 0]

[symbols]
L = { value = 0.4, unit = "m" }   # the length
k = 2.50

# The first link.
[[link]]
name = "l11"
joint = { name = "theta11", type = "revolute", limits = { lower = "-170*deg", upper = "170*deg" } }
dh = { alpha = 0, a = 0, theta = "q + pi/2", d = 0 }  # turned
inertia = { about = "origin", m = "m11", ms = ["msx", 0, 0], I = [1, 0, 0, 1.0, 0, 1] }

[[link]]
name = "l21"
parent = "l11"
# a slide
joint = { name = "d21", type = "prismatic", friction = { viscous = 0.10 } }
dh = { alpha = "pi/2", d = "q - 0.2" }

[[frame]]
name = "hand"
link = "l21"
dh = { a = "2*L" }

[[loop]]
name = "cut"
joint = "revolute"
from = { link = "l21", dh = { a = "L" } }
to = { link = "base" }
independent = ["theta11"]   # one will do
"""
HEAD = 'schema = 1\nname = "r"\n'
LINK = HEAD + '[[link]]\nname = "a"\njoint = { type = "revolute" }\n'
DH_LINK = LINK + 'dh = { theta = "q" }\n'
LOOP = DH_LINK + '[[loop]]\nname = "l"\njoint = "spherical"\nfrom = { link = "a" }\nto = { link = "base" }\n'
