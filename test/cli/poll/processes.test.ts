import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { describe, expect, it } from "@jest/globals";
import { seededRandom, type Random } from "../../../sandbox/tenant/dataset/random.ts";
import type { Tenant, TenantOptions } from "../../../sandbox/tenant/index.ts";
import { askHere } from "../../support/command-line.ts";
import { type Moment, type RecordedRun, recordPoll, returnTo } from "./deaths.ts";
import { alertsIn, type Death, findingsIn, type PollCall, pollOnce, type PollRun, startPoll } from "./runs.ts";

/** An analysis that finds something new. */
function grow(tenant: Tenant, random: Random): void {
  const { id } = random.pick(tenant.data.environments);
  const types = random.sample(tenant.data.findingTypes(id), 1 + random.below(2));
  tenant.control.analyse(id, { findings: Object.fromEntries(types.map((type) => [type, 1 + random.below(9)])) });
}

/** What a reader makes of a pipe: a line without an end is no line. */
function wholeLines(out: string): string {
  return out.slice(0, out.lastIndexOf("\n") + 1);
}

type Die = (call: PollCall, random: Random, longestMs: number) => Promise<Pick<PollRun, "out" | "killed" | "ms">>;

/** Little enough for many runs, and in every run several streams and several alerts of each. */
const small: TenantOptions = { dataset: { environments: 2, findingTypes: 2, findingsPerPair: 8 } };

/** Runs that die somewhere until so many have, then one that lives; what all of them wrote. */
async function live(kills: number, toFile: boolean, die: Die) {
  const { tenant, state, folder, file } = await startPoll(small);
  const random = seededRandom(7);
  const call: PollCall = { tenant, state, args: ["--max-events", "4"], ...(toFile && { file }) };
  let killed = 0;
  let out = "";
  let longestMs = 600;
  while (killed < kills) {
    const run = await die(call, random, longestMs);
    out += wholeLines(run.out);
    if (run.killed) killed += 1;
    else longestMs = run.ms;
    grow(tenant, random);
  }
  const last = await recordPoll(call);
  out += last.out;
  return { tenant, last, folder, out: toFile ? readFileSync(file, "utf8") : out };
}

/** Dies at one of all moments. */
const dieHere: Die = async (call, random) => {
  const before = call.file !== undefined && existsSync(call.file) ? statSync(call.file).size : 0;
  const run = await recordPoll(call);
  const moment = random.pick(run.moments);
  returnTo(moment, call, before);
  return { out: Buffer.from(run.out).subarray(0, moment.written).toString(), killed: true, ms: 0 };
};

/** Dies as a process, by a signal that it cannot catch. */
const dieAsProcess: Die = (call, random, longestMs) => {
  const after: Death = { ms: 60 + random.below(longestMs) };
  const dies = call.file === undefined ? random.pick<Death>([{ bytes: 1 + random.below(40_000) }, after]) : after;
  return pollOnce({ ...call, dies });
};

async function expectEachOnce(kills: number, die: Die): Promise<void> {
  const { tenant, last, folder, out } = await live(kills, true, die);
  expect([last.code, last.error]).toEqual([0, expect.stringMatching(/^(Delivered|Nothing new)/)]);
  const alerts = alertsIn(out);
  expect(new Set(alerts.map(({ id }) => id)).size).toBe(alerts.length);
  const stored = findingsIn(out);
  expect([stored.missing(tenant), stored.repeated]).toEqual([0, []]);
  // Whatever the killed runs left beside the state is gone with the first one that lived.
  expect(readdirSync(folder).sort()).toEqual(["alerts.ndjson", "poll.json"]);
}

async function expectNothingLost(kills: number, die: Die): Promise<void> {
  const { tenant, out } = await live(kills, false, die);
  const stored = findingsIn(out);
  expect([stored.missing(tenant), stored.repeated]).toEqual([0, []]);
  const alerts = alertsIn(out);
  expect(alerts.length - new Set(alerts.map(({ id }) => id)).size).toBeLessThanOrEqual(kills);
}

describe("poll, killed", () => {
  it.each([
    ["a file", ""],
    ["a file that ends in a line of another run that was cut off", '{"id":"cut o'],
  ])("at any moment, writes every finding exactly once to %s with the next run", async (_, before) => {
    const { tenant, state, folder, file } = await startPoll({
      dataset: { environments: 1, findingTypes: 2, findingsPerPair: 3 },
    });
    const call: PollCall = { tenant, state, file, args: ["--max-events", "3"] };
    writeFileSync(file, before);
    const { moments, code } = await recordPoll(call);
    const size = statSync(file).size - before.length;
    const content = readFileSync(file, "utf8");
    const linesIn = (text: string) => (before === "" ? text : text.slice(before.length + 1));
    expect(code).toBe(0);
    // Nothing yet, all of it, and for each alert at least: announced, begun, and written.
    expect([moments[0]?.written, moments.at(-1)?.written]).toEqual([0, size]);
    expect(moments.length).toBeGreaterThan(3 * alertsIn(linesIn(content)).length);
    for (const moment of moments) {
      writeFileSync(file, content);
      returnTo(moment, call, before.length);
      const next = await askHere(tenant, ["poll", "--state", state, ...call.args!], { file });
      const lines = linesIn(readFileSync(file, "utf8"));
      const stored = findingsIn(lines);
      expect([next.code, stored.missing(tenant), stored.repeated]).toEqual([0, 0, []]);
      expect(alertsIn(lines)).toHaveLength(alertsIn(linesIn(content)).length);
      expect(readdirSync(folder).sort()).toEqual(["alerts.ndjson", "poll.json"]);
    }
  });

  it("twice, loses nothing in a pipe, whenever the run dies that repeats the line of the first one", async () => {
    const { tenant, state } = await startPoll({ dataset: { environments: 1, findingTypes: 1, findingsPerPair: 6 } });
    const call: PollCall = { tenant, state, args: ["--max-events", "3"] };
    const dieAt = (run: RecordedRun, moment: Moment): string => {
      returnTo(moment, call, 0);
      return wholeLines(Buffer.from(run.out).subarray(0, moment.written).toString());
    };
    const first = await recordPoll(call);
    const out = dieAt(
      first,
      first.moments.find(({ written }) => written > 0)!,
    );
    const second = await recordPoll(call);
    expect(second.moments.length).toBeGreaterThan(8);
    for (const moment of second.moments) {
      const written = dieAt(second, moment);
      const third = await recordPoll(call);
      const stored = findingsIn(out + written + third.out);
      expect([third.code, stored.missing(tenant), stored.repeated]).toEqual([0, 0, []]);
    }
  });

  it("over and over, writes every finding exactly once to a file that it appends to, and only whole lines", async () => {
    await expectEachOnce(8, dieHere);
  });

  it("over and over, loses nothing in a pipe, and repeats at most the alert that was being written, with its id", async () => {
    await expectNothingLost(6, dieHere);
  });

  it("as a process, writes every finding exactly once to a file", async () => {
    await expectEachOnce(3, dieAsProcess);
  });

  it("as a process, loses nothing in a pipe", async () => {
    await expectNothingLost(3, dieAsProcess);
  });
});

describe("poll, as a process", () => {
  it.each(["SIGINT", "SIGTERM"] as const)("ends in order on %s, and the next run continues", async (stopped) => {
    const { tenant, folder, state } = await startPoll();
    const { id = "" } = tenant.data.environments[1] ?? {};
    tenant.control.fault({ path: `/domains/${id}/details`, effect: { kind: "stall" } });
    const first = await pollOnce({ tenant, state, stopped });
    expect([first.code, first.error]).toEqual([130, expect.stringContaining("The run was stopped")]);
    expect(readdirSync(folder)).toEqual(["poll.json"]);
    tenant.control.clearFaults();
    const next = await askHere(tenant, ["poll", "--state", state]);
    expect([next.code, alertsIn(first.out).length > 0, alertsIn(next.out).length > 0]).toEqual([0, true, true]);
    const stored = findingsIn(first.out + next.out);
    expect([stored.missing(tenant), stored.repeated]).toEqual([0, []]);
  });

  it("ends with 5 when nobody reads the alerts any more, and repeats the one that was lost", async () => {
    const { tenant, state } = await startPoll();
    const left = await pollOnce({ tenant, state, readerLeaves: true });
    expect([left.code, left.error]).toEqual([
      5,
      "Error: Standard output was closed. The next run continues with the alert that was being written.\n",
    ]);
    const { code, out } = await askHere(tenant, ["poll", "--state", state]);
    expect(code).toBe(0);
    const { state: saved } = JSON.parse(readFileSync(state, "utf8")) as { state: unknown };
    expect(saved).not.toBeNull();
    expect(alertsIn(out).length).toBeGreaterThan(0);
  });

  it("ends with 5 when the disk with the alerts is full, and the next run completes the line that was cut off", async () => {
    const { tenant, folder, state, file } = await startPoll();
    const fileLimit = 256;
    const before = `${JSON.stringify({ earlier: "x".repeat(fileLimit * 1024 - 10_000) })}\n`;
    writeFileSync(file, before);
    const cut = await pollOnce({ tenant, state, file, fileLimit });
    expect([cut.code, cut.error]).toEqual([
      5,
      "Error: Standard output cannot be written (EFBIG). The next run continues with the alert that was being written. Check the disk and its free space.\n",
    ]);
    expect([statSync(file).size, readFileSync(file, "utf8").endsWith("\n")]).toEqual([fileLimit * 1024, false]);
    expect((await askHere(tenant, ["poll", "--state", state], { file })).code).toBe(0);
    const stored = findingsIn(readFileSync(file, "utf8").slice(before.length));
    expect([stored.missing(tenant), stored.repeated]).toEqual([0, []]);
    expect(readdirSync(folder).sort()).toEqual(["alerts.ndjson", "poll.json"]);
  });

  it("whose line was cut off in a file loses nothing when one with another state appends to it", async () => {
    const { tenant, state, file } = await startPoll();
    const [one, other] = tenant.data.environments.map(({ name }) => ["--environment", name]) as [string[], string[]];
    const fileLimit = 256;
    writeFileSync(file, `${" ".repeat(fileLimit * 1024 - 100)}\n`);
    expect((await pollOnce({ tenant, state, file, fileLimit, args: one })).code).toBe(5);
    expect((await askHere(tenant, ["poll", "--state", `${state}.2`, ...other], { file })).code).toBe(0);
    expect((await askHere(tenant, ["poll", "--state", state, ...one], { file })).code).toBe(0);
    const lines = readFileSync(file, "utf8").split("\n").slice(1);
    const cut = lines.shift();
    expect([cut?.length, cut?.startsWith('{"id":')]).toEqual([99, true]);
    const stored = findingsIn(lines.join("\n"));
    expect([stored.missing(tenant), stored.repeated]).toEqual([0, []]);
  });
});
