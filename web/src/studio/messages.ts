// Written by tools/web_types.py from src/rikigaku/studio/document_records.py, src/rikigaku/studio/messages.py. Do not edit.

import type { RobotDocument } from "../document/model_document";

export const JOINT_TYPES = ["revolute", "prismatic", "fixed", "helical", "universal", "spherical", "planar", "free"] as const;

export const CUT_JOINTS = ["revolute", "prismatic", "fixed", "universal", "spherical", "planar", "cylindrical"] as const;

/** Geometry of a link, frame or loop end. Cells that its kind does not have are empty. */
export interface GeometryCells {
  kind: "dh" | "standard_dh" | "placement" | "none";
  alpha: string;
  a: string;
  theta: string;
  d: string;
  beta: string;
  b: string;
  xyz: string[];
  rpy: string[];
}

/** A joint; cells that the file leaves out are empty. */
export interface JointCells {
  name: string;
  type: string;
  axis: string[];
  pitch: string;
  actuated: boolean;
  lower: string;
  upper: string;
  velocity: string;
  effort: string;
  viscous: string;
  coulomb: string;
  rotor: string;
  stiffness: string;
  rest: string;
}

/** Inertial parameters. position: first moments (about "origin") or centre of mass (about "com"). */
export interface InertiaCells {
  about: string;
  m: string;
  position: string[];
  tensor: string[];
  rpy: string[];
}

/** A link with the joint that carries it. */
export interface LinkCells {
  name: string;
  parent: string;
  joint: JointCells;
  geometry: GeometryCells;
  inertia: InertiaCells | null;
}

/** A named frame on a link. */
export interface FrameCells {
  name: string;
  link: string;
  geometry: GeometryCells;
}

/** One end of a cut joint. */
export interface LoopEndCells {
  link: string;
  geometry: GeometryCells;
}

/** A loop closure: a cut joint between two links. start, end: keys "from" and "to" of the file. */
export interface LoopCells {
  name: string;
  joint: string;
  start: LoopEndCells;
  end: LoopEndCells;
}

/** A gear: position of the joint = multiplier * position of the reference + offset. */
export interface CouplingCells {
  joint: string;
  reference: string;
  multiplier: string;
  offset: string;
}

/** A symbol; value is empty where it has none. */
export interface SymbolCells {
  name: string;
  value: string;
  unit: string;
}

/** All tables of the robot file. configuration: q that pictures show, empty for the default. */
export interface RobotCells {
  name: string;
  source: string;
  visuals: string;
  configuration: number[];
  gravity: string[];
  base: string;
  base_inertia: InertiaCells | null;
  symbols: SymbolCells[];
  links: LinkCells[];
  frames: FrameCells[];
  loops: LoopCells[];
  couplings: CouplingCells[];
  independent: string[];
}

/** A place that both sides changed: the value here, and the one in the file; "" where it is removed. */
export interface BothChanged {
  place: string;
  own: string;
  other: string;
}

/** What is wrong, and the path of the cell; of a table, or an empty one, where no cell is at fault. */
export interface CellMistake {
  path: (string | number)[];
  message: string;
}

/** The document of a session. revision counts its changes, undone ones too. */
export interface EditedDocument {
  revision: number;
  text: string;
  cells: RobotCells | null;
  file: string;
  source: string;
  saved: boolean;
  undo: string;
  redo: string;
}

/** A link whose inertia no rigid body has, and why. */
export interface ImpossibleInertia {
  link: string;
  problems: string[];
}

/** What a worker found in one revision of the document: mistakes, or the robot. */
export interface CheckedRobot {
  revision: number;
  mistakes: CellMistake[];
  warnings: string[];
  missing: string[];
  impossible: ImpossibleInertia[];
  nq: number;
  nv: number;
  mobility: number | null;
  redundant: number | null;
  robot: RobotDocument | null;
  no_picture: string;
  complete: boolean;
}

/** Write the text of one cell; an empty text removes the key, so that its default holds. */
export interface SetValue {
  path: (string | number)[];
  value: string;
  type: "set_value";
}

/** Write a block of cells, row by row; every cell has its path. One step of undo. */
export interface PasteBlock {
  cells: SetValue[];
  type: "paste_block";
}

/** Add a link at a place of the list of links; its names are made where they are empty. */
export interface AddLink {
  parent: string;
  joint: string;
  geometry: "dh" | "standard_dh" | "placement";
  place: number;
  name: string;
  type: "add_link";
}

/** Add a frame at the end of a link. */
export interface AddFrame {
  link: string;
  name: string;
  type: "add_frame";
}

/** Cut joint between two links. */
export interface AddLoop {
  start: string;
  end: string;
  joint: string;
  name: string;
  type: "add_loop";
}

/** Gear between two joints. */
export interface AddCoupling {
  joint: string;
  reference: string;
  multiplier: string;
  type: "add_coupling";
}

/** Remove a link (its children go to its parent), frame, loop or coupling by its place. */
export interface DeletePart {
  part: "link" | "frame" | "loop" | "coupling";
  place: number;
  type: "delete_part";
}

/** Move a table of the file to another place of its list. */
export interface MovePart {
  part: "link" | "frame" | "loop" | "coupling";
  place: number;
  to: number;
  type: "move_part";
}

/** Rename a part, with every reference to it. old is "" for the robot and its base. */
export interface Rename {
  part: "robot" | "base" | "link" | "joint" | "frame" | "loop" | "symbol";
  old: string;
  new: string;
  type: "rename";
}

/** Change the type of a link's joint; the variable q moves to the column of the new type. */
export interface SetJointType {
  place: number;
  joint: string;
  type: "set_joint_type";
}

/** Describe a link by DH parameters or by a placement. A row of zeros takes the place of the old one. */
export interface SetGeometryKind {
  place: number;
  kind: "dh" | "standard_dh" | "placement";
  type: "set_geometry_kind";
}

/** Give links (all if the list is empty) no inertia, zeros, or symbols declared without a value. */
export interface SetInertia {
  links: string[];
  choice: "none" | "zero" | "symbols";
  type: "set_inertia";
}

/** Replace impossible inertias of these links (all if the list is empty) by the nearest possible ones. */
export interface RepairInertias {
  links: string[];
  type: "repair_inertias";
}

/** Declare a symbol, or change its value and unit; an empty value leaves it without one. */
export interface SetSymbol {
  name: string;
  value: string;
  unit: string;
  type: "set_symbol";
}

/** Remove the declaration of a symbol. */
export interface DeleteSymbol {
  name: string;
  type: "delete_symbol";
}

/** Choose the independent joints of a closed robot; an empty list leaves the choice to the engine. */
export interface SetIndependent {
  joints: string[];
  type: "set_independent";
}

/** Show the robot at q from now on (an assembly mode); an empty list: at its default configuration. */
export interface ChooseConfiguration {
  q: number[];
  type: "choose_configuration";
}

/** Replace the whole text of the robot file. */
export interface ReplaceText {
  text: string;
  type: "replace_text";
}

export type DocumentEdit = SetValue | PasteBlock | AddLink | AddFrame | AddLoop | AddCoupling | DeletePart | MovePart | Rename | SetJointType | SetGeometryKind | SetInertia | RepairInertias | SetSymbol | DeleteSymbol | SetIndependent | ChooseConfiguration | ReplaceText;

/** First request of a page: continue the session of that name, or begin one (""). */
export interface OpenSession {
  session: string;
  type: "open_session";
}

/** What the start screen shows: shipped robots, files of the workspace, work to recover. */
export interface ListStart {
  type: "list_start";
}

/** A robot from nothing: a chain, two branches on a base, or two branches joined by a cut joint. */
export interface NewRobot {
  kind: "serial" | "tree" | "closed";
  name: string;
  type: "new_robot";
}

/** A copy of a shipped robot. */
export interface OpenShipped {
  name: string;
  type: "open_shipped";
}

/** A robot file of the workspace: .robot.toml, .urdf, .xml (MJCF), .sdf, .par, RobotData (.json). */
export interface OpenFile {
  path: string;
  type: "open_file";
}

/** Unsaved work of an earlier session; discard=True removes it instead. */
export interface Recover {
  session: string;
  discard: boolean;
  type: "recover";
}

/** Change the document. revision: the one the page has seen; the edit applies to the newest. */
export interface Edit {
  edit: SetValue | PasteBlock | AddLink | AddFrame | AddLoop | AddCoupling | DeletePart | MovePart | Rename | SetJointType | SetGeometryKind | SetInertia | RepairInertias | SetSymbol | DeleteSymbol | SetIndependent | ChooseConfiguration | ReplaceText;
  revision: number;
  type: "edit";
}

/** Undo the last edit. */
export interface Undo {
  type: "undo";
}

/** Do the last undone edit again. */
export interface Redo {
  type: "redo";
}

/** Save the document to its file, or under another path of the workspace ("": its own). */
export interface Save {
  path: string;
  choice: "ask" | "merge" | "replace" | "keep both";
  type: "save";
}

/** Write a file into the workspace; content: base64. A file of that name is kept, unless replace=True. */
export interface StoreFile {
  path: string;
  content: string;
  replace: boolean;
  type: "store_file";
}

/** Run a task on the document in a killable process. arguments: the record of the task. */
export interface RunJob {
  task: string;
  arguments: Record<string, unknown>;
  type: "run_job";
}

/** Stop a job and its process. */
export interface CancelJob {
  job: number;
  type: "cancel_job";
}

export type Request = OpenSession | ListStart | NewRobot | OpenShipped | OpenFile | Recover | Edit | Undo | Redo | Save | StoreFile | RunJob | CancelJob;

/** The session, its document (None before a robot is chosen), and the newest check of it. */
export interface SessionOpened {
  session: string;
  document: EditedDocument | null;
  checked: CheckedRobot | null;
  start: OpenShipped | OpenFile | null;
  version: string;
  workspace: string;
  type: "session_opened";
}

/** A robot of the library, and the address of its picture. The text "shipped.<name>" says what it is. */
export interface ShippedRobot {
  name: string;
  kind: "serial" | "tree" | "closed" | "space";
  joints: number;
  picture: string;
}

/** A robot file of the workspace; changed: seconds since 1970. */
export interface WorkspaceFile {
  path: string;
  changed: number;
}

/** Unsaved work of a session that no page shows. */
export interface RecoverableWork {
  session: string;
  name: string;
  file: string;
  changed: number;
}

/** Reply to `ListStart`. */
export interface StartList {
  shipped: ShippedRobot[];
  files: WorkspaceFile[];
  recoverable: RecoverableWork[];
  type: "start_list";
}

/** The document after an edit, an undo, or after it was opened. */
export interface DocumentReply {
  document: EditedDocument;
  notes: string[];
  type: "document";
}

/** The document is in the file; merged: with the changes that others saved meanwhile. */
export interface Saved {
  document: EditedDocument;
  merged: boolean;
  type: "saved";
}

/** The file has changed since it was opened. both: what both sides changed; no merge joins them. */
export interface SaveConflict {
  file: string;
  both: BothChanged[];
  other: string;
  type: "save_conflict";
}

/** The path of the new file, in the workspace. */
export interface FileStored {
  path: string;
  type: "file_stored";
}

/** Number of the job. */
export interface JobStarted {
  job: number;
  type: "job_started";
}

/** The request is done and has no result. */
export interface Done {
  type: "done";
}

/** The request was not done: what was given, what is known, what to do. */
export interface Refused {
  message: string;
  type: "refused";
}

export type Reply = SessionOpened | StartList | DocumentReply | Saved | SaveConflict | FileStored | JobStarted | Done | Refused;

/** Another page of the same session changed the document. */
export interface DocumentChanged {
  document: EditedDocument;
  type: "document_changed";
}

/** Mistakes and picture of a revision. */
export interface DocumentChecked {
  checked: CheckedRobot;
  type: "document_checked";
}

/** How far a job has come. */
export interface JobProgress {
  job: number;
  text: string;
  type: "job_progress";
}

/** A job has ended: `result` is the record of its task, or null with the reason in `error`. */
export interface JobDone {
  job: number;
  result: unknown;
  error: string;
  cancelled: boolean;
  seconds: number;
  type: "job_done";
}

/** Another session has saved the file of this document. */
export interface FileChanged {
  file: string;
  type: "file_changed";
}

export type StudioEvent = DocumentChanged | DocumentChecked | JobProgress | JobDone | FileChanged;
