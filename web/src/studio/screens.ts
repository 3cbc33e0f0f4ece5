// The screens of the studio, in the order of its bar. A screen is a component of the studio; its title is the
// text "screen.<name>".

import type { ComponentType } from "preact";
import { BaseParametersScreen } from "./screens/base_parameters_screen";
import { ElasticScreen } from "./screens/elastic_screen";
import { EquationsScreen } from "./screens/equations_screen";
import { ExportScreen } from "./screens/export_screen";
import { InertiaScreen } from "./screens/inertia_screen";
import { LoopsScreen } from "./screens/loops_screen";
import { PapersScreen } from "./screens/papers_screen";
import { PoseScreen } from "./screens/pose_screen";
import { SimulateScreen } from "./screens/simulate_screen";
import { StartScreen } from "./screens/start_screen";
import { StructureScreen } from "./screens/structure_screen";
import type { Studio } from "./studio";

export interface Screen {
  name: string;
  component: ComponentType<{ studio: Studio }>;
  /** "beside": the robot is shown beside the screen; "alone": the screen has the whole width. */
  layout: "beside" | "alone";
  /** What must be there: nothing, a document, or a robot without mistakes. */
  needs: "nothing" | "document" | "robot";
}

const screen = <Name extends string>(name: Name, component: Screen["component"], layout: Screen["layout"], needs: Screen["needs"]) => ({
  name,
  component,
  layout,
  needs,
});

export const SCREENS = [
  screen("start", StartScreen, "alone", "nothing"),
  screen("structure", StructureScreen, "beside", "document"),
  screen("inertia", InertiaScreen, "beside", "document"),
  screen("loops", LoopsScreen, "beside", "document"),
  screen("pose", PoseScreen, "beside", "robot"),
  screen("equations", EquationsScreen, "beside", "document"),
  screen("base_parameters", BaseParametersScreen, "beside", "document"),
  screen("simulate", SimulateScreen, "beside", "robot"),
  screen("elastic", ElasticScreen, "beside", "robot"),
  screen("papers", PapersScreen, "beside", "nothing"),
  screen("export", ExportScreen, "beside", "document"),
] as const;

export type ScreenName = (typeof SCREENS)[number]["name"];
