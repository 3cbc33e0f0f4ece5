"""The command `rikigaku`."""

from rikigaku.cli.main import main

__all__ = ["main"]
