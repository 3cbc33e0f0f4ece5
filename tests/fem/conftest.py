"""Lets the tests of this folder import what stands beside it and the other engines' trees."""

import sys
from pathlib import Path

for folder in ("", "laws", "constraints", "fem"):
    sys.path.insert(0, str(Path(__file__).parent.parent / folder))
