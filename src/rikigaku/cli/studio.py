"""`rikigaku studio`: edit and analyse robots in a browser, with a local server behind it."""

import argparse
import webbrowser
from pathlib import Path
from typing import Any

from rikigaku import library
from rikigaku.core.errors import NoFile, RikigakuError, WrongValue


def add_to(commands: Any) -> None:
    """Add the command to the parser."""
    parser = commands.add_parser(
        "studio",
        help="edit and analyse robots in a browser",
        description="Start a local server and open its page. Stop it with Ctrl-C.",
    )
    parser.add_argument(
        "file", nargs="?", metavar="FILE", help="a robot file, or the name of a shipped robot"
    )
    parser.add_argument(
        "--workspace", type=Path, metavar="DIR", help="folder of robot files (that of FILE, else the current)"
    )
    parser.add_argument("--port", type=int, default=0, help="port of the server (default: any free one)")
    parser.add_argument(
        "--host",
        default="127.0.0.1",
        help="interface to listen on; others than loopback let other machines in",
    )
    parser.add_argument("--no-browser", action="store_true", help="print the address only")
    parser.add_argument("--language", choices=("en", "ja"), default="en", help="language of the page")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Serve until interrupted."""
    try:
        from rikigaku.studio.server import StudioServer
    except ImportError as error:
        raise RikigakuError(
            f"The studio needs the package {error.name}: pip install 'rikigaku[studio]'."
        ) from error
    from rikigaku.studio.workspace import Workspace

    if not 0 <= options.port <= 65535:
        raise WrongValue(f"A port is a number from 0 to 65535; {options.port} was given.")
    shipped = options.file in library.NAMES
    file = Path(options.file) if options.file and not shipped else None
    if file is not None and not file.is_file():
        raise NoFile(f"There is no file {str(file)!r}, and no shipped robot of that name (rikigaku list).")
    workspace = Workspace(options.workspace or (file.resolve().parent if file else Path.cwd()))
    start = options.file if shipped else ""
    if file is not None:
        try:
            start = workspace.name(file.resolve())
        except ValueError:
            raise WrongValue(f"{str(file)!r} lies outside the workspace {str(workspace.folder)!r}.") from None
    server = StudioServer(workspace, options.host, options.port, options.language, start)

    def ready() -> None:
        print(
            f"rikigaku studio: {server.address}\nworkspace: {workspace.folder}\nCtrl-C ends it.", flush=True
        )
        if not options.no_browser:
            webbrowser.open(server.address)

    server.serve(ready)
    return 0
