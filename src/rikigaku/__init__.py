"""rikigaku (力学): the mechanics of robots from one description; exact formulas, native speed."""

from rikigaku import methods as _methods  # noqa: F401 - gives Robot what it can do
from rikigaku.bound import set_threads
from rikigaku.errors import RikigakuError
from rikigaku.loading import load
from rikigaku.model.robot import Frame, Link, Robot

__version__ = "0.1.0"

__all__ = ["Frame", "Link", "RikigakuError", "Robot", "__version__", "load", "set_threads"]
