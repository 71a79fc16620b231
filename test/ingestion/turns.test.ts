import { describe, expect, it } from "@jest/globals";
import { HOUR_MS, MINUTE_MS } from "../../src/clock.ts";
import { Ring, startingAt } from "../../src/ingestion/turns.ts";
import { host, made, S1 } from "./support/fake-host.ts";

const RUNS = 12;

describe("a finding type is read in its turn", () => {
  it("although another one that has only findings without a date has something new in each run", async () => {
    const soar = host({
      environments: [S1],
      types: { "S-1": ["A", "U"] },
      findings: { "S-1 A": made(1, 1), "S-1 U": [] },
    });
    const delivered: string[] = [];
    for (let run = 0; run < RUNS; run++) {
      soar.tenant.findings["S-1 U"] = Array.from({ length: run + 1 }, (_, i) => ({ id: 100 + i }));
      if (run === 2) soar.tenant.findings["S-1 A"] = made(1, 2);
      delivered.push(...(await soar.poll({ limits: { maxAlerts: 1 } })).ids);
      soar.clock.advance(MINUTE_MS);
    }
    expect(delivered).toContain("2");
  });

  it("although it is new, the list that names it is late in each run, and the host takes few alerts", async () => {
    const soar = host({ environments: [S1], types: { "S-1": ["A", "B"] }, findings: {} });
    const delivered: string[] = [];
    for (let run = 0; run < RUNS; run++) {
      const news = (first: number) => made(first, run + 1);
      soar.tenant.findings = { "S-1 A": news(1_000), "S-1 B": news(2_000), "S-1 C": made(3_000, 1) };
      if (run > 0) soar.tenant.types["S-1"] = { afterMs: 11_000, then: ["A", "B", "C"] };
      delivered.push(...(await soar.poll({ limits: { maxAlerts: 2 } })).ids);
      soar.clock.advance(MINUTE_MS);
    }
    expect(delivered).toContain("3000");
  });

  it("although descriptions are late whenever they are requested, and the host takes few alerts", async () => {
    const types = ["A", "B", "C", "D"];
    const soar = host({ environments: [S1], types: { "S-1": types }, findings: {} });
    soar.tenant.description = { afterMs: HOUR_MS, then: "text" };
    const delivered: string[] = [];
    for (let run = 0; run < RUNS; run++) {
      const news = (type: string, i: number) => [`S-1 ${type}`, made(1_000 * (i + 1), run + 1)] as const;
      soar.tenant.findings = Object.fromEntries(types.map(news));
      delivered.push(...(await soar.poll({ limits: { maxAlerts: 1 } })).ids);
      soar.clock.advance(2 * HOUR_MS);
    }
    expect(delivered).toEqual(expect.arrayContaining(["1000", "2000", "3000", "4000"]));
  });
});

describe("the order of a poll", () => {
  it("begins where the last run was cut short and holds every entry once", () => {
    expect(startingAt(["a", "b", "c"], (entry) => entry === "b")).toEqual(["b", "c", "a"]);
    expect(startingAt(["a", "b"], (entry) => entry === "gone")).toEqual(["a", "b"]);
    expect(startingAt([], () => true)).toEqual([]);
  });
});

describe("a ring of names", () => {
  it("goes from each name to the next, and from the last and from an unknown one to the first", () => {
    const ring = new Ring(["A", "B"]);
    ring.add("C");
    expect(["A", "B", "C", "D"].map((name) => ring.next(name))).toEqual(["B", "C", "A", "A"]);
    expect(new Ring([]).next("A")).toBe("A");
  });
});
