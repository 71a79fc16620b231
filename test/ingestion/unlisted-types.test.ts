import { describe, expect, it } from "@jest/globals";
import { outcomeOf } from "../../src/ingestion/report/report.ts";
import { HOUR_MS, MINUTE_MS } from "../../src/clock.ts";
import { BadRequestError, NotFoundError, ServerError } from "../../src/service/errors/errors.ts";
import { instant } from "../support/streams.ts";
import { type FakeHost, host, made, S1, S2 } from "./support/fake-host.ts";

/** A host that has read three finding types, before the list of these lacks the first one. */
async function shortened(): Promise<FakeHost> {
  const soar = host({
    environments: [S1],
    types: { "S-1": ["A", "B", "C"] },
    findings: { "S-1 A": made(1, 3), "S-1 B": made(11, 3), "S-1 C": made(21, 3) },
    analysis: { completedAt: instant(-1), idle: true },
  });
  await soar.quiet();
  soar.tenant.types["S-1"] = ["B", "C"];
  soar.clock.advance(2 * HOUR_MS);
  return soar;
}

const asksForA = ({ asked }: { asked: string[] }): string[] => asked.filter((question) => question.endsWith("S-1 A"));

describe("a known finding type that is missing from a list that is not empty", () => {
  it("is read as long as the service has findings of it, and the run says so", async () => {
    const soar = await shortened();
    for (let run = 1; run <= 3; run++) {
      soar.tenant.findings["S-1 A"] = made(1, 3 + run);
      soar.clock.advance(MINUTE_MS);
      const { ids, result } = await soar.poll();
      expect(ids).toEqual([String(3 + run)]);
      expect(outcomeOf(result)).toMatchObject({
        status: "completed",
        message: `The service does not list finding types that it still knows: CORP.TEST / A. They were read. Others may be missing from the list, too. Delivered 1 new finding in 1 alert from 1 environment.`,
      });
    }
  });

  it("costs one request in each run, although nothing changes, and nothing is skipped", async () => {
    const soar = await shortened();
    for (let run = 0; run < 5; run++) {
      soar.clock.advance(MINUTE_MS);
      expect(asksForA(await soar.poll())).toHaveLength(1);
    }
    soar.tenant.types["S-1"] = ["A", "B", "C"];
    await soar.poll();
    soar.clock.advance(MINUTE_MS);
    expect(asksForA(await soar.poll())).toEqual([]);
  });

  it("stays although nothing is left in its window, if there are older findings", async () => {
    const soar = await shortened();
    soar.tenant.findings["S-1 A"] = [{ id: 1, created_at: instant(-2_000) }];
    await soar.poll();
    soar.tenant.findings["S-1 A"] = made(4, 1);
    expect((await soar.poll()).ids).toEqual(["4"]);
  });

  it.each([
    ["does not know it", new NotFoundError("unknown", { whoActs: "service", wrapped: true })],
    ["rejects it", new BadRequestError("unknown", { whoActs: "service", wrapped: true })],
    ["has no findings of it", []],
    ["has only deleted findings of it", made(1, 3).map((each) => ({ ...each, deleted_at: instant(0) }))],
  ])("is gone once the service %s", async (_, answer) => {
    const soar = await shortened();
    soar.tenant.findings["S-1 A"] = answer;
    const { result } = await soar.poll();
    expect(outcomeOf(result)).toMatchObject({ status: "completed", message: "Nothing new in 1 environment." });
    soar.tenant.findings["S-1 A"] = made(1, 4);
    soar.clock.advance(2 * HOUR_MS);
    expect(asksForA(await soar.poll())).toEqual([]);
    soar.tenant.types["S-1"] = ["A", "B", "C"];
    soar.clock.advance(2 * HOUR_MS);
    expect((await soar.poll()).ids).toEqual(["4"]);
  });

  it("is left to the next run where it could not be read", async () => {
    const soar = await shortened();
    soar.tenant.findings["S-1 A"] = new ServerError("down", { whoActs: "service" });
    expect(outcomeOf((await soar.poll()).result).status).toBe("partial");
    soar.tenant.findings["S-1 A"] = made(1, 4);
    expect((await soar.poll()).ids).toEqual(["4"]);
  });

  it("keeps no other stream waiting, although many are missing and each run is short", async () => {
    const many = Array.from({ length: 100 }, (_, index) => `V${index}`);
    const soar = host({ environments: [S1, S2], types: { "S-1": ["A", ...many, "Z"], "S-2": ["A"] } });
    await soar.poll();
    soar.tenant.types["S-1"] = ["A", "Z"];
    Object.assign(soar.tenant.findings, Object.fromEntries(many.map((type) => [`S-1 ${type}`, made(500, 1)])));
    Object.assign(soar.tenant.findings, { "S-1 Z": made(300, 1), "S-2 A": made(21, 4) });
    const ids: string[] = [];
    for (let run = 0; run < 20; run++) {
      soar.clock.advance(2 * HOUR_MS);
      ids.push(...(await soar.poll({ limits: { maxAlerts: 10 } })).ids);
    }
    expect(ids.filter((id) => id === "500")).toHaveLength(100);
    expect(ids).toEqual(expect.arrayContaining(["300", "24"]));
  });
});
