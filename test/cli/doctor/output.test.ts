import { readFileSync } from "node:fs";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { text } from "node:stream/consumers";
import { beforeAll, beforeEach, describe, expect, it } from "@jest/globals";
import type { Tenant } from "../../../sandbox/tenant/index.ts";
import { examineAll, type TenantReport } from "../../../src/cli/doctor/all.ts";
import { type CheckResult, failed, ok, skipped, warning } from "../../../src/cli/doctor/check.ts";
import type { CheckReport, Diagnosis } from "../../../src/cli/doctor/doctor.ts";
import type { Output } from "../../../src/cli/output/output.ts";
import { ProfileStore } from "../../../src/cli/profiles/store.ts";
import { Deadline } from "../../../src/deadline.ts";
import { Secret } from "../../../src/service/credentials.ts";
import { askHere, type CallHere, commandLineHere, failingOutput } from "../../support/command-line.ts";
import { FakeClock, settle } from "../../support/fake-clock.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";
import { startTenant } from "../../support/tenant.ts";

const WRONG_KEY = "b3RoZXIga2V5";
let tenant: Tenant;
beforeAll(async () => {
  tenant = await startTenant({ dataset: { environments: 1, findingTypes: 1, findingsPerPair: 3 } });
});
beforeEach(() => {
  tenant.control.clearFaults();
});

const COLOURED = new RegExp(`${String.fromCharCode(27)}\\[[\\d;]+m`, "g");
const coloured = (code: number, shown: string): string => `\u001b[${code}m${shown}\u001b[0m`;

/** A terminal with so many columns. */
function reader(columns: number) {
  const stdout = Object.assign(new PassThrough(), { isTTY: true, columns });
  const out = text(stdout);
  const shown = async (): Promise<string> => {
    stdout.end();
    return out;
  };
  return { stdout, shown };
}

const deadline = new Deadline({ clock: new FakeClock(), at: null, stops: [] });
const output = { protect: () => undefined } as unknown as Output;

async function storeOf(...names: string[]): Promise<ProfileStore> {
  const store = new ProfileStore(`${temporaryFolder()}/profile.json`);
  const credentials = { kind: "token", id: "1", key: new Secret("a2V5") } as const;
  for (const name of names) await store.add(name, { server: `https://${name}.test`, credentials });
  return store;
}

async function reportsOf(
  store: ProfileStore,
  examine: (server: string) => Promise<Diagnosis>,
): Promise<TenantReport[]> {
  const reports: TenantReport[] = [];
  for await (const report of examineAll({ output }, store, deadline, ({ server }) => examine(server)))
    reports.push(report);
  return reports;
}

function check(name: string, result: CheckResult, required = true): CheckReport {
  const { status, summary, fix = null, facts = {} } = result;
  return { name, title: `The ${name}`, status, required, summary, fix, facts };
}

const diagnosis = (canRun: boolean, ...checks: CheckReport[]): Diagnosis => ({ canRun, checks, exchanges: [] });

describe("what doctor shows on a terminal", () => {
  async function lines(columns: number, input: string): Promise<string[]> {
    const { stdout, shown } = reader(columns);
    await askHere(tenant, ["doctor"], { stdout, input });
    return (await shown()).split("\n");
  }

  it("is one line for each check, with the mark in its colour, and what does not fit below, where there is room", async () => {
    const shown = await lines(90, WRONG_KEY);
    const title = (name: string): string => name.padEnd(29);
    expect(shown).toContain(`${coloured(32, "ok       ")}${title("Proxy settings")}No proxy applies.`);
    expect(shown).toContain(`${coloured(2, "skipped  ")}${title("Proxy tunnel")}Not needed: no proxy applies.`);
    const at = shown.findIndex((line) => line.startsWith(`${coloured(31, "FAILED   ")}${title("Credentials")}`));
    const below = shown.slice(at + 1, at + 4);
    expect(below.map((line) => /^ {38}\S/.test(line))).toEqual([true, true, true]);
    expect(Math.max(...below.map((line) => line.length))).toBeLessThanOrEqual(90);
  });

  it("is the title, and the text below it, where there is no room", async () => {
    const shown = await lines(89, WRONG_KEY);
    const at = shown.indexOf(`${coloured(32, "ok       ")}Proxy settings`);
    expect(shown[at + 1]).toBe(`${" ".repeat(9)}No proxy applies.`);
    expect(Math.max(...shown.map((line) => line.replaceAll(COLOURED, "").length))).toBeLessThanOrEqual(89);
  });

  it("has warnings in yellow, and cannot be driven by what the service says", async () => {
    tenant.control.fault({ path: "/search$", effect: { kind: "status", status: 403, message: "no\u001b[2J\u202e" } });
    const shown = await lines(200, tenant.tokenKey);
    const [line = ""] = shown.filter((each) => each.includes("Permission: search"));
    expect(line).toContain(coloured(33, "warning  "));
    expect([line.includes("\u001b[2J"), line.includes("\u202e")]).toEqual([false, false]);
  });
});

describe("doctor", () => {
  it.each([[[]], [["--json"]]])("says nothing more once it is stopped: %j", async (options) => {
    const stop = new AbortController();
    const run = () => {
      stop.abort();
    };
    tenant.control.fault({ path: "/available-types$", effect: { kind: "run", run } });
    const file = join(temporaryFolder(), "report.json");
    const args = ["doctor", "--bundle", file, ...options];
    const { code, out, error } = await askHere(tenant, args, { stop: stop.signal });
    expect({ code, error }).toEqual({ code: 130, error: "" });
    expect(out).not.toMatch(/The connector can|canRun|FAILED|Permission:/);
    expect(() => readFileSync(file)).toThrow("ENOENT");
  });

  it("writes the report as JSON and as a file in one go", async () => {
    const file = join(temporaryFolder(), "report.json");
    const { code, out, error } = await askHere(tenant, ["doctor", "--json", "--bundle", file]);
    expect(code).toBe(0);
    expect(JSON.parse(readFileSync(file, "utf8"))).toMatchObject(JSON.parse(out) as object);
    expect(Object.keys(JSON.parse(out) as object)).toEqual(["canRun", "checks"]);
    expect(error).toBe(
      `Wrote ${file}. It holds no secrets, but names and ids of your systems. Read it before you send it.\n`,
    );
  });

  it("logs the requests with --verbose", async () => {
    const { error } = await askHere(tenant, ["doctor", "--verbose"]);
    expect(error).toMatch(/^debug: GET \/api\/v2\/available-domains/m);
  });

  it.each([
    ["--json", "EPIPE", 1, /^$/],
    ["--verbose", "EPIPE", 1, /^(debug|warning): (.*\n)+$/],
    ["--json", "ENOSPC", 5, /^Error: Standard output cannot be written \(ENOSPC\)/],
  ])("answers with its exit code when its reader has gone, and not when the disk is full: %s %s", async (...row) => {
    const [option, failure, expected, said] = row;
    const call: CallHere = { stdout: failingOutput(failure), input: WRONG_KEY };
    const { code, error } = await askHere(tenant, ["doctor", option], call);
    expect({ code, error }).toEqual({ code: expected, error: expect.stringMatching(said) });
  });
});

describe("doctor --all", () => {
  async function all(keys: Readonly<Record<string, string>>, options: readonly string[] = [], call: CallHere = {}) {
    const defaultProfile = join(temporaryFolder(), "profile.json");
    const store = new ProfileStore(defaultProfile);
    for (const [name, key] of Object.entries(keys)) {
      const credentials = { kind: "token", id: tenant.tokenId, key: new Secret(key) } as const;
      await store.add(name, { server: tenant.url, credentials });
    }
    return commandLineHere(["doctor", "--all", ...options], { defaultProfile, ...call });
  }

  it("shows on a terminal how many tenants it has examined, until it shows the table", async () => {
    const { code, error } = await all({ acme: tenant.tokenKey, globex: tenant.tokenKey }, [], { errorsShown: true });
    expect(code).toBe(0);
    expect(error.split("\r").map((line) => line.replace("\u001b[K", ""))).toEqual(["", "Examined 1", "Examined 2", ""]);
  });

  it("has each state in its colour, and leaves out the server on a narrow terminal", async () => {
    tenant.control.fault({ path: "/search$", effect: { kind: "status", status: 403 } });
    const { stdout, shown } = reader(60);
    const keys = { acme: tenant.tokenKey, globex: WRONG_KEY };
    const { code, error } = await all(keys, [], { stdout });
    const [head, ...rows] = (await shown()).split("\n");
    expect([code, head]).toEqual([1, expect.stringMatching(/PROFILE +STATE +LAST ANALYSIS +TOKEN AGE/)]);
    expect(head).not.toContain("SERVER");
    expect(rows.slice(0, 2).map((row) => row.replaceAll(/ +/g, " "))).toEqual([
      `acme ${coloured(33, "warnings")} not known not known`,
      `globex ${coloured(31, "cannot run")} not known not known`,
    ]);
    expect(error).toMatch(/^acme: Permission: search: .*\nglobex: Credentials: .*\n$/);
  });

  it.each([[[]], [["--json"]]])("ends with 130 when it is stopped, without a table: %j", async (options) => {
    const stop = new AbortController();
    const run = () => {
      stop.abort();
    };
    tenant.control.fault({ path: "/available-types$", effect: { kind: "run", run } });
    const outcome = await all({ acme: tenant.tokenKey }, options, { stop: stop.signal });
    expect(outcome).toEqual({ code: 130, out: "", error: "" });
  });

  it("answers with its exit code when its reader has gone", async () => {
    const outcome = await all({ acme: WRONG_KEY, globex: tenant.tokenKey }, ["--json"], {
      stdout: failingOutput("EPIPE"),
    });
    expect(outcome).toEqual({ code: 1, out: "", error: "" });
  });
});

describe("the tenants of all profiles", () => {
  it.each<[string, Diagnosis, Partial<TenantReport>]>([
    [
      "nothing wrong",
      diagnosis(
        true,
        check("analysis", ok("Ended.", { completedAt: "2030-01-01T00:00:00Z" })),
        check("token-age", ok("Old.", { createdAt: "2029-01-01T00:00:00Z" })),
      ),
      {
        state: "ok",
        problem: null,
        exitCode: 0,
        lastAnalysis: "2030-01-01T00:00:00Z",
        tokenCreatedAt: "2029-01-01T00:00:00Z",
      },
    ],
    [
      "something that does not stop the connector",
      diagnosis(
        true,
        check("analysis", skipped("Unknown.")),
        check("x", warning("Slow.", "Hurry.")),
        check("y", failed("Off.", "Turn it on."), false),
      ),
      { state: "warnings", problem: "The x: Slow. Hurry.", exitCode: 0, lastAnalysis: null, tokenCreatedAt: null },
    ],
    [
      "something that does",
      diagnosis(false, check("x", warning("Slow.", "Hurry.")), check("y", failed("Off.", "Turn it on."), false), {
        ...check("z", failed("Down.", "")),
        fix: null,
      }),
      { state: "cannot run", problem: "The z: Down.", exitCode: 1, canRun: false },
    ],
  ])("are reported with %s", async (_, found, expected) => {
    const [report] = await reportsOf(await storeOf("acme"), () => Promise.resolve(found));
    expect(report).toMatchObject({ profile: "acme", server: "https://acme.test", checks: found.checks, ...expected });
  });

  it("are examined four at a time, and reported in the order of the profiles", async () => {
    const open: (() => void)[] = [];
    const begun: string[] = [];
    const done = reportsOf(await storeOf("a", "b", "c", "d", "e", "f"), async (server) => {
      begun.push(server);
      await new Promise<void>((resolve) => open.push(resolve));
      return diagnosis(true);
    });
    while (open.length < 4) await settle();
    for (let rounds = 0; rounds < 20; rounds++) await settle();
    expect(begun.sort()).toEqual(["https://a.test", "https://b.test", "https://c.test", "https://d.test"]);
    // The last ones are done first.
    for (let ended = 0; ended < 6; ended++) {
      while (open.length === 0) await settle();
      open.pop()?.();
    }
    expect((await done).map(({ profile }) => profile)).toEqual(["a", "b", "c", "d", "e", "f"]);
  });

  it("end with an error that is a bug", async () => {
    const broken = reportsOf(await storeOf("a"), () => Promise.reject(new TypeError("broken")));
    await expect(broken).rejects.toThrow(TypeError);
  });
});
