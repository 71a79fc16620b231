import { beforeEach, describe, expect, test } from "@jest/globals";
import { AnalysisTimes } from "../../src/follow-up/proof/analysis-time.ts";
import type { AttackPathService } from "../../src/service/attack-path-service.ts";
import { HOUR, Host, Tenant } from "./tenant.ts";

const DAY = 24 * HOUR;

let tenant: Tenant;
let host: Host;

beforeEach(() => {
  tenant = new Tenant();
  tenant.tellsAnalysis = false;
  host = new Host(tenant);
});

function lose(target: string): void {
  for (const listed of tenant.listed.values()) listed.delete(target);
}

describe("the last analysis, where only sparklines tell of it", () => {
  /** The only finding of a type is fixed, and its sparkline gets no point for that. */
  async function fixTheOnlyOne(type = "T0Owns", other = "T0Other"): Promise<void> {
    host.add(type, "A");
    host.add(other, "B", "C");
    await host.run();
    tenant.still.set(type, tenant.analysis);
    lose("A");
  }

  /** The only finding is fixed after an analysis that still had it, and at which nobody looked. */
  async function fixUnseen(other: string): Promise<void> {
    host.add("T0Owns", "A");
    host.add(other, "B", "C");
    await host.run();
    tenant.now += 24 * HOUR;
    tenant.still.set("T0Owns", tenant.now);
    lose("A");
  }

  test.each(["T0Other", "T0Owns", "T0Zerologon"])(
    "is that of another type of the environment for one that has no findings any more, also of %s",
    async (other) => {
      await fixTheOnlyOne(other === "T0Owns" ? "T0Other" : "T0Owns", other);
      expect(await host.runAfter(24)).toMatchObject({ asked: [], counts: { active: 2, missing: 1 } });
      expect((await host.runAfter(25)).asked).toEqual([expect.stringMatching(/^close T0.*-A$/)]);
    },
  );

  test("is so, too, when the points of its sparkline have become too old to be listed", async () => {
    await fixTheOnlyOne();
    tenant.still.set("T0Owns", null);
    await host.runAfter(24);
    expect((await host.runAfter(25)).asked).toEqual(["close T0Owns-A"]);
  });

  test("reads such a type once for each analysis", async () => {
    await fixTheOnlyOne();
    await host.runAfter(24);
    const { reads } = tenant;
    tenant.now += HOUR;
    expect(await host.run()).toMatchObject({ asked: [], counts: { active: 2, missing: 1 } });
    expect(tenant.reads).toBe(reads);
  });

  test("is its own again when it has findings again", async () => {
    await fixTheOnlyOne();
    await host.runAfter(24);
    tenant.still.delete("T0Owns");
    tenant.listed.set("T0Owns", new Set(["A"]));
    expect(await host.runAfter(24)).toMatchObject({ asked: [], counts: { active: 3, missing: 0 } });
  });

  test("undoes such a read when another one ends meanwhile", async () => {
    await fixTheOnlyOne();
    tenant.onRead = (findingType) => {
      if (findingType === "T0Owns") tenant.analysis += HOUR / 60;
    };
    const { counts, status } = await host.runAfter(24);
    expect({ counts, status }).toMatchObject({ counts: { missing: 0, unknown: 3 }, status: "partial" });
  });

  test.each(["T0Other", "T0Zerologon"])(
    "counts once for a list that it emptied, although %s told of it and the last point of the list is older",
    async (other) => {
      await fixUnseen(other);
      expect(await host.runAfter(24)).toMatchObject({ asked: [], counts: { missing: 1 } });
      expect(await host.run()).toMatchObject({ asked: [], counts: { missing: 1 } });
      expect((await host.runAfter(25)).asked).toEqual(["close T0Owns-A"]);
    },
  );

  test.each(["T0Other", "T0Zerologon"])(
    "says nothing of a list that it emptied a few hours after %s told",
    async (other) => {
      await fixUnseen(other);
      expect(await host.runAfter(6)).toMatchObject({ asked: [], counts: { missing: 0, unknown: 1 } });
      expect(await host.runAfter(12)).toMatchObject({ asked: [], counts: { missing: 1 } });
    },
  );

  test("is asked for again after a list was read that may have been emptied by a later one", async () => {
    host.add("T0Owns", "A");
    host.add("T0Other", "B", "C");
    await host.run();
    tenant.now += 24 * HOUR;
    tenant.analysis = tenant.now - HOUR;
    tenant.onRead = (findingType) => {
      if (findingType !== "T0Owns") return;
      tenant.still.set("T0Owns", tenant.analysis);
      tenant.analysis += 6 * HOUR;
      lose("A");
    };
    expect(await host.run()).toMatchObject({ asked: [], counts: { missing: 0 } });
  });

  test("is not that of another type a few hours later, since types may have theirs one after the other", async () => {
    await fixTheOnlyOne();
    await host.runAfter(6);
    expect(await host.runAfter(5)).toMatchObject({ asked: [], counts: { active: 3, missing: 0 } });
  });

  test.each([false, true])(
    "is that of another type for one that the service does not know any more, so that it is withdrawn after a week (rejected: %s)",
    async (rejects) => {
      host.add("T0Owns", "A");
      host.add("T0Other", "B", "C");
      await host.run();
      tenant.removed.add("T0Owns");
      tenant.rejectsRemoved = rejects;
      const { asked, why } = await host.runAfter(24);
      expect({ asked, why }).toEqual({
        asked: [],
        why: [expect.stringContaining("does not know this finding type any more")],
      });
      expect((await host.runAfter(8 * 24)).asked).toEqual(["comment T0Owns-A"]);
    },
  );

  test("is not that of another type for one that has findings but no new point", async () => {
    host.add("T0Owns", "A", "D");
    host.add("T0Other", "B", "C");
    await host.run();
    tenant.still.set("T0Owns", tenant.analysis);
    lose("A");
    expect(await host.runAfter(24)).toMatchObject({ asked: [], counts: { missing: 0, unknown: 2 } });
    expect(await host.runAfter(25)).toMatchObject({ asked: [], counts: { missing: 0, unknown: 2 } });
  });

  test("counts once when the only other sparkline fails in between", async () => {
    await fixTheOnlyOne();
    await host.runAfter(24);
    tenant.now += HOUR;
    tenant.withoutSparkline.add("T0Other");
    await host.run();
    tenant.withoutSparkline.clear();
    tenant.now += HOUR;
    await host.run();
    tenant.now += 25 * HOUR;
    expect((await host.run()).asked).toEqual([]);
    expect((await host.runAfter(3)).asked).toEqual(["close T0Owns-A"]);
  });

  test("does not begin the wait anew when the only other sparkline fails in between", async () => {
    await fixTheOnlyOne();
    await host.runAfter(24);
    tenant.now += 10 * HOUR;
    tenant.withoutSparkline.add("T0Other");
    await host.run();
    tenant.withoutSparkline.clear();
    expect((await host.runAfter(15)).asked).toEqual(["close T0Owns-A"]);
  });

  /** No other sparkline can be read just after the analysis, and the list is read because it has another alert. */
  async function readBeforeTold(): Promise<void> {
    await fixTheOnlyOne();
    tenant.withoutSparkline.add("T0Other");
    host.alerts.push({ ...host.alerts[0]!, alertId: "T0Owns-again" });
    expect(await host.runAfter(48)).toMatchObject({ asked: [], counts: { missing: 2 } });
    tenant.withoutSparkline.clear();
  }

  test("counts once when it was read before another sparkline told of it", async () => {
    await readBeforeTold();
    tenant.now += 25 * HOUR;
    expect(await host.run()).toMatchObject({ asked: [], counts: { missing: 2 } });
    expect((await host.runAfter(3)).asked).toEqual(["close T0Owns-A", "close T0Owns-again"]);
  });

  test("begins the absence then, and not the one that was told of before", async () => {
    await readBeforeTold();
    const { analysis } = tenant;
    tenant.now += HOUR;
    await host.run();
    tenant.now += 24 * HOUR;
    tenant.analysis = analysis + 12 * HOUR;
    expect(await host.run()).toMatchObject({ asked: [], counts: { missing: 2 } });
  });

  test("is not known when no sparkline has a point", async () => {
    host.add("T0Owns", "A");
    tenant.still.set("T0Owns", null);
    const { why, status } = await host.runAfter(24);
    expect({ why, status }).toEqual({
      why: [expect.stringContaining("no finding can be confirmed as gone")],
      status: "partial",
    });
  });
});

describe("a tenant that does not tell its last analysis any more", () => {
  test("is judged by its sparklines after a week, from the beginning", async () => {
    tenant.single.add("Kerberoasting");
    tenant.tellsAnalysis = true;
    host.add("Kerberoasting", "A", "B", "C");
    await host.runAfter(24);
    tenant.tellsAnalysis = false;
    lose("A");
    const asked: string[][] = [];
    for (let day = 1; day <= 10; day++) asked.push((await host.runAfter(24)).asked);
    expect(asked.slice(0, 9).flat()).toEqual([]);
    expect(asked[9]).toEqual(["close Kerberoasting-A"]);
  });

  test("does not take fixes of long ago for a loss of many findings at once", async () => {
    const names = Array.from({ length: 40 }, (_, index) => `K${index}`);
    tenant.single.add("Kerberoasting");
    tenant.tellsAnalysis = true;
    host.add("Kerberoasting", ...names);
    host.alerts = host.alerts.map((alert, index) => (index < 15 ? { ...alert, severity: "critical" } : alert));
    host.settings = { ...host.settings, keptOpen: "critical" };
    await host.run();
    for (const name of names.slice(0, 15)) {
      lose(name);
      for (let day = 0; day < 3; day++) await host.runAfter(24);
    }
    tenant.tellsAnalysis = false;
    for (let day = 0; day < 12; day++) await host.runAfter(24);
    lose("K30");
    await host.runAfter(24);
    expect(await host.runAfter(24)).toMatchObject({ asked: ["close Kerberoasting-K30"], closingPaused: [] });
  });

  test("is judged as before when it tells it again within the week", async () => {
    tenant.single.add("Kerberoasting");
    tenant.tellsAnalysis = true;
    host.add("Kerberoasting", "A", "B", "C");
    await host.runAfter(24);
    const reported: string[] = [];
    for (let day = 1; day <= 12; day++) {
      tenant.tellsAnalysis = day % 6 === 0;
      reported.push((await host.runAfter(24)).status);
    }
    expect(reported.filter((status) => status === "completed")).toHaveLength(2);
  });
});

describe("one analysis", () => {
  test("is not taken for two when the tenant does not tell its time once, and a sparkline is older", async () => {
    tenant.single.add("Kerberoasting");
    tenant.tellsAnalysis = true;
    host.add("Kerberoasting", "A", "B", "C");
    await host.run();
    lose("A");
    const analysis = tenant.now + 22 * HOUR;
    tenant.now += DAY;
    tenant.tellsAnalysis = false;
    tenant.analysis = tenant.now - 54 * HOUR;
    expect((await host.run()).asked).toEqual([]);
    tenant.now += 25 * HOUR;
    tenant.tellsAnalysis = true;
    tenant.analysis = analysis;
    expect((await host.run()).asked).toEqual([]);
  });
});

test("lists that one analysis left show that data is current, although their points are seconds apart", async () => {
  tenant.single.add("T0Owns");
  tenant.single.add("T0Other");
  host.add("T0Owns", "A");
  host.add("T0Other", "B", "C");
  await host.run();
  lose("A");
  const asked: string[] = [];
  for (let day = 0; day < 2; day++) {
    tenant.now += 22.75 * HOUR;
    tenant.analysis = tenant.now - HOUR / 4;
    tenant.still.set("T0Other", tenant.analysis + 3_000);
    asked.push(...(await host.run()).asked);
    tenant.now += HOUR;
    asked.push(...(await host.run()).asked);
    tenant.now += HOUR / 4;
  }
  expect(asked).toEqual(["close T0Owns-A"]);
});

test("an analysis that ends while the graph is asked undoes the read, also where only sparklines tell", async () => {
  host.add("T0Owns", "A", "B");
  await host.run();
  lose("A");
  await host.runAfter(6);
  tenant.onCheck = () => (tenant.analysis += 60_000);
  expect(await host.runAfter(25)).toMatchObject({ asked: [], counts: { unknown: 2 } });
  tenant.onCheck = () => undefined;
  expect((await host.runAfter(6)).asked).toEqual(["close T0Owns-A"]);
});

test("the newest point of a trend is found among hundreds of thousands", async () => {
  const points = Array.from({ length: 300_000 }, (_, i) => ({ created_at: new Date(i * HOUR).toISOString() }));
  const service = {
    analysis: { status: () => Promise.resolve(null) },
    findings: { sparkline: () => Promise.resolve(points) },
  };
  const times = new AnalysisTimes(service as unknown as AttackPathService, false);
  expect(await times.of("E", "T0Owns")).toEqual({ at: 299_999 * HOUR });
});
