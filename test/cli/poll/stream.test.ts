import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { Readable } from "node:stream";
import { describe, expect, it } from "@jest/globals";
import fc from "fast-check";
import type { Tenant, TenantOptions } from "../../../sandbox/tenant/index.ts";
import { lineOutput } from "../../../src/cli/poll/line-output.ts";
import { StateLines } from "../../../src/cli/poll/state-lines.ts";
import type { Alert, Json } from "../../../src/runtime/protocol.ts";
import { type CommandOutcome, commandLineHere } from "../../support/command-line.ts";
import { FakeClock } from "../../support/fake-clock.ts";
import { StoredFindings } from "../../support/stored-findings.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";
import { startTenant } from "../../support/tenant.ts";
import { pollOnce } from "./runs.ts";

interface Started {
  tenant: Tenant;
  profile: string;
  /** Runs `poll --state -` in this process. */
  poll: (input: string) => Promise<CommandOutcome>;
}

/** Several streams, and with at most 4 events in an alert several alerts of each. */
async function start(
  options: TenantOptions = { dataset: { environments: 2, findingTypes: 2, findingsPerPair: 8 } },
): Promise<Started> {
  const tenant = await startTenant(options);
  const profile = join(temporaryFolder(), "profile.json");
  const { url: server, tokenId, tokenKey } = tenant;
  writeFileSync(profile, JSON.stringify({ server, tokenId, tokenKey }), { mode: 0o600 });
  const poll: Started["poll"] = (input) =>
    commandLineHere(["poll", "--state", "-", "--profile", profile, "--max-events", "4"], { input });
  return { tenant, profile, poll };
}

/** The whole lines of an output; what a killed run has begun to write is no line. */
function linesOf(out: string): string[] {
  return out.split("\n").slice(0, -1);
}

function isState(line: string): boolean {
  return (JSON.parse(line) as { type?: unknown }).type === "state";
}

/** What an engine passes to the next run. */
function lastState(out: string): string {
  return linesOf(out).findLast(isState) ?? "";
}

function findingsIn(lines: readonly string[], stored = new StoredFindings()): StoredFindings {
  for (const line of lines.filter((each) => !isState(each))) stored.store(JSON.parse(line) as Alert);
  return stored;
}

describe("poll --state -", () => {
  it("writes the state behind each alert, and goes on from the last one", async () => {
    const { tenant, poll } = await start();
    const first = await poll("");
    expect([first.code, first.error]).toEqual([0, "Delivered 32 new findings in 8 alerts from 2 environments.\n"]);
    const kinds = linesOf(first.out).map((line) => (isState(line) ? "state" : "alert"));
    expect(kinds.at(-1)).toBe("state");
    expect(kinds.filter((kind) => kind === "alert")).toHaveLength(8);
    expect(findingsIn(linesOf(first.out)).missing(tenant)).toBe(0);
    const second = await poll(lastState(first.out));
    expect([second.code, linesOf(second.out).map(isState)]).toEqual([0, [true]]);
    const [environment] = tenant.data.environments;
    tenant.control.analyse(environment!.id, { findings: { [tenant.data.findingTypes(environment!.id)[0]!]: 3 } });
    // The whole output of the run before will do, too.
    const third = await poll(second.out);
    expect(findingsIn(linesOf(third.out)).size).toBe(3);
  });

  it("still writes the state when nothing could be read, and forgets nothing", async () => {
    const { tenant, poll } = await start();
    const state = lastState((await poll("")).out);
    tenant.control.fault({ path: "available-domains", effect: { kind: "status", status: 500 } });
    const failed = await poll(`${state}\n`);
    expect([failed.code, linesOf(failed.out).map(isState)]).toEqual([5, [true]]);
    tenant.control.clearFaults();
    expect(await poll(failed.out)).toMatchObject({
      code: 0,
      error: expect.stringContaining("Nothing new in 2 environments"),
    });
  });

  it.each([
    ["half a line", '{"type":"state","sta', "Standard input holds no state of poll."],
    ["an alert", '{"id":"a","name":"state"}\n', "Standard input holds no state of poll."],
    ["another state", '{"type":"state","state":7}\n', "Standard input holds no state of poll."],
    ["a state without its line", '{"version":1,"state":{}}\n', "Standard input holds no state of poll."],
    ["the state of another tenant", '{"type":"state","state":{"tenant":"https://other.test"}}\n', "https://other.test"],
    ["a newer state", '{"type":"state","state":{"version":99}}\n', "or pass no state, to start over"],
  ])("refuses %s, and asks the service for nothing", async (_, input, message) => {
    const { tenant, poll } = await start();
    const { code, out, error } = await poll(input);
    expect([code, error]).toEqual([2, expect.stringContaining(message)]);
    expect(linesOf(out).filter((line) => !isState(line))).toEqual([]);
    expect(tenant.requests).toEqual([]);
  });

  it("takes credentials from a profile only", async () => {
    const { tenant } = await start();
    for (const connection of [[], ["--server", tenant.url, "--token-id", tenant.tokenId], ["--bearer"]]) {
      const { code, error } = await commandLineHere(["poll", "--state", "-", ...connection], {
        input: tenant.tokenKey,
      });
      expect([code, error]).toEqual([
        2,
        expect.stringContaining("Standard input is taken, so the credentials must come from a profile."),
      ]);
    }
    expect(tenant.requests).toEqual([]);
  });

  it("does not wait for somebody to type a state", async () => {
    const input = Object.assign(Readable.from([]), { isTTY: true });
    const reading = StateLines.read({ input, output: process.stderr }, "https://tenant.test", collecting([]));
    await expect(reading).rejects.toThrow("For a first run, add < /dev/null.");
  });
});

function collecting(lines: string[]) {
  const output = lineOutput(process.stdout, {
    clock: new FakeClock(),
    stop: new AbortController().signal,
    consequence: "",
  });
  return { ...output, write: (bytes: Buffer) => Promise.resolve(void lines.push(...linesOf(bytes.toString()))) };
}

describe("the state lines of poll", () => {
  const read = (input: string, lines: string[] = []) =>
    StateLines.read({ input: Readable.from([Buffer.from(input)]), output: process.stderr }, "t", collecting(lines));

  it("are each the state that the alerts before them lead to, and the last is the checkpoint of the run", async () => {
    const patches = fc.array(
      fc.record({ size: fc.nat(400), key: fc.constantFrom("a", "b", "__proto__"), gone: fc.boolean() }),
    );
    await fc.assert(
      fc.asyncProperty(patches, async (given) => {
        const lines: string[] = [];
        const state = await read("", lines);
        const truth: Json[] = [];
        for (const { size, key, gone } of given) {
          const value = gone ? null : "v".repeat(size);
          await state.deliver(
            `{"alert":${truth.length}}\n`,
            JSON.parse(JSON.stringify({ [`x${key}`]: value })) as { [key: string]: Json },
          );
          truth.push(state.state);
        }
        await state.finish({ end: true });
        let alerts = 0;
        for (const line of lines) {
          if (!isState(line)) alerts += 1;
          else if (line !== lines.at(-1))
            expect((JSON.parse(line) as { state: Json }).state).toEqual(truth[alerts - 1]);
        }
        expect(alerts).toBe(given.length);
        expect(JSON.parse(lines.at(-1)!)).toEqual({ type: "state", state: { end: true } });
        await expect(read(lines.join("\n"))).resolves.toMatchObject({ state: { end: true } });
      }),
      { numRuns: 50 },
    );
  });

  it("do not repeat a long state behind every short alert", async () => {
    const lines: string[] = [];
    const state = await read(JSON.stringify({ type: "state", state: { long: "x".repeat(10_000) } }), lines);
    for (let alert = 0; alert < 300; alert++) await state.deliver(`{"alert":"${"y".repeat(86)}"}\n`, { alert });
    await state.finish(undefined);
    const bytes = (isWanted: (line: string) => boolean) => lines.filter(isWanted).join("").length;
    expect(bytes(isState)).toBeLessThan(2 * bytes((line) => !isState(line)));
    expect(JSON.parse(lines.at(-1)!)).toMatchObject({ state: { alert: 299 } });
  });
});

describe("poll --state -, killed", () => {
  it("at any byte of its output, loses nothing when the last state that was read is passed on", async () => {
    const { tenant, poll } = await start({ dataset: { environments: 1, findingTypes: 2, findingsPerPair: 6 } });
    const { out } = await poll("");
    const whole = linesOf(out);
    // Behind each line, in the middle of it, and before its line feed.
    const ends = whole.flatMap((line, index) => {
      const begin = whole.slice(0, index).reduce((sum, each) => sum + each.length + 1, 0);
      return [begin, begin + (line.length >> 1), begin + line.length];
    });
    for (const end of [...ends, out.length]) {
      const read = out.slice(0, end);
      const next = await poll(lastState(read));
      const stored = findingsIn([...linesOf(read), ...linesOf(next.out)]);
      expect([end, next.code, stored.missing(tenant)]).toEqual([end, 0, 0]);
      const covered = linesOf(read).slice(0, linesOf(read).findLastIndex(isState) + 1);
      expect([end, findingsIn([...covered, ...linesOf(next.out)]).repeated]).toEqual([end, []]);
    }
  });

  it("as a process, loses nothing, and neither when the reader of its output goes away", async () => {
    const { tenant, profile } = await start();
    const call = { tenant, state: "-", args: ["--max-events", "4"] };
    let input = "";
    const lines: string[] = [];
    for (const death of [{ dies: { bytes: 9_000 } }, { readerLeaves: true }, {}]) {
      const run = await pollOnce({ ...call, ...death, stream: { input, profile } });
      if ("dies" in death) expect(run.killed).toBe(true);
      if ("readerLeaves" in death) {
        const told = "Error: Standard output was closed. Pass the last state that was read to the next run.\n";
        expect([run.code, run.error]).toEqual([5, told]);
      }
      lines.push(...linesOf(run.out));
      input = lastState(run.out) || input;
    }
    expect(findingsIn(lines).missing(tenant)).toBe(0);
  });

  it("refuses what a killed writer of its input has left, and keeps what it had", async () => {
    const { tenant, poll } = await start();
    const state = lastState((await poll("")).out);
    const before = tenant.requests.length;
    expect(await poll(state.slice(0, -1))).toMatchObject({ code: 2, out: "" });
    expect(tenant.requests).toHaveLength(before);
    expect((await poll(state)).code).toBe(0);
  });
});
