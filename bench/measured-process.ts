import { spawn } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

/** What one process cost, from its start to its end, children included. */
export interface ProcessCost {
  /** Epoch milliseconds, with fractions. */
  startedAt: number;
  wallMs: number;
  userMs: number;
  systemMs: number;
  /** Largest resident set; of several processes the sum, which is no less than what they held at once. */
  peakBytes: number;
}

type Usage = Pick<ProcessCost, "userMs" | "systemMs" | "peakBytes">;

const usageReporter = pathToFileURL(join(import.meta.dirname, "report-usage.mjs")).href;

/**
 * Runs a program of Node once.
 *
 * @param input - what its standard input holds
 * @param read - reads its standard output to the end
 */
export async function measureProcess<T>(
  [program, ...args]: readonly [string, ...string[]],
  input: string,
  read: (stdout: AsyncIterable<Buffer>) => Promise<T>,
): Promise<{ cost: ProcessCost; output: T; code: number | null }> {
  const scratch = await mkdtemp(join(tmpdir(), "bench-"));
  const usageFile = join(scratch, "usage");
  try {
    const startedAt = performance.timeOrigin + performance.now();
    const child = spawn(process.execPath, [program, ...args], {
      env: { PATH: process.env["PATH"], NODE_OPTIONS: `--import=${usageReporter}`, BENCH_USAGE_FILE: usageFile },
      stdio: ["pipe", "pipe", "inherit"],
    });
    const ended = new Promise<number | null>((resolve, reject) => {
      child.once("error", reject).once("close", resolve);
    });
    child.stdin.end(input);
    const output = await read(child.stdout);
    const code = await ended;
    const wallMs = performance.timeOrigin + performance.now() - startedAt;
    return { cost: { startedAt, wallMs, ...(await readUsage(usageFile)) }, output, code };
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
