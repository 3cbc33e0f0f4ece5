"""Lets the tests of this folder import what stands beside it."""

import sys
from pathlib import Path

for folder in (Path(__file__).parent.parent, Path(__file__).parent.parent / "laws"):
    sys.path.insert(0, str(folder))
