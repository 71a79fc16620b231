import { spawn } from "node:child_process";
import { closeSync, openSync } from "node:fs";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { setTimeout as delay } from "node:timers/promises";
import type { Tenant, TenantOptions } from "../../../sandbox/tenant/index.ts";
import type { Alert } from "../../../src/runtime/protocol.ts";
import { limited } from "../../support/command-line.ts";
import { builtNpmFolder } from "../../support/package.ts";
import { StoredFindings } from "../../support/stored-findings.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";
import { startTenant } from "../../support/tenant.ts";

const dataset = { environments: 2, findingTypes: 3, findingsPerPair: 20 };

/** When a run is killed: after so many bytes on its pipe, or after so many milliseconds. */
export type Death = { bytes: number } | { ms: number };

export interface PollRun {
  code: number | null;
  killed: boolean;
  /** What came through the pipe; empty when standard output was a file. */
  out: string;
  error: string;
  ms: number;
}

export interface PollCall {
  tenant: Tenant;
  state: string;
  /** What standard input holds, when the state is `-`: the credentials are then in this profile. */
  stream?: { input: string; profile: string };
  /** A file to append to; default: a pipe. */
  file?: string;
  args?: readonly string[];
  /** Largest size of a file that is written, in KiB: a write beyond it is cut off, as on a full disk. */
  fileLimit?: number;
  dies?: Death;
  /** The reader of the pipe goes away after the first bytes. */
  readerLeaves?: boolean;
  /** The run gets this signal with its first bytes on the pipe. */
  stopped?: NodeJS.Signals;
}

/** Standard input holds either the token key or the state. */
function accessTo({ url, tokenId, tokenKey }: Tenant, stream: PollCall["stream"]) {
  if (stream === undefined) return { connection: ["--server", url, "--token-id", tokenId], input: tokenKey };
  return { connection: ["--profile", stream.profile], input: stream.input };
}

/** Runs `poll` once, and kills it with a signal that it cannot catch. */
export async function pollOnce({
  tenant,
  state,
  stream,
  file,
  args = [],
  fileLimit,
  dies,
  readerLeaves = false,
  stopped,
}: PollCall): Promise<PollRun> {
  const program = join(await builtNpmFolder(), "cli.mjs");
  const stdout = file === undefined ? ("pipe" as const) : openSync(file, "a");
  const { connection, input } = accessTo(tenant, stream);
  const started = Date.now();
  const command = [process.execPath, program, "poll", "--state", state, ...connection, ...args];
  const child = spawn(...limited(command, fileLimit), {
    env: { PATH: process.env["PATH"], HOME: temporaryFolder() },
    stdio: ["pipe", stdout, "pipe"],
  });
  if (typeof stdout === "number") closeSync(stdout);
  child.stdin?.on("error", () => undefined);
  child.stdin?.end(input);
  const ended = new Promise<number | null>((done) => child.once("close", done));
  const over = new AbortController();
  if (dies !== undefined && "ms" in dies) {
    delay(dies.ms, undefined, { signal: over.signal }).then(
      () => child.kill("SIGKILL"),
      () => undefined,
    );
  }
  const most = dies !== undefined && "bytes" in dies ? dies.bytes : Infinity;
  let out = "";
  child.stdout?.setEncoding("utf8").on("data", (piece: string) => {
    out += piece;
    if (out.length >= most) child.kill("SIGKILL");
    if (readerLeaves) child.stdout?.destroy();
  });
  // A second signal would end it at once.
  child.stdout?.once("data", () => stopped !== undefined && child.kill(stopped));
  const [code, error] = await Promise.all([ended, child.stderr === null ? "" : text(child.stderr)]);
  over.abort();
  return { code, killed: child.signalCode === "SIGKILL", out, error, ms: Date.now() - started };
}

/** The alerts in the complete lines of a text. */
export function alertsIn(content: string): Alert[] {
  const lines = content.split("\n").slice(0, -1);
  return lines.map((line) => JSON.parse(line) as Alert);
}

/** A tenant, and paths for the state and the alerts of a run. */
export async function startPoll(options: TenantOptions = { dataset, maxPageSize: 7 }) {
  const folder = temporaryFolder();
  const tenant = await startTenant(options);
  return { tenant, folder, state: join(folder, "poll.json"), file: join(folder, "alerts.ndjson") };
}

export function findingsIn(content: string, stored = new StoredFindings()): StoredFindings {
  for (const alert of alertsIn(content)) stored.store(alert);
  return stored;
}
