"""The laws of a robot as code in files: C, Python and one WebAssembly module."""

from pathlib import Path
from typing import Any

from rikigaku.core.errors import NoPlace, RikigakuError
from rikigaku.core.files import write_whole
from rikigaku.export.wasm_module import wasm_module
from rikigaku.report.law_figures import law_names, shown_frame
from rikigaku.robot import Robot
from rikigaku.web.page_laws import draggable_frames, page_programs

_ENDINGS = {"c": "c", "python": "py"}


def write_code(robot: Robot, folder: Path) -> int:
    """Write the laws of the report as C and Python, and those of the page as laws.wasm; the number of files.

    Raises:
        NoPlace: if the folder cannot be made.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise NoPlace(f"The folder {str(folder)!r} cannot be made: {error.strerror}.") from error
    count = 0
    for name in law_names(robot):
        owner: Any = robot.reduced if name.startswith("reduced.") else robot
        law = getattr(owner, name.removeprefix("reduced."))
        options = {"frame": shown_frame(robot)} if "frame" in law.law.options else {}
        for language, ending in _ENDINGS.items():
            try:
                source = law.export(language, name=name.replace(".", "_"), **options)
            except RikigakuError:
                continue  # a law without a value at any state
            write_whole(folder / f"{name.replace('.', '_')}.{ending}", source.encode())
            count += 1
    if programs := page_programs(robot.bind(**robot.declared_values), draggable_frames(robot)):
        write_whole(folder / "laws.wasm", wasm_module(programs))
        count += 1
    return count
