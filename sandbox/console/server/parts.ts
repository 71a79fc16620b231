import type { Clock } from "../../../src/clock.ts";
import type { Host } from "../../soar/index.ts";
import type { Simulation } from "./simulation/simulation.ts";
import type { TourMarks } from "./tour.ts";
import type { WaitingFrames } from "./widgets.ts";

/** What the routes work on. */
export interface Parts {
  host: Host;
  /** null when no simulated tenant runs. */
  simulation: Simulation | null;
  clock: Clock;
  tour: TourMarks;
  /** Folder of built packages. */
  builds: string;
  /** Widgets that wait to be opened. */
  frames: WaitingFrames;
}
