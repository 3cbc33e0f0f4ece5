"""The requests of one page of the studio: one function for each kind."""

import asyncio
import base64
import binascii
import time
from collections.abc import Awaitable, Callable, Sequence
from typing import Any

import rikigaku
from rikigaku import library
from rikigaku.core.errors import RikigakuError, UnknownName, WrongValue
from rikigaku.studio.jobs import failure
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
    Redo,
    Refused,
    RepairInertias,
    Reply,
    Request,
    RunJob,
    Save,
    Saved,
    SessionOpened,
    StoreFile,
    StudioEvent,
    Undo,
)
from rikigaku.studio.new_robots import new_robot
from rikigaku.studio.session import Session
from rikigaku.studio.sessions import Sessions
from rikigaku.studio.tasks import TASKS
from rikigaku.studio.workspace import UPLOAD_BYTES, too_large


class PageRequests:
    """The requests of one page, answered on its session. send: gives an event to the page."""

    def __init__(self, sessions: Sessions, send: Callable[[StudioEvent], None]) -> None:
        self.sessions, self.send = sessions, send
        self.session: Session | None = None
        self.running: dict[int, asyncio.Task[None]] = {}
        self.made: set[int] = set()  # revisions of the document that this page made
        self.closed = False

    async def answer(self, request: Request) -> Reply:
        """The reply; errors of ours become `Refused`."""
        try:
            return await _ANSWERS[type(request)](self, request)
        except RikigakuError as error:
            return Refused(str(error))

    def close(self) -> None:
        """The page has gone: its jobs are stopped, its session stays. Requests that it has sent are done."""
        self.closed = True
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
        session = await self.sessions.opened(request.session)
        async with session.editing:  # its unsaved work may just be read
            document = session.document() if session.history else None
        if self.closed:
            raise WrongValue("The page has gone.")
        self.session = session
        session.listeners.add(self.send)
        start = None if document else self.sessions.first_robot()
        folder = str(self.sessions.workspace.folder)
        return SessionOpened(session.name, document, session.checked, start, rikigaku.__version__, folder)

    async def list_start(self, _: ListStart) -> Reply:
        return await self.sessions.start_list()

    async def new_robot(self, request: NewRobot) -> Reply:
        text = await asyncio.to_thread(new_robot, request.kind, request.name.strip() or "robot")
        return await self._open(text)

    async def open_shipped(self, request: OpenShipped) -> Reply:
        return await self._open(library.path(request.name).read_text("utf-8"))

    async def open_file(self, request: OpenFile) -> Reply:
        return self._shown(notes=await self.sessions.open_file(self.own, request.path))

    async def recover(self, request: Recover) -> Reply:
        workspace = self.sessions.workspace
        await self.sessions.stored()
        work = await asyncio.to_thread(workspace.unsaved, request.session)
        if work is None:
            raise WrongValue("There is no such unsaved work any more.")
        shown = self.sessions.found.get(request.session)
        if shown is not None and shown.listeners and shown is not self.session:
            raise WrongValue("This work is open in another tab.")
        if not request.discard:
            async with self.own.editing:
                await self.own.open(work.text, work.file, work.base)
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
            await self.own.undo()
            return self._shown()

    async def redo(self, _: Redo) -> Reply:
        async with self.own.editing:
            await self.own.redo()
            return self._shown()

    async def save(self, request: Save) -> Reply:
        async with self.own.editing:
            reply = await self.own.save(request)
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
        return FileStored(workspace.name(await asyncio.to_thread(workspace.write, name, content)))

    async def run_job(self, request: RunJob) -> Reply:
        if request.task not in TASKS:
            raise UnknownName("task", request.task, TASKS, "the studio")
        if self.closed:
            raise WrongValue("The page has gone.")
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
            await self.own.open(text)
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
