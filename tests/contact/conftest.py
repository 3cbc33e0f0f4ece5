"""Lets the tests of this folder import what stands beside it."""

import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent
for folder in (Path(__file__).parent, ROOT, ROOT / "laws", ROOT / "constraints"):
    sys.path.insert(0, str(folder))
