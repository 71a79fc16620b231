import { describe, expect, it } from "@jest/globals";
import { outcomeOf } from "../../src/ingestion/report/report.ts";
import { applyMergePatch } from "../../src/runtime/merge-patch.ts";
import type { Json } from "../../src/runtime/protocol.ts";
import { MINUTE_MS } from "../../src/clock.ts";
import { DeadlineError } from "../../src/service/errors/errors.ts";
import { fakeTenant, refusal } from "./support/fake-service.ts";
import { FakeHost, host, made, S1, twoByTwo } from "./support/fake-host.ts";

const outOfTime = new DeadlineError("The run's time is over.", { whoActs: "service" });

describe("requests that do not bring findings", () => {
  it("for texts come after the findings that need them", async () => {
    const { asked } = await host({ environments: [S1], types: { "S-1": ["A"] } }).poll();
    expect(asked).toEqual([
      "environments",
      "types S-1",
      "pages S-1 A",
      "title A",
      "short_description A",
      "short_remediation A",
      "long_remediation A",
    ]);
  });

  it("are not sent for empty finding types: one request each is enough, also in the first poll", async () => {
    const types = Array.from({ length: 50 }, (_, i) => `T${i}`);
    const { asked } = await host({ environments: [S1], types: { "S-1": types }, findings: {} }).poll();
    expect(asked).toHaveLength(1 + 1 + types.length);
  });

  it("are not sent before the daily read of all findings", async () => {
    const soar = host({ environments: [S1], types: { "S-1": ["A"] } });
    await soar.quiet();
    soar.clock.advance(25 * 60 * MINUTE_MS);
    const { asked } = await soar.poll();
    expect(asked.filter((question) => question.endsWith("S-1 A"))).toEqual(["pages S-1 A"]);
  });

  it("for evidence are not sent when the run may end before everything is read, unless they can lead to a skip", async () => {
    const soar = host({ analysis: { completedAt: "T1", idle: true }, requestsPerSecond: 1 });
    const isAsked = async (): Promise<boolean> => (await soar.poll({ deadlineMs: 5_000 })).asked.includes("analysis");
    await soar.poll();
    expect(await isAsked()).toBe(true);
    soar.tenant.findings["S-1 A"] = outOfTime;
    soar.clock.advance(61 * MINUTE_MS);
    await soar.poll({ deadlineMs: 5_000 });
    expect(await isAsked()).toBe(false);
  });

  it("for lists come after the known finding types behind the place where the last run was cut short", async () => {
    const soar = host({ environments: [S1], types: { "S-1": ["A", "B", "C"] } });
    await soar.poll();
    soar.tenant.findings = { "S-1 A": made(1, 4), "S-1 B": made(11, 4), "S-1 C": made(21, 1) };
    await soar.poll({ limits: { maxAlerts: 1 } });
    const { asked, ids } = await soar.poll();
    const lists = asked.filter((question) => /^(?:pages|newest|types)/.test(question));
    expect(lists.slice(0, 3).map((question) => question.replace(/^newest|^pages/, "read"))).toEqual([
      "read S-1 B",
      "read S-1 C",
      "types S-1",
    ]);
    expect(ids).toContain("14");
  });
});

describe("what is refused or hangs in each run does not keep the rest from being read", () => {
  it("although the finding types of one environment hit the rate limit for ever", async () => {
    const soar = host({ types: { "S-1": refusal("S-1"), "S-2": ["A", "B"] } });
    const delivered: string[] = [];
    for (let run = 0; run < 12; run++) {
      soar.tenant.findings["S-2 A"] = made(100, run + 1);
      delivered.push(...(await soar.poll()).ids);
      soar.clock.advance(MINUTE_MS);
    }
    expect(delivered).toContain("110");
  });

  it("although the findings of one finding type hit the rate limit for ever", async () => {
    const soar = host({ environments: [S1], types: { "S-1": ["A", "B"] } });
    soar.tenant.findings["S-1 A"] = refusal("S-1");
    const delivered: string[] = [];
    for (let run = 0; run < 12; run++) {
      soar.tenant.findings["S-1 B"] = made(100, run + 1);
      delivered.push(...(await soar.poll()).ids);
      soar.clock.advance(MINUTE_MS);
    }
    expect(delivered).toContain("110");
  });

  it.each([
    [1, [8]],
    [1, [4, 4]],
    [53, [4, 4]],
    [1, [1, 2, 5]],
    [53, [1, 2, 5]],
  ])(
    "although the service refuses each run at the same place (%i requests a second, finding types by environment: %j)",
    async (requestsPerSecond, counts) => {
      for (let listsGranted = 1; listsGranted < 8; listsGranted++) {
        const environments = counts.map((_, index) => ({ id: `S-${index}` }));
        const types = Object.fromEntries(
          counts.map((count, index) => [`S-${index}`, "A B C D E F G H".split(" ").slice(0, count)]),
        );
        const streams = Object.entries(types).flatMap(([id, names]) => names.map((name) => `${id} ${name}`));
        const findings = Object.fromEntries(streams.map((stream, index) => [stream, made(100 * index, 1)]));
        const soar = new FakeHost(fakeTenant({ environments, types, findings, requestsPerSecond, listsGranted }));
        const delivered = new Set<string>();
        for (let run = 0; run < 24; run++) {
          for (const id of (await soar.poll()).ids) delivered.add(id);
          soar.clock.advance(MINUTE_MS);
        }
        expect([listsGranted, delivered.size]).toEqual([listsGranted, 8]);
      }
    },
  );

  it.each([5_000, 8_000])(
    "although one environment hangs until the deadline of %i ms, and streams are read one at a time",
    async (deadlineMs) => {
      const soar = new FakeHost(twoByTwo({ requestsPerSecond: 1 }));
      soar.tenant.types["S-1"] = { afterMs: deadlineMs, then: outOfTime };
      await soar.poll({ deadlineMs });
      // While that request hangs, a tenant that takes one request a second is asked for nothing else.
      const delivered: string[] = [];
      for (let run = 0; run < 4; run++) {
        soar.tenant.findings["S-2 A"] = made(100, run + 1);
        delivered.push(...(await soar.poll({ deadlineMs })).ids);
      }
      expect(delivered).toContain("103");
    },
  );

  it("although the host is so slow that it kills each run after one alert", async () => {
    const soar = host();
    await soar.poll();
    const delivered: string[] = [];
    for (let run = 1; run <= 4; run++) {
      for (const [index, stream] of ["S-1 A", "S-1 B", "S-2 A", "S-2 B"].entries())
        soar.tenant.findings[stream] = made(1_000 * index + 100, run);
      const killed = soar.poll({
        deliver: ({ environmentId, findingType }, patch) => {
          if (delivered.length === run) return Promise.reject(new Error("killed"));
          delivered.push(`${environmentId} ${findingType}`);
          soar.state = applyMergePatch(soar.state, JSON.parse(JSON.stringify(patch)) as Json);
          return Promise.resolve();
        },
      });
      await expect(killed).rejects.toThrow("killed");
    }
    expect(new Set(delivered).size).toBeGreaterThan(1);
  });

  it("although the list of environments is always late", async () => {
    const soar = host();
    await soar.poll();
    soar.tenant.environments = { afterMs: 60 * MINUTE_MS, then: outOfTime };
    soar.tenant.findings["S-2 B"] = made(100, 1);
    expect((await soar.poll({ deadlineMs: 30_000 })).ids).toEqual(["100"]);
  });
});

describe("a list of environments that hangs", () => {
  it("is given up where few requests are allowed, which it would use up, and the next run asks again", async () => {
    const soar = host({ requestsPerSecond: 1 });
    await soar.poll();
    soar.tenant.environments = { afterMs: 60 * MINUTE_MS, then: outOfTime };
    const { result, tookMs } = await soar.poll({ deadlineMs: 8_000 });
    expect([soar.tenant.cancelled, tookMs < 8_000]).toEqual([["environments"], true]);
    expect(outcomeOf(result).message).toContain("the service had not listed the environments");
    soar.tenant.environments = [S1];
    expect((await soar.poll({ deadlineMs: 8_000 })).result.summary.scope?.selected).toHaveLength(1);
  });
});

describe("a tenant that takes few requests a second", () => {
  it("is asked for one finding type after the other, so that each is delivered as soon as it is read", async () => {
    const soar = host({ environments: [S1], types: { "S-1": ["A", "B", "C"] }, requestsPerSecond: 1 });
    soar.tenant.findings["S-1 C"] = made(21, 3);
    soar.tenant.description = "";
    const { asked } = await soar.poll();
    const order = asked.map((question) => question.split(" ").at(-1));
    expect(order.filter((type, index) => /^[ABC]$/.test(type ?? "") && type !== order[index - 1])).toEqual([
      "A",
      "B",
      "C",
    ]);
  });
});

describe("a page size that a service or a line is too slow for", () => {
  it("is not tried again by the next run, until larger pages arrive", async () => {
    const soar = host();
    soar.tenant.pageSize = 100;
    await soar.poll();
    expect(soar.state).toMatchObject({ pageSize: 100 });
    soar.tenant.pageSize = 1_000;
    await soar.poll();
    expect(soar.tenant.pageSize).toBe(100);
    soar.state = { ...(soar.state as object), pageSize: 1_000 };
    await soar.poll();
    expect(soar.state).not.toHaveProperty("pageSize");
  });
});
