import { beforeAll, describe, expect, it } from "@jest/globals";
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import {
  chmodSync,
  closeSync,
  constants,
  existsSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { Readable } from "node:stream";
import { text } from "node:stream/consumers";
import type { Tenant } from "../../../sandbox/tenant/index.ts";
import { askHere, commandLineHere } from "../../support/command-line.ts";
import { builtNpmFolder } from "../../support/package.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";
import { startTenant } from "../../support/tenant.ts";
import { alertsIn } from "../poll/runs.ts";

let tenant: Tenant;
let program: string;
beforeAll(async () => {
  tenant = await startTenant({ dataset: { environments: 1, findingTypes: 1, findingsPerPair: 3 } });
  program = join(await builtNpmFolder(), "cli.mjs");
}, 120_000);

function ours(changes: object = {}): string {
  return JSON.stringify({ server: tenant.url, tokenId: tenant.tokenId, tokenKey: tenant.tokenKey, ...changes });
}

function profile(content: string): string {
  const path = join(temporaryFolder(), "profile.json");
  writeFileSync(path, content);
  chmodSync(path, 0o600);
  return path;
}

/** A named pipe. */
function pipe(mode = "600"): string {
  const path = join(temporaryFolder(), "pipe");
  execFileSync("mkfifo", ["-m", mode, path]);
  return path;
}

/** Starts the command line, with standard input from a file. */
function start(args: readonly string[], input = "/dev/null") {
  const child = spawn(process.execPath, [program, ...args], { stdio: [openSync(input, "r"), "pipe", "pipe"] });
  const end = once(child, "close");
  return { child, end, error: text(child.stderr ?? Readable.from([])) };
}

describe("a profile", () => {
  it.each<[string, () => string]>([
    ["with a byte order mark", () => `\uFEFF${ours()}`],
    ["with line ends of Windows", () => `${ours().replaceAll(",", ",\r\n")}\r\n`],
    [
      "whose values end with a line feed",
      () => ours({ tokenKey: `${tenant.tokenKey}\n`, server: ` ${tenant.url}\r\n` }),
    ],
  ])("may be written %s", async (_, content) => {
    expect(await commandLineHere(["ping", "--profile", profile(content())])).toMatchObject({ code: 0, error: "" });
  });

  it("may be a pipe that a password manager writes to", async () => {
    const path = pipe();
    const { end, error } = start(["ping", "--profile", path]);
    writeFileSync(path, ours());
    expect([(await end)[0], await error]).toEqual([0, ""]);
    const command = `"${process.execPath}" "${program}" ping --profile <(printf %s "$PROFILE")`;
    const shell = spawn("bash", ["--norc", "-c", command], {
      env: { PROFILE: ours() },
      stdio: ["ignore", "ignore", "pipe"],
    });
    expect(await once(shell, "close")).toEqual([0, null]);
  });

  it("that nobody writes to ends with SIGTERM", async () => {
    const path = pipe();
    const { child, end, error } = start(["ping", "--profile", path]);
    const writer = await whenRead(path);
    child.kill("SIGTERM");
    expect([await end, await error]).toEqual([[130, null], "Error: Stopped. Nothing was changed.\n"]);
    closeSync(writer);
  });

  it("that is too long, that others can read, or that is no file is refused", async () => {
    const outcomes = await Promise.all(
      [profile(ours().padEnd(70_000)), pipe("644"), "/dev/zero", "/dev/null"].map((path) =>
        commandLineHere(["ping", "--profile", path]),
      ),
    );
    expect(outcomes.map(({ code }) => code)).toEqual([3, 3, 3, 3]);
    expect(outcomes[0]?.error).toContain("cannot be read (larger than 65536 bytes)");
    expect(outcomes[1]?.error).toContain("Others can read or change the profile");
  });

  it("with text that is no Unicode is refused or used, and no bug", async () => {
    for (const [field, code] of [
      ["tokenKey", 3],
      ["tokenId", 3],
      ["server", 2],
    ] as const) {
      const path = profile(ours({ [field]: "a\uD800b" }));
      expect([field, (await commandLineHere(["ping", "--profile", path])).code]).toEqual([field, code]);
    }
  });
});

describe("a secret on standard input", () => {
  it("that has no end, or cannot be read, is refused", async () => {
    const args = ["ping", "--server", tenant.url, "--token-id", tenant.tokenId];
    for (const [input, message] of [
      ["/dev/zero", "The Token Key cannot be read from standard input (too long)"],
      [temporaryFolder(), "No Token Key was given"],
    ] as const) {
      const { end, error } = start(args, input);
      expect([(await end)[0], await error]).toEqual([3, expect.stringContaining(message)]);
    }
  });
});

describe("the report of doctor", () => {
  const report = (path: string) => askHere(tenant, ["doctor", "--bundle", path]);

  it("replaces a file that others could read by one that only its owner can", async () => {
    const path = join(temporaryFolder(), "report.json");
    writeFileSync(path, "old");
    chmodSync(path, 0o644);
    const reader = openSync(path, "r");
    expect((await report(path)).code).toBe(0);
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(JSON.parse(readFileSync(path, "utf8"))).toMatchObject({ canRun: true });
    // A process that had opened the old file does not see the new one.
    expect(readFileSync(reader, "utf8")).toBe("old");
  });

  it("follows no link, neither in its place nor beside it", async () => {
    const folder = temporaryFolder();
    const [victim, link, path] = [join(folder, "victim"), join(folder, "link.json"), join(folder, "report.json")];
    writeFileSync(victim, "untouched");
    symlinkSync(victim, link);
    symlinkSync(victim, `${path}.new`);
    const refused = await report(link);
    expect([refused.code, refused.error]).toEqual([2, expect.stringContaining("cannot be written to")]);
    expect(refused.error).toContain("(a symbolic link). Choose another file.");
    expect((await report(path)).code).toBe(0);
    expect([readFileSync(victim, "utf8"), readlinkSync(link)]).toEqual(["untouched", victim]);
    expect(readdirSync(folder).sort()).toEqual(["link.json", "report.json", "victim"]);
  });

  it("takes the place of no device, pipe or folder", async () => {
    for (const path of ["/dev/null", pipe(), temporaryFolder()]) {
      const kind = lstatSync(path).mode;
      expect((await report(path)).code).toBe(2);
      expect(lstatSync(path).mode).toBe(kind);
    }
  });
});

describe("the state file of poll", () => {
  const poll = (state: string) => askHere(tenant, ["poll", "--state", state]);

  it("is written where a symbolic link leads, before there is a file and after that", async () => {
    const folder = temporaryFolder();
    mkdirSync(join(folder, "store"));
    const [state, link] = [join(folder, "store", "state.json"), join(folder, "poll.json")];
    symlinkSync("second.json", link);
    symlinkSync("store/state.json", join(folder, "second.json"));
    const first = await poll(link);
    expect([first.code, alertsIn(first.out).length]).toEqual([0, 1]);
    expect([lstatSync(link).isSymbolicLink(), statSync(state).mode & 0o777]).toEqual([true, 0o600]);
    for (const path of [link, state]) expect(await poll(path)).toMatchObject({ code: 0, out: "" });
    expect(readdirSync(folder).sort()).toEqual(["poll.json", "second.json", "store"]);
    expect(readdirSync(join(folder, "store"))).toEqual(["state.json"]);
  });

  it("is one file for runs that name it differently", async () => {
    const folder = temporaryFolder();
    const [state, link] = [join(folder, "state.json"), join(folder, "poll.json")];
    symlinkSync(state, link);
    const busy = await startTenant({ dataset: { environments: 1, findingTypes: 1, findingsPerPair: 3 } });
    let second: Promise<{ code: number | null }> | undefined;
    const run = async (): Promise<void> => {
      second = askHere(busy, ["poll", "--state", state]);
      await second;
    };
    busy.control.fault({ path: "details", times: 1, effect: { kind: "run", run } });
    expect((await askHere(busy, ["poll", "--state", link])).code).toBe(0);
    expect((await second)?.code).toBe(1);
  });

  it("is refused when it is no file, and its lock too", async () => {
    const folder = temporaryFolder();
    const loop = join(folder, "loop");
    symlinkSync("loop", loop);
    for (const path of ["/dev/zero", pipe(), folder, loop]) {
      const { code, error } = await poll(path);
      expect([code, error]).toEqual([2, expect.stringMatching(/state file .* cannot be|lock file .* cannot be/)]);
    }
    const state = join(folder, "poll.json");
    execFileSync("mkfifo", [`${state}.lock`]);
    expect(await poll(state)).toMatchObject({ code: 2, error: expect.stringContaining("cannot be used (not a file)") });
    expect(existsSync(state)).toBe(false);
  });
});

/** Opens a pipe for writing as soon as somebody reads it. */
async function whenRead(path: string): Promise<number> {
  for (;;) {
    try {
      return openSync(path, constants.O_WRONLY | constants.O_NONBLOCK);
    } catch {
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
  }
}
