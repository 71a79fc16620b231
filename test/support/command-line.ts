import { spawn } from "node:child_process";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import type { Tenant } from "../../sandbox/tenant/index.ts";
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
}

/** Runs the built command line. Nothing of this user's own profile and proxy settings reaches it. */
export async function commandLine(args: readonly string[], { input = "", env = {} }: CommandCall = {}) {
  const program = join(await builtNpmFolder(), "cli.mjs");
  const child = spawn(process.execPath, [program, ...args], {
    env: { PATH: process.env["PATH"], HOME: temporaryFolder(), ...env },
  });
  // A program that does not read its input may end before it is written.
  child.stdin.on("error", () => undefined);
  child.stdin.end(input);
  const exit = new Promise<number | null>((done) => child.once("close", done));
  const [out, error] = await Promise.all([text(child.stdout), text(child.stderr)]);
  return { code: await exit, out, error } satisfies CommandOutcome;
}

/** Runs a command against the tenant, with the credentials of its token. */
export function ask(tenant: Tenant, args: readonly string[], call: CommandCall = {}): Promise<CommandOutcome> {
  const connection = ["--server", tenant.url, "--token-id", tenant.tokenId];
  return commandLine([...args, ...connection], { input: tenant.tokenKey, ...call });
}
