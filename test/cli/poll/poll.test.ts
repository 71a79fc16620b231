import { existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Writable } from "node:stream";
import { describe, expect, it } from "@jest/globals";
import type { Tenant } from "../../../sandbox/tenant/index.ts";
import { Lock } from "../../../src/cli/poll/lock.ts";
import { askHere, commandLineHere } from "../../support/command-line.ts";
import { firstStream } from "../../support/tenant.ts";
import { alertsIn, findingsIn, startPoll } from "./runs.ts";

const few = { dataset: { environments: 2, findingTypes: 1, findingsPerPair: 3 } };

/** @returns the path of a profile for the tenant */
function profileIn(folder: string, { url: server, tokenId, tokenKey }: Tenant): string {
  const path = join(folder, "profile.json");
  writeFileSync(path, JSON.stringify({ server, tokenId, tokenKey }), { mode: 0o600 });
  return path;
}

/** Gives the second environment of the tenant another name. */
function renameSecond({ control }: Tenant, name: string): void {
  const transform = (body: string): string => body.replaceAll('"UNIFORM-0002.TEST"', JSON.stringify(name));
  control.fault({ path: "/available-domains$", effect: { kind: "body", transform, status: 200 } });
}

describe("poll", () => {
  it("writes what is new as alerts, one JSON object per line, and the next run only what has come since", async () => {
    const { tenant, state } = await startPoll();
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

  it("writes first what a run that was killed had announced, unless the file has it", async () => {
    const { tenant, state, file } = await startPoll();
    const announced = '{"id":"announced","events":[]}\n';
    const pending = (position: object | null) =>
      JSON.stringify({ version: 1, state: null, pending: { line: announced, patch: {}, position } });
    writeFileSync(state, pending(null));
    const { code, out } = await askHere(tenant, ["poll", "--state", state, "--max-alerts", "1"]);
    expect([code, alertsIn(out).map(({ id }) => id)]).toEqual([5, ["announced", expect.any(String)]]);
    writeFileSync(file, announced);
    const { dev: device, ino: inode } = statSync(file);
    writeFileSync(state, pending({ device, inode, size: 0 }));
    await askHere(tenant, ["poll", "--state", state, "--max-alerts", "1"], { file });
    expect(alertsIn(readFileSync(file, "utf8")).filter(({ id }) => id === "announced")).toHaveLength(1);
  });

  it("keeps the state where only its owner can read it, and leaves nothing else behind", async () => {
    const { tenant, folder, state } = await startPoll();
    await askHere(tenant, ["poll", "--state", state, "--quiet"]);
    expect(readdirSync(folder)).toEqual(["poll.json"]);
    expect(statSync(state).mode & 0o777).toBe(0o600);
  });

  it("reads only what is selected, and no more than the limits allow", async () => {
    const { tenant, state } = await startPoll();
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
    const { tenant, state } = await startPoll();
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
    const { tenant, state } = await startPoll();
    expect((await askHere(tenant, ["poll", "--state", state, "--quiet"])).error).toBe("");
    tenant.control.forbid(tenant.data.environments[0]!.id);
    const { code, error } = await askHere(tenant, ["poll", "--state", `${state}.2`, "--quiet"]);
    expect(code).toBe(5);
    expect(error).toMatch(/^Incomplete: .* Permission denied/);
  });

  it("says also with --quiet what needs attention: names that are unknown", async () => {
    const { tenant, state } = await startPoll();
    const [environment] = tenant.data.environments;
    const types = [tenant.data.findingTypes(environment!.id)[0]!, "Mistyped"];
    const selection = ["--environment", environment!.name, "TYPO", "--type", ...types, "--quiet"];
    const { code, error } = await askHere(tenant, ["poll", "--state", state, ...selection]);
    expect(code).toBe(5);
    expect(error).toContain("--environment names TYPO, which the token cannot see.");
    expect(error).toContain("--type names Mistyped, which no selected environment has");
  });

  it("ends with 2 when no selected finding type exists", async () => {
    const { tenant, state } = await startPoll();
    const { code, error } = await askHere(tenant, ["poll", "--state", state, "--type", "Mistyped"]);
    expect(code).toBe(2);
    expect(error).toContain("--type names Mistyped, which no selected environment has");
  });

  it("refuses the state of another tenant, and leaves it alone", async () => {
    const { tenant, state } = await startPoll();
    const other = await startPoll();
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
    const { tenant, state } = await startPoll();
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
    const { tenant, state } = await startPoll();
    const isGiven = typeof content === "string";
    if (isGiven) writeFileSync(state, content);
    const { code, out, error } = await askHere(tenant, ["poll", ...(isGiven ? ["--state", state] : [])]);
    expect({ code, out }).toEqual({ code: 2, out: "" });
    expect(error).toContain(message);
    if (isGiven) expect(readFileSync(state, "utf8")).toBe(content);
    expect(tenant.requests).toEqual([]);
  });

  it("ends with 2 when there can be no state file at its path, or its lock is damaged", async () => {
    const { tenant, state } = await startPoll();
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
    const { tenant, state } = await startPoll();
    const args = ["poll", "--state", state];
    const unknown = await askHere(tenant, [...args, "--environment", "NOWHERE"]);
    expect([unknown.code, unknown.error]).toEqual([2, expect.stringContaining("NOWHERE")]);
    const wrong = await askHere(tenant, args, { input: "b3RoZXIga2V5" });
    expect([wrong.code, wrong.error]).toEqual([3, expect.stringContaining("The service rejected the credentials")]);
    const absent = await askHere({ ...tenant, url: "http://127.0.0.1:9" }, args);
    expect([absent.code, absent.error]).toEqual([4, expect.stringContaining("Nothing could be read.")]);
    expect(existsSync(state)).toBe(false);
  });

  it("does not blame --environment when the token sees no environment, or only some without data", async () => {
    const { tenant, state } = await startPoll();
    const [environment] = tenant.data.environments;
    const run = () => askHere(tenant, ["poll", "--state", state]);
    const uncollected = (body: string) => body.replaceAll('"collected":true', '"collected":false');
    tenant.control.fault({ path: "available-domains$", times: 1, effect: { kind: "body", transform: uncollected } });
    const without = await run();
    expect([without.code, without.error]).toEqual([
      2,
      expect.stringContaining("No selected environment has collected data"),
    ]);
    expect(without.error).toContain(environment!.name);
    for (const { id } of [...tenant.data.environments]) tenant.control.removeEnvironment(id);
    const none = await run();
    expect(none).toMatchObject({
      code: 2,
      error:
        "The token sees no environments, so none can be polled. Give the user of the token access to the environments.\n",
    });
  });

  it.each([400, 404, 500])("ends with 4 when the service answers %i to every list of finding types", async (status) => {
    const { tenant, state } = await startPoll();
    tenant.control.fault({ path: "available-types$", effect: { kind: "status", status } });
    const { code, error } = await askHere(tenant, ["poll", "--state", state]);
    expect([code, error]).toEqual([4, expect.stringContaining("Nothing could be read.")]);
  });

  it("ends with 2 when the state can no longer be written, nor its lock be removed", async () => {
    const { tenant, folder, state } = await startPoll();
    const run = () => {
      // As root, a test cannot take away the permission: nothing can be changed in a folder that is none any more.
      rmSync(folder, { recursive: true });
      writeFileSync(folder, "");
    };
    tenant.control.fault({ path: "available-types$", times: 1, effect: { kind: "run", run } });
    const { code, error } = await askHere(tenant, ["poll", "--state", state]);
    expect([code, error]).toEqual([
      2,
      `Error: The state file ${state} cannot be written (ENOTDIR). The next run continues from what it holds. Check its folder and the space on the disk.\n`,
    ]);
  });

  it("ends with 5 when the device with the alerts is full, and the next run writes them", async () => {
    const { tenant, state } = await startPoll();
    const full = await askHere(tenant, ["poll", "--state", state], { file: "/dev/full" });
    expect([full.code, full.error]).toEqual([5, expect.stringContaining("cannot be written (ENOSPC)")]);
    expect(findingsIn((await askHere(tenant, ["poll", "--state", state])).out).missing(tenant)).toBe(0);
  });
});

describe("what poll says", () => {
  it("is how far it is, on a terminal, unless it is to be quiet", async () => {
    const { tenant, state } = await startPoll(few);
    const { error } = await askHere(tenant, ["poll", "--state", state], { errorsShown: true });
    expect(error).toContain("\rRead 1 of 2 streams\u001b[K");
    expect(error).toMatch(/Delivered 6 new findings in 2 alerts from 2 environments\.\n$/);
    const quiet = ["poll", "--state", `${state}.2`, "--quiet"];
    expect(await askHere(tenant, quiet, { errorsShown: true })).toMatchObject({ code: 0, error: "" });
  });

  it("names the options that left findings out", async () => {
    const { tenant, state } = await startPoll(few);
    const { environmentId, findingType } = firstStream(tenant);
    const long = { created_at: "2020-01-01T00:00:00Z", Severity: "low" };
    tenant.data.findings(environmentId, findingType)!.update((record) => ({ ...record, ...long }));
    const poll = async (name: string, option: string, value: string) => {
      const args = ["poll", "--state", `${state}.${name}`, option, value];
      const { out, error } = await askHere(tenant, args);
      expect(alertsIn(out).map((alert) => alert.environmentId)).not.toContain(environmentId);
      expect(error).toMatch(new RegExp(`findings were left out by ${option}\\.`));
    };
    await poll("recent", "--hours-back", "48");
    await poll("moderate", "--lowest-severity", "moderate");
  });

  it("takes a comma in a name for what it is", async () => {
    const { tenant, state } = await startPoll(few);
    renameSecond(tenant, "B, C.TEST");
    const names = ["UNIFORM-0001.TEST", "A, B"];
    const { code, error } = await askHere(tenant, ["poll", "--state", state, "--environment", ...names]);
    expect({ code, error }).toEqual({
      code: 5,
      error:
        "--environment names A, B, which the token cannot see. It sees: UNIFORM-0001.TEST, B, C.TEST. Delivered 3 new findings in 1 alert from 1 environment.\n",
    });
  });

  it("cannot drive a terminal, and holds no key", async () => {
    const { tenant, state } = await startPoll(few);
    const message = `no \u001b[2J\u202e ${tenant.tokenKey}`;
    tenant.control.fault({ effect: { kind: "status", status: 403, message } });
    const { code, error } = await askHere(tenant, ["poll", "--state", state]);
    expect([code, error]).toEqual([3, expect.stringContaining("[redacted]")]);
    expect([error.includes("\u001b"), error.includes("\u202e"), error.includes(tenant.tokenKey)]).toEqual([
      false,
      false,
      false,
    ]);
  });

  it("is also said with --quiet when the state cannot be used", async () => {
    const { tenant, state } = await startPoll(few);
    writeFileSync(state, '{"version":1,"state":{"version":99},"pending":null}');
    const { code, error } = await askHere(tenant, ["poll", "--state", state, "--quiet"]);
    expect([code, error]).toEqual([2, expect.stringContaining("choose another state file")]);
  });
});

describe("the alerts of poll", () => {
  it.each([
    ["ndjson", "file"],
    ["ndjson", "-"],
    ["ocsf", "file"],
    ["ocsf", "-"],
  ])("begin behind a line that was cut off, with --format %s and the state in %s", async (format, where) => {
    const { tenant, state, folder, file } = await startPoll(few);
    const profile = profileIn(folder, tenant);
    const cut = '{"id":"cut o';
    writeFileSync(file, cut);
    const args = ["poll", "--format", format, "--profile", profile, "--state", where === "-" ? where : state];
    expect((await commandLineHere(args, { file })).code).toBe(0);
    const [first, ...rest] = readFileSync(file, "utf8").split("\n");
    expect([first, rest.pop()]).toEqual([cut, ""]);
    const lines = rest.map((line) => JSON.parse(line) as { type?: string }).filter(({ type }) => type !== "state");
    expect(lines).toHaveLength(format === "ocsf" ? 6 : 2);
  });

  it("hold no key, also when the service repeats it", async () => {
    const { tenant, state, folder } = await startPoll(few);
    renameSecond(tenant, `the key ${tenant.tokenKey}`);
    for (const args of [
      ["poll", "--state", state],
      ["poll", "--state", "-", "--profile", profileIn(folder, tenant)],
    ]) {
      const { out } = await (args.includes("-") ? commandLineHere(args) : askHere(tenant, args));
      expect(out).toContain("the key [redacted]");
      expect(out).not.toContain(tenant.tokenKey);
    }
  });

  it("are missing when standard output is full, and the message says what becomes of them", async () => {
    const { tenant, state, folder } = await startPoll(few);
    const full = () =>
      new Writable({
        write: (_chunk, _encoding, done) => {
          done(Object.assign(new Error("full"), { code: "ENOSPC" }));
        },
      });
    const said = "Error: Standard output cannot be written (ENOSPC). ";
    const ask = "Check the disk and its free space.\n";
    expect(await askHere(tenant, ["poll", "--state", state], { stdout: full() })).toMatchObject({
      code: 5,
      error: `${said}The next run continues with the alert that was being written. ${ask}`,
    });
    const args = ["poll", "--state", "-", "--profile", profileIn(folder, tenant)];
    expect(await commandLineHere(args, { stdout: full() })).toMatchObject({
      code: 5,
      error: `${said}Pass the last state that was read to the next run. ${ask}`,
    });
  });
});

describe("the exit code of poll", () => {
  it("is 130 when it is stopped, also when some alerts were delivered", async () => {
    const { tenant, state } = await startPoll(few);
    const stop = new AbortController();
    const run = () => {
      stop.abort();
    };
    const [, second] = tenant.data.environments;
    tenant.control.fault({ path: `${second!.id}/details$`, effect: { kind: "run", run } });
    const { code, error } = await askHere(tenant, ["poll", "--state", state], { stop: stop.signal });
    expect([code, error]).toEqual([130, expect.stringMatching(/stopped/)]);
  });

  it("is 3 when the token lacks the permission for every environment, and 5 when it has one", async () => {
    const { tenant, state } = await startPoll(few);
    const [first, second] = tenant.data.environments;
    tenant.control.forbid(first!.id);
    expect((await askHere(tenant, ["poll", "--state", state])).code).toBe(5);
    tenant.control.forbid(second!.id);
    expect((await askHere(tenant, ["poll", "--state", `${state}.2`])).code).toBe(3);
  });
});
