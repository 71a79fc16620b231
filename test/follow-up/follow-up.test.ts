import { beforeEach, describe, expect, test } from "@jest/globals";
import type { Settings } from "../../src/follow-up/decide.ts";
import { followUp } from "../../src/follow-up/follow-up.ts";
import type { VerdictCounts } from "../../src/follow-up/state/state.ts";
import type { AlertChange } from "../../src/runtime/modules.ts";
import type { JobAlert, Json } from "../../src/runtime/protocol.ts";
import type { AttackPathService } from "../../src/service/attack-path-service.ts";
import { NotFoundError, ServerError } from "../../src/service/errors/errors.ts";
import type { Finding } from "../../src/service/resources/findings.records.ts";

const START = Date.parse("2026-11-01T00:00:00Z");
const HOUR = 3_600_000;
const DETAILS = { whoActs: "service" } as const;

/** A tenant in memory: what it lists, what its graph joins, and when its last analysis ended. */
class Tenant {
  now = START;
  analysis = START - HOUR;
  idle = true;
  /** Targets by finding type. */
  readonly listed = new Map<string, Set<string>>();
  readonly joined = new Set<string>();
  /** Types that cannot be read. */
  readonly unreadable = new Set<string>();
  /** Types that the service does not know. */
  readonly removed = new Set<string>();
  reads = 0;
  onRead = (): void => undefined;

  service(): AttackPathService {
    const findings = {
      pages: (stream: { findingType: string }) => this.#pages(stream),
      types: () => Promise.resolve({ types: [], unreadable: 0 }),
      newest: () => Promise.resolve({ total: null, newest: null }),
    };
    const status = () => ({ idle: this.idle, completedAt: new Date(this.analysis).toISOString() });
    return {
      origin: "https://tenant.test",
      dialect: null,
      time: () => this.now,
      environments: {
        list: () => Promise.resolve({ environments: [{ id: "E", name: "CORP", collected: true }], unreadable: 0 }),
      },
      analysis: { status: () => Promise.resolve(status()) },
      findings,
      paths: { shortest: (source: string, target: string) => Promise.resolve(this.#path(source, target)) },
    } as unknown as AttackPathService;
  }

  async *#pages({ findingType }: { findingType: string }) {
    this.reads += 1;
    this.onRead();
    if (this.unreadable.has(findingType)) throw new ServerError("broken", DETAILS);
    if (this.removed.has(findingType)) throw new NotFoundError("gone", DETAILS, true);
    const findings = [...(this.listed.get(findingType) ?? [])].map((target, id): Finding => ({
      id,
      FromPrincipal: "S",
      ToPrincipal: target,
      Severity: "high",
    }));
    yield await Promise.resolve({ findings, total: findings.length, invalidValues: [], skip: 0, inOrder: true });
  }

  #path(source: string, target: string) {
    if (!this.joined.has(target)) return null;
    const node = (objectId: string) => ({ objectId, label: objectId, kind: "User" });
    const nodes = new Map([
      ["1", node(source)],
      ["2", node(target)],
    ]);
    return {
      nodes,
      edges: [{ source: "1", target: "2", label: "Owns", kind: "Owns" }],
    };
  }
}

/** A host with its alerts, the job's state, and what it was asked for in the last run. */
class Host {
  state: Json = null;
  alerts: JobAlert[] = [];
  settings: Settings = { closes: true, keptOpen: null, allowsMassClosing: false };
  readonly #tenant: Tenant;

  constructor(tenant: Tenant) {
    this.#tenant = tenant;
  }

  /** An alert for each target, all of which the tenant lists. */
  add(findingType: string, ...targets: string[]): void {
    this.#tenant.listed.set(findingType, new Set(targets));
    const common = { environmentId: "E", findingType, status: "open", closedBy: null, closedAt: null } as const;
    for (const target of targets) {
      const finding = { id: target, source: "S", target, createdAt: 0 };
      this.alerts.push({ ...common, alertId: `${findingType}-${target}`, findings: [finding] });
    }
  }

  async run(): Promise<{ asked: string[]; counts: VerdictCounts; brake: string[]; why: string[] }> {
    const changes: AlertChange[] = [];
    const clock = { now: () => this.#tenant.now, monotonic: () => this.#tenant.now };
    const result = await followUp({
      service: this.#tenant.service(),
      clock: clock as never,
      deadline: undefined as never,
      log: { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined },
      alerts: this.alerts,
      state: this.state,
      environments: ["All"],
      settings: this.settings,
      change: (change) => {
        changes.push(change);
        return Promise.resolve();
      },
      progress: () => undefined,
    });
    if (result.kind !== "done") throw new Error("The state is newer.");
    this.state = JSON.parse(JSON.stringify(result.state)) as Json;
    const { counts, brake, notJudged } = result.notes;
    const asked = changes.map(({ change, alertId }) => `${change} ${alertId}`);
    return { asked, counts, brake: brake.map(({ id }) => id), why: notJudged.map(({ why }) => why) };
  }
}

describe("the job", () => {
  let tenant: Tenant;
  let host: Host;

  beforeEach(() => {
    tenant = new Tenant();
    host = new Host(tenant);
  });

  /** Time passes, and an analysis ends an hour before the run. */
  async function runAfter(hours: number) {
    tenant.now += hours * HOUR;
    tenant.analysis = tenant.now - HOUR;
    return host.run();
  }

  async function fix(findingType: string, ...targets: string[]) {
    await host.run();
    for (const target of targets) tenant.listed.get(findingType)?.delete(target);
  }

  test("closes an alert by the second analysis after a day, and reads nothing twice", async () => {
    host.add("T0Owns", "A", "B");
    await fix("T0Owns", "A");
    expect((await runAfter(6)).counts).toMatchObject({ active: 1, missing: 1 });
    expect((await runAfter(23)).asked).toEqual([]);
    expect((await runAfter(1)).asked).toEqual(["close T0Owns-A"]);
    const { reads } = tenant;
    tenant.now += HOUR;
    await host.run();
    expect(tenant.reads).toBe(reads);
  });

  test("takes a finding for active that the graph still has, and waits from when the graph lacks it, too", async () => {
    host.add("T0Owns", "A", "B");
    tenant.joined.add("A");
    await fix("T0Owns", "A");
    expect((await runAfter(6)).counts).toMatchObject({ active: 2, missing: 0 });
    await runAfter(30);
    tenant.joined.delete("A");
    expect((await runAfter(30)).asked).toEqual([]);
    expect((await runAfter(23)).asked).toEqual([]);
    expect((await runAfter(1)).asked).toEqual(["close T0Owns-A"]);
  });

  test("concludes nothing from a list while an analysis runs, and does not read it", async () => {
    host.add("T0Owns", "A", "B");
    tenant.idle = false;
    const { counts } = await host.run();
    expect(counts).toMatchObject({ active: 0, unknown: 2 });
    expect(tenant.reads).toBe(0);
  });

  test("concludes nothing from a list when an analysis ends while it is read", async () => {
    host.add("T0Owns", "A", "B");
    await fix("T0Owns", "A");
    tenant.onRead = () => (tenant.analysis += 60_000);
    expect((await runAfter(6)).counts).toMatchObject({ missing: 0, unknown: 2 });
  });

  test("judges again without a new analysis once a parameter has changed", async () => {
    host.add("T0Owns", "A", "B");
    host.settings = { ...host.settings, closes: false };
    await fix("T0Owns", "A");
    await runAfter(6);
    expect((await runAfter(25)).asked).toEqual(["comment T0Owns-A"]);
    host.settings = { ...host.settings, closes: true };
    expect((await host.run()).asked).toEqual(["close T0Owns-A"]);
  });

  describe("with as many findings as the brake lets pass", () => {
    const names = (count: number) => Array.from({ length: count }, (_, index) => `A${index}`);

    test("closes what vanished of one type while the others can be read", async () => {
      host.add("T0Owns", ...names(6));
      host.add("T0WriteDACL", ...names(9));
      await fix("T0Owns", ...names(6));
      await runAfter(6);
      expect((await runAfter(25)).asked).toHaveLength(6);
    });

    test("closes nothing while another type cannot be read that may have lost as many", async () => {
      host.add("T0Owns", ...names(6));
      host.add("T0WriteDACL", ...names(9));
      await fix("T0Owns", ...names(6));
      tenant.unreadable.add("T0WriteDACL");
      await runAfter(6);
      const { asked, brake, why } = await runAfter(25);
      expect({ asked, brake }).toEqual({ asked: [], brake: [] });
      expect(why).toContainEqual(expect.stringContaining("could not be read or are missing"));
      tenant.unreadable.clear();
      expect((await runAfter(1)).asked).toHaveLength(6);
    });

    test("counts the findings of a type that vanished with them", async () => {
      host.add("T0Owns", ...names(6));
      host.add("T0WriteDACL", ...names(9));
      await fix("T0Owns", ...names(6));
      tenant.removed.add("T0WriteDACL");
      await runAfter(6);
      const { asked, brake } = await runAfter(25);
      expect({ asked, brake }).toEqual({ asked: [], brake: ["E"] });
    });
  });
});
