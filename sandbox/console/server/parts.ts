import type { Host } from "../../soar/index.ts";
import type { Live } from "./live.ts";
import type { Simulation } from "./simulation/simulation.ts";
import type { TourMarks } from "./tour.ts";

/** What the routes work on. */
export interface Parts {
  host: Host;
  /** null when no simulated tenant runs. */
  simulation: Simulation | null;
  live: Live;
  tour: TourMarks;
  /** Folder of built packages. */
  builds: string;
}
