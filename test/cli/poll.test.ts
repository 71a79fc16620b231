import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "@jest/globals";
import { seededRandom, type Random } from "../../sandbox/tenant/dataset/random.ts";
import type { Tenant, TenantOptions } from "../../sandbox/tenant/index.ts";
import { Lock } from "../../src/cli/poll/lock.ts";
import { askHere } from "../support/command-line.ts";
import { StoredFindings } from "../support/stored-findings.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { firstStream, startTenant } from "../support/tenant.ts";
import { type Moment, type RecordedRun, recordPoll, returnTo } from "./poll-deaths.ts";
import { alertsIn, type Death, type PollCall, pollOnce, type PollRun } from "./poll-runs.ts";

const dataset = { environments: 2, findingTypes: 3, findingsPerPair: 20 };

async function start(options: TenantOptions = { dataset, maxPageSize: 7 }) {
  const folder = temporaryFolder();
  const tenant = await startTenant(options);
  return { tenant, folder, state: join(folder, "poll.json"), file: join(folder, "alerts.ndjson") };
}

function findingsIn(content: string, stored = new StoredFindings()): StoredFindings {
  for (const alert of alertsIn(content)) stored.store(alert);
  return stored;
}

describe("poll", () => {
  it("writes what is new as alerts, one JSON object per line, and the next run only what has come since", async () => {
    const { tenant, state } = await start();
    const first = await askHere(tenant, ["poll", "--state", state]);
    expect({ code: first.code, error: first.error }).toEqual({
      code: 0,
      error: "Delivered 120 new findings in 6 alerts from 2 environments.\n",
    });
    expect(findingsIn(first.out).missing(tenant)).toBe(0);
    expect(await askHere(tenant, ["poll", "--state", state])).toEqual({
      code: 0,
      out: "",
      error: "Nothing new in 2 environments.\n",
    });
    const [environment] = tenant.data.environments;
    tenant.control.analyse(environment!.id, { findings: { [tenant.data.findingTypes(environment!.id)[0]!]: 3 } });
    const { out } = await askHere(tenant, ["poll", "--state", state]);
    expect(alertsIn(out).map(({ events }) => events.length)).toEqual([3]);
  });

  it("keeps the state where only its owner can read it, and leaves nothing else behind", async () => {
    const { tenant, folder, state } = await start();
    await askHere(tenant, ["poll", "--state", state, "--quiet"]);
    expect(readdirSync(folder)).toEqual(["poll.json"]);
    expect(statSync(state).mode & 0o777).toBe(0o600);
  });

  it("reads only what is selected, and no more than the limits allow", async () => {
    const { tenant, state } = await start();
    const [environment] = tenant.data.environments;
    const [type = ""] = tenant.data.findingTypes(environment!.id);
    const selection = ["--environment", environment!.name.toLowerCase(), "--type", type, "--max-events", "8"];
    const { code, out, error } = await askHere(tenant, ["poll", "--state", state, ...selection, "--max-alerts", "2"]);
    expect(code).toBe(5);
    expect(error).toContain("The limit of --max-alerts is reached.");
    expect(
      alertsIn(out).map(({ environmentId, findingType, events }) => [environmentId, findingType, events.length]),
    ).toEqual([
      [environment!.id, type, 8],
      [environment!.id, type, 8],
    ]);
    const rest = await askHere(tenant, ["poll", "--state", state, ...selection]);
    expect([rest.code, alertsIn(rest.out).map(({ events }) => events.length)]).toEqual([0, [4]]);
  });

  it("leaves out what the options say, and delivers it once they are gone", async () => {
    const { tenant, state } = await start();
    const { environmentId, findingType } = firstStream(tenant);
    tenant.data.findings(environmentId, findingType)!.update((record) => ({ ...record, Severity: "low" }));
    const poll = ["poll", "--state", state];
    const lowest = await askHere(tenant, [...poll, "--lowest-severity", "moderate", "--hours-back", "9999999"]);
    expect(lowest.error).toContain("findings were left out by --lowest-severity.");
    const all = await askHere(tenant, poll);
    expect(alertsIn(all.out)).not.toHaveLength(0);
    expect(new Set(alertsIn(all.out).map((alert) => alert.severity))).toEqual(new Set(["low"]));
  });

  it("says nothing with --quiet when everything was read, and what is missing when not", async () => {
    const { tenant, state } = await start();
    expect((await askHere(tenant, ["poll", "--state", state, "--quiet"])).error).toBe("");
    tenant.control.forbid(tenant.data.environments[0]!.id);
    const { code, error } = await askHere(tenant, ["poll", "--state", `${state}.2`, "--quiet"]);
    expect(code).toBe(5);
    expect(error).toMatch(/^Incomplete: .* Permission denied/);
  });

  it("says also with --quiet what needs attention: names that are unknown", async () => {
    const { tenant, state } = await start();
    const [environment] = tenant.data.environments;
    const types = [tenant.data.findingTypes(environment!.id)[0]!, "Mistyped"];
    const selection = ["--environment", environment!.name, "TYPO", "--type", ...types, "--quiet"];
    const { code, error } = await askHere(tenant, ["poll", "--state", state, ...selection]);
    expect(code).toBe(5);
    expect(error).toContain("--environment names TYPO, which the token cannot see.");
    expect(error).toContain("--type names Mistyped, which no selected environment has");
  });

  it("ends with 2 when no selected finding type exists", async () => {
    const { tenant, state } = await start();
    const { code, error } = await askHere(tenant, ["poll", "--state", state, "--type", "Mistyped"]);
    expect(code).toBe(2);
    expect(error).toContain("--type names Mistyped, which no selected environment has");
  });

  it("refuses the state of another tenant, and leaves it alone", async () => {
    const { tenant, state } = await start();
    const other = await start();
    await askHere(other.tenant, ["poll", "--state", state]);
    const before = readFileSync(state, "utf8");
    const { code, out, error } = await askHere(tenant, ["poll", "--state", state, "--quiet"]);
    expect({ code, out, error }).toEqual({
      code: 2,
      out: "",
      error: `Error: The state file ${state} belongs to ${other.tenant.url}, not to ${tenant.url}. It was not changed, and nothing was read. Choose another file for this tenant.\n`,
    });
    expect(readFileSync(state, "utf8")).toBe(before);
    expect(tenant.requests).toEqual([]);
  });

  it("reads nothing while another run uses the state file", async () => {
    const { tenant, state } = await start();
    const lock = await Lock.acquire(`${state}.lock`);
    const locked = await askHere(tenant, ["poll", "--state", state]);
    expect(locked).toEqual({
      code: 1,
      out: "",
      error: `Error: Another run is using this state file (process ${process.pid}). Nothing was read. Wait until it ends.\n`,
    });
    expect(tenant.requests).toEqual([]);
    await lock.release();
    expect((await askHere(tenant, ["poll", "--state", state])).code).toBe(0);
  });

  it.each([
    ["is missing", [], "required option '--state <file>' not specified"],
    ["is no JSON", "alerts\n", "is not a state file of poll. It was not changed."],
    ["is other JSON", "{}", "is not a state file of poll. It was not changed."],
    ["is of a newer version", '{"version": 2, "state": {}, "pending": null}', "was written by a newer version."],
    [
      "holds a state of a newer version",
      '{"version": 1, "state": {"version": 99}, "pending": null}',
      "The saved state was written by a newer version",
    ],
  ])("ends with 2 when the state file %s, and leaves it alone", async (_, content, message) => {
    const { tenant, state } = await start();
    const isGiven = typeof content === "string";
    if (isGiven) writeFileSync(state, content);
    const { code, out, error } = await askHere(tenant, ["poll", ...(isGiven ? ["--state", state] : [])]);
    expect({ code, out }).toEqual({ code: 2, out: "" });
    expect(error).toContain(message);
    if (isGiven) expect(readFileSync(state, "utf8")).toBe(content);
    expect(tenant.requests).toEqual([]);
  });

  it("ends with 2 when there can be no state file at its path, or its lock is damaged", async () => {
    const { tenant, state } = await start();
    const nowhere = await askHere(tenant, ["poll", "--state", "/nowhere/poll.json"]);
    expect(nowhere).toMatchObject({ code: 2, out: "" });
    expect(nowhere.error).toContain("/nowhere/poll.json.lock cannot be used (ENOENT). Nothing was read.");
    for (const content of ["", "null", "{}"]) {
      writeFileSync(`${state}.lock`, content);
      const damaged = await askHere(tenant, ["poll", "--state", state]);
      expect(damaged).toMatchObject({ code: 2, out: "" });
      expect(damaged.error).toContain("poll.json.lock is damaged. Nothing was read. If no other run uses");
    }
    expect(tenant.requests).toEqual([]);
  });

  it("ends with 2 when no environment can be polled, 3 when the key is wrong, and 4 without a service", async () => {
    const { tenant, state } = await start();
    const args = ["poll", "--state", state];
    const unknown = await askHere(tenant, [...args, "--environment", "NOWHERE"]);
    expect([unknown.code, unknown.error]).toEqual([2, expect.stringContaining("NOWHERE")]);
    const wrong = await askHere(tenant, args, { input: "b3RoZXIga2V5" });
    expect([wrong.code, wrong.error]).toEqual([3, expect.stringContaining("The service rejected the credentials")]);
    const absent = await askHere({ ...tenant, url: "http://127.0.0.1:9" }, args);
    expect([absent.code, absent.error]).toEqual([4, expect.stringContaining("Nothing could be read.")]);
    expect(existsSync(state)).toBe(false);
  });

  it.each([400, 404, 500])("ends with 4 when the service answers %i to every list of finding types", async (status) => {
    const { tenant, state } = await start();
    tenant.control.fault({ path: "available-types$", effect: { kind: "status", status } });
    const { code, error } = await askHere(tenant, ["poll", "--state", state]);
    expect([code, error]).toEqual([4, expect.stringContaining("Nothing could be read.")]);
  });

  it.each(["SIGINT", "SIGTERM"] as const)("ends in order on %s, and the next run continues", async (stopped) => {
    const { tenant, folder, state } = await start();
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
    const { tenant, state } = await start();
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
    const { tenant, folder, state, file } = await start();
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

  it("ends with 5 when the device with the alerts is full, and the next run writes them", async () => {
    const { tenant, state } = await start();
    const full = await askHere(tenant, ["poll", "--state", state], { file: "/dev/full" });
    expect([full.code, full.error]).toEqual([5, expect.stringContaining("cannot be written (ENOSPC)")]);
    expect(findingsIn((await askHere(tenant, ["poll", "--state", state])).out).missing(tenant)).toBe(0);
  });
});

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
  const { tenant, state, folder, file } = await start(small);
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
  it("at any moment, writes every finding exactly once to a file with the next run", async () => {
    const { tenant, state, folder, file } = await start({
      dataset: { environments: 1, findingTypes: 2, findingsPerPair: 6 },
    });
    const call: PollCall = { tenant, state, file, args: ["--max-events", "3"] };
    const { moments, code } = await recordPoll(call);
    const size = statSync(file).size;
    const content = readFileSync(file, "utf8");
    expect(code).toBe(0);
    // Nothing yet, all of it, and for each alert at least: announced, begun, and written.
    expect([moments[0]?.written, moments.at(-1)?.written]).toEqual([0, size]);
    expect(moments.length).toBeGreaterThan(3 * alertsIn(content).length);
    for (const moment of moments) {
      writeFileSync(file, content);
      returnTo(moment, call, 0);
      const next = await askHere(tenant, ["poll", "--state", state, ...call.args!], { file });
      const stored = findingsIn(readFileSync(file, "utf8"));
      expect([next.code, stored.missing(tenant), stored.repeated]).toEqual([0, 0, []]);
      expect(alertsIn(readFileSync(file, "utf8"))).toHaveLength(alertsIn(content).length);
      expect(readdirSync(folder).sort()).toEqual(["alerts.ndjson", "poll.json"]);
    }
  });

  it("twice, loses nothing in a pipe, whenever the run dies that repeats the line of the first one", async () => {
    const { tenant, state } = await start({ dataset: { environments: 1, findingTypes: 1, findingsPerPair: 6 } });
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
    await expectEachOnce(20, dieHere);
  });

  it("over and over, loses nothing in a pipe, and repeats at most the alert that was being written, with its id", async () => {
    await expectNothingLost(15, dieHere);
  });

  it("as a process, writes every finding exactly once to a file", async () => {
    await expectEachOnce(6, dieAsProcess);
  });

  it("as a process, loses nothing in a pipe", async () => {
    await expectNothingLost(4, dieAsProcess);
  });
});
