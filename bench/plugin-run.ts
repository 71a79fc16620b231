import { spawn } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { Request, ResultMessage } from "../src/runtime/protocol.ts";

/** What one process of the plugin cost, from its start to its end, children included. */
export interface PluginRun {
  /** Epoch milliseconds, with fractions. */
  startedAt: number;
  wallMs: number;
  userMs: number;
  systemMs: number;
  /** Largest resident set; of several processes the sum, which is no less than what they held at once. */
  peakBytes: number;
  /** Bytes on standard output. */
  outBytes: number;
  result: ResultMessage;
}

interface Usage {
  userMs: number;
  systemMs: number;
  peakBytes: number;
}

const LINE_FEED = 0x0a;
const usageReporter = pathToFileURL(join(import.meta.dirname, "report-usage.mjs")).href;

/**
 * Runs `node plugin.mjs` once as a host does. The host's own work is kept small: of what the plugin writes it reads the
 * result alone.
 *
 * @param folder - of the unpacked package
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
    const output = await lastLine(child.stdout);
    await ended;
    const wallMs = performance.timeOrigin + performance.now() - startedAt;
    const result = JSON.parse(output.line) as ResultMessage;
    if (result.status === "failed") throw new Error(`The plugin failed: ${result.message}`);
    return { startedAt, wallMs, ...(await readUsage(usageFile)), outBytes: output.bytes, result };
  } finally {
    await rm(scratch, { recursive: true });
  }
}

/** The last line of a stream and the length of all of it. */
async function lastLine(stream: AsyncIterable<Buffer>): Promise<{ line: string; bytes: number }> {
  let line: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of stream) {
    bytes += chunk.length;
    // The line feed that ends the line itself does not count.
    const start = chunk.lastIndexOf("\n", -2) + 1;
    if (start > 0 || line.at(-1)?.at(-1) === LINE_FEED) line = [];
    line.push(chunk.subarray(start));
  }
  return { line: Buffer.concat(line).toString("utf8"), bytes };
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
