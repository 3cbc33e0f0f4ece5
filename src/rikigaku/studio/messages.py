"""Messages between the page and the server: every request, reply, edit and event, typed once.

One websocket carries JSON objects. A request has an `id` beside its fields; its reply has the same `id`.
Events have none. `tools/web_types.py` writes these records as TypeScript (web/src/studio/messages.ts); a test
compares. The argument and result of a job are the records of its task (`studio/tasks`).
"""

from dataclasses import dataclass
from typing import Any, Literal

from rikigaku.studio.document_records import BothChanged, CheckedRobot, EditedDocument

Path = list[str | int]
Part = Literal["link", "frame", "loop", "coupling"]
NamedPart = Literal["robot", "base", "link", "joint", "frame", "loop", "symbol"]
InertiaChoice = Literal["none", "zero", "symbols"]
SaveChoice = Literal["ask", "merge", "replace", "keep both"]
RobotKind = Literal["serial", "tree", "closed"]


# -- edits of the document --------------------------------------------------------------------------


@dataclass(frozen=True)
class SetValue:
    """Write the text of one cell; an empty text removes the key, so that its default holds."""

    path: list[str | int]
    value: str
    type: Literal["set_value"] = "set_value"


@dataclass(frozen=True)
class PasteBlock:
    """Write a block of cells, row by row; every cell has its path. One step of undo."""

    cells: list[SetValue]
    type: Literal["paste_block"] = "paste_block"


@dataclass(frozen=True)
class AddLink:
    """Add a link at a place of the list of links; its names are made where they are empty."""

    parent: str
    joint: str
    geometry: Literal["dh", "standard_dh", "placement"]
    place: int
    name: str
    type: Literal["add_link"] = "add_link"


@dataclass(frozen=True)
class AddFrame:
    """Add a frame at the end of a link."""

    link: str
    name: str
    type: Literal["add_frame"] = "add_frame"


@dataclass(frozen=True)
class AddLoop:
    """Cut joint between two links."""

    start: str
    end: str
    joint: str
    name: str
    type: Literal["add_loop"] = "add_loop"


@dataclass(frozen=True)
class AddCoupling:
    """Gear between two joints."""

    joint: str
    reference: str
    multiplier: str
    type: Literal["add_coupling"] = "add_coupling"


@dataclass(frozen=True)
class DeletePart:
    """Remove a link (its children go to its parent), frame, loop or coupling by its place."""

    part: Part
    place: int
    type: Literal["delete_part"] = "delete_part"


@dataclass(frozen=True)
class MovePart:
    """Move a table of the file to another place of its list."""

    part: Part
    place: int
    to: int
    type: Literal["move_part"] = "move_part"


@dataclass(frozen=True)
class Rename:
    """Rename a part, with every reference to it. old is "" for the robot and its base."""

    part: NamedPart
    old: str
    new: str
    type: Literal["rename"] = "rename"


@dataclass(frozen=True)
class SetJointType:
    """Change the type of a link's joint; the variable q moves to the column of the new type."""

    place: int
    joint: str
    type: Literal["set_joint_type"] = "set_joint_type"


@dataclass(frozen=True)
class SetGeometryKind:
    """Describe a link by DH parameters or by a placement. A row of zeros takes the place of the old one."""

    place: int
    kind: Literal["dh", "standard_dh", "placement"]
    type: Literal["set_geometry_kind"] = "set_geometry_kind"


@dataclass(frozen=True)
class SetInertia:
    """Give links (all if the list is empty) no inertia, zeros, or symbols declared without a value."""

    links: list[str]
    choice: InertiaChoice
    type: Literal["set_inertia"] = "set_inertia"


@dataclass(frozen=True)
class RepairInertias:
    """Replace impossible inertias of these links (all if the list is empty) by the nearest possible ones."""

    links: list[str]
    type: Literal["repair_inertias"] = "repair_inertias"


@dataclass(frozen=True)
class SetSymbol:
    """Declare a symbol, or change its value and unit; an empty value leaves it without one."""

    name: str
    value: str
    unit: str
    type: Literal["set_symbol"] = "set_symbol"


@dataclass(frozen=True)
class DeleteSymbol:
    """Remove the declaration of a symbol."""

    name: str
    type: Literal["delete_symbol"] = "delete_symbol"


@dataclass(frozen=True)
class SetIndependent:
    """Choose the independent joints of a closed robot; an empty list leaves the choice to the engine."""

    joints: list[str]
    type: Literal["set_independent"] = "set_independent"


@dataclass(frozen=True)
class ChooseConfiguration:
    """Show the robot at q from now on (an assembly mode); an empty list: at its default configuration."""

    q: list[float]
    type: Literal["choose_configuration"] = "choose_configuration"


@dataclass(frozen=True)
class ReplaceText:
    """Replace the whole text of the robot file."""

    text: str
    type: Literal["replace_text"] = "replace_text"


DocumentEdit = (
    SetValue
    | PasteBlock
    | AddLink
    | AddFrame
    | AddLoop
    | AddCoupling
    | DeletePart
    | MovePart
    | Rename
    | SetJointType
    | SetGeometryKind
    | SetInertia
    | RepairInertias
    | SetSymbol
    | DeleteSymbol
    | SetIndependent
    | ChooseConfiguration
    | ReplaceText
)


# -- requests ---------------------------------------------------------------------------------------


@dataclass(frozen=True)
class OpenSession:
    """First request of a page: continue the session of that name, or begin one ("")."""

    session: str
    type: Literal["open_session"] = "open_session"


@dataclass(frozen=True)
class ListStart:
    """What the start screen shows: shipped robots, files of the workspace, work to recover."""

    type: Literal["list_start"] = "list_start"


@dataclass(frozen=True)
class NewRobot:
    """A robot from nothing: a chain, two branches on a base, or two branches joined by a cut joint."""

    kind: RobotKind
    name: str
    type: Literal["new_robot"] = "new_robot"


@dataclass(frozen=True)
class OpenShipped:
    """A copy of a shipped robot."""

    name: str
    type: Literal["open_shipped"] = "open_shipped"


@dataclass(frozen=True)
class OpenFile:
    """A robot file of the workspace: .robot.toml, .urdf, .xml (MJCF), .sdf, .par, RobotData (.json)."""

    path: str
    type: Literal["open_file"] = "open_file"


@dataclass(frozen=True)
class Recover:
    """Unsaved work of an earlier session; discard=True removes it instead."""

    session: str
    discard: bool
    type: Literal["recover"] = "recover"


@dataclass(frozen=True)
class Edit:
    """Change the document. revision: the one the page has seen; the edit applies to the newest.

    It is refused where another page has changed the parts that it means by their places.
    """

    edit: DocumentEdit
    revision: int
    type: Literal["edit"] = "edit"


@dataclass(frozen=True)
class Undo:
    """Undo the last edit."""

    type: Literal["undo"] = "undo"


@dataclass(frozen=True)
class Redo:
    """Do the last undone edit again."""

    type: Literal["redo"] = "redo"


@dataclass(frozen=True)
class Save:
    """Save the document to its file, or under another path of the workspace ("": its own).

    choice: what to do where the file has changed since it was opened; "ask" replies with a conflict.
    """

    path: str
    choice: SaveChoice
    type: Literal["save"] = "save"


@dataclass(frozen=True)
class StoreFile:
    """Write a file into the workspace; content: base64. A file of that name is kept, unless replace=True."""

    path: str
    content: str
    replace: bool
    type: Literal["store_file"] = "store_file"


@dataclass(frozen=True)
class RunJob:
    """Run a task on the document in a killable process. arguments: the record of the task.

    The reply comes at once; progress and the result are events with the same job number.
    """

    task: str
    arguments: dict[str, Any]
    type: Literal["run_job"] = "run_job"


@dataclass(frozen=True)
class CancelJob:
    """Stop a job and its process."""

    job: int
    type: Literal["cancel_job"] = "cancel_job"


Request = (
    OpenSession
    | ListStart
    | NewRobot
    | OpenShipped
    | OpenFile
    | Recover
    | Edit
    | Undo
    | Redo
    | Save
    | StoreFile
    | RunJob
    | CancelJob
)


# -- replies ----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class SessionOpened:
    """The session, its document (None before a robot is chosen), and the newest check of it.

    start: what this page opens first, as the command line named it.
    """

    session: str
    document: EditedDocument | None
    checked: CheckedRobot | None
    start: OpenShipped | OpenFile | None
    version: str
    workspace: str
    type: Literal["session_opened"] = "session_opened"


@dataclass(frozen=True)
class ShippedRobot:
    """A robot of the library, and the address of its picture. The text "shipped.<name>" says what it is."""

    name: str
    kind: Literal["serial", "tree", "closed", "space"]
    joints: int
    picture: str


@dataclass(frozen=True)
class WorkspaceFile:
    """A robot file of the workspace; changed: seconds since 1970."""

    path: str
    changed: float


@dataclass(frozen=True)
class RecoverableWork:
    """Unsaved work of a session that no page shows."""

    session: str
    name: str
    file: str
    changed: float


@dataclass(frozen=True)
class StartList:
    """Reply to `ListStart`."""

    shipped: list[ShippedRobot]
    files: list[WorkspaceFile]
    recoverable: list[RecoverableWork]
    type: Literal["start_list"] = "start_list"


@dataclass(frozen=True)
class DocumentReply:
    """The document after an edit, an undo, or after it was opened.

    notes: what a file of another format holds that the document has not.
    """

    document: EditedDocument
    notes: list[str]
    type: Literal["document"] = "document"


@dataclass(frozen=True)
class Saved:
    """The document is in the file; merged: with the changes that others saved meanwhile."""

    document: EditedDocument
    merged: bool
    type: Literal["saved"] = "saved"


@dataclass(frozen=True)
class SaveConflict:
    """The file has changed since it was opened. both: what both sides changed; no merge joins them.

    other: path under which "keep both" would save.
    """

    file: str
    both: list[BothChanged]
    other: str
    type: Literal["save_conflict"] = "save_conflict"


@dataclass(frozen=True)
class FileStored:
    """The path of the new file, in the workspace."""

    path: str
    type: Literal["file_stored"] = "file_stored"


@dataclass(frozen=True)
class JobStarted:
    """Number of the job."""

    job: int
    type: Literal["job_started"] = "job_started"


@dataclass(frozen=True)
class Done:
    """The request is done and has no result."""

    type: Literal["done"] = "done"


@dataclass(frozen=True)
class Refused:
    """The request was not done: what was given, what is known, what to do."""

    message: str
    type: Literal["refused"] = "refused"


Reply = (
    SessionOpened
    | StartList
    | DocumentReply
    | Saved
    | SaveConflict
    | FileStored
    | JobStarted
    | Done
    | Refused
)


# -- events -----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class DocumentChanged:
    """Another page of the same session changed the document."""

    document: EditedDocument
    type: Literal["document_changed"] = "document_changed"


@dataclass(frozen=True)
class DocumentChecked:
    """Mistakes and picture of a revision."""

    checked: CheckedRobot
    type: Literal["document_checked"] = "document_checked"


@dataclass(frozen=True)
class JobProgress:
    """How far a job has come."""

    job: int
    text: str
    type: Literal["job_progress"] = "job_progress"


@dataclass(frozen=True)
class JobDone:
    """A job has ended: `result` is the record of its task, or null with the reason in `error`."""

    job: int
    result: Any
    error: str
    cancelled: bool
    seconds: float
    type: Literal["job_done"] = "job_done"


@dataclass(frozen=True)
class FileChanged:
    """Another session has saved the file of this document."""

    file: str
    type: Literal["file_changed"] = "file_changed"


StudioEvent = DocumentChanged | DocumentChecked | JobProgress | JobDone | FileChanged
