import { manifest } from "../../src/generated/manifest.ts";
import type { PluginModules } from "../../src/runtime/modules.ts";

const missing = (): Promise<never> => Promise.reject(new Error("not part of this test"));

/** The declared entry points, none of which is there. */
export const noModules = {
  actions: Object.fromEntries(manifest.actions.map(({ name }) => [name, missing])),
  jobs: Object.fromEntries(manifest.jobs.map(({ name }) => [name, missing])),
  connectors: Object.fromEntries(manifest.connectors.map(({ name }) => [name, missing])),
} as unknown as PluginModules;
