import { spawn } from "node:child_process";
import { text } from "node:stream/consumers";

export interface PluginRun {
  /** Exit code; null when a signal ended the process. */
  code: number | null;
  /** The messages on stdout, in order. */
  messages: Record<string, unknown>[];
  stdout: string;
  stderr: string;
}

/** Runs `node plugin.mjs` once over the host contract: the request on stdin, which is then closed. */
export async function runPlugin(
  file: string,
  request: unknown,
  { cwd, env = {} }: { cwd?: string; env?: NodeJS.ProcessEnv } = {},
): Promise<PluginRun> {
  const child = spawn(process.execPath, [file], { cwd, env: { PATH: process.env["PATH"], ...env } });
  const ended = new Promise<number | null>((resolve, reject) => {
    child.once("error", reject);
    child.once("close", resolve);
  });
  child.stdin.end(typeof request === "string" ? request : JSON.stringify(request));
  const [code, stdout, stderr] = await Promise.all([ended, text(child.stdout), text(child.stderr)]);
  const lines = stdout.split("\n").filter((line) => line !== "");
  return { code, messages: lines.map((line) => JSON.parse(line) as Record<string, unknown>), stdout, stderr };
}
