import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { text } from "node:stream/consumers";
import { describe, expect, it } from "@jest/globals";
import { sign } from "../../src/service/http/signing.ts";
import { afterSuite } from "../support/cleanup.ts";
import { rootDir } from "../support/package.ts";
import { shortForms } from "./coverage.ts";

/** Runs a script as its reader does, in a process group of its own, so that a signal reaches it as Ctrl-C would. */
function npmRun(script: keyof typeof shortForms) {
  const args = ["run", "--silent", script, "--", ...shortForms[script]];
  const child = spawn("npm", args, { cwd: rootDir, detached: true, stdio: ["ignore", "pipe", "pipe"] });
  afterSuite(() => {
    if (child.exitCode === null && child.signalCode === null) signalGroup(child, "SIGKILL");
  });
  return child;
}

function signalGroup({ pid }: ChildProcess, signal: NodeJS.Signals): void {
  if (pid !== undefined) process.kill(-pid, signal);
}

async function outcome(script: keyof typeof shortForms): Promise<{ code: number | null; out: string; error: string }> {
  const child = npmRun(script);
  const exit = once(child, "exit") as Promise<[number | null]>;
  const [out, error, [code]] = await Promise.all([text(child.stdout), text(child.stderr), exit]);
  return { code, out, error };
}

describe("a documented command that no other test runs", () => {
  it.each([
    ["validate", /^Attack Path Analysis \d+\.\d+\.\d+: valid \(connectors: \d+, actions: \d+, jobs: \d+, /],
    // Standard output belongs to the commands that generate first, such as `npm start -- --json`.
    ["generate", /^$/],
    ["bench", /\bping\b/i],
    ["mutation", /^ severity\.ts \| +100\.00 /m],
  ] as const)("works: npm run %s", async (script, expected) => {
    const { code, out, error } = await outcome(script);
    expect({ code, error: code === 0 ? "" : error }).toEqual({ code: 0, error: "" });
    expect(out).toMatch(expected);
  });

  it("works: npm run tenant, which serves requests until it gets a signal to end", async () => {
    const child = npmRun("tenant");
    // npm may be gone before the tenant is; its output ends with the last of them.
    const end = once(child, "close");
    const shown = new Map<string, string>();
    for await (const line of createInterface(child.stdout)) {
      const [, label, value] = /^ {2}(Server|Token ID|Token Key) +(\S+)/.exec(line) ?? [];
      if (label !== undefined && value !== undefined) shown.set(label, value);
      if (shown.size === 3) break;
    }
    const [server = "", id = "", key = ""] = ["Server", "Token ID", "Token Key"].map((label) => shown.get(label));
    const target = "/api/v2/available-domains";
    const requestDate = new Date().toISOString();
    const headers = {
      Authorization: `svcsignature ${id}`,
      RequestDate: requestDate,
      Signature: sign(key, "GET", target, requestDate),
    };
    const response = await fetch(server + target, { headers });
    expect(response.status).toBe(200);
    expect(await response.json()).toMatchObject({ data: [{ name: "UNIFORM-0001.TEST" }] });
    child.stdout.resume();
    child.stderr.resume();
    signalGroup(child, "SIGTERM");
    await end;
    await expect(fetch(server + target)).rejects.toThrow();
  });
});
