"""All sessions of a server: those in memory, those of unsaved work, and what the start screen lists."""

import asyncio
import itertools
import secrets
import time

from rikigaku import library
from rikigaku.core.errors import WrongValue
from rikigaku.studio.jobs import WorkerPool
from rikigaku.studio.messages import OpenFile, OpenShipped, RecoverableWork, StartList, WorkspaceFile
from rikigaku.studio.session import Session
from rikigaku.studio.shipped_gallery import shipped_robots
from rikigaku.studio.workspace import Workspace

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
        work = await asyncio.to_thread(self.workspace.unsaved, name) if name and _is_token(name) else None
        if name in self.found:  # another page has asked meanwhile
            return self.found[name]
        session = Session(name if work else secrets.token_urlsafe(12), self.workspace, self.pool)
        self.found[session.name] = session
        if work:
            async with session.editing:
                await session.open(work.text, work.file, work.base)
        return session

    def first_robot(self) -> OpenShipped | OpenFile | None:
        """The request that opens what the command line named, for the first page that asks."""
        start, self.start = self.start, ""
        if not start:
            return None
        return OpenShipped(start) if start in library.NAMES else OpenFile(start)

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
                text = await asyncio.to_thread(self.workspace.read, name)
                await session.open(text, self.workspace.name(path))
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
            await session.open(reply["text"])
        return list(reply["notes"])

    async def start_list(self) -> StartList:
        """What the start screen shows."""
        await self.stored()
        works = await asyncio.to_thread(self.workspace.all_unsaved)
        files = await asyncio.to_thread(self.workspace.robots)
        shipped = await asyncio.to_thread(shipped_robots)
        shown = {name for name, session in self.found.items() if session.listeners}
        unsaved = [
            RecoverableWork(work.session, work.name, work.file, work.changed)
            for work in works
            if work.session not in shown
        ]
        return StartList(shipped, [WorkspaceFile(*pair) for pair in files], unsaved)

    async def stored(self) -> None:
        """Until the unsaved work of all sessions is on the disk."""
        for session in list(self.found.values()):
            await session.stored()


def _is_token(name: str) -> bool:
    return 8 <= len(name) <= 64 and all(c.isalnum() or c in "_-" for c in name)
