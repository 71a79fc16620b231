import { constants, existsSync, readdirSync, readFileSync } from "node:fs";
import { execFile } from "node:child_process";
import { join } from "node:path";
import { PassThrough, Writable } from "node:stream";
import { beforeAll, describe, expect, it } from "@jest/globals";
import type { Tenant } from "../../../sandbox/tenant/index.ts";
import { isBlocked, writingAll } from "../../../src/cli/output/standard-output.ts";
import { writeWhole } from "../../../src/cli/output/write.ts";
import { askHere, commandLineHere } from "../../support/command-line.ts";
import { FakeClock, jumpingClock, settle } from "../../support/fake-clock.ts";
import { builtNpmFolder } from "../../support/package.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";
import { startTenant } from "../../support/tenant.ts";
import { alertsIn } from "../poll/runs.ts";

const dataset = { environments: 1, findingTypes: 2, findingsPerPair: 3 };
const WITHOUT_OUTPUT =
  "Error: Standard output is closed, or the program that started this command discards it. Nothing was done, because the result would be lost. Redirect standard output to a file or a pipe, or with > /dev/null to discard the result.\n";

/** The arguments of `poll`, and of `findings`. */
const calls = (state: string): [name: string, args: string[]][] => [
  ["poll", ["poll", "--state", state]],
  ["findings", ["findings", "--json"]],
];

describe("a standard output that is closed", () => {
  /** Standard output as Linux describes it, which takes everything. */
  function described(path: string, flags: number) {
    const stream = Object.assign(new PassThrough(), { fd: -1 });
    const { wasClosed } = writingAll(stream, () => ({ path, flags })) as { wasClosed?: boolean };
    return Object.assign(stream.resume(), { fd: undefined, wasClosed });
  }

  it.each(calls(join(temporaryFolder(), "poll.json")))("ends %s with 5 before it reads anything", async (_, args) => {
    const tenant = await startTenant({ dataset });
    const stdout = described("/dev/null", constants.O_RDWR | constants.O_NOFOLLOW);
    expect(await askHere(tenant, args, { stdout })).toEqual({ code: 5, out: "", error: WITHOUT_OUTPUT });
    expect(tenant.requests).toEqual([]);
    if (args[0] === "poll") expect(existsSync(args.at(-1) ?? "")).toBe(false);
  });

  it.each([["sso"], ["saml"]])("keeps %s delete from deleting anything", async (command) => {
    const tenant = await startTenant({ dataset });
    const stdout = described("/dev/null", constants.O_RDWR);
    const outcome = await askHere(tenant, [command, "delete", command === "sso" ? "11" : "1", "--yes"], { stdout });
    expect(outcome).toEqual({ code: 5, out: "", error: WITHOUT_OUTPUT });
    expect(tenant.requests).toEqual([]);
  });

  it.each([
    ["/dev/null for writing only, as > /dev/null opens it", "/dev/null", constants.O_WRONLY],
    ["a terminal or a file", "/var/log/alerts", constants.O_RDWR],
  ])("is not taken for %s", async (_, path, flags) => {
    const tenant = await startTenant({ dataset });
    for (const [, args] of calls(join(temporaryFolder(), "poll.json")))
      expect(await askHere(tenant, args, { stdout: described(path, flags) })).toMatchObject({ code: 0 });
  });

  it("does not keep a command from answering with its exit code", async () => {
    const tenant = await startTenant({ dataset });
    const stdout = described("/dev/null", constants.O_RDWR);
    expect(await askHere(tenant, ["environments"], { stdout })).toMatchObject({ code: 0, error: "" });
  });

  // Only Linux says how a file was opened.
  (process.platform === "linux" ? it : it.skip)("is noticed in a process", async () => {
    const folder = temporaryFolder();
    const program = join(await builtNpmFolder(), "cli.mjs");
    const tenant = await startTenant({ dataset });
    const line = `echo ${tenant.tokenKey} | "$0" "$1" poll --state poll.json --server ${tenant.url} --token-id ${tenant.tokenId} >&-`;
    const outcome = await new Promise((resolve) => {
      execFile("sh", ["-c", line, process.execPath, program], { cwd: folder }, (error, _, said) => {
        resolve([error?.code, said]);
      });
    });
    expect(outcome).toEqual([5, WITHOUT_OUTPUT]);
    expect([tenant.requests, readdirSync(folder)]).toEqual([[], []]);
  });
});

describe("a list of affected users that cannot be written", () => {
  it.each([
    ["EPIPE", ""],
    [
      "ENOSPC",
      "Error: Standard output cannot be written (ENOSPC). The result is incomplete. Check the disk and its free space.\n",
    ],
  ])("after a deletion (%s) is on standard error, and the command ends with 5", async (fault, message) => {
    const tenant = await startTenant({ dataset });
    const users = (await askHere(await startTenant({ dataset }), ["sso", "delete", "11", "--yes"])).out;
    const stdout = new Writable({
      write: (_bytes, _encoding, done) => {
        done(Object.assign(new Error(fault), { code: fault }));
      },
    });
    const { code, error } = await askHere(tenant, ["sso", "delete", "11", "--yes"], { stdout });
    const [, ...names] = users.trimEnd().split("\n");
    expect(names.length).toBeGreaterThan(0);
    const list = names.map((row) => `${row.replaceAll(/ {2,}/g, "  ")}\n`).join("");
    expect(error).toMatch(/^Deleted SSO provider 11/);
    expect(error.replace(/^.*\n/, "")).toBe(
      `The list of affected users could not be written. They are:\n${list}${message}`,
    );
    expect(code).toBe(5);
  });
});

/** A reader that never takes anything. */
function unread(onWrite: () => void = () => undefined): Writable {
  return new Writable({ write: onWrite });
}

describe("a reader that stopped reading", () => {
  /** Modules that a command imports come from the disk, in real time: nothing may wait for them on a clock that jumps. */
  beforeAll(async () => {
    const tenant = await startTenant({ dataset });
    for (const [, args] of calls(join(temporaryFolder(), "poll.json"))) await askHere(tenant, args);
  });

  async function start() {
    let seen = (): number => 0;
    const clock = jumpingClock(() => seen());
    const tenant: Tenant = await startTenant({ dataset, clock });
    seen = () => tenant.traffic.sent + tenant.traffic.received + tenant.connections;
    const folder = temporaryFolder();
    return { tenant, clock, folder, state: join(folder, "poll.json") };
  }

  const STALLED =
    "Error: The reader of standard output does not read. The next run continues with the alert that was being written. Check the program that reads it.\n";

  /** The next run delivers everything, and nothing keeps it from running. */
  async function expectNothingRecorded({ tenant, clock, folder, state }: Awaited<ReturnType<typeof start>>) {
    expect(readdirSync(folder)).toEqual(["poll.json"]);
    expect(JSON.parse(readFileSync(state, "utf8"))).toMatchObject({ state: null, pending: { position: null } });
    const next = await askHere(tenant, ["poll", "--state", state], { clock });
    expect([next.code, alertsIn(next.out).map(({ events }) => events.length)]).toEqual([0, [3, 3]]);
  }

  it("does not keep poll from ending at its time limit, with 5, and what was not written is not recorded", async () => {
    const run = await start();
    const { tenant, clock, state } = run;
    const args = ["poll", "--state", state, "--time-limit", "60"];
    const began = clock.monotonic();
    const { code, error } = await askHere(tenant, args, { clock, stdout: unread() });
    expect({ code, error }).toEqual({ code: 5, error: STALLED });
    expect(clock.monotonic() - began).toBeGreaterThan(60_000);
    await expectNothingRecorded(run);
  });

  it("does not keep poll from ending on a signal, with 130, and what was not written is not recorded", async () => {
    const run = await start();
    const { tenant, clock, state } = run;
    const signal = new AbortController();
    const stdout = unread(() => {
      signal.abort();
    });
    const { code, error } = await askHere(tenant, ["poll", "--state", state], { clock, stop: signal.signal, stdout });
    expect({ code, error }).toEqual({ code: 130, error: STALLED });
    await expectNothingRecorded(run);
  });

  it.each([["findings", "--json"], ["environments"], ["doctor"], ["--help"]])(
    "does not keep a command from ending on a signal, with 130: %s",
    async (...args) => {
      const { tenant, clock } = await start();
      const signal = new AbortController();
      const stdout = unread(() => {
        signal.abort();
      });
      const call = { clock, stop: signal.signal, stdout };
      const { code, error } = await (args[0] === "--help" ? commandLineHere(args, call) : askHere(tenant, args, call));
      const expected =
        "Error: The reader of standard output does not read. The result is incomplete. Check the program that reads it.\n";
      expect({ code, error }).toEqual({ code: 130, error: expected });
    },
  );

  it("has five seconds more to take what is being written", async () => {
    const clock = new FakeClock();
    const signal = new AbortController();
    const reader = new PassThrough({ highWaterMark: 1 });
    reader.write("before");
    const isWritten = async (afterMs: number): Promise<unknown> => {
      const written = writeWhole(reader, "line\n", { clock, stop: signal.signal }).then(
        () => "written",
        () => "given up",
      );
      await settle();
      clock.advance(afterMs);
      await settle();
      return Promise.race([written, settle().then(() => "waiting")]);
    };
    expect(await isWritten(3_600_000)).toBe("waiting");
    signal.abort();
    await settle();
    expect(await isWritten(4_999)).toBe("waiting");
    expect(await isWritten(5_000)).toBe("given up");
    reader.resume();
    expect(await isWritten(0)).toBe("written");
  });

  it("is the only one for whom the process must be ended", async () => {
    const blocked = unread();
    blocked.write("line");
    const read = new PassThrough().resume();
    await new Promise((resolve) => read.write("line", resolve));
    expect([isBlocked(blocked), isBlocked(read)]).toEqual([true, false]);
    blocked.destroy();
    expect(isBlocked(blocked)).toBe(false);
  });
});
