"""All sessions of a server, and what their pages ask for: one function for each kind of request."""

import asyncio
import base64
import binascii
import itertools
import secrets
import time
from collections.abc import Awaitable, Callable, Sequence
from functools import cache
from importlib.resources import files
from typing import Any

import rikigaku
from rikigaku import library
from rikigaku.core.errors import RikigakuError, UnknownName, WrongValue
from rikigaku.studio.jobs import WorkerPool, failure
from rikigaku.studio.json_records import encoded
from rikigaku.studio.latest_text import LatestText
from rikigaku.studio.messages import (
    CancelJob,
    DocumentChanged,
    DocumentReply,
    Done,
    Edit,
    FileChanged,
    FileStored,
    JobDone,
    JobProgress,
    JobStarted,
    ListStart,
    NewRobot,
    OpenFile,
    OpenSession,
    OpenShipped,
    Recover,
    RecoverableWork,
    Redo,
    Refused,
    RepairInertias,
    Reply,
    Request,
    RunJob,
    Save,
    Saved,
    SessionOpened,
    ShippedRobot,
    StartList,
    StoreFile,
    StudioEvent,
    Undo,
    WorkspaceFile,
)
from rikigaku.studio.new_robots import new_robot
from rikigaku.studio.session import Session
from rikigaku.studio.tasks import TASKS
from rikigaku.studio.workspace import UPLOAD_BYTES, Workspace, too_large

_IMPORT_SECONDS = 60.0
_MOST_SESSIONS = 50
_LONGEST_ABSENCE = 3600.0  # s that a session without a page stays in memory


class Sessions:
    """The sessions of one workspace. start: a file, or shipped robot, that the first page shows."""

    def __init__(self, workspace: Workspace, pool: WorkerPool, start: str = "") -> None:
        self.workspace, self.pool, self.start = workspace, pool, start
        self.found: dict[str, Session] = {}
        self.jobs = itertools.count(1)

    async def opened(self, name: str) -> Session:
        """The session of that name, from memory or from unsaved work; else a new one."""
        self._forget_old()
        if name in self.found:
            return self.found[name]
        work = self.workspace.unsaved(name) if name and _is_token(name) else None
        session = Session(name if work else secrets.token_urlsafe(12), self.workspace, self.pool)
        self.found[session.name] = session
        if work:
            session.open(work.text, work.file, work.base, work.configuration)
        elif self.start:
            start, self.start = self.start, ""
            if start in library.NAMES:
                session.open(library.path(start).read_text("utf-8"))
            else:
                await self.open_file(session, start)
        return session

    def _forget_old(self) -> None:
        absent = sorted((one for one in self.found.values() if not one.listeners), key=lambda one: one.left)
        for session in absent:
            old = time.monotonic() - session.left > _LONGEST_ABSENCE
            if old or len(self.found) >= _MOST_SESSIONS:
                session.close()
                del self.found[session.name]

    async def open_file(self, session: Session, name: str) -> list[str]:
        """Open a robot file of the workspace; other formats become a new document. Returns notes on these.

        Raises:
            RikigakuError: if it cannot be read.
        """
        path = self.workspace.path(name)
        if path.name.endswith(".toml"):
            async with session.editing:
                session.open(self.workspace.read(name), self.workspace.name(path))
            return []
        if not path.is_file():
            raise WrongValue(f"The workspace has no file {name!r}.")
        function = "rikigaku.studio.document_check:imported"
        reply = await self.pool.run(
            function,
            {"path": str(path), "name": self.workspace.name(path)},
            what=f"Reading {name}",
            seconds=_IMPORT_SECONDS,
            check=True,
        )
        if "error" in reply:
            raise WrongValue(reply["error"])
        async with session.editing:
            session.open(reply["text"])
        return list(reply["notes"])

    def start_list(self) -> StartList:
        """What the start screen shows."""
        shown = {name for name, session in self.found.items() if session.listeners}
        unsaved = [
            RecoverableWork(work.session, _robot_name(work.text), work.file, work.changed)
            for work in self.workspace.all_unsaved()
            if work.session not in shown
        ]
        return StartList(
            shipped_robots(), [WorkspaceFile(*pair) for pair in self.workspace.robots()], unsaved
        )


class PageRequests:
    """The requests of one page, answered on its session. send: gives an event to the page."""

    def __init__(self, sessions: Sessions, send: Callable[[StudioEvent], None]) -> None:
        self.sessions, self.send = sessions, send
        self.session: Session | None = None
        self.running: dict[int, asyncio.Task[None]] = {}
        self.made: set[int] = set()  # revisions of the document that this page made

    async def answer(self, request: Request) -> Reply:
        """The reply; errors of ours become `Refused`."""
        try:
            return await _ANSWERS[type(request)](self, request)
        except RikigakuError as error:
            return Refused(str(error))

    def close(self) -> None:
        """The page has gone: its jobs are stopped, its session stays."""
        for job in self.running.values():
            job.cancel()
        if self.session is not None:
            self.session.listeners.discard(self.send)
            self.session.left = time.monotonic()

    @property
    def own(self) -> Session:
        """The session of the page."""
        if self.session is None:
            raise WrongValue("The first request of a page is open_session.")
        return self.session

    async def open_session(self, request: OpenSession) -> Reply:
        self.session = await self.sessions.opened(request.session)
        self.session.listeners.add(self.send)
        document = self.session.document() if self.session.history else None
        folder = self.sessions.workspace.folder
        return SessionOpened(
            self.session.name, document, self.session.checked, rikigaku.__version__, str(folder)
        )

    async def list_start(self, _: ListStart) -> Reply:
        return self.sessions.start_list()

    async def new_robot(self, request: NewRobot) -> Reply:
        return await self._open(new_robot(request.kind, request.name.strip() or "robot"))

    async def open_shipped(self, request: OpenShipped) -> Reply:
        return await self._open(library.path(request.name).read_text("utf-8"))

    async def open_file(self, request: OpenFile) -> Reply:
        return self._shown(notes=await self.sessions.open_file(self.own, request.path))

    async def recover(self, request: Recover) -> Reply:
        workspace = self.sessions.workspace
        work = workspace.unsaved(request.session)
        if work is None:
            raise WrongValue("There is no such unsaved work any more.")
        shown = self.sessions.found.get(request.session)
        if shown is not None and shown.listeners and shown is not self.session:
            raise WrongValue("This work is open in another tab.")
        if not request.discard:
            async with self.own.editing:
                self.own.open(work.text, work.file, work.base, work.configuration)
        if work.session != self.own.name:
            workspace.forget(work.session)
        return Done() if request.discard else self._shown()

    async def edit(self, request: Edit) -> Reply:
        if isinstance(request.edit, RepairInertias):  # takes long, and looks for changes itself
            return await self._edit(request)
        async with self.own.editing:
            return await self._edit(request)

    async def _edit(self, request: Edit) -> Reply:
        between = range(request.revision + 1, self.own.revision + 1)
        known = request.revision <= self.own.revision and self.made.issuperset(between)
        if not known and not self.own.agrees(request.edit, request.revision):
            self.send(DocumentChanged(self.own.document()))
            raise WrongValue(
                "The table has changed in another tab, so the edit was not made. "
                "The page shows the newest one; edit it again."
            )
        before = self.own.revision
        await self.own.edit(request.edit)
        return self._shown(before)

    async def undo(self, _: Undo) -> Reply:
        async with self.own.editing:
            self.own.undo()
            return self._shown()

    async def redo(self, _: Redo) -> Reply:
        async with self.own.editing:
            self.own.redo()
            return self._shown()

    async def save(self, request: Save) -> Reply:
        async with self.own.editing:
            reply = self.own.save(request)
        if isinstance(reply, Saved):
            self.made.add(self.own.revision)
            self.own.announce(self.send)
            for other in self.sessions.found.values():
                if other is not self.own and other.file == self.own.file:
                    for listener in other.listeners:
                        listener(FileChanged(other.file))
        return reply

    async def store_file(self, request: StoreFile) -> Reply:
        try:
            content = base64.b64decode(request.content, validate=True)
        except (binascii.Error, ValueError):
            raise WrongValue("The content of a file is base64.") from None
        if len(content) > UPLOAD_BYTES:
            raise too_large(request.path)
        workspace = self.sessions.workspace
        name = request.path if request.replace else workspace.free_name(request.path)
        return FileStored(workspace.name(workspace.write(name, content)))

    async def run_job(self, request: RunJob) -> Reply:
        if request.task not in TASKS:
            raise UnknownName("task", request.task, TASKS, "the studio")
        number = next(self.sessions.jobs)
        data = {
            "task": request.task,
            "text": self.own.text if TASKS[request.task].of_robot else "",
            "source": self.own.source,
            "workspace": str(self.sessions.workspace.folder),
            "arguments": request.arguments,
        }
        self.running[number] = asyncio.ensure_future(self._job(number, request.task, data))
        return JobStarted(number)

    async def cancel_job(self, request: CancelJob) -> Reply:
        if (job := self.running.get(request.job)) is not None:
            job.cancel()
        return Done()

    async def _job(self, number: int, task: str, data: Any) -> None:
        began = time.monotonic()
        result, error, cancelled = None, "", False
        progress = LatestText(lambda text: self.send(JobProgress(number, text)))
        try:
            reply = await self.sessions.pool.run(
                "rikigaku.studio.task_runner:run_task",
                data,
                what=task.replace("_", " ").capitalize(),
                seconds=TASKS[task].seconds,
                progress=progress,
            )
            result, error = reply.get("result"), reply.get("error", "")
        except asyncio.CancelledError:
            error, cancelled = "The computation was cancelled.", True
        except Exception as problem:  # a job always ends with an event
            error = failure(problem)
        progress.end()
        self.running.pop(number, None)
        self.send(JobDone(number, result, error, cancelled, time.monotonic() - began))

    async def _open(self, text: str) -> Reply:
        async with self.own.editing:
            self.own.open(text)
            return self._shown()

    def _shown(self, before: int = 0, notes: Sequence[str] = ()) -> DocumentReply:
        """The document after a request; before: the revision before it, where it may be the same."""
        if self.own.revision != before:
            self.made.add(self.own.revision)
        self.own.announce(self.send)
        return DocumentReply(self.own.document(), list(notes))


_ANSWERS: dict[type, Callable[[PageRequests, Any], Awaitable[Reply]]] = {
    OpenSession: PageRequests.open_session,
    ListStart: PageRequests.list_start,
    NewRobot: PageRequests.new_robot,
    OpenShipped: PageRequests.open_shipped,
    OpenFile: PageRequests.open_file,
    Recover: PageRequests.recover,
    Edit: PageRequests.edit,
    Undo: PageRequests.undo,
    Redo: PageRequests.redo,
    Save: PageRequests.save,
    StoreFile: PageRequests.store_file,
    RunJob: PageRequests.run_job,
    CancelJob: PageRequests.cancel_job,
}


@cache
def shipped_robots() -> list[ShippedRobot]:
    """The robots of the library, with the addresses of their pictures."""
    from rikigaku.studio.document_cells import robot_cells

    found = []
    for name in library.NAMES:
        cells = robot_cells(library.path(name).read_text("utf-8"))
        types = [link.joint.type for link in cells.links]
        parents = [link.parent for link in cells.links]
        kind = "space" if "free" in types or (types and types[0] == "planar") else "serial"
        if cells.loops:
            kind = "closed"
        elif kind == "serial" and len(set(parents)) < len(parents):
            kind = "tree"
        moving = sum(one != "fixed" for one in types)
        found.append(ShippedRobot(name, kind, moving, f"/gallery/{name}.webp"))  # type: ignore[arg-type]
    return found


def gallery_picture(name: str) -> bytes | None:
    """The picture of a shipped robot; None if there is none."""
    if name not in library.NAMES:
        return None
    file = files("rikigaku.studio") / "gallery" / f"{name}.webp"
    return file.read_bytes() if file.is_file() else None


def _robot_name(text: str) -> str:
    from rikigaku.studio.document_cells import robot_cells

    try:
        return robot_cells(text).name
    except RikigakuError:
        return ""


def _is_token(name: str) -> bool:
    return 8 <= len(name) <= 64 and all(c.isalnum() or c in "_-" for c in name)


def message(record: Any, identity: Any = None) -> dict[str, Any]:
    """A reply (with the id of its request) or an event as JSON data."""
    return encoded(record) if identity is None else {"id": identity, **encoded(record)}
