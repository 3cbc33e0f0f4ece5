"""Lets the tests of this folder import what stands beside it."""

import sys
from pathlib import Path

tests = Path(__file__).parent.parent
for folder in (tests, tests / "laws", tests / "constraints"):
    sys.path.insert(0, str(folder))
