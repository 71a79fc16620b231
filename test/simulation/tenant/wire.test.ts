import { describe, expect, test } from "@jest/globals";
import { drive, Process, VirtualTime } from "../clock.ts";
import { always, ENVIRONMENT, plainEnvironment, plainFinding, plainScenario, TYPE } from "../scenarios.ts";
import { BEFORE, FOREVER, type Scenario } from "../scenario.ts";
import { HOUR, World } from "../world.ts";
import { Line } from "./line.ts";
import { Rows } from "./query.ts";
import { findingRecord } from "./records.ts";
import { readTarget, Routes } from "./routes.ts";

function ask(scenario: Scenario, target: string, moment = 0): { count?: unknown; data: unknown } {
  const call = readTarget(`/api/v2/${target}`);
  if (call === null) throw new Error(`${target} is no address of this API`);
  const faults = scenario.faults.map(({ what }) => what);
  return JSON.parse(new Routes(new World(scenario)).answer(call, moment, faults).body) as {
    count?: unknown;
    data: unknown;
  };
}

describe("Lists", () => {
  const types = ["T1", "T2", "T3"].map((name) => ({ name, listed: [[BEFORE, FOREVER] as [number, number]] }));
  const scenario = plainScenario({ environments: [plainEnvironment({ types })] });
  scenario.tenant.listPages = 2;
  const target = `domains/${ENVIRONMENT}/available-types`;

  test("A list can come in pages with the count of all", () => {
    expect(ask(scenario, `${target}?skip=2`)).toMatchObject({ count: 3, data: ["T3"] });
  });

  test("A list that is cut gives its first entries again, whatever is skipped", () => {
    const cut = { ...scenario, faults: [always({ kind: "cut list", size: 1 })] };
    expect(ask(cut, `${target}?skip=1`)).toMatchObject({ count: 3, data: ["T1"] });
  });
});

test("A cache can answer with the rows of another finding type", () => {
  const findings = [plainFinding(1), plainFinding(2, { type: "T0Other" })];
  const scenario = plainScenario({ findings, faults: [always({ kind: "other question", of: "type" })] });
  expect(ask(scenario, `domains/${ENVIRONMENT}/details?finding=${TYPE}`).data).toMatchObject([
    { id: 2, Finding: "T0Other" },
  ]);
});

describe("Findings", () => {
  test("An analysis can date a finding anew", () => {
    const finding = plainFinding(1, { created: -HOUR, redated: [{ at: HOUR, created: HOUR }] });
    const world = new World(plainScenario({ findings: [finding] }));
    const dates = [0, HOUR].map((moment) => findingRecord(world, finding, moment)["created_at"]);
    expect(dates).toEqual(["2026-03-01T05:00:00Z", "2026-03-01T07:00:00Z"]);
  });

  test("A finding under another id can have the principals of an earlier one", () => {
    const renewed = plainFinding(2, { sameAs: "f1" });
    const findings = [plainFinding(1), renewed];
    const world = new World(plainScenario({ findings }));
    const rows = new Rows(world, 0).select(ENVIRONMENT, TYPE, new URLSearchParams());
    const targets = rows.map((row) => findingRecord(world, row, 0)["ToPrincipal"]);
    expect(new Set(targets).size).toBe(1);
  });

  test("Only a deleted_at that is valid deletes, and a scenario says how the others look", () => {
    const finding = plainFinding(1, { nullable: "capitals" });
    const world = new World(plainScenario({ findings: [finding] }));
    expect(findingRecord(world, finding, 0)["deleted_at"]).toMatchObject({ Valid: false });
  });
});

test("Bodies share a line, and each shows what has arrived", async () => {
  const time = new VirtualTime(1);
  const line = new Line(new Process(time), () => time.now, 1_000);
  const arrived: [string, number][] = [];
  const carry = (name: string, bytes: number): Promise<void> =>
    new Promise((resolve) => {
      let sum = 0;
      line.carry(
        bytes,
        (piece) => (sum += piece),
        () => {
          arrived.push([`${name}: ${Math.round(sum)} bytes`, time.now]);
          resolve();
        },
      );
    });
  await drive(time, Promise.all([carry("small", 1_000), carry("large", 3_000)]));
  expect(arrived).toEqual([
    ["small: 1000 bytes", 2_000],
    ["large: 3000 bytes", 4_000],
  ]);
});
