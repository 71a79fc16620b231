import { beforeAll, describe, expect, it } from "@jest/globals";
import { spawn, type ChildProcessWithoutNullStreams } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import type { AlertRow, CaseRow } from "../../../sandbox/soar/index.ts";
import type { Tenant } from "../../../sandbox/tenant/index.ts";
import type { ActionResult } from "../../../src/manifest/types.ts";
import type { AlertEvent } from "../../../src/runtime/protocol.ts";
import { rootDir } from "../../support/package.ts";
import { startScript } from "../../support/start-script.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";
import { startTenant } from "../../support/tenant.ts";

const bundled = await startScript();
/** As `npm start` runs it, the builds included. */
const source = ["--import", "tsx", join(rootDir, "sandbox/start.ts")];
const folder = temporaryFolder();

interface StepFacts {
  step: string;
  ok: boolean;
  message: string;
  value?: unknown;
  result?: unknown;
  alerts?: number;
  events?: number;
  repeated?: number;
  added?: number;
  environments?: string[];
  cases?: CaseRow[];
  alertList?: AlertRow[];
  eventSample?: AlertEvent[];
}

function start(program: readonly string[], ...args: string[]): ChildProcessWithoutNullStreams {
  return spawn(process.execPath, [...program, "--data", folder, ...args]);
}

async function outcome(child: ChildProcessWithoutNullStreams): Promise<{ code: number; out: string; err: string }> {
  const exit = once(child, "exit") as Promise<[number]>;
  const [out, err, [code]] = await Promise.all([text(child.stdout), text(child.stderr), exit]);
  return { code, out, err };
}

describe("the main job on a simulated tenant", () => {
  let steps: StepFacts[];
  let ok: boolean;
  let code: number;
  beforeAll(async () => {
    const end = await outcome(start(source, "--once", "--json"));
    ({ code } = end);
    ({ ok, steps } = JSON.parse(end.out) as { ok: boolean; steps: StepFacts[] });
  });
  const step = (name: string, nth = 0) => steps.filter((candidate) => candidate.step === name)[nth]!;

  it("goes well from start to end", () => {
    expect(steps.filter((candidate) => !candidate.ok)).toEqual([]);
    expect({ ok, code }).toEqual({ ok: true, code: 0 });
    expect(step("Ping").value).toBe(true);
  });

  it("opens one case for each source domain that has findings", () => {
    const { cases, alertList, alerts, events } = step("First poll");
    const domains = new Set(alertList!.map((alert) => alert.environmentId));
    expect(domains.size).toBeGreaterThan(2);
    expect(cases!.map((row) => row.sourceGroupingIdentifier).sort()).toEqual([...domains].sort());
    expect(alertList).toHaveLength(alerts!);
    expect(cases!.reduce((sum, row) => sum + row.events, 0)).toBe(events);
    for (const alert of alertList!) {
      expect(cases!.find((row) => row.id === alert.caseId)?.sourceGroupingIdentifier).toBe(alert.environmentId);
    }
  });

  it("brings only what is new in the second poll, and nothing in the third", () => {
    const [second, third] = [step("Second poll"), step("Third poll")];
    expect(second.added).toBeGreaterThan(0);
    expect(second).toMatchObject({ events: second.added, repeated: 0 });
    expect(third).toMatchObject({ alerts: 0, events: 0, repeated: 0 });
  });

  it("asks each action about what was found, and gets true answers", () => {
    const { objects } = step("Get Object Id").result as ActionResult<"Get Object Id">;
    expect(objects.length).toBeGreaterThan(1);
    for (const { status, objectId, type } of objects) {
      expect(status).toBe("found");
      expect([typeof objectId, typeof type]).toEqual(["string", "string"]);
    }
    const { exists, paths } = step("Does Path Exist").result as ActionResult<"Does Path Exist">;
    const [path] = paths;
    expect([exists, paths.length]).toEqual([true, 1]);
    expect(path).toMatchObject({ status: "path", exists: true, length: path?.hops.length });
    expect(path?.hops[0]?.from.objectId).toBe(path?.start.objectId);
    expect(path?.hops.at(-1)?.to.objectId).toBe(path?.end.objectId);
    expect(step("Does Path Exist", 1)).toMatchObject({
      value: false,
      result: { exists: false, paths: [{ status: "no_path", exists: false, hops: [], length: null }] },
    });
    const { assets } = step("Fetch Assets").result as ActionResult<"Fetch Assets">;
    expect(assets.length).toBeGreaterThan(1);
    for (const { status, counts } of assets) {
      expect(status).toBe("found");
      expect(Object.keys(counts).length).toBeGreaterThan(0);
    }
  });
});

describe("the main job on a tenant with an address", () => {
  let tenant: Tenant;
  beforeAll(async () => {
    tenant = await startTenant({ dataset: { environments: 2, findingTypes: 1, findingsPerPair: 2 } });
  });
  const onTenant = (...args: string[]) =>
    start([bundled], "--server", tenant.url, "--token-id", tenant.tokenId, ...args);

  it("reads the key from standard input, keeps it encrypted, and goes on where it stood", async () => {
    const poll = async (key: string) => {
      const child = onTenant("--once", "--json");
      child.stdin.end(key);
      const { code, out, err } = await outcome(child);
      expect(out + err).not.toContain(tenant.tokenKey);
      expect(code).toBe(0);
      return (JSON.parse(out) as { steps: StepFacts[] }).steps.find(({ step }) => step === "First poll");
    };
    expect(await poll(`${tenant.tokenKey}\n`)).toMatchObject({ events: 4, repeated: 0 });
    expect(await poll("")).toMatchObject({ alerts: 0, events: 0, repeated: 0 });
    const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((item) => item.isFile());
    expect(files.map(({ name }) => name)).toEqual(expect.arrayContaining(["host.db", "host.log"]));
    for (const file of files) {
      expect(readFileSync(join(file.parentPath, file.name)).includes(tenant.tokenKey)).toBe(false);
    }
  });

  it("ends with an error when the key is wrong or missing", async () => {
    const wrong = onTenant("--once", "--fresh");
    wrong.stdin.end("not-the-key-of-this-token");
    const refused = await outcome(wrong);
    expect(refused.code).toBe(1);
    expect(refused.out).toMatch(/Ping ✗/);
    expect(refused.out).not.toContain("not-the-key-of-this-token");
    const missing = onTenant("--once", "--new-key");
    missing.stdin.end();
    const { code, err } = await outcome(missing);
    expect(code).toBe(1);
    expect(err).toContain("No token key was given");
  });
});
