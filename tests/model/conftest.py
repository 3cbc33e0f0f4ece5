"""The random robots of the tests stand one folder up."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))
