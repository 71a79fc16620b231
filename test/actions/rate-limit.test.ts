import { afterEach, beforeAll, describe, expect, it } from "@jest/globals";
import { isTraversable } from "../../sandbox/tenant/graph/kinds.ts";
import type { Tenant } from "../../sandbox/tenant/index.ts";
import { Deadline } from "../../src/deadline.ts";
import { pauseAfter } from "../../src/investigation/result/refusal.ts";
import type { ActionName } from "../../src/manifest/types.ts";
import type { Json, ResultMessage } from "../../src/runtime/protocol.ts";
import { FakeClock, skippingClock } from "../support/fake-clock.ts";
import { TestHost } from "../support/host.ts";
import { startTenant } from "../support/tenant.ts";

let tenant: Tenant;
beforeAll(async () => {
  tenant = await startTenant();
});
afterEach(() => {
  tenant.control.clearFaults();
});

interface Work {
  name: ActionName;
  /** What it asks for: the first part takes one request. */
  parameters: object;
  /** The second part, as its requests name it. */
  refused: string;
  /** The list of the result that answers part by part. */
  answers: string;
}

function works(): Work[] {
  const user = [...tenant.data.graph.nodes].find(({ kind }) => kind === "User")!;
  const [edge] = [...tenant.data.graph.nodes].flatMap(({ objectId }) => tenant.data.graph.outgoing(objectId));
  const { from, to } = edge!;
  return [
    {
      name: "Get Object Id",
      parameters: { "Object Names": ["S-1-5-21-9-9-9-999", user.name] },
      refused: user.name,
      answers: "objects",
    },
    {
      name: "Fetch Assets",
      parameters: { "Object IDs": ["NOBODY", user.objectId] },
      refused: user.objectId,
      answers: "assets",
    },
    {
      name: "Does Path Exist",
      parameters: { "Start Node": [from, to], "End Node": [to, from] },
      refused: `${to}>`,
      answers: "paths",
    },
  ];
}

function refuse(text: string, headers: Record<string, string> = {}): void {
  tenant.control.fault({
    when: ({ query }) => query.get("q") === text || `${query.get("start_node") ?? ""}>` === text,
    effect: { kind: "status", status: 429, message: "Too many requests", headers },
  });
}

/** Runs an action once; `pauses` are those of this run. */
async function runOnce({ name, parameters }: Work, state: Json) {
  const clock = skippingClock();
  const { result } = await new TestHost(tenant, { clock }).act({ name, parameters, state });
  return { result, pauses: clock.sleeps, remaining: result.json?.["remaining"] };
}

/** Runs an action until it is done, or goes on for long. */
async function runToEnd(work: Work): Promise<{ results: ResultMessage[]; pauses: number[][] }> {
  const results: ResultMessage[] = [];
  const pauses: number[][] = [];
  let state: Json = null;
  do {
    const run = await runOnce(work, state);
    results.push(run.result);
    pauses.push(run.pauses);
    state = run.result.state ?? null;
  } while (results.at(-1)?.status === "in_progress" && results.length < 10);
  return { results, pauses };
}

it("an action whose first run has only looked up an end of a path waits for the rate limit in the next one, too", async () => {
  const [start, end] = [...tenant.data.graph.nodes].filter(({ kind }) => kind === "User");
  refuse(end!.name, { "Retry-After": "7" });
  const parameters = { "Start Node": start!.name, "End Node": end!.name };
  const { results } = await runToEnd({ name: "Does Path Exist", parameters, refused: "", answers: "paths" });
  expect(results.map(({ status }) => status)).toEqual(["in_progress", "in_progress", "in_progress", "failed"]);
});

describe("an action that the rate limit stopped", () => {
  const UNKNOWN = "S-1-5-21-9-9-9-999";
  const REST = /The service limits requests: the next run \w+( up)? the rest \(status 429\)\./;
  const others = () =>
    [...tenant.data.graph.nodes].filter(({ kind }) => kind === "User").map(({ objectId }) => objectId);

  it.each<[ActionName, string, string]>([
    ["Get Object Id", "Object Names", `Found 0 of 3 names; not found: ${UNKNOWN}; could not be looked up: BROKEN. `],
    ["Fetch Assets", "Object IDs", `Read 0 of 3 assets; not found: ${UNKNOWN}; could not be read: BROKEN. `],
  ])("does not count what failed as done (%s)", async (name, parameter, said) => {
    const [broken = "", refused = ""] = others();
    tenant.control.fault({ path: "search", query: { q: broken }, effect: { kind: "status", status: 500 } });
    refuse(refused);
    const parameters = { [parameter]: [UNKNOWN, broken, refused] };
    const { result } = await runOnce({ name, parameters, refused, answers: "" }, null);
    expect(result.status).toBe("in_progress");
    expect(result.message).toContain(said.replace("BROKEN", broken));
    expect(result.message).toMatch(REST);
  });

  it("does not count a pair that failed as checked", async () => {
    const edge = tenant.data.graph.edges.find(({ kind }) => isTraversable(kind));
    const [broken = "", refused = ""] = others().filter((id) => id !== edge!.from && id !== edge!.to);
    tenant.control.fault({ query: { start_node: broken }, effect: { kind: "status", status: 500 } });
    refuse(`${refused}>`);
    const parameters = { "Start Node": [edge!.from, broken, refused], "End Node": edge!.to };
    const { result } = await runOnce({ name: "Does Path Exist", parameters, refused, answers: "paths" }, null);
    expect(result.message).toContain("Could not check 1 of 2 pairs.");
    expect(result.message).toContain("Checked 1 of 3 pairs. The service limits requests");
  });
});

describe.each([0, 1, 2])("an action whose second part the rate limit refuses (%i)", (index) => {
  const workOf = (): Work => works()[index]!;

  it("waits as long as the service asks, and fails what three runs in a row are refused", async () => {
    const work = workOf();
    refuse(work.refused, { "Retry-After": "7" });
    const { results, pauses } = await runToEnd(work);
    expect(results.map(({ status }) => status)).toEqual(["in_progress", "in_progress", "in_progress", "completed"]);
    // The first run answered the first part, and the last one waits for nothing.
    expect(pauses.map((sleeps) => sleeps.includes(7_000))).toEqual([false, true, true, false]);
    for (const { message } of results.slice(0, 3)) {
      expect(message).toMatch(/The service limits requests: the next run \w+( up)? the rest \(status 429\)\./);
    }
    const entries = results.at(-1)!.json![work.answers] as object[];
    expect(entries).toHaveLength(2);
    expect(entries[1]).toMatchObject({
      status: "failed",
      error: expect.stringContaining("Rate limit reached: Too many requests") as unknown,
    });
  });

  it("waits for nothing when the service wants more time than all runs may take", async () => {
    const work = workOf();
    refuse(work.refused, { "Retry-After": "3600" });
    const { results, pauses } = await runToEnd(work);
    expect(results.at(-1)?.status).toBe("completed");
    expect(pauses.flat().filter((ms) => ms >= 5_000)).toEqual([]);
  });

  it("waits for a while of its own when the service does not say how long", async () => {
    const work = workOf();
    refuse(work.refused);
    const first = await runOnce(work, null);
    const second = await runOnce(work, first.result.state!);
    expect([second.result.status, second.remaining]).toEqual(["in_progress", 1]);
    expect([first, second].map(({ pauses }) => pauses.includes(5_000))).toEqual([false, true]);
  });

  it("finishes as soon as the service answers again", async () => {
    const work = workOf();
    refuse(work.refused);
    const first = await runOnce(work, null);
    const second = await runOnce(work, first.result.state!);
    tenant.control.clearFaults();
    const { result } = await runOnce(work, second.result.state!);
    expect(result.status).toBe("completed");
    expect(JSON.stringify(result.json)).not.toContain('"failed"');
  });

  it.each([3, -1, 0.5, "1", null])("refuses a state that counts %j fruitless runs", async (fruitlessRuns) => {
    const { result } = await runOnce(workOf(), { version: 2, tenant: tenant.url, answers: [], fruitlessRuns });
    expect(result.status).toBe("failed");
    expect(result.message).toContain("does not belong to these parameters");
  });

  it.each([0, "1", true])("refuses a state with %j requests a second", async (requestsPerSecond) => {
    const { result } = await runOnce(workOf(), { version: 2, tenant: tenant.url, answers: [], requestsPerSecond });
    expect(result.message).toContain("does not belong to these parameters");
  });
});

describe.each([0, 1, 2, 3])("an action all of whose requests the rate limit refuses (%i)", (index) => {
  const nearTierZero = (): Work => {
    const [user] = [...tenant.data.graph.nodes].filter(({ kind }) => kind === "User");
    return { name: "Does Path Exist", parameters: { "Start Node": user!.name }, refused: "", answers: "paths" };
  };
  const workOf = (): Work => works()[index] ?? nearTierZero();

  it("waits for it in its first run already, and fails in the third", async () => {
    tenant.control.fault({ effect: { kind: "status", status: 429, message: "Too many requests" } });
    const { results, pauses } = await runToEnd(workOf());
    expect(results.map(({ status }) => status)).toEqual(["in_progress", "in_progress", "failed"]);
    expect(pauses.map((sleeps) => sleeps.includes(5_000))).toEqual([true, true, false]);
    expect(results[0]!.message).toMatch(
      /The service limits requests: the next run \w+( up)? the rest \(status 429\)\./,
    );
    expect(results[2]!.message).toContain("Rate limit reached: Too many requests");
  });

  it("answers as soon as the service does", async () => {
    const work = workOf();
    tenant.control.fault({ effect: { kind: "status", status: 429, message: "Too many requests" } });
    const first = await runOnce(work, null);
    tenant.control.clearFaults();
    const { result } = await runOnce(work, first.result.state!);
    expect(result).toMatchObject({ status: "completed", json: (await runOnce(work, null)).result.json });
  });
});

describe("pauseAfter", () => {
  const refusal = { status: 429, retryAfterMs: 120_000, isFruitless: true };
  const start = Date.parse("2030-01-31T10:00:00Z");

  async function pauseMs(deadlineMs: number | null): Promise<number> {
    const clock = new FakeClock(start);
    const deadline = new Deadline({ clock, at: deadlineMs === null ? null : start + deadlineMs });
    const pause = pauseAfter(refusal, { clock, deadline });
    await clock.drain();
    await pause;
    deadline.release();
    return clock.now() - start;
  }

  it("waits no longer than the run has time", async () => {
    expect(await pauseMs(20_000)).toBe(20_000);
  });

  it("waits for a minute at most when the run has no deadline", async () => {
    expect(await pauseMs(null)).toBe(60_000);
  });

  it("ends as soon as the run is stopped", async () => {
    const clock = new FakeClock(start);
    const stop = new AbortController();
    const pause = pauseAfter(refusal, { clock, deadline: new Deadline({ clock, at: null, stops: [stop.signal] }) });
    stop.abort(new Error("stopped"));
    await pause;
    expect(clock.now()).toBe(start);
  });
});
