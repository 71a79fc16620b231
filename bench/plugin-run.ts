import { join } from "node:path";
import type { Request } from "../src/runtime/protocol.ts";
import { measureProcess, type ProcessCost } from "./measured-process.ts";
import { type PluginOutput, readOutput } from "./plugin-output.ts";

/** What one process of the plugin cost, and what it wrote. */
export interface PluginRun extends ProcessCost {
  output: PluginOutput;
}

/** The plugin ran and said that it failed. */
export class PluginFailedError extends Error {
  override readonly name = "PluginFailedError";
}

/**
 * Runs `node plugin.mjs` once as a host does.
 *
 * @param folder - of the unpacked package
 * @throws PluginFailedError
 */
export async function runPlugin(folder: string, request: Request): Promise<PluginRun> {
  const { cost, output } = await measureProcess([join(folder, "plugin.mjs")], JSON.stringify(request), readOutput);
  const { status, message } = output.result;
  if (status === "failed") throw new PluginFailedError(`The plugin failed: ${message}`);
  return { ...cost, output };
}
