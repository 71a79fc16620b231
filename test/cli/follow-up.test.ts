import { execFileSync } from "node:child_process";
import { appendFileSync, closeSync, openSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { PassThrough, Readable } from "node:stream";
import { beforeEach, describe, expect, it } from "@jest/globals";
import type { Tenant } from "../../sandbox/tenant/index.ts";
import { exitCodeOf, readInput } from "../../src/cli/failures.ts";
import { readAlerts } from "../../src/cli/follow-up/alert-lines.ts";
import { findingLines } from "../../src/output/finding-lines.ts";
import { ocsfLine } from "../../src/output/ocsf.ts";
import type { Alert, AlertChangeMessage, ResultMessage } from "../../src/runtime/protocol.ts";
import {
  askHere,
  type CallHere,
  commandLineHere,
  type CommandOutcome,
  failingOutput,
} from "../support/command-line.ts";
import { movableClock } from "../support/fake-clock.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { startTenant } from "../support/tenant.ts";

const HOUR = 3_600_000;

describe("follow-up", () => {
  const clock = movableClock();
  let tenant: Tenant;
  let alerts: string;
  let state: string;
  /** What poll wrote: one alert for each finding type, with two findings. */
  let given: Alert[];

  beforeEach(async () => {
    const dataset = { environments: 1, findingTypes: 2, findingsPerPair: 2 };
    tenant = await startTenant({ clock, dataset, dialect: "bloodhound-enterprise", pathPrefix: "/tenant-a" });
    const folder = temporaryFolder();
    alerts = join(folder, "alerts.ndjson");
    state = join(folder, "follow-up.json");
    const { out } = await call(["poll", "--state", join(folder, "poll.json"), "--quiet"]);
    writeFileSync(alerts, out);
    given = lines(out) as Alert[];
  });

  const call = (args: string[], given: CallHere = {}): Promise<CommandOutcome> =>
    askHere(tenant, args, { clock, ...given });
  const lines = (text: string): unknown[] =>
    text
      .split("\n")
      .filter((line) => line !== "")
      .map((line) => JSON.parse(line) as unknown);
  /** Runs the command; the changes, and the result behind them. */
  async function run(...options: string[]) {
    const { code, out, error } = await call(["follow-up", alerts, "--state", state, ...options]);
    const written = lines(out);
    return {
      code,
      error,
      changes: written.slice(0, -1) as AlertChangeMessage[],
      result: written.at(-1) as ResultMessage,
    };
  }
  /** An analysis of the environment, so many hours later. */
  function analyseAfter(hours: number): void {
    clock.moveOn(hours * HOUR);
    tenant.control.analyse(given[0]!.environmentId, { findings: {} });
    // A read right after an analysis proves nothing.
    clock.moveOn(HOUR);
  }
  function remediate(alert: Alert): void {
    for (const { finding_id: id } of alert.events)
      tenant.control.remediateFinding(alert.environmentId, alert.findingType, Number(id));
  }

  it("writes findings that are closed, back or accepted as OCSF events that keep their uid", async () => {
    type Event = { activity_id: number; status_id: number; time: number; finding_info: { uid: string } };
    const ocsf = async (): Promise<Event[]> => {
      const { code, out } = await call(["follow-up", alerts, "--state", state, "--close-alerts", "--format", "ocsf"]);
      expect(code).toBe(0);
      return lines(out) as Event[];
    };
    const [alert] = given;
    const created = JSON.parse(
      `[${findingLines(alert!, "created", ocsfLine).trim().replaceAll("\n", ",")}]`,
    ) as Event[];
    const uids = created.map((event) => event.finding_info.uid);
    expect(await ocsf()).toEqual([]);
    remediate(alert!);
    analyseAfter(1);
    expect(await ocsf()).toEqual([]);
    analyseAfter(25);
    const since = clock.now();
    const closed = await ocsf();
    expect(closed.map(({ finding_info: { uid } }) => uid)).toEqual(uids);
    expect(closed).toMatchObject(uids.map(() => ({ activity_id: 3, status_id: 4 })));
    expect(closed.every(({ time }) => time >= since)).toBe(true);
    const [{ finding_id: id } = {}] = alert!.events;
    tenant.control.bringFindingBack(alert!.environmentId, alert!.findingType, Number(id));
    analyseAfter(1);
    expect(await ocsf()).toMatchObject(uids.map(() => ({ activity_id: 2, status_id: 1 })));
  });

  it("asks to close an alert once its findings are gone from two analyses, and to reopen it when one is back", async () => {
    const [alert, other] = given;
    const first = await run("--close-alerts");
    expect(first).toMatchObject({ code: 0, changes: [], result: { type: "result", status: "completed", value: true } });
    expect(first.error).toContain("Judged 2 open alerts. No changes needed. Findings: 4 active.");
    remediate(alert!);
    analyseAfter(1);
    expect((await run("--close-alerts")).result.json).toMatchObject({ findings: { missing: 2, active: 2 } });
    analyseAfter(25);
    const { changes } = await run("--close-alerts");
    expect(changes).toEqual([
      expect.objectContaining({ type: "alert_change", alertId: alert!.id, change: "close", reason: "remediated" }),
    ]);
    expect(changes[0]).not.toHaveProperty("checkpoint");
    analyseAfter(1);
    expect((await run("--close-alerts")).changes).toEqual([]);
    const [{ finding_id: id } = {}] = alert!.events;
    tenant.control.bringFindingBack(alert!.environmentId, alert!.findingType, Number(id));
    analyseAfter(1);
    expect((await run("--close-alerts")).changes).toMatchObject([{ alertId: alert!.id, change: "reopen" }]);
    expect(other!.id).not.toBe(alert!.id);
  });

  it("answers with its exit code and its message when the reader of the result has gone", async () => {
    const args = ["follow-up", alerts, "--state", state, "--environment", "NOWHERE.TEST"];
    const { code, error } = await call(args, { stdout: failingOutput("EPIPE") });
    expect({ code, error }).toEqual({ code: 2, error: expect.stringContaining("--environment names NOWHERE.TEST") });
  });

  it("asks for a comment only, unless --close-alerts is given, and never to close what --keep-open names", async () => {
    await run();
    remediate(given[0]!);
    analyseAfter(1);
    await run();
    analyseAfter(25);
    expect((await run()).changes).toMatchObject([{ change: "comment", reason: "remediated" }]);
    analyseAfter(1);
    expect((await run("--close-alerts", "--keep-open", "low")).changes).toEqual([]);
    analyseAfter(1);
    expect((await run("--close-alerts")).changes).toMatchObject([{ change: "close" }]);
  });

  it("lets a line say itself what became of its alert", async () => {
    await run("--close-alerts");
    remediate(given[0]!);
    remediate(given[1]!);
    // With no finding left in any list, eight days have to pass.
    for (const hours of [1, 97]) {
      analyseAfter(hours);
      await run("--close-alerts");
    }
    // A person closed the second one, and opened it again.
    const persons = { ...given[1]!, status: "open", closedBy: "person", closedAt: clock.now(), reopenedBy: "person" };
    appendFileSync(alerts, `${JSON.stringify(persons)}\n`);
    analyseAfter(97);
    expect((await run("--close-alerts")).changes.map(({ alertId }) => alertId)).toEqual([given[0]!.id]);
    // Nobody closed the first one.
    appendFileSync(alerts, `${JSON.stringify({ ...given[0]!, status: "open" })}\n`);
    analyseAfter(1);
    const { changes, error } = await run("--close-alerts");
    expect(changes).toMatchObject([{ alertId: given[0]!.id, change: "close" }]);
    expect(error).toContain("A person closed or reopened this alert");
  });

  it("remembers what it has asked for as done, until the alerts were not given for a month", async () => {
    const [alert] = given;
    await run("--close-alerts");
    remediate(alert!);
    analyseAfter(1);
    await run("--close-alerts");
    analyseAfter(25);
    expect((await run("--close-alerts")).changes).toMatchObject([{ change: "close" }]);
    const [{ finding_id: id } = {}] = alert!.events;
    tenant.control.bringFindingBack(alert!.environmentId, alert!.findingType, Number(id));
    analyseAfter(1);
    expect((await run("--close-alerts")).changes).toMatchObject([{ change: "reopen" }]);
    analyseAfter(1);
    expect((await run("--close-alerts")).changes).toEqual([]);
    const remembered = () => JSON.parse(readFileSync(state, "utf8")) as object;
    expect(remembered()).toMatchObject({
      state: { alerts: { [alert!.id]: { status: "open", closedBy: "job", reopenedBy: "job" } } },
    });
    writeFileSync(alerts, `${JSON.stringify(given[1])}\n`);
    expect((await run("--close-alerts")).result.json).toMatchObject({ alerts: { judged: 1 } });
    expect(remembered()).toMatchObject({ state: { alerts: { [alert!.id]: { closedBy: "job" } } } });
    analyseAfter(31 * 24);
    await run("--close-alerts");
    expect(remembered()).toMatchObject({ state: { alerts: {} } });
    expect(readFileSync(state, "utf8")).not.toContain(alert!.id);
  });

  it("closes when many findings vanish only with --allow-mass-closing", async () => {
    const dataset = { environments: 1, findingTypes: 2, findingsPerPair: 12 };
    tenant = await startTenant({ clock, dataset, dialect: "bloodhound-enterprise" });
    given = lines((await call(["poll", "--state", `${state}.poll`, "--quiet"])).out) as Alert[];
    writeFileSync(alerts, given.map((alert) => `${JSON.stringify(alert)}\n`).join(""));
    await run("--close-alerts");
    remediate(given[0]!);
    analyseAfter(1);
    await run("--close-alerts");
    analyseAfter(25);
    const changes = async (...options: string[]) =>
      (await run("--close-alerts", ...options)).changes.map(({ change }) => change);
    expect(await changes()).not.toContain("close");
    analyseAfter(25);
    expect(await changes()).not.toContain("close");
    expect((await run("--close-alerts", "--quiet")).error).toContain("Not closed in ");
    expect(await changes("--allow-mass-closing")).not.toContain("close");
    analyseAfter(25);
    expect(await changes("--allow-mass-closing")).toContain("close");
  });

  it("ends with its time limit, or when it is stopped, although standard input does not end", async () => {
    const reading = async (isStopped: boolean): Promise<unknown> => {
      const [input, time, stop] = [new PassThrough(), new AbortController(), new AbortController()];
      const terms = { origin: tenant.url, wholeFor: null, stop: time.signal };
      const read = readInput(input, () => readAlerts({ name: "standard input", input }, terms), stop.signal);
      if (isStopped) stop.abort();
      time.abort();
      return exitCodeOf(await read.catch((error: unknown) => error));
    };
    expect([await reading(false), await reading(true)]).toEqual([4, 130]);
  });

  it("reads the alerts from standard input, with the credentials of a profile", async () => {
    const profile = join(temporaryFolder(), "profile.json");
    const { url: server, tokenId, tokenKey } = tenant;
    writeFileSync(profile, JSON.stringify({ server, tokenId, tokenKey }), { mode: 0o600 });
    const args = ["follow-up", "-", "--state", state];
    const input = `\n${readFileSync(alerts, "utf8").replace("\n", "\n\n")}`;
    const { code, out } = await commandLineHere(args, { clock, input, defaultProfile: profile });
    expect(code).toBe(0);
    expect(lines(out)).toMatchObject([{ type: "result", json: { alerts: { judged: 2 } } }]);
    const wrong = await commandLineHere(args, { clock, input: "{}\n", defaultProfile: profile });
    expect([wrong.code, wrong.error]).toEqual([2, expect.stringContaining("Line 1 of standard input")]);
    const { error } = await call(args, { input: "a2V5" });
    expect(error).toContain("Standard input is taken, so the credentials must come from a profile.");
  });

  it("passes over state lines and a last line that was cut off, and leaves out alerts of another tenant", async () => {
    const [alert] = given;
    const foreign = {
      ...alert!,
      id: "foreign",
      events: [{ ...alert!.events[0]!, finding_url: "https://other.test/x" }],
    };
    const own = lines(readFileSync(alerts, "utf8"));
    const written = [{ type: "state", state: {} }, foreign, ...own].map((line) => `${JSON.stringify(line)}\n`);
    writeFileSync(alerts, `${written.join("")}{"id":"cut`);
    const { code, error, result } = await run("--quiet");
    expect([code, error]).toEqual([0, expect.stringContaining("Left out 1 alert of another tenant.")]);
    expect(error).toContain("The last line of the alerts was cut off, so it was left out.");
    expect(result.json).toMatchObject({ alerts: { judged: 2 } });
  });

  it("writes behind a line that was cut off in its output", async () => {
    const file = join(alerts, "../changes.ndjson");
    const written = async (): Promise<string[]> => {
      writeFileSync(file, "{half");
      expect((await call(["follow-up", alerts, "--state", state], { file })).code).toBe(0);
      return readFileSync(file, "utf8").split("\n");
    };
    expect(await written()).toEqual(["{half", expect.stringMatching(/^\{"type":"result",.*\}$/), ""]);
    remediate(given[0]!);
    analyseAfter(1);
    await written();
    analyseAfter(25);
    const change = expect.stringMatching(/^\{"type":"alert_change",.*\}$/);
    expect(await written()).toEqual(["{half", change, expect.stringMatching(/^\{"type":"result",/), ""]);
  });

  it("passes over a line that was cut off among the alerts, and says so", async () => {
    const [first, second] = given.map((alert) => JSON.stringify(alert)) as [string, string];
    writeFileSync(alerts, `${first}\n${second.slice(0, 40)}\n${second}\n`);
    const { code, error, result } = await run();
    expect([code, error]).toEqual([0, expect.stringContaining("Left out 1 line of the alerts that was cut off.")]);
    expect(result.json).toMatchObject({ alerts: { judged: 2 } });
    expect((await run("--quiet")).error).toBe("");
  });

  it("takes the alert behind one that was cut off in a pipe, and leaves out two that were", async () => {
    const [first, second] = given.map((alert) => JSON.stringify(alert)) as [string, string];
    writeFileSync(alerts, `${first.slice(0, 40)}${second}\n${first.slice(0, 40)}${second.slice(0, 60)}\n${first}\n`);
    const { code, error } = await run();
    expect(code).toBe(0);
    expect(error).toMatch(/Judged 2 open alerts\..* Left out 2 lines of the alerts that were cut off\./);
  });

  it("ends with its time limit although nobody writes to the pipe that holds the alerts", async () => {
    const pipe = join(temporaryFolder(), "alerts");
    execFileSync("mkfifo", [pipe]);
    const { code, error } = await askHere(tenant, ["follow-up", pipe, "--state", state, "--time-limit", "1"]);
    expect([code, error]).toEqual([4, expect.stringContaining("The file did not end within --time-limit.")]);
  });

  it("ends as poll does where a newer version has written the state", async () => {
    await run();
    const kept = JSON.parse(readFileSync(state, "utf8")) as { state: { job: object } };
    writeFileSync(
      state,
      JSON.stringify({ ...kept, state: { ...kept.state, job: { ...kept.state.job, version: 99 } } }),
    );
    const { code, result } = await run();
    expect([code, result.message]).toEqual([2, expect.stringContaining("A newer version of this plugin")]);
  });

  it.each([{ status: "resolved" }, { status: "closed", closedBy: "me" }, { status: "closed", closedAt: "2026-11-29" }])(
    "names the fields that say what became of an alert when it does not know their values: %j",
    async (standing) => {
      writeFileSync(alerts, `${JSON.stringify({ ...given[0], ...standing })}\n`);
      const { code, error } = await run();
      expect([code, error]).toEqual([2, expect.stringContaining('status is "open" or "closed", closedBy')]);
    },
  );

  it("takes a folder in place of standard input for no empty input", async () => {
    const input = Object.assign(Readable.from([]), { fd: openSync(temporaryFolder(), "r") });
    const read = readInput(input, () => Promise.reject(new Error("it was read")), new AbortController().signal);
    await expect(read).rejects.toThrow("Standard input cannot be read (EISDIR).");
    closeSync(input.fd);
  });

  it("says with --quiet which environments the token does not see, and judges those that it sees", async () => {
    const { code, error, result } = await run("--quiet", "--environment", "CORP.TSET", given[0]!.environmentId);
    const notSeen = "--environment names CORP.TSET, which the token cannot see. It sees: ";
    expect({ code, value: result.value, status: result.status }).toEqual({
      code: 5,
      value: false,
      status: "completed",
    });
    expect(error).toContain("Judged 2 open alerts.");
    expect(error).toContain(notSeen);
    const none = await run("--quiet", "--environment", "CORP.TSET");
    expect({ code: none.code, value: none.result.value }).toEqual({ code: 2, value: null });
    expect(none.error).toContain("--environment: no alert can be judged. ");
    expect(none.error).toContain(notSeen);
    expect((await run("--quiet", "--environment", given[0]!.environmentId)).code).toBe(0);
  });

  it("takes no dash for the name of its state file", async () => {
    const { code, error } = await call(["follow-up", alerts, "--state", "-"]);
    expect([code, error]).toEqual([2, expect.stringContaining("Enter its path as --state.")]);
  });

  it("says nothing with --quiet when everything was judged", async () => {
    expect((await run("--quiet")).error).toBe("");
  });

  it.each([
    ["{}", "Line 1 of"],
    ['{"environmentId":"E","findingType":"T","events":[]}', "Line 1 of"],
    ['{"id":"1","environmentId":"E","findingType":"T","events":[{},7]}', "Line 1 of"],
    ['{"id":"1","environmentId":"E","findingType":"T","events":[],"status":"shut"}', "Line 1 of"],
    ["not JSON\n", "is not an alert of poll"],
    ["\n \n{}\n", "Line 3 of"],
  ])("refuses a line that is no alert: %s", async (line, message) => {
    writeFileSync(alerts, line);
    const before = tenant.requests.length;
    const { code, error } = await call(["follow-up", alerts, "--state", state]);
    expect([code, error]).toEqual([2, expect.stringContaining(message)]);
    expect(tenant.requests).toHaveLength(before);
  });

  it("takes alerts with only the fields that a job needs, but not for OCSF events", async () => {
    const [{ id, environmentId, findingType, events }] = given as [Alert];
    writeFileSync(alerts, `${JSON.stringify({ id, environmentId, findingType, events })}\n`);
    expect((await run()).result.json).toMatchObject({ alerts: { judged: 1 } });
    const before = tenant.requests.length;
    const { code, error } = await call(["follow-up", alerts, "--state", state, "--format", "ocsf"]);
    expect([code, error]).toEqual([2, expect.stringContaining("has no name, which --format ocsf needs")]);
    expect(tenant.requests).toHaveLength(before);
  });

  it("closes each finding on its own as an OCSF event, if poll puts one finding in an alert", async () => {
    const one = await call(["poll", "--state", join(alerts, "../one.json"), "--max-events", "1", "--quiet"]);
    writeFileSync(alerts, one.out);
    const [alert] = lines(one.out) as [Alert];
    const closing = ["follow-up", alerts, "--state", state, "--close-alerts", "--format", "ocsf"];
    await call(closing);
    remediate(alert);
    analyseAfter(1);
    await call(closing);
    analyseAfter(25);
    const { out } = await call(closing);
    const [created] = lines(findingLines(alert, "created", ocsfLine)) as { finding_info: { uid: string } }[];
    expect(lines(one.out)).toHaveLength(4);
    expect(lines(out)).toMatchObject([{ activity_id: 3, finding_info: { uid: created!.finding_info.uid } }]);
  });

  it("refuses a file that is not there, and the state of poll", async () => {
    const missing = await call(["follow-up", `${alerts}.none`, "--state", state]);
    expect([missing.code, missing.error]).toEqual([2, expect.stringContaining("cannot be read (ENOENT)")]);
    const other = await call(["follow-up", alerts, "--state", join(state, "../poll.json")]);
    expect([other.code, other.error]).toEqual([
      2,
      expect.stringContaining('is the state file of "poll", not of follow-up'),
    ]);
    await run();
    expect((await call(["poll", "--state", state])).code).toBe(2);
  });
});
