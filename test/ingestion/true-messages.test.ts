import { describe, expect, it } from "@jest/globals";
import { outcomeOf } from "../../src/ingestion/report/report.ts";
import { Selection } from "../../src/ingestion/selection.ts";
import { HOUR_MS, MINUTE_MS } from "../../src/clock.ts";
import { ProtocolError, RateLimitedError, ServerError } from "../../src/service/errors/errors.ts";
import { instant } from "../support/streams.ts";
import { type FakeHost, host, made, S1, S2 } from "./support/fake-host.ts";

const only = (types: string[]) => ({ selection: new Selection({ "Selected Finding Types": types }) });
const onlyIn = (environments: string[]) => ({ selection: new Selection({ "Selected Environments": environments }) });

/** A state with room for the findings of one of two finding types, whose ids are texts. */
const textIds = (type: string, count: number, hour: number) =>
  Array.from({ length: count }, (_, i) => ({ id: `${type} finding ${String(i)}`, created_at: instant(hour) }));

function fullHost(): { soar: FakeHost; poll: (selected: string) => ReturnType<FakeHost["poll"]> } {
  const soar = host({
    environments: [S1],
    types: { "S-1": ["A", "B"] },
    findings: { "S-1 A": textIds("A", 60, -5), "S-1 B": textIds("B", 200, -5) },
  });
  return { soar, poll: (selected) => soar.poll({ ...only([selected]), stateCharacters: 4_000 }) };
}

describe("a full state", () => {
  it("forgets a finding type that is listed and not selected any more, and misses nothing of the selected ones", async () => {
    const { soar, poll } = fullHost();
    await poll("B");
    await poll("A");
    for (let run = 0; run < 3; run++) {
      soar.clock.advance(HOUR_MS);
      const added = { id: `late ${String(run)}`, created_at: instant(-0.5) };
      soar.tenant.findings["S-1 A"] = [...(soar.tenant.findings["S-1 A"] as object[]), added];
      const { ids, result } = await poll("A");
      expect(ids).toEqual([added.id]);
      expect(outcomeOf(result).message).not.toContain("The state is full");
    }
  });

  it("is named in each run that may miss findings because of it, and in no other", async () => {
    const soar = host({
      environments: [S1],
      types: { "S-1": ["A"] },
      findings: { "S-1 A": [...textIds("old", 100, -5), ...textIds("new", 5, -1)] },
    });
    const message = async (): Promise<string> => outcomeOf((await soar.poll({ stateCharacters: 900 })).result).message;
    expect(await message()).toContain("The state is full. Findings of 1 stream may be missed");
    soar.clock.advance(2 * HOUR_MS);
    expect(await message()).toContain("The state is full. Findings of 1 stream may be missed");
    soar.clock.advance(24 * HOUR_MS);
    expect(await message()).toContain("The state is full. Findings of 1 stream may be missed");
    soar.clock.advance(2 * HOUR_MS);
    expect(await message()).not.toContain("The state is full");
    soar.tenant.findings["S-1 A"] = textIds("new", 5, -1);
    soar.clock.advance(24 * HOUR_MS);
    expect(await message()).not.toContain("The state is full");
  });
});

describe("a list of environments that was cut short", () => {
  it.each([
    ["lists fewer than it counts", new ProtocolError("counts 2 and holds 1", { whoActs: "service" })],
    ["meets the rate limit", new RateLimitedError("Rate limit reached.", { whoActs: "service" })],
  ])("is what a run names that finds nothing selected in it, if the list %s", async (_, error) => {
    const soar = host({ environments: [S2], cutShort: { tenant: error } });
    const { status, message } = outcomeOf((await soar.poll(onlyIn(["CORP.TEST"]))).result);
    expect([status, message]).toEqual(["failed", `Nothing could be read. ${error.message}`]);
  });

  it("proves no name wrong", async () => {
    const error = new ProtocolError("It counts 2 and holds 1.", { whoActs: "service" });
    const soar = host({ environments: [S2], cutShort: { tenant: error } });
    const { status, message } = outcomeOf((await soar.poll(onlyIn(["CORP.TEST", "LAB.TEST"]))).result);
    expect(status).toBe("partial");
    expect(message).toContain("Could not list all environments. It counts 2 and holds 1.");
    expect(message).not.toContain("CORP.TEST");
  });
});

it("A selected finding type that the list lacks, and that is read, is not called misspelt", async () => {
  const soar = host({ environments: [S1] });
  await soar.poll(only(["A"]));
  soar.tenant.types["S-1"] = ["B"];
  soar.tenant.findings["S-1 A"] = made(1, 4);
  const { ids, result } = await soar.poll(only(["A"]));
  const { message } = outcomeOf(result);
  expect(ids).toEqual(["4"]);
  expect(message).toContain("The service does not list finding types that it still knows: CORP.TEST / A.");
  expect(message).not.toContain("Selected Finding Types");
});

it("Findings with known ids count as delivered only once they are", async () => {
  const principals = (from: string) => made(1, 2).map((each) => ({ ...each, FromPrincipal: from, ToPrincipal: "T" }));
  const soar = host({ environments: [S1], types: { "S-1": ["A"] }, findings: { "S-1 A": principals("OLD") } });
  await soar.poll();
  soar.clock.advance(25 * HOUR_MS);
  soar.tenant.findings["S-1 A"] = principals("NEW");
  soar.tenant.listsGranted = 1;
  const refused = await soar.poll();
  expect(refused.ids).toEqual([]);
  expect(outcomeOf(refused.result).message).toContain(
    "The service may have given known ids to other findings in 1 stream. The next run delivers the rest of them, and some findings may be repeated.",
  );
  soar.tenant.listsGranted = null;
  soar.clock.advance(MINUTE_MS);
  const { ids, result } = await soar.poll();
  expect(ids).toEqual(["1", "2"]);
  expect(outcomeOf(result).message).toContain(
    "2 findings returned, became visible late or got the id of another one, and may have been delivered before.",
  );
});

it("A run that has read an environment without finding types does not say that nothing could be read", async () => {
  const error = new ServerError("The service reported an internal error.", { whoActs: "service" });
  const soar = host({ types: { "S-1": [], "S-2": error } });
  const { status, message } = outcomeOf((await soar.poll()).result);
  expect(status).toBe("partial");
  expect(message).not.toContain("Nothing could be read");
});

it("A finding of the first day of 1970 does not damage the state", async () => {
  const early = (count: number) => made(1, count).map((each) => ({ ...each, created_at: "1970-01-01T05:00:00Z" }));
  const soar = host({ environments: [S1], types: { "S-1": ["A"] }, findings: { "S-1 A": early(1) } });
  const limits = { maxAlerts: 1, maxEventsPerAlert: 1 };
  await soar.poll();
  soar.tenant.findings["S-1 A"] = early(3);
  const ids: string[] = [];
  for (let run = 0; run < 3; run++) {
    soar.clock.advance(2 * HOUR_MS);
    const delivered = await soar.poll({ limits });
    ids.push(...delivered.ids);
    expect(outcomeOf(delivered.result).message).not.toContain("damaged");
  }
  expect(ids).toEqual(["2", "3"]);
});

it("A run goes on at the next finding type that is read where the one after it is not selected any more", async () => {
  const soar = host({
    environments: [S1],
    types: { "S-1": ["A", "B", "C"] },
    findings: { "S-1 A": made(1, 1), "S-1 B": made(11, 1), "S-1 C": made(21, 1) },
  });
  await soar.poll();
  await soar.poll(only(["A", "C"]));
  soar.tenant.findings["S-1 A"] = made(1, 2);
  soar.clock.advance(2 * HOUR_MS);
  const places: unknown[] = [];
  const deliver = (_: unknown, patch: Record<string, unknown>): Promise<void> => {
    places.push(patch["next"]);
    return Promise.resolve();
  };
  await soar.poll({ ...only(["A", "C"]), deliver });
  expect(places).toEqual([{ environmentId: "S-1", findingType: "C" }]);
});
