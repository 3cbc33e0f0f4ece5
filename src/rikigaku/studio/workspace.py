"""Files of the studio, confined to one folder: robot files, uploads, and unsaved work to recover."""

import contextlib
import json
import math
import re
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path, PurePath, PurePosixPath

from rikigaku.core.errors import NoFile, NoPlace, RikigakuError, TooLarge, WrongValue
from rikigaku.core.files import write_whole
from rikigaku.core.input_files import read_input
from rikigaku.core.input_limits import FILE_BYTES, NAME_CHARACTERS
from rikigaku.core.value_text import short
from rikigaku.formats.toml.toml_text import decoded
from rikigaku.studio.json_records import decoded as decoded_record

UPLOAD_BYTES = FILE_BYTES
ROBOT_ENDINGS = (".toml", ".urdf", ".xml", ".mjcf", ".sdf", ".par", ".json")
_MESH_ENDINGS = (".stl", ".obj", ".dae")
_RECOVERY = ".rikigaku-studio"
_NO_FILE = "{} is no file of the workspace. Give a path within it; no name in it begins with a dot."
_SESSION = re.compile(r"[A-Za-z0-9_-]{8,64}")
_DEEPEST, _MOST_FILES, _MOST_WORK = 3, 500, 200
_KEPT_SECONDS = 180 * 86_400  # of unsaved work that nobody has opened


@dataclass(frozen=True)
class UnsavedWork:
    """A document that was not saved; base: text of its file when it was opened or saved last."""

    session: str
    text: str
    base: str
    file: str
    changed: float
    name: str = ""  # of the robot


class Workspace:
    """A folder; every path is resolved, links too, and must lie within it."""

    def __init__(self, folder: Path) -> None:
        if not folder.is_dir():
            raise NoPlace(f"The workspace {str(folder)!r} is no folder. Make it, or name another one.")
        self.folder = folder.resolve()

    def path(self, name: str) -> Path:
        """The file of that name.

        Raises:
            WrongValue: if it lies outside the workspace, or no file can have this name.
        """
        parts = PurePosixPath(name.replace("\\", "/"))
        odd = not name.strip() or "\0" in name or len(name) > 500 or parts.is_absolute()
        if odd or _hidden(parts) or re.match(r"[A-Za-z]:", name):
            raise WrongValue(_NO_FILE.format(short(name)))
        try:
            found = (self.folder / parts).resolve()
            inside = found.relative_to(self.folder)
        except (ValueError, OSError, RuntimeError):  # outside, or links that lead in a circle
            raise WrongValue(f"{short(name)} lies outside the workspace {str(self.folder)!r}.") from None
        if _hidden(inside):  # a link leads there
            raise WrongValue(_NO_FILE.format(short(name)))
        return found

    def name(self, path: Path) -> str:
        """The path within the workspace, for messages and pages."""
        return path.relative_to(self.folder).as_posix()

    def robots(self) -> list[tuple[str, float]]:
        """Robot files and when they were changed, newest first."""
        found = []
        for path in self._files(self.folder, _DEEPEST):
            if path.suffix.lower() in ROBOT_ENDINGS and not path.name.endswith(".loops.toml"):
                found.append((self.name(path), path.stat().st_mtime))
            if len(found) >= _MOST_FILES:
                break
        return sorted(found, key=lambda one: -one[1])

    def _files(self, folder: Path, depth: int) -> Iterator[Path]:
        for path in sorted(folder.iterdir()):
            if path.name.startswith(".") or path.is_symlink():
                continue
            if path.is_file():
                yield path
            elif path.is_dir() and depth > 1:
                yield from self._files(path, depth - 1)

    def read(self, name: str) -> str:
        """The text of a robot file."""
        path = self.path(name)
        if not path.is_file():
            raise NoFile(f"The workspace has no file {short(name)}.")
        return decoded(read_input(path), path.name)

    def write(self, name: str, content: bytes) -> Path:
        """Replace a file in one step; folders of its path are made."""
        path = self.path(name)
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise NoPlace(f"{short(name)} cannot be written: {error.strerror}.") from None
        write_whole(path, content)
        return path

    def free_name(self, name: str) -> str:
        """The name itself, or with a number where there is such a file."""
        path = self.path(name)
        stem, ending = _split(path.name)
        folder = path.parent
        k = 2
        while path.exists():
            path = folder / f"{stem}-{k}{ending}"
            k += 1
        return self.name(path)

    def upload_name(self, name: str) -> str:
        """A free name for an uploaded file.

        Raises:
            WrongValue: if the studio reads no files of that ending.
        """
        name = re.split(r"[\\/]", name)[-1]
        ending = Path(name).suffix.lower()
        known = (*ROBOT_ENDINGS, *_MESH_ENDINGS)
        if ending not in known:
            raise WrongValue(f"{short(name)} ends with none of {', '.join(known)}, which the studio reads.")
        plain = re.sub(r"[^\w.+-]", "_", name).lstrip(".")
        if len(plain) > NAME_CHARACTERS:
            raise WrongValue(f"The name of the file has {len(plain)} characters; at most {NAME_CHARACTERS}.")
        return self.free_name(plain)

    # -- unsaved work -------------------------------------------------------------------------------

    def keep(self, work: UnsavedWork) -> None:
        """Write unsaved work, so that a page or a server that ends loses nothing."""
        write_whole(self._recovery_file(work.session, make=True), json.dumps(asdict(work)).encode())

    def forget(self, session: str) -> None:
        """Remove unsaved work."""
        self._recovery_file(session).unlink(missing_ok=True)

    def unsaved(self, session: str) -> UnsavedWork | None:
        """The unsaved work of a session; None if there is none that can be read."""
        try:
            data = json.loads(read_input(self._recovery_file(session), 4 * FILE_BYTES))
            if isinstance(data, dict):
                data.pop("configuration", None)  # of earlier versions; the text has it now
            work = decoded_record(UnsavedWork, data)
        except (RikigakuError, ValueError, RecursionError):
            return None
        return work if work.session == session and math.isfinite(work.changed) else None

    def all_unsaved(self) -> list[UnsavedWork]:
        """The newest unsaved work of all sessions, newest first."""
        newest = self._recovery_files()[:_MOST_WORK]
        found = [work for _, file in newest if (work := self.unsaved(file.stem)) is not None]
        return sorted(found, key=lambda work: -work.changed)

    def expire(self, now: float) -> None:
        """Remove unsaved work that has not changed for half a year, and what is beyond the newest."""
        for place, (changed, file) in enumerate(self._recovery_files()):
            if place >= _MOST_WORK or changed < now - _KEPT_SECONDS:
                with contextlib.suppress(OSError):  # removed meanwhile, or of another user
                    file.unlink()

    def _recovery_files(self) -> list[tuple[float, Path]]:
        """Files of unsaved work with their times, newest first."""
        files = (self.folder / _RECOVERY).glob("*.json")
        times = [(_changed(file), file) for file in files if _SESSION.fullmatch(file.stem)]
        return sorted(times, reverse=True)

    def _recovery_file(self, session: str, make: bool = False) -> Path:
        if not _SESSION.fullmatch(session):
            raise WrongValue(f"{short(session)} is no session.")
        folder = self.folder / _RECOVERY
        if make:
            folder.mkdir(exist_ok=True)
        return folder / f"{session}.json"


def _changed(file: Path) -> float:
    try:
        return file.stat().st_mtime
    except OSError:  # it has been removed meanwhile
        return 0.0


def _hidden(path: PurePath) -> bool:
    """Whether a part begins with a dot: hidden files, unsaved work, and the way up."""
    return any(part.startswith(".") for part in path.parts)


def _split(name: str) -> tuple[str, str]:
    for ending in (".robot.toml", Path(name).suffix):
        if ending and name.endswith(ending):
            return name[: -len(ending)], ending
    return name, ""


def too_large(what: str) -> TooLarge:
    """The error of an upload beyond UPLOAD_BYTES."""
    return TooLarge(f"{what} is larger than {UPLOAD_BYTES // 10**6} MB, the most the studio takes.")
