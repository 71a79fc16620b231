import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "@jest/globals";
import type { FaultEffect, Tenant } from "../../sandbox/tenant/index.ts";
import { commands } from "../../src/cli/main.ts";
import { commandLine, commandLineHere, type CommandOutcome } from "../support/command-line.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { startTenant } from "../support/tenant.ts";
import { BEARER_CANARY, CANARY, tracesIn } from "../support/canary.ts";
import { childProcesses, filesIn } from "../support/remains.ts";

const dataset = { environments: 1, findingTypes: 1, findingsPerPair: 3 };
const token = { id: "00000000-0000-4000-8000-000000000001", key: CANARY };
const secrets = { key: CANARY, bearer: BEARER_CANARY };
const echo = `the key is ${CANARY}`;
const bearerEcho = `the token is ${BEARER_CANARY}`;

const effects: [answers: string, effect: FaultEffect | null, credentials: keyof typeof secrets][] = [
  ["well", null, "key"],
  ["a bearer token well", null, "bearer"],
  ["a bearer token with a refusal that repeats it", { kind: "status", status: 401, message: bearerEcho }, "bearer"],
  ["with a refusal that repeats the key", { kind: "status", status: 401, message: echo }, "key"],
  [
    "with a web page that repeats the key",
    { kind: "body", transform: () => `<html>${echo}</html>`, status: 500 },
    "key",
  ],
  [
    "with findings that repeat the key",
    { kind: "body", transform: (body) => body.replaceAll(/"(name|text)":"[^"]*"/g, `"$1":${JSON.stringify(echo)}`) },
    "key",
  ],
  [
    "with JSON that repeats the key",
    { kind: "body", transform: () => JSON.stringify({ data: [echo, { id: echo }] }) },
    "key",
  ],
];

/** Commands that are started as processes: those that write lists, files and plain texts. */
const IN_PROCESSES = { key: ["ping", "findings", "poll", "doctor"], bearer: ["doctor"] };

/** What poll would have written. */
const ALERTS = "alerts.ndjson";

/** A call of every command; what they write to files is in the folder. */
function calls(tenant: Tenant, folder: string): string[][] {
  const [environment] = tenant.data.environments;
  const { id = "", name = "" } = environment ?? {};
  const [type = ""] = tenant.data.findingTypes(id);
  return [
    ["ping"],
    ["object-id", name],
    ["path", id, name],
    ["cuts", "--environment", id],
    ["assets", id],
    ["environments"],
    ["types"],
    ["findings", "--format", "csv"],
    ["trend", id, type],
    ["meta-tree", id, "--format", "svg"],
    ["document", type],
    ["saml", "list"],
    ["saml", "delete", "1", "--yes"],
    ["sso", "delete", "1", "--yes"],
    ["task", "current"],
    ["poll", "--state", join(folder, "poll.json")],
    ["follow-up", join(folder, ALERTS), "--state", join(folder, "follow-up.json")],
    ["doctor", "--bundle", join(folder, "report.json")],
    ["completion", "bash"],
    ["explain", "MemberOf"],
    ["profile", "list"],
  ];
}

async function start(): Promise<{ tenant: Tenant; folder: string }> {
  const tenant = await startTenant({ tokens: [token], jwts: [{ token: BEARER_CANARY }], dataset });
  const folder = temporaryFolder();
  const [environment] = tenant.data.environments;
  const { id = "" } = environment ?? {};
  const events = [{ finding_id: "1", source_object_id: id, target_object_id: id }];
  const alert = { id: "alert", environmentId: id, findingType: tenant.data.findingTypes(id)[0], events };
  writeFileSync(join(folder, ALERTS), `${JSON.stringify(alert)}\n`);
  return { tenant, folder };
}

/** The arguments with the tenant and, in place of the secret, the kind of it. */
function connected(tenant: Tenant, args: readonly string[], kind: keyof typeof secrets): string[] {
  if (["completion", "explain", "profile"].includes(args[0] ?? "")) return [...args];
  const credentials = kind === "bearer" ? ["--bearer"] : ["--token-id", token.id];
  return [...args, "--verbose", "--server", tenant.url, ...credentials];
}

function expectNoTraces(written: readonly [string, CommandOutcome][], folder: string): void {
  expect(written.filter(([, { out, error }]) => tracesIn(out + error).length > 0)).toEqual([]);
  const files = filesIn(folder);
  expect(files.map(({ path }) => path)).toContain("report.json");
  expect(files.filter(({ content }) => tracesIn(content).length > 0)).toEqual([]);
}

describe("the token key or bearer token, on the command line", () => {
  it("is tried with every command", async () => {
    const tried = calls(await startTenant({ dataset }), "").map(([name]) => name);
    // What mcp answers is looked at where there is an assistant: test/cli/mcp/mcp.test.ts.
    expect([...new Set(tried), "mcp"].sort()).toEqual(commands.map(({ name }) => name).sort());
  });

  it.each(effects)("is in no output and no file when the service answers %s", async (_, effect, kind) => {
    const { tenant, folder } = await start();
    if (effect !== null) tenant.control.fault({ effect });
    const written: [string, CommandOutcome][] = [];
    for (const args of calls(tenant, folder)) {
      const outcome = await commandLineHere(connected(tenant, args, kind), { input: secrets[kind] });
      written.push([args.join(" "), outcome]);
    }
    // Nothing is known by its name where every name is the key.
    const isNamed = /^(path|cuts|trend|meta-tree) /;
    const unusable = written.filter(([call, { code }]) => code === 70 || (code === 2 && !isNamed.test(call)));
    expect(unusable).toEqual([]);
    expectNoTraces(written, folder);
  });

  it.each(["key", "bearer"] as const)(
    "is in no output and no file, and in no argument or environment variable, of a process (%s)",
    async (kind) => {
      const { tenant, folder } = await start();
      const processes: Buffer[] = [];
      tenant.control.fault({ effect: { kind: "run", run: () => void processes.push(...childProcesses()) } });
      // What the commands write is tested above. A process adds its standard streams, its arguments and its environment,
      // which are the same for each command.
      const tried = calls(tenant, folder).filter(([name = ""]) => IN_PROCESSES[kind].includes(name));
      const written: [string, CommandOutcome][] = [];
      for (const args of tried) {
        const call = { input: secrets[kind], env: { HOME: folder } };
        written.push([args.join(" "), await commandLine(connected(tenant, args, kind), call)]);
      }
      expect(written.filter(([, { code }]) => code === 70 || code === 2)).toEqual([]);
      expectNoTraces(written, folder);
      expect(processes.length).toBeGreaterThan(0);
      expect(processes.flatMap(tracesIn)).toEqual([]);
    },
  );

  it("stays in the profile that it is read from", async () => {
    const tenant = await startTenant({ tokens: [token], dataset });
    const folder = temporaryFolder();
    const profile = join(folder, "tenant.json");
    writeFileSync(profile, JSON.stringify({ server: tenant.url, tokenId: token.id, tokenKey: CANARY }), {
      mode: 0o600,
    });
    const outcomes = [
      await commandLineHere(["poll", "--profile", profile, "--state", join(folder, "poll.json"), "--verbose"]),
      await commandLineHere(["doctor", "--profile", profile, "--bundle", join(folder, "report.json"), "--verbose"]),
    ];
    expect(outcomes.map(({ code }) => code)).toEqual([0, 0]);
    expect(outcomes.flatMap(({ out, error }) => tracesIn(out + error))).toEqual([]);
    const others = readdirSync(folder).filter((name) => name !== "tenant.json");
    expect(others.sort()).toEqual(["poll.json", "report.json"]);
    expect(others.flatMap((name) => tracesIn(readFileSync(join(folder, name))))).toEqual([]);
  });

  it.each(['{"server": "x", "tokenKey": ', '{"tokenKey": 1, "x": ', "["])(
    "is in nothing that is written about a profile that cannot be read (%j)",
    async (start) => {
      const profile = join(temporaryFolder(), "tenant.json");
      writeFileSync(profile, `${start}${JSON.stringify(CANARY)}`, { mode: 0o600 });
      const { code, out, error } = await commandLineHere(["doctor", "--profile", profile]);
      expect(code).toBe(3);
      expect(tracesIn(out + error)).toEqual([]);
    },
  );
});
