import { spawn, spawnSync } from "node:child_process";
import {
  closeSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { delimiter, join } from "node:path";
import { text } from "node:stream/consumers";
import { beforeAll, describe, expect, it } from "@jest/globals";
import type { Tenant } from "../../../sandbox/tenant/index.ts";
import { StoredFindings } from "../../support/stored-findings.ts";
import { builtNpmFolder, rootDir } from "../../support/package.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";
import { startTenant } from "../../support/tenant.ts";
import { alertsIn } from "./runs.ts";

interface RunTerms {
  readonly readerLeaves?: boolean;
  readonly output?: "pipe" | number;
  readonly signal?: NodeJS.Signals;
}

describe("docs/examples/poll-with-state.sh", () => {
  let tenant: Tenant;
  const folder = temporaryFolder();
  const state = join(folder, "state.json");

  beforeAll(async () => {
    tenant = await startTenant({ dataset: { environments: 2, findingTypes: 2, findingsPerPair: 40 } });
    const { url: server, tokenId, tokenKey } = tenant;
    writeFileSync(join(folder, "profile.json"), JSON.stringify({ server, tokenId, tokenKey }), { mode: 0o600 });
    mkdirSync(join(folder, "bin"));
    const program = `#!/bin/sh\nexec "${process.execPath}" "${join(await builtNpmFolder(), "cli.mjs")}" "$@"\n`;
    writeFileSync(join(folder, "bin", "attack-path-analysis"), program, { mode: 0o755 });
  }, 120_000);

  /**
   * @param readerLeaves - the reader takes the first bytes and goes away
   * @param output - what standard output is; default: a pipe to the reader
   * @param signal - the script gets it with the first bytes
   */
  async function run(args: readonly string[], { readerLeaves = false, output = "pipe", signal }: RunTerms = {}) {
    const script = join(rootDir, "docs/examples/poll-with-state.sh");
    const child = spawn("sh", [script, state, ...args], {
      cwd: folder,
      env: { PATH: [join(folder, "bin"), process.env["PATH"]].join(delimiter), HOME: folder },
      stdio: ["pipe", output, "pipe"],
      detached: true,
    });
    const code = new Promise<number | null>((done) => child.once("close", done));
    let isStopped = false;
    // A terminal sends Ctrl-C to all processes of a command, a container SIGTERM to its first one.
    const stopWith = (sent: NodeJS.Signals): void => {
      if (!isStopped) process.kill(sent === "SIGINT" ? -child.pid! : child.pid!, sent);
      isStopped = true;
    };
    child.stdin?.end();
    let out = "";
    child.stdout?.setEncoding("utf8").on("data", (piece: string) => {
      out += piece;
      if (readerLeaves) child.stdout?.destroy();
      if (signal !== undefined) stopWith(signal);
    });
    return { error: child.stderr === null ? "" : await text(child.stderr), code: await code, out };
  }

  it("passes the alerts on and keeps the state, and delivers again what did not get into the pipe to its reader", async () => {
    const options = ["--profile", "profile.json", "--max-events", "4"];
    const left = await run(options, { readerLeaves: true });
    expect(left.code).not.toBe(0);
    const whole = left.out.slice(0, left.out.lastIndexOf("\n") + 1);
    const next = await run(options);
    expect([next.code, next.out]).toEqual([0, expect.not.stringContaining('{"type":"state"')]);
    const stored = new StoredFindings();
    for (const alert of alertsIn(whole + next.out)) stored.store(alert);
    expect(stored.missing(tenant)).toBe(0);
    expect(readFileSync(state, "utf8")).toMatch(/^\{"type":"state","state":\{.*\}\}\n$/);
    expect(statSync(state).mode & 0o777).toBe(0o600);
    expect(await run(options)).toMatchObject({ code: 0, out: "", error: expect.stringContaining("Nothing new") });
  });

  it("ends as poll does, and keeps the state that it has", async () => {
    const before = readFileSync(state, "utf8");
    expect(await run(["--profile", "no-such-profile.json"])).toMatchObject({ code: 3, out: "" });
    expect(readFileSync(state, "utf8")).toBe(before);
  });

  it.each(["SIGTERM", "SIGINT"] as const)(
    "ends its run on %s, leaves nothing behind, and goes on the next time",
    async (signal) => {
      rmSync(state, { force: true });
      const options = ["--profile", "profile.json", "--max-events", "1"];
      const stopped = await run(options, { signal });
      expect([stopped.code, stopped.error]).toEqual([130, expect.stringContaining("The run was stopped")]);
      expect(readdirSync(folder).filter((name) => name.startsWith("state.json."))).toEqual([]);
      const next = await run(options);
      expect(next.code).toBe(0);
      const stored = new StoredFindings();
      for (const alert of alertsIn(stopped.out + next.out)) stored.store(alert);
      expect([stored.missing(tenant), stored.repeated]).toEqual([0, []]);
    },
  );

  it("replaces the file that a link names, and keeps the link", async () => {
    const [own, elsewhere] = [readFileSync(state, "utf8"), join(folder, "elsewhere.json")];
    rmSync(state);
    symlinkSync("elsewhere.json", state);
    const options = ["--profile", "profile.json"];
    expect(await run(options)).toMatchObject({ code: 0, out: expect.stringContaining('{"id":') });
    expect(readFileSync(elsewhere, "utf8")).toMatch(/^\{"type":"state",/);
    rmSync(state);
    symlinkSync("elsewhere.json", state);
    expect(await run(options)).toMatchObject({ code: 0, out: "" });
    rmSync(state);
    rmSync(elsewhere);
    writeFileSync(state, own);
  });

  it("says so if the folder into which a link leads is missing, such as that of a volume", () => {
    const script = join(rootDir, "docs/examples/poll-with-state.sh");
    const link = join(folder, "link.json");
    symlinkSync("no-folder/state.json", link);
    const { status, stdout, stderr } = spawnSync("sh", [script, link], { cwd: folder, encoding: "utf8" });
    expect([status, stdout]).toEqual([2, ""]);
    expect(stderr).toContain(`${link} is a link into a folder that does not exist`);
  });

  it("refuses a folder in place of the state file, and so does poll", () => {
    const script = join(rootDir, "docs/examples/poll-with-state.sh");
    const env = { PATH: [join(folder, "bin"), process.env["PATH"]].join(delimiter), HOME: folder };
    for (const command of [
      ["sh", script, folder, "--profile", "profile.json"],
      ["sh", "-c", "attack-path-analysis poll --profile profile.json --state - < ."],
    ] as const) {
      const { status, stdout, stderr } = spawnSync(command[0], command.slice(1), {
        cwd: folder,
        env,
        encoding: "utf8",
      });
      expect([status, stdout, stderr]).toEqual([2, "", expect.stringMatching(/is a folder|EISDIR/)]);
    }
  });

  it("says that the output was not written when the disk is full", async () => {
    writeFileSync(state, "");
    const output = openSync("/dev/full", "w");
    expect((await run(["--profile", "profile.json"], { output })).code).toBe(5);
    closeSync(output);
  });

  it.each([
    ["a line that was cut off", '{"id":"cut o', '{"id":"cut o\n'],
    ["whole lines", "{}\n", "{}\n"],
    ["nothing", "", ""],
  ])("begins a line of its own in a file that holds %s", async (_, before, kept) => {
    const file = join(temporaryFolder(), "alerts.ndjson");
    writeFileSync(file, before);
    writeFileSync(state, "");
    const output = openSync(file, "a");
    expect((await run(["--profile", "profile.json"], { output })).code).toBe(0);
    closeSync(output);
    const content = readFileSync(file, "utf8");
    expect(content.slice(0, kept.length)).toBe(kept);
    const stored = new StoredFindings();
    for (const alert of alertsIn(content.slice(kept.length))) stored.store(alert);
    expect([stored.missing(tenant), stored.repeated]).toEqual([0, []]);
  });
});
