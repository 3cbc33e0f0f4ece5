// Written by tools/web_types.py from src/rikigaku/studio/tasks. Do not edit.

import type { BeamMesh, Motion, RobotDocument, Visual } from "../document/model_document";

/** q: a configuration near which the loops close; its independent coordinates are kept. */
export interface AssemblyRequest {
  q: number[];
}

/** Closed configurations at the independent coordinates of a configuration, one row of q for each. */
export interface AssemblyModes {
  positions: number[][];
}

/** All visuals of the source of the document. */
export interface VisualsRequest {
}

/** Visuals by the bodies of the robot, and a note for each mesh that is not shown. */
export interface VisualsResult {
  visuals: Visual[];
  notes: string[];
}

/** The laws of the robot. */
export interface LawsRequest {
}

/** A law that can be shown: title is the key of a text; of_frame: it takes a frame. */
export interface LawName {
  name: string;
  title: string;
  group: "main" | "tree" | "other";
  of_frame: boolean;
}

/** Laws of reports first, then all others; frames: those that laws of a frame take. */
export interface LawsResult {
  laws: LawName[];
  frames: string[];
  frame: string;
}

/** A law in a form. frame: "" for the frame that reports show; time_limit of the algebra [s]. */
export interface EquationsRequest {
  law: string;
  form: "textbook" | "parameters" | "full" | "intermediates";
  frame: string;
  time_limit: number;
  quick: boolean;
}

/** One term of a sum: LaTeX with its sign, its text, and the links that cause it, with their bodies. */
export interface TermRecord {
  latex: string;
  text: string;
  links: string[];
  bodies: number[];
}

/** left = sum of terms. count: terms in all; where there are too many to show, `terms` is empty. */
export interface ElementFormula {
  left: string;
  terms: TermRecord[];
  count: number;
}

/** A remark: key of a text, and what it names. */
export interface NoteRecord {
  key: string;
  reason: string;
  count: number;
  seconds: number;
}

/** Formulas of a law. form: the one that was possible; elements that are zero are left out. */
export interface EquationsResult {
  law: string;
  title: string;
  about: string;
  form: "textbook" | "parameters" | "full" | "intermediates";
  call: string;
  textbook: string;
  operations: string;
  elements: ElementFormula[];
  symmetric: boolean;
  zeros: boolean;
  linked: boolean;
  notes: NoteRecord[];
}

/** The pose of a frame ("": the shown one) at q. limits: leave out configurations beyond them. */
export interface BranchesRequest {
  frame: string;
  q: number[];
  limits: boolean;
}

/** Configurations with the same pose of the frame; one row of q each, the nearest to q first. */
export interface BranchesResult {
  frame: string;
  method: string;
  positions: number[][];
  singular: number[];
  dimension: number;
  error: number;
  problem: string;
}

/** Inverse kinematics of a frame as formulas; time_limit of the algebra [s]. */
export interface JointFormulasRequest {
  frame: string;
  time_limit: number;
}

/** left = right in LaTeX. */
export interface FormulaStep {
  left: string;
  right: string;
}

/** Steps of the solution, in order; conditions on the pose, in LaTeX, each equal to zero. */
export interface JointFormulasResult {
  frame: string;
  branches: number;
  steps: FormulaStep[];
  conditions: string[];
  more_conditions: number;
  problem: string;
}

/** gravity: the robot's own, any direction, or none. joint_parameters: rotors and friction too. */
export interface BaseParametersRequest {
  gravity: "own" | "any" | "none";
  joint_parameters: boolean;
  tree: boolean;
}

/** left = right in LaTeX; links whose parameters are in the group, with their bodies; value if known. */
export interface BaseParameter {
  name: string;
  left: string;
  right: string;
  members: string[];
  links: string[];
  bodies: number[];
  value: number | null;
}

/** total: inertial parameters that are not zero. unobservable: those without effect on the joint forces. */
export interface BaseParametersResult {
  total: number;
  parameters: BaseParameter[];
  unobservable: string[];
  verified: string;
  problem: string;
}

/** q: a closed configuration for the singularities, or []. time_limit of the elimination [s]. */
export interface LoopsRequest {
  q: number[];
  time_limit: number;
}

/** A loop constraint: formula = 0 in LaTeX, "" where it is too long; terms: its number of terms. */
export interface ConstraintLine {
  name: string;
  latex: string;
  terms: number;
}

/** Structure and formulas of the loops. */
export interface LoopsResult {
  mobility: number;
  independent: string[];
  dependent: string[];
  actuated: string[];
  equations: number;
  redundant: string[];
  unactuated: string[];
  constraints: ConstraintLine[];
  explicit: string[];
  loop_singularity: number | null;
  actuation_singularity: number | null;
}

/** A controller beside the formulas. target: of the actuated coordinates; duration: of the way there [s]. */
export interface ControllerRequest {
  kind: "none" | "pd" | "computed torque" | "gravity compensation";
  target: number[];
  stiffness: number;
  damping: number;
  duration: number;
}

/** A frame on a surface. */
export interface ContactRequest {
  frame: string;
  surface: "plane" | "sphere" | "cylinder" | "height" | "formula";
  normal: number[];
  point: number[];
  radius: number;
  formula: string;
  friction: number;
  static: number;
  restitution: number;
  bilateral: boolean;
}

/** A motion from q and v (all coordinates of the robot in the file). */
export interface SimulationRequest {
  q: number[];
  v: number[];
  duration: number;
  torques: string[];
  gravity: number[];
  controller: ControllerRequest;
  contacts: ContactRequest[];
  free_base: boolean;
  base_mass: number;
  stops: boolean;
  joint_friction: boolean;
  torque_limits: boolean;
  typical: boolean;
  method: "dop853" | "radau" | "time_stepping";
  step: number;
}

/** A curve over the times of its plot; name: a symbol, or the key of a text; None: a gap. */
export interface CurveRecord {
  name: string;
  values: (number | null)[];
}

/** Curves over time [s]; title: key of a text; unit: shown in brackets behind it. */
export interface PlotRecord {
  title: string;
  unit: string;
  times: number[];
  curves: CurveRecord[];
}

/** What happened at a time [s], and the contact mode before. */
export interface EventRecord {
  t: number;
  names: string[];
  contact_mode: string;
}

/** Energy balance [J]; relative: error by the largest kinetic energy. */
export interface EnergyAudit {
  start: number;
  end: number;
  work: number;
  dissipated: number;
  error: number;
  relative: number;
}

/** status: "done", or why the motion ended early. document: the robot on a free base, if it was freed. */
export interface SimulationResult {
  status: string;
  done: boolean;
  motion: Motion;
  plots: PlotRecord[];
  events: EventRecord[];
  more_events: number;
  audit: EnergyAudit;
  residual: number;
  steps: number;
  notes: string[];
  document: RobotDocument | null;
}

/** A force on a frame [N], a mass at it [kg]. */
export interface LoadRequest {
  frame: string;
  force: number[];
  mass: number;
}

/** Configuration q, beams of a link (an even number), joints that are held, and loads. */
export interface ElasticRequest {
  q: number[];
  elements: number;
  locked: "motors" | "all" | "none";
  modes: number;
  loads: LoadRequest[];
}

/** Displacement of a frame under weight and loads [m]. */
export interface FrameDeflection {
  frame: string;
  displacement: number[];
}

/** Natural frequencies [Hz]; vibration modes and the deflection as beams. */
export interface ElasticResult {
  frequencies: number[];
  vibration: BeamMesh;
  deflection: BeamMesh | null;
  frames: FrameDeflection[];
  largest: number;
  sections: string[];
  beams: number;
  rails: string[];
  problem: string;
}

/** A paper, and one of its cases ("": the first). */
export interface PaperRequest {
  paper: "constrained_arm" | "rosam" | "portal_frame" | "humanoid_friction" | "capture";
  case: string;
}

/** A formula of the paper and ours, in LaTeX; title: key of a text, or the formula's own name. */
export interface ComparedFormula {
  title: string;
  paper: string;
  here: string;
  equal: boolean;
}

/** A number to know; key: of a text "papers.fact.<key>". */
export interface StudyFact {
  key: string;
  value: string;
}

/** The study of a paper. speed: at which its motion is played, 1 for real time. */
export interface StudyResult {
  robot: RobotDocument;
  motion: Motion;
  speed: number;
  plots: PlotRecord[];
  events: EventRecord[];
  formulas: ComparedFormula[];
  facts: StudyFact[];
}

/** The study, the case that was computed, and all cases. */
export interface PaperResult {
  paper: "constrained_arm" | "rosam" | "portal_frame" | "humanoid_friction" | "capture";
  case: string;
  cases: string[];
  study: StudyResult;
}

/** A law, or its derivatives by all inputs, as code. frame: "" for the shown one. */
export interface LawExportRequest {
  law: string;
  frame: string;
  language: "c" | "c++" | "python" | "julia" | "matlab" | "rust" | "wasm" | "latex" | "markdown" | "sympy" | "casadi" | "casadi c";
  derivative: boolean;
}

/** A file. content: base64; text: its beginning, "" of binary files; size [bytes]. */
export interface ExportedFile {
  name: string;
  content: string;
  text: string;
  size: number;
}

/** Files, and what to know about them. */
export interface ExportResult {
  files: ExportedFile[];
  notes: string[];
}

/** The robot in a file format. */
export interface RobotExportRequest {
  format: "toml" | "urdf" | "mjcf" | "par";
}

/** All laws as C and Python, and those of the page as WebAssembly, in one archive. */
export interface CodeExportRequest {
}

/** The report; language: of the page at first. time_limit of the algebra of one law [s]. */
export interface ReportExportRequest {
  format: "html" | "json" | "tex";
  language: "en" | "ja";
  time_limit: number;
}

/** Argument and result of each task. */
export interface Tasks {
  assembly_modes: [AssemblyRequest, AssemblyModes];
  visuals: [VisualsRequest, VisualsResult];
  laws: [LawsRequest, LawsResult];
  equations: [EquationsRequest, EquationsResult];
  branches: [BranchesRequest, BranchesResult];
  joint_formulas: [JointFormulasRequest, JointFormulasResult];
  base_parameters: [BaseParametersRequest, BaseParametersResult];
  loops: [LoopsRequest, LoopsResult];
  simulation: [SimulationRequest, SimulationResult];
  elastic: [ElasticRequest, ElasticResult];
  paper: [PaperRequest, PaperResult];
  law_export: [LawExportRequest, ExportResult];
  robot_export: [RobotExportRequest, ExportResult];
  code_export: [CodeExportRequest, ExportResult];
  report_export: [ReportExportRequest, ExportResult];
}
