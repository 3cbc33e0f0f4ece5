"""The command line: words in, exit code out. Errors are one sentence on stderr, never a traceback."""

import argparse
import os
import sys
from collections.abc import Sequence

import rikigaku
from rikigaku.cli import analyze, check, convert, listing, picture, show
from rikigaku.errors import RikigakuError

PROBLEMS, FAILED, INTERRUPTED = 1, 2, 130
COMMANDS = (analyze, listing, show, picture, check, convert)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; 0 is success, 1 problems found by `check`, 2 an error."""
    options = _parser().parse_args(arguments)
    try:
        code: int = options.run(options)
        sys.stdout.flush()  # a closed pipe shows itself here, not when the interpreter ends
        return code
    except RikigakuError as error:
        print(f"rikigaku: {error}", file=sys.stderr)
        return FAILED
    except BrokenPipeError:  # `rikigaku list | head`: the reader has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except KeyboardInterrupt:
        print("\nrikigaku: interrupted.", file=sys.stderr)
        return INTERRUPTED


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="rikigaku",
        description="Robot mechanics: one description of a robot, exact formulas, native speed.",
        epilog="ROBOT is a shipped robot (rikigaku list) or a .robot.toml, .urdf, .xml (MJCF) or .sdf file.",
    )
    parser.add_argument("--version", action="version", version=f"rikigaku {rikigaku.__version__}")
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)
    for module in COMMANDS:
        module.add_to(commands)
    return parser
