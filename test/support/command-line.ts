import { spawn } from "node:child_process";
import { closeSync, openSync } from "node:fs";
import { join } from "node:path";
import { PassThrough, Readable, Writable } from "node:stream";
import { text } from "node:stream/consumers";
import type { Tenant } from "../../sandbox/tenant/index.ts";
import { main } from "../../src/cli/main.ts";
import { Output, type OutputStream } from "../../src/cli/output/output.ts";
import { writingAll } from "../../src/cli/output/standard-output.ts";
import { type Clock, systemClock } from "../../src/clock.ts";
import { withEnvironment } from "./environment.ts";
import { builtNpmFolder } from "./package.ts";
import { temporaryFolder } from "./temporary-folder.ts";

/** How a call of the command line ended. */
export interface CommandOutcome {
  code: number | null;
  out: string;
  error: string;
}

export interface CommandCall {
  /** What standard input holds. */
  input?: string;
  /** Changes to the environment. */
  env?: NodeJS.ProcessEnv;
  /** What standard output is appended to; default: a pipe, which is read. */
  file?: string;
  /** Largest size of a file that is written, in KiB: a write beyond it is cut off, as on a full disk. */
  fileLimit?: number;
}

/** The command, for `spawn`, with a limit on the size of the files that it writes. */
export function limited(command: readonly string[], fileLimit?: number): [program: string, args: string[]] {
  const shell = ["bash", "-c", `trap "" XFSZ; ulimit -f ${fileLimit}; exec "$@"`, "bash"];
  const [program = "", ...args] = fileLimit === undefined ? command : [...shell, ...command];
  return [program, args];
}

/** Runs the built command line. Nothing of this user's own profile and proxy settings reaches it. */
export async function commandLine(args: readonly string[], call: CommandCall = {}) {
  const { input = "", env = {}, file, fileLimit } = call;
  const program = join(await builtNpmFolder(), "cli.mjs");
  const stdout = file === undefined ? ("pipe" as const) : openSync(file, "a");
  const child = spawn(...limited([process.execPath, program, ...args], fileLimit), {
    env: { PATH: process.env["PATH"], HOME: temporaryFolder(), ...env },
    stdio: ["pipe", stdout, "pipe"],
  });
  if (typeof stdout === "number") closeSync(stdout);
  // A program that does not read its input may end before it is written.
  child.stdin?.on("error", () => undefined);
  child.stdin?.end(input);
  const exit = new Promise<number | null>((done) => child.once("close", done));
  const [out, error] = await Promise.all([
    child.stdout === null ? "" : text(child.stdout),
    child.stderr === null ? "" : text(child.stderr),
  ]);
  return { code: await exit, out, error } satisfies CommandOutcome;
}

/** Runs a command against the tenant, with the credentials of its token. */
export function ask(tenant: Tenant, args: readonly string[], call: CommandCall = {}): Promise<CommandOutcome> {
  return commandLine([...args, ...connectionTo(tenant)], { input: tenant.tokenKey, ...call });
}

function connectionTo({ url, tokenId }: Pick<Tenant, "url" | "tokenId">): string[] {
  return ["--server", url, "--token-id", tokenId];
}

export interface CallHere {
  /** What standard input holds. */
  input?: string;
  /** Standard input, in place of a text. */
  stdin?: Readable;
  /** Environment variables for the time of the call, see `withEnvironment`. */
  env?: NodeJS.ProcessEnv;
  /** What standard output is appended to; default: what is written is collected. */
  file?: string;
  /** Standard output, in place of a file. */
  stdout?: OutputStream;
  /** Standard error is a terminal. */
  errorsShown?: true;
  /** The user's profile; default: there is none. */
  defaultProfile?: string;
  /** Default: the clock of this machine. */
  clock?: Clock;
  /** Stands for Ctrl-C and SIGTERM. */
  stop?: AbortSignal;
}

/** Standard output whose writes fail: EPIPE when its reader has gone, ENOSPC when the disk is full. */
export function failingOutput(code: string): Writable {
  return new Writable({
    write(_chunk, _encoding, done) {
      done(Object.assign(new Error(code), { code }));
    },
  });
}

/** Runs the sources of the command line in this process, which costs a fraction of a start. */
export async function commandLineHere(args: readonly string[], call: CallHere = {}): Promise<CommandOutcome> {
  const { input = "", env = {}, file, defaultProfile = "/nowhere/profile.json", clock = systemClock } = call;
  const { stdin = Readable.from([Buffer.from(input)]) } = call;
  const collected = new PassThrough();
  const stderr = Object.assign(new PassThrough(), { isTTY: call.errorsShown === true });
  const written = Promise.all([text(collected), text(stderr)]);
  const fd = file === undefined ? null : openSync(file, "a");
  const opened = fd === null ? collected : writingAll(Object.assign(new PassThrough(), { fd }));
  const { stop = new AbortController().signal } = call;
  try {
    const run = () =>
      main(args, {
        terminal: { input: stdin, output: stderr, stop },
        output: new Output({ stdout: call.stdout ?? opened, stderr, colours: true, clock, stop }),
        clock,
        random: Math.random,
        stop,
        defaultProfile,
        exitCode: 0,
      });
    const code = await withEnvironment(env, run);
    collected.end();
    stderr.end();
    const [out, error] = await written;
    return { code, out, error };
  } finally {
    if (fd !== null) closeSync(fd);
  }
}

/** Runs a command of the sources in this process against the tenant, with the credentials of its token. */
export function askHere(
  tenant: Pick<Tenant, "url" | "tokenId" | "tokenKey">,
  args: readonly string[],
  call: CallHere = {},
): Promise<CommandOutcome> {
  return commandLineHere([...args, ...connectionTo(tenant)], { input: tenant.tokenKey, ...call });
}
