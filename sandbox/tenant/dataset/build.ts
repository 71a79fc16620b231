import type { Dataset } from "./dataset.ts";
import { demoDataset, type DemoOptions } from "./demo.ts";
import { uniformDataset, type UniformOptions } from "./uniform.ts";

export type DatasetOptions = DemoOptions | UniformOptions;

/** Builds a data set; equal options give equal data. */
export function buildDataset(options: DatasetOptions = {}): Dataset {
  return "environments" in options ? uniformDataset(options) : demoDataset(options);
}
