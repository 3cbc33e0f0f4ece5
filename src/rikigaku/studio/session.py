"""A session of the studio: one document with its history, file, checks and the pages that show it."""

import asyncio
import contextlib
import math
import secrets
import time
from collections import deque
from collections.abc import Callable
from functools import lru_cache
from pathlib import PurePosixPath
from typing import Any

from rikigaku.core.errors import BadModel, NoPlace, RikigakuError, TooLarge, WrongValue
from rikigaku.core.input_limits import FILE_BYTES
from rikigaku.studio.document_cells import robot_cells
from rikigaku.studio.document_edits import edited
from rikigaku.studio.document_history import DocumentHistory, DocumentState
from rikigaku.studio.document_merge import merged
from rikigaku.studio.document_records import CellMistake, CheckedRobot, EditedDocument, RobotCells
from rikigaku.studio.edited_parts import same_parts
from rikigaku.studio.jobs import WorkerPool, failure
from rikigaku.studio.json_records import decoded
from rikigaku.studio.messages import (
    ChooseConfiguration,
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
        self.file, self.base = "", ""
        self.revision = 0
        self._earlier: deque[tuple[int, str]] = deque(maxlen=_EARLIER)
        self.checked: CheckedRobot | None = None
        self.left = time.monotonic()  # when the last page went
        self.editing = asyncio.Lock()  # changes of the document follow each other
        self._checking: asyncio.Task[None] | None = None
        self._began = 0.0

    # -- the document -------------------------------------------------------------------------------

    @property
    def text(self) -> str:
        """The text of the robot file."""
        return self._document().now.text

    @property
    def source(self) -> str:
        """The file whose visuals are drawn: beside the document's own, else in the workspace; "" if none."""
        cells = _cells(self.text) if self.history is not None else None
        if cells is None or not cells.visuals:
            return ""
        beside = PurePosixPath(self.file).parent / cells.visuals
        for name in (beside.as_posix(), cells.visuals):
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
            cells=_cells(history.now.text),
            configuration=list(history.now.configuration),
            file=self.file,
            source=self.source,
            saved=bool(self.file) and history.now.text == self.base,
            undo=history.undo_name,
            redo=history.redo_name,
        )

    def open(
        self,
        text: str,
        file: str = "",
        base: str | None = None,
        configuration: Any = (),
    ) -> None:
        """Begin a document; base: the text of its file, where that differs.

        Unsaved work on the document before stays recoverable, as work of a session of its own.

        Raises:
            NoPlace: if that work cannot be kept; it stays open.
        """
        if self.history is not None and self.text not in (text, self.base):
            self._keep_apart()
        self.history = DocumentHistory([DocumentState(text, tuple(configuration))])
        self.file, self.base = file, text if base is None else base
        self.checked = None
        self._changed(keep=base is not None and base != text)

    def _keep_apart(self) -> None:
        try:
            self.workspace.keep(self._work(secrets.token_urlsafe(12)))
        except (RikigakuError, OSError) as error:
            raise NoPlace(
                f"The open robot has changes that are not saved and cannot be kept: {error} Save it first."
            ) from None

    def agrees(self, edit: DocumentEdit, seen: int) -> bool:
        """Whether an edit made on the revision `seen` means the same parts in the newest one."""
        before = dict(self._earlier).get(seen)
        return before is not None and same_parts(edit, _cells(before), _cells(self.text))

    async def edit(self, edit: DocumentEdit) -> None:
        """Change the document.

        Raises:
            RikigakuError: if the edit cannot be done.
        """
        now = self._document().now
        text, configuration = now.text, now.configuration
        if isinstance(edit, ChooseConfiguration):
            if not all(map(math.isfinite, edit.q)):
                raise WrongValue("A configuration has finite numbers.")
            configuration = tuple(edit.q)
        elif isinstance(edit, RepairInertias):
            revision = self.revision
            text = await self._repaired(text, edit.links)
            if revision != self.revision:
                raise WrongValue("The robot was changed during the repair. Repair its inertias again.")
        else:
            text = await asyncio.to_thread(_edited, text, edit)
        if len(text) > FILE_BYTES:
            raise TooLarge(f"A robot file has at most {FILE_BYTES // 10**6} MB.")
        if (text, configuration) != (now.text, now.configuration):
            self._document().add(DocumentState(text, configuration, edit.type))
            self._changed()

    def undo(self) -> None:
        """Undo the last edit."""
        self._document().undo()
        self._changed()

    def redo(self) -> None:
        """Do the last undone edit again."""
        self._document().redo()
        self._changed()

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

    def _changed(self, keep: bool = True) -> None:
        self.revision += 1
        self._earlier.append((self.revision, self.text))
        self._autosave(keep)
        self._check_soon()

    def announce(self, except_for: Listener | None = None) -> None:
        """Show the document on the other pages of this session."""
        for listener in self.listeners:
            if listener is not except_for:
                listener(DocumentChanged(self.document()))

    # -- files --------------------------------------------------------------------------------------

    def save(self, request: Save) -> Saved | SaveConflict:
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
        there = self.workspace.read(file) if path.is_file() else None
        text, joined = self.text, False
        if there is not None and there != text and (file != self.file or there != self.base):
            both = self._both(file, text, there)
            if request.choice == "ask" or (request.choice == "merge" and both[1]):
                return SaveConflict(file, both[1], self.workspace.free_name(file))
            if request.choice == "merge":
                text, joined = both[0], True
            elif request.choice == "keep both":
                file = self.workspace.free_name(file)
        self.workspace.write(file, text.encode())
        if text != self.text:
            self._document().add(DocumentState(text, self._document().now.configuration, "merge"))
        self.file, self.base = file, text
        self._changed()
        return Saved(self.document(), joined)

    def _both(self, file: str, text: str, there: str) -> tuple[str, list[str]]:
        """The merged text, and places that both sides changed."""
        if file != self.file:
            return "", ["the whole file"]
        try:
            merge = merged(self.base, text, there)
        except RikigakuError as error:
            return "", [str(error)]
        return merge.text, merge.both

    def _autosave(self, keep: bool) -> None:
        now = self._document().now
        with contextlib.suppress(RikigakuError, OSError):  # a full disk must not stop the work
            if (keep and now.text != self.base) or (keep and not self.file):
                self.workspace.keep(self._work(self.name))
            else:
                self.workspace.forget(self.name)

    def _work(self, session: str) -> UnsavedWork:
        now = self._document().now
        return UnsavedWork(session, now.text, self.base, self.file, list(now.configuration), time.time())

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
            revision, now = self.revision, self._document().now
            drawn = self.checked is not None and self.checked.revision == revision
            data = {
                "text": now.text,
                "revision": revision,
                "configuration": list(now.configuration),
                "complete": drawn,  # the picture comes first
            }
            self._began = time.monotonic()
            try:
                function = "rikigaku.studio.document_check:checked"
                reply = await self.pool.run(
                    function, data, what="The check", seconds=CHECK_SECONDS, check=True
                )
                self.checked = decoded(CheckedRobot, reply)
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


def _edited(text: str, edit: DocumentEdit) -> str:
    """The new text; its cells are known then."""
    new = edited(text, edit)
    _cells(new)
    return new


@lru_cache(maxsize=8)
def _cells(text: str) -> RobotCells | None:
    try:
        return robot_cells(text)
    except (BadModel, TooLarge):
        return None
