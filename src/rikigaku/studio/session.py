"""A session of the studio: one document with its history, file, checks and the pages that show it."""

import asyncio
import contextlib
import secrets
import time
from collections import deque
from collections.abc import Callable
from pathlib import PurePosixPath

from rikigaku.core.errors import BadModel, NoPlace, RikigakuError, TooLarge, WrongValue
from rikigaku.core.input_limits import FILE_BYTES
from rikigaku.studio.document_cells import robot_cells
from rikigaku.studio.document_edits import edited
from rikigaku.studio.document_history import DocumentHistory, DocumentState
from rikigaku.studio.document_merge import merged
from rikigaku.studio.document_records import (
    BothChanged,
    CellMistake,
    CheckedRobot,
    EditedDocument,
    RobotCells,
)
from rikigaku.studio.edited_parts import PartNames, part_names, same_parts
from rikigaku.studio.jobs import WorkerPool, failure
from rikigaku.studio.json_records import decoded
from rikigaku.studio.messages import (
    DocumentChanged,
    DocumentChecked,
    DocumentEdit,
    RepairInertias,
    Save,
    SaveConflict,
    Saved,
    StudioEvent,
)
from rikigaku.studio.workspace import UnsavedWork, Workspace

CHECK_SECONDS = 60.0
_STALE = 10.0  # s after which the check of an older revision is stopped
_EARLIER = 20  # revisions whose text is known, for edits of pages that have not seen the newest

Listener = Callable[[StudioEvent], None]


class Session:
    """The document of one page, or of pages that continue the same session."""

    def __init__(self, name: str, workspace: Workspace, pool: WorkerPool) -> None:
        self.name, self.workspace, self.pool = name, workspace, pool
        self.listeners: set[Listener] = set()
        self.history: DocumentHistory | None = None
        self.cells: RobotCells | None = None  # of the newest text
        self.file, self.base = "", ""
        self.revision = 0
        self._earlier: deque[tuple[int, PartNames | None]] = deque(maxlen=_EARLIER)
        self.checked: CheckedRobot | None = None
        self.left = time.monotonic()  # when the last page went
        self.editing = asyncio.Lock()  # changes of the document follow each other
        self._checking: asyncio.Task[None] | None = None
        self._began = 0.0
        self._unstored: UnsavedWork | str | None = None  # work to keep, or the session to forget
        self._storing: asyncio.Task[None] | None = None

    # -- the document -------------------------------------------------------------------------------

    @property
    def text(self) -> str:
        """The text of the robot file."""
        return self._document().now.text

    @property
    def source(self) -> str:
        """The file whose visuals are drawn: beside the document's own, else in the workspace; "" if none."""
        visuals = self.cells.visuals if self.cells is not None else ""
        if not visuals:
            return ""
        beside = PurePosixPath(self.file).parent / visuals
        for name in (beside.as_posix(), visuals):
            with contextlib.suppress(WrongValue):
                path = self.workspace.path(name)
                if path.is_file():
                    return self.workspace.name(path)
        return ""

    def document(self) -> EditedDocument:
        """The document as the page sees it."""
        history = self._document()
        return EditedDocument(
            revision=self.revision,
            text=history.now.text,
            cells=self.cells,
            file=self.file,
            source=self.source,
            saved=bool(self.file) and history.now.text == self.base,
            undo=history.undo_name,
            redo=history.redo_name,
        )

    async def open(self, text: str, file: str = "", base: str | None = None) -> None:
        """Begin a document; base: the text of its file, where that differs.

        Unsaved work on the document before stays recoverable, as work of a session of its own.

        Raises:
            NoPlace: if that work cannot be kept; it stays open.
        """
        if self.history is not None and self.text not in (text, self.base):
            await self._keep_apart()
        cells = await asyncio.to_thread(_cells, text)
        self.history = DocumentHistory([DocumentState(text)])
        self.file, self.base = file, text if base is None else base
        self.checked = None
        self.close()  # a check of the document before would show its robot in this one
        self._changed(cells, keep=base is not None and base != text)

    async def _keep_apart(self) -> None:
        try:
            await asyncio.to_thread(self.workspace.keep, self._work(secrets.token_urlsafe(12)))
        except (RikigakuError, OSError) as error:
            raise NoPlace(
                f"The open robot has changes that are not saved and cannot be kept: {error} Save it first."
            ) from None

    def agrees(self, edit: DocumentEdit, seen: int) -> bool:
        """Whether an edit made on the revision `seen` means the same parts in the newest one."""
        earlier = dict(self._earlier)
        return seen in earlier and same_parts(edit, earlier[seen], part_names(self.cells))

    async def edit(self, edit: DocumentEdit) -> None:
        """Change the document. The caller holds `editing`, unless the edit repairs inertias: that is slow.

        Raises:
            RikigakuError: if the edit cannot be done.
        """
        before = self.text
        if isinstance(edit, RepairInertias):
            revision = self.revision
            text = await self._repaired(before, edit.links)
            async with self.editing:
                if revision != self.revision:
                    raise WrongValue("The robot was changed during the repair. Repair its inertias again.")
                await self._add(text, edit.type)
        else:
            await self._add(await asyncio.to_thread(edited, before, edit), edit.type)

    async def _add(self, text: str, edit: str) -> None:
        if len(text) > FILE_BYTES:
            raise TooLarge(f"A robot file has at most {FILE_BYTES // 10**6} MB.")
        if text == self.text:
            return
        cells = await asyncio.to_thread(_cells, text)
        self._document().add(DocumentState(text, edit))
        self._changed(cells)

    async def undo(self) -> None:
        """Undo the last edit."""
        cells = await asyncio.to_thread(_cells, self._document().before().text)
        self._document().undo()
        self._changed(cells)

    async def redo(self) -> None:
        """Do the last undone edit again."""
        cells = await asyncio.to_thread(_cells, self._document().after().text)
        self._document().redo()
        self._changed(cells)

    def _document(self) -> DocumentHistory:
        if self.history is None:
            raise WrongValue("No robot is open. Choose one on the start screen.")
        return self.history

    async def _repaired(self, text: str, links: list[str]) -> str:
        function = "rikigaku.studio.document_check:repaired"
        data = {"text": text, "links": links}
        reply = await self.pool.run(function, data, what="The repair", seconds=CHECK_SECONDS, check=True)
        if "error" in reply:
            raise WrongValue(reply["error"])
        return str(reply["text"])

    def _changed(self, cells: RobotCells | None, keep: bool = True) -> None:
        self.cells = cells
        self.revision += 1
        self._earlier.append((self.revision, part_names(cells)))
        self._autosave(keep)
        self._check_soon()

    def announce(self, except_for: Listener | None = None) -> None:
        """Show the document on the other pages of this session."""
        for listener in self.listeners:
            if listener is not except_for:
                listener(DocumentChanged(self.document()))

    # -- files --------------------------------------------------------------------------------------

    async def save(self, request: Save) -> Saved | SaveConflict:
        """Write the document to its file, unless that has changed since.

        Raises:
            RikigakuError: if it cannot be written.
        """
        file = request.path.strip() or self.file
        if not file:
            raise WrongValue("The robot has no file yet. Give a name, as arm.robot.toml.")
        if not file.endswith(".toml"):
            file += ".robot.toml"
        path = self.workspace.path(file)
        file = self.workspace.name(path)
        there = await asyncio.to_thread(self.workspace.read, file) if path.is_file() else None
        text, joined = self.text, False
        if there is not None and there != text and (file != self.file or there != self.base):
            both = await asyncio.to_thread(self._both, file, text, there)
            if request.choice == "ask" or (request.choice == "merge" and both[1]):
                return SaveConflict(file, both[1], self.workspace.free_name(file))
            if request.choice == "merge":
                text, joined = both[0], True
            elif request.choice == "keep both":
                file = self.workspace.free_name(file)
        await asyncio.to_thread(self.workspace.write, file, text.encode())
        cells = await asyncio.to_thread(_cells, text) if joined else self.cells
        if text != self.text:
            self._document().add(DocumentState(text, "merge"))
        self.file, self.base = file, text
        self._changed(cells)
        return Saved(self.document(), joined)

    def _both(self, file: str, text: str, there: str) -> tuple[str, list[BothChanged]]:
        """The merged text, and what both sides changed."""
        if file != self.file:
            return "", [BothChanged("the whole file", "", "")]
        try:
            merge = merged(self.base, text, there)
        except RikigakuError as error:
            return "", [BothChanged(str(error), "", "")]
        return merge.text, merge.both

    def _autosave(self, keep: bool) -> None:
        """Keep the newest text in a thread; texts that follow while it writes are written as one."""
        unsaved = keep and (self.text != self.base or not self.file)
        self._unstored = self._work(self.name) if unsaved else self.name
        if self._storing is None or self._storing.done():
            self._storing = asyncio.ensure_future(self._store())

    async def _store(self) -> None:
        while (work := self._unstored) is not None:
            self._unstored = None
            with contextlib.suppress(RikigakuError, OSError):  # a full disk must not stop the work
                if isinstance(work, UnsavedWork):
                    await asyncio.to_thread(self.workspace.keep, work)
                else:
                    await asyncio.to_thread(self.workspace.forget, work)

    async def stored(self) -> None:
        """Until its unsaved work is on the disk."""
        while self._storing is not None and not self._storing.done():
            await asyncio.wait([self._storing])

    def _work(self, session: str) -> UnsavedWork:
        name = self.cells.name if self.cells is not None else ""
        return UnsavedWork(session, self.text, self.base, self.file, time.time(), name)

    # -- checks -------------------------------------------------------------------------------------

    def _check_soon(self) -> None:
        running = self._checking is not None and not self._checking.done()
        if running and time.monotonic() - self._began < _STALE:
            return  # it looks for a newer revision when it has ended
        if self._checking is not None:
            self._checking.cancel()
        self._began = time.monotonic()
        self._checking = asyncio.ensure_future(self._check())

    async def _check(self) -> None:
        while self.checked is None or self.checked.revision != self.revision or not self.checked.complete:
            revision = self.revision
            drawn = self.checked is not None and self.checked.revision == revision
            data = {
                "text": self.text,
                "revision": revision,
                "configuration": self.cells.configuration if self.cells is not None else [],
                "complete": drawn,  # the picture comes first
            }
            self._began = time.monotonic()
            try:
                function = "rikigaku.studio.document_check:checked"
                reply = await self.pool.run(
                    function, data, what="The check", seconds=CHECK_SECONDS, check=True
                )
                self.checked = await asyncio.to_thread(decoded, CheckedRobot, reply)
            except Exception as error:  # a check always ends with a record
                mistake = CellMistake([], failure(error))
                self.checked = CheckedRobot(revision, [mistake], [], [], [], 0, 0, None, None, None, "", True)
            for listener in list(self.listeners):
                listener(DocumentChecked(self.checked))

    async def wait_for_check(self) -> None:
        """Until the newest revision is checked."""
        while self._checking is not None and not self._checking.done():
            await asyncio.wait([self._checking])

    def close(self) -> None:
        """Stop its checks."""
        if self._checking is not None:
            self._checking.cancel()
        self._checking = None


def _cells(text: str) -> RobotCells | None:
    try:
        return robot_cells(text)
    except (BadModel, TooLarge):
        return None
