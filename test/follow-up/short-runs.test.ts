import { beforeEach, describe, expect, test } from "@jest/globals";
import { DeadlineError, RateLimitedError, UnauthenticatedError } from "../../src/service/errors/errors.ts";
import { DETAILS, HOUR, Host, type HostRun, Tenant } from "./tenant.ts";

const SECOND = 1_000;
const TYPES = Array.from({ length: 40 }, (_, i) => `T0Type${String(i).padStart(2, "0")}`);

let tenant: Tenant;
let host: Host;

beforeEach(() => {
  tenant = new Tenant();
  host = new Host(tenant);
});

/** Two findings of each type, of which the first goes away, in a tenant where the admin allows mass closing. */
async function lostTwice(types: readonly string[]): Promise<void> {
  host.settings = { ...host.settings, allowsMassClosing: true };
  for (const type of types) host.add(type, "A", "B");
  await loseTwice(types);
}

/** The first finding of each type goes away. The job has seen it after an analysis, and the second one has ended. */
async function loseTwice(types: readonly string[]): Promise<void> {
  await host.run();
  for (const type of types) tenant.listed.get(type)?.delete("A");
  await host.runAfter(6);
  tenant.now += 30 * HOUR;
  tenant.analysis = tenant.now - HOUR;
}

/** Runs until one asks for nothing. */
async function untilQuiet(run: () => Promise<HostRun>): Promise<{ asked: string[]; runs: number }> {
  const asked: string[] = [];
  for (let runs = 1; ; runs++) {
    const result = await run();
    asked.push(...result.asked);
    if (result.asked.length === 0) return { asked: asked.sort(), runs };
    tenant.now += 60 * SECOND;
  }
}

const closings = (types: readonly string[]): string[] => types.map((type) => `close ${type}-A`);

describe("runs that have no time for all", () => {
  test("judge what they have read, and the next one goes on with the rest", async () => {
    await lostTwice(TYPES);
    tenant.pageMs = SECOND;
    const first = await host.run({ timeMs: 15 * SECOND });
    expect(first.asked).toEqual(closings(TYPES.slice(0, 11)));
    expect(first.counts).toMatchObject({ active: 11, gone: 11, unknown: 58 });
    expect(first.why).toEqual([
      expect.stringContaining("The run ended before all findings of this environment were read."),
    ]);
    const rest = await untilQuiet(() => host.run({ timeMs: 15 * SECOND }));
    expect(rest).toEqual({ asked: closings(TYPES.slice(11)), runs: 4 });
  });

  test("close the only finding of a list a day after it vanished, although they read one list each", async () => {
    host.add("T0Owns", "A");
    host.add("T0Type00", "B", "C");
    await host.run();
    tenant.listed.get("T0Owns")?.delete("A");
    tenant.pageMs = 10 * SECOND;
    const asked: string[] = [];
    for (let day = 1; day <= 2; day += 1) {
      tenant.now += 30 * HOUR;
      tenant.analysis = tenant.now - HOUR;
      for (let run = 0; run < 4; run += 1) {
        asked.push(...(await host.run({ timeMs: 12 * SECOND })).asked);
        tenant.now += HOUR;
      }
    }
    expect(asked).toEqual(["close T0Owns-A"]);
  });

  test("close what vanished once they have read everything, although none of them reads it all", async () => {
    const lost = TYPES.slice(0, 12);
    const others = Array.from({ length: 9 }, (_, i) => `B${i}`);
    for (const type of TYPES) host.add(type, "A", ...(lost.includes(type) ? others : []));
    await loseTwice(lost);
    tenant.pageMs = SECOND;
    const asked: string[][] = [];
    for (let run = 0; run < 5; run++) asked.push((await host.run({ timeMs: 15 * SECOND })).asked);
    const [first, second, third] = [lost.slice(0, 4), lost.slice(4, 11), lost.slice(11)].map(closings);
    expect(asked).toEqual([[], third, [], first, second]);
  });

  test("keep what they have compared when the service refuses the rest", async () => {
    await lostTwice(TYPES);
    const asked: string[] = [];
    for (let run = 0; run < 12; run++) {
      tenant.requestsLeft = 50;
      asked.push(...(await host.run()).asked);
    }
    expect(asked.sort()).toEqual(closings(TYPES));
  });

  test("ask half as fast after a refusal, and as fast as before some time later", async () => {
    host.add("T0Owns", "A");
    const rates: (number | undefined)[] = [];
    for (const requestsLeft of [1, 1, Infinity, Infinity]) {
      tenant.requestsLeft = requestsLeft;
      await host.run();
      rates.push(tenant.lastService?.requestsPerSecond);
      // They wait for the limit, which they use up.
      tenant.heldBackMs = 5 * SECOND;
      tenant.now += HOUR;
    }
    await host.run();
    expect([...rates, tenant.lastService?.requestsPerSecond]).toEqual([53, 26, 13, 26, 52]);
    await host.run();
    expect([tenant.lastService?.requestsPerSecond, host.state]).toEqual([
      53,
      expect.not.objectContaining({ requestsPerSecond: 53 }),
    ]);
  });

  describe.each([
    ["refused because of the rate", new RateLimitedError("too many requests", DETAILS), 26],
    ["too late", new DeadlineError("time is up", DETAILS), 53],
  ])("whose first request is %s", (_, refusal, nextRate) => {
    beforeEach(async () => {
      await lostTwice(["T0Owns"]);
      tenant.refusal = refusal;
    });

    test("judge nothing, and keep what was known before", async () => {
      const before = host.state;
      expect(await host.run()).toMatchObject({
        asked: [],
        status: "failed",
        value: null,
        message: `No alert was judged. ${refusal.message}`,
      });
      expect(host.state).toMatchObject(before as object);
      tenant.refusal = null;
      expect((await host.run()).asked).toEqual(["close T0Owns-A"]);
      expect(tenant.lastService?.requestsPerSecond).toBe(nextRate);
    });

    test("leave a state that is damaged as it is", async () => {
      host.state = { version: 1, tenant: 7 };
      await host.run();
      expect(host.state).toEqual({ version: 1, tenant: 7 });
    });
  });

  test("fail as a whole without credentials", async () => {
    tenant.refusal = new UnauthenticatedError("rejected", DETAILS);
    await expect(host.run()).rejects.toThrow("rejected");
  });

  test("do the same where only the trend of each finding type tells when its analysis ended", async () => {
    tenant.tellsAnalysis = false;
    await lostTwice(TYPES);
    tenant.pageMs = SECOND;
    const asked: string[] = [];
    for (let run = 0; run < 12; run++) asked.push(...(await host.run({ timeMs: 30 * SECOND })).asked);
    expect(asked.sort()).toEqual(closings(TYPES));
  });

  test("let neither a list that takes too long nor its environment hold up the others", async () => {
    await lostTwice(TYPES.slice(0, 4));
    tenant.environments.set("F", [1]);
    host.alerts = host.alerts.map((alert) =>
      alert.findingType === TYPES[3] ? { ...alert, environmentId: "F" } : alert,
    );
    await host.run();
    tenant.now += 30 * HOUR;
    tenant.analysis = tenant.now - HOUR;
    tenant.onRead = (type) => (tenant.pageMs = type === TYPES[0] ? 30 * SECOND : SECOND);
    const asked: string[] = [];
    for (let run = 0; run < 6; run++) asked.push(...(await host.run({ timeMs: 15 * SECOND })).asked);
    expect(asked.sort()).toEqual(closings(TYPES.slice(1, 4)));
    tenant.onRead = () => (tenant.pageMs = SECOND);
    expect((await untilQuiet(() => host.run({ timeMs: 15 * SECOND }))).asked).toEqual(closings(TYPES.slice(0, 1)));
  });

  test("count each finding and each alert once", async () => {
    await lostTwice(TYPES);
    tenant.pageMs = SECOND;
    for (const timeMs of [0, 5, 15, 30, 45, 90].map((seconds) => seconds * SECOND)) {
      const { counts, alerts } = await host.run({ timeMs });
      const open = host.alerts.filter(({ status }) => status === "open");
      const counted = Object.values({ ...counts }).reduce((sum, count) => sum + count, 0);
      expect([counted, alerts]).toEqual([open.length, open.length]);
    }
  });

  test("judge everything once more with other parameters, and no more than once", async () => {
    await lostTwice(TYPES);
    await host.run();
    host.settings = { ...host.settings, closes: false };
    const before = tenant.reads;
    tenant.pageMs = SECOND;
    for (let run = 0; run < 8; run++) await host.run({ timeMs: 15 * SECOND });
    expect(tenant.reads - before).toBe(TYPES.length);
  });
});

test("an alert that came after the last read of its findings is not judged by it", async () => {
  host.add("T0Owns", "A");
  await host.run();
  const { reads } = tenant;
  host.add("T0Owns", "A", "B");
  host.alerts.splice(0, 1);
  expect((await host.run()).counts).toMatchObject({ active: 2 });
  expect(tenant.reads).toBe(reads + 1);
});

test("an alert that came in place of another one is not judged by the read before, either", async () => {
  host.add("T0Owns", "A", "B");
  await host.run();
  const [first] = host.alerts;
  host.add("T0Owns", "A", "B", "C");
  host.alerts = [first!, host.alerts.at(-1)!];
  tenant.listed.get("T0Owns")?.delete("C");
  expect(await host.run()).toMatchObject({ counts: { active: 1, missing: 1 }, alerts: 2 });
});

test("findings are only those of alerts that are still open, also without a new analysis", async () => {
  host.add("T0Owns", "A", "B");
  await loseTwice(["T0Owns"]);
  expect((await host.run()).asked).toEqual(["close T0Owns-A"]);
  const close = (target: string, closedBy: "job" | "person") => {
    host.alerts = host.alerts.map((alert) =>
      alert.alertId === `T0Owns-${target}` ? { ...alert, status: "closed", closedBy, closedAt: tenant.now } : alert,
    );
  };
  close("A", "job");
  expect((await host.run()).message).toBe("Judged 1 open alert. No changes needed. Findings: 1 active.");
  close("B", "person");
  expect((await host.run()).message).toBe("Judged 0 open alerts. No changes needed.");
});

describe("what vanished with many others", () => {
  /** The first findings of some types vanish together, and all but two are back a day later. */
  async function lostAndMostlyBack(lost: readonly string[], others: readonly string[]): Promise<string[]> {
    for (const type of [...lost, ...others]) host.add(type, "A", "B");
    await host.run();
    for (const type of lost) tenant.listed.get(type)?.delete("A");
    if (lost.length < 20) host.state = { ...(host.state as object), next: "E" };
    expect(await host.runAfter(24)).toMatchObject({ asked: [], closingPaused: ["E"] });
    for (const type of lost.slice(2)) tenant.listed.get(type)?.add("A");
    const asked: string[] = [];
    for (let day = 0; day < 5; day++) asked.push(...(await host.runAfter(24)).asked);
    return asked;
  }
  const types = (from: number, until: number): string[] =>
    Array.from({ length: until - from }, (_, i) => `T0Type${String(from + i).padStart(2, "0")}`);

  test("stays marked although the graph was asked before so much had vanished", async () => {
    expect(await lostAndMostlyBack([...types(0, 40), ...types(65, 70)], types(40, 65))).toEqual([]);
  });

  test("stays marked in a run that asks the graph after each read", async () => {
    expect(await lostAndMostlyBack(types(0, 11), types(11, 15))).toEqual([]);
  });

  test("stays marked while the token sees less for a moment", async () => {
    tenant.environments.set("F", [1]);
    tenant.single.add("Kerberoasting");
    const all = Array.from({ length: 30 }, (_, i) => `K${i}`);
    host.add("Kerberoasting", ...all);
    await host.run();
    for (const each of all.slice(0, 12)) tenant.listed.get("Kerberoasting")?.delete(each);
    expect(await host.runAfter(24)).toMatchObject({ asked: [], closingPaused: ["E"] });
    for (const each of all.slice(0, 9)) tenant.listed.get("Kerberoasting")?.add(each);
    await host.runAfter(24);
    tenant.environments.delete("F");
    await host.runAfter(1);
    tenant.environments.set("F", [1]);
    const asked: string[] = [];
    for (let day = 0; day < 5; day++) asked.push(...(await host.runAfter(24)).asked);
    expect(asked).toEqual([]);
  });
});

test.each(["its own word", "the trends of its finding types"])(
  "short runs close all that may be closed, whichever of them comes first, in a tenant that tells its analysis by %s",
  async (how) => {
    tenant.tellsAnalysis = how === "its own word";
    for (const type of TYPES) host.add(type, "A", "B", "C", "D");
    await loseTwice(TYPES);
    tenant.pageMs = SECOND;
    const asked = new Set<string>();
    for (let run = 0; run < 30; run++) {
      for (const each of (await host.run({ timeMs: 15 * SECOND })).asked) asked.add(each);
      host.alerts = host.alerts.map((alert) =>
        asked.has(`close ${alert.alertId}`)
          ? { ...alert, status: "closed", closedBy: "job", closedAt: tenant.now }
          : alert,
      );
      tenant.now += 60 * SECOND;
    }
    expect([...asked].sort()).toEqual(closings(TYPES));
  },
);
