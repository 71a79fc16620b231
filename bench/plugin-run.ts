import { spawn } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { Request } from "../src/runtime/protocol.ts";
import { type PluginOutput, readOutput } from "./plugin-output.ts";

/** What one process of the plugin cost, from its start to its end, children included. */
export interface PluginRun {
  /** Epoch milliseconds, with fractions. */
  startedAt: number;
  wallMs: number;
  userMs: number;
  systemMs: number;
  /** Largest resident set; of several processes the sum, which is no less than what they held at once. */
  peakBytes: number;
  output: PluginOutput;
}

/** The plugin ran and said that it failed. */
export class PluginFailedError extends Error {
  override readonly name = "PluginFailedError";
}

interface Usage {
  userMs: number;
  systemMs: number;
  peakBytes: number;
}

const usageReporter = pathToFileURL(join(import.meta.dirname, "report-usage.mjs")).href;

/**
 * Runs `node plugin.mjs` once as a host does.
 *
 * @param folder - of the unpacked package
 * @throws PluginFailedError
 */
export async function runPlugin(folder: string, request: Request): Promise<PluginRun> {
  const scratch = await mkdtemp(join(tmpdir(), "bench-"));
  const usageFile = join(scratch, "usage");
  try {
    const startedAt = performance.timeOrigin + performance.now();
    const child = spawn(process.execPath, [join(folder, "plugin.mjs")], {
      env: { PATH: process.env["PATH"], NODE_OPTIONS: `--import=${usageReporter}`, BENCH_USAGE_FILE: usageFile },
      stdio: ["pipe", "pipe", "inherit"],
    });
    const ended = new Promise<void>((resolve, reject) => {
      child.once("error", reject).once("close", () => {
        resolve();
      });
    });
    child.stdin.end(JSON.stringify(request));
    const output = await readOutput(child.stdout);
    await ended;
    const wallMs = performance.timeOrigin + performance.now() - startedAt;
    const { status, message } = output.result;
    if (status === "failed") throw new PluginFailedError(`The plugin failed: ${message}`);
    return { startedAt, wallMs, ...(await readUsage(usageFile)), output };
  } finally {
    await rm(scratch, { recursive: true });
  }
}

async function readUsage(file: string): Promise<Usage> {
  const usages = (await readFile(file, "utf8")).trim().split("\n");
  const total: Usage = { userMs: 0, systemMs: 0, peakBytes: 0 };
  for (const { userMs, systemMs, peakBytes } of usages.map((text) => JSON.parse(text) as Usage)) {
    total.userMs += userMs;
    total.systemMs += systemMs;
    total.peakBytes += peakBytes;
  }
  return total;
}
