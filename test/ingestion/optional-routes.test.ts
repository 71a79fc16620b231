import { describe, expect, it } from "@jest/globals";
import { OptionalRoutes } from "../../src/ingestion/optional-routes.ts";
import { outcomeOf } from "../../src/ingestion/report/report.ts";
import type { RefusedRoute } from "../../src/ingestion/state/state.ts";
import { HOUR_MS, MINUTE_MS } from "../../src/clock.ts";
import {
  ForbiddenError,
  NotFoundError,
  RateLimitedError,
  ServerError,
  type ServiceError,
  UnauthenticatedError,
} from "../../src/service/errors/errors.ts";
import { FakeClock } from "../support/fake-clock.ts";
import { NOW } from "../support/streams.ts";
import { type FakeHost, host, made } from "./support/fake-host.ts";
import type { FakeTenant } from "./support/fake-service.ts";

const server = new ServerError("down", { whoActs: "service" });
const optional = { method: "GET", path: "/api/v2/some", optional: true };
const rateLimited = new RateLimitedError("wait", { whoActs: "service", endpoint: optional });
const forbidden = new ForbiddenError("no", { whoActs: "administrator" });
const never = <T>(then: T) => ({ afterMs: 100 * HOUR_MS, then });

/** Each optional route: what makes a tenant use it, what refuses it, and how it is named among the questions. */
const ROUTES: [name: string, offered: Partial<FakeTenant>, refuse: (error: Error) => Partial<FakeTenant>, RegExp][] = [
  ["analysis time", { analysis: { completedAt: "T1", idle: true } }, (analysis) => ({ analysis }), /^analysis/],
  ["sparkline", { trend: "P1" }, (trend) => ({ trend }), /^sparkline/],
  ["newest finding", {}, (newest) => ({ newest }), /^newest/],
  ["description", {}, (description) => ({ description }), /^(?:title|short|long)/],
];
const HANGING: Record<string, Partial<FakeTenant>> = {
  "analysis time": { analysis: never({ completedAt: "T1", idle: true }) },
  sparkline: { trend: never("P1") },
  "newest finding": { newest: never([]) },
  description: { description: never("text") },
};

/** A host whose tenant was read and has news in each stream, of finding types that are not described yet. */
async function withNews(offered: Partial<FakeTenant>): Promise<FakeHost> {
  const soar = host({ ...offered, types: { "S-1": ["A"], "S-2": ["A"] } });
  await soar.quiet();
  soar.tenant.types = { "S-1": ["A", "B"], "S-2": ["A", "B"] };
  soar.tenant.findings = { ...soar.tenant.findings, "S-1 A": made(1, 4), "S-2 A": made(21, 4) };
  soar.clock.advance(HOUR_MS / 2);
  return soar;
}

describe.each(ROUTES)("a request for the %s", (name, offered, refuse, question) => {
  const asked = (run: { asked: string[] }): string[] => run.asked.filter((each) => question.test(each));

  it.each([
    ["a rate limit", rateLimited],
    ["an error", server],
    ["a missing permission", forbidden],
  ])("that is refused with %s holds nothing back and ends no run", async (_, error) => {
    const soar = await withNews(offered);
    Object.assign(soar.tenant, { analysis: null, trend: "" }, offered, refuse(error));
    const { ids, result } = await soar.poll();
    expect(result.summary.ended).toBeNull();
    expect(ids.filter((id) => id === "4" || id === "24")).toEqual(["24", "4"]);
  });

  it("that hangs is cancelled, and costs its time only once", async () => {
    const soar = await withNews(offered);
    Object.assign(soar.tenant, { analysis: null, trend: "" }, offered, HANGING[name]);
    soar.tenant.cancelled.length = 0;
    const first = await soar.poll();
    expect(first.ids).toEqual(expect.arrayContaining(["24", "4"]));
    expect(asked(first)).toEqual(expect.arrayContaining(soar.tenant.cancelled));
    expect(soar.tenant.cancelled.length).toBeGreaterThan(0);
    soar.tenant.findings = { ...soar.tenant.findings, "S-1 B": made(11, 5), "S-2 B": made(31, 5) };
    soar.clock.advance(MINUTE_MS);
    const second = await soar.poll();
    expect([asked(second), second.tookMs]).toEqual([[], 0]);
  });
});

/** Routes whose state outlives a run. */
function routes() {
  const clock = new FakeClock(NOW);
  let state: Record<string, RefusedRoute> = {};
  return {
    clock,
    get state() {
      return state;
    },
    /** A run that sends these requests: whether each of them was sent. */
    async run(...requests: [subject: string, answer: "answer" | ServiceError | null][]): Promise<boolean[]> {
      const open = new OptionalRoutes(state, { clock, patienceMs: 1_000 });
      const sent: boolean[] = [];
      for (const [subject, answer] of requests) {
        let isSent = false;
        await open.ask("sparkline", subject, () => {
          isSent = true;
          return answer === "answer" || answer === null ? Promise.resolve(answer) : Promise.reject(answer);
        });
        sent.push(isSent);
      }
      state = JSON.parse(JSON.stringify(open.toState())) as Record<string, RefusedRoute>;
      return sent;
    },
  };
}

describe("an optional route", () => {
  it("that always fails is asked less and less often, and once a day at least", async () => {
    const route = routes();
    const gaps: number[] = [];
    let last = route.clock.now();
    while (gaps.length < 12) {
      const [sent] = await route.run(["S-1", server]);
      if (sent === true) {
        gaps.push((route.clock.now() - last) / MINUTE_MS);
        last = route.clock.now();
      }
      route.clock.advance(MINUTE_MS);
    }
    expect(gaps).toEqual([0, 5, 10, 20, 40, 80, 160, 320, 640, 1280, 1440, 1440]);
  });

  it("that comes back is used again at once, and its next failure counts as the first", async () => {
    const route = routes();
    await route.run(["S-1", server]);
    route.clock.advance(5 * MINUTE_MS);
    await route.run(["S-1", server]);
    route.clock.advance(10 * MINUTE_MS);
    expect(await route.run(["S-1", "answer"])).toEqual([true]);
    expect(route.state).toEqual({});
    expect(await route.run(["S-1", server])).toEqual([true]);
    route.clock.advance(5 * MINUTE_MS);
    expect(await route.run(["S-1", "answer"])).toEqual([true]);
  });

  it("that the service does not offer is asked again after a day", async () => {
    const route = routes();
    await route.run(["S-1", null]);
    route.clock.advance(24 * HOUR_MS - 1_000);
    expect(await route.run(["S-1", forbidden])).toEqual([false]);
    route.clock.advance(1_000);
    expect(await route.run(["S-1", forbidden])).toEqual([true]);
  });

  it("that was not offered a day before, and fails now, is asked again after minutes", async () => {
    const route = routes();
    await route.run(["S-1", null]);
    route.clock.advance(24 * HOUR_MS);
    await route.run(["S-1", server]);
    route.clock.advance(5 * MINUTE_MS);
    expect(await route.run(["S-1", "answer"])).toEqual([true]);
  });

  it("that something else than the service calls unknown is asked again after minutes, and still counts as not offered", async () => {
    const route = routes();
    const gateway = new NotFoundError("no route", { whoActs: "administrator", status: 404 });
    await route.run(["S-1", gateway]);
    expect(Object.values(route.state)).toEqual(Array(2).fill(expect.objectContaining({ pause: 300, declined: true })));
    route.clock.advance(5 * MINUTE_MS);
    expect(await route.run(["S-1", gateway])).toEqual([true]);
    route.clock.advance(5 * MINUTE_MS);
    expect(await route.run(["S-1", gateway])).toEqual([false]);
    route.clock.advance(5 * MINUTE_MS);
    expect(await route.run(["S-1", "answer"])).toEqual([true]);
    await route.run(["S-1", new NotFoundError("unknown", { whoActs: "service", status: 404, wrapped: true })]);
    expect(Object.values(route.state)).toEqual(Array(2).fill(expect.objectContaining({ pause: 24 * 3600 })));
  });

  it("rests as a whole when nothing succeeds on it, and otherwise only where it fails", async () => {
    const route = routes();
    expect(await route.run(["S-1", server], ["S-2", "answer"])).toEqual([true, false]);
    route.clock.advance(5 * MINUTE_MS);
    expect(await route.run(["S-2", "answer"], ["S-1", server], ["S-3", "answer"])).toEqual([true, true, true]);
    expect(await route.run(["S-2", "answer"], ["S-1", server], ["S-3", "answer"])).toEqual([true, false, true]);
  });

  it("is asked although a clock that was set back shows its failure in the future", async () => {
    const route = routes();
    await route.run(["S-1", server]);
    route.clock.set(-HOUR_MS);
    expect(await route.run(["S-1", "answer"])).toEqual([true]);
  });

  it("that was not offered is not paused again when a clock that was set back is right again", async () => {
    const route = routes();
    await route.run(["S-1", null]);
    route.clock.set(-HOUR_MS);
    await route.run();
    route.clock.set(HOUR_MS);
    expect([route.state, await route.run(["S-1", "answer"])]).toEqual([{}, [true]]);
  });

  it("takes a bounded part of the state, whatever its subjects are called", async () => {
    const route = routes();
    const subjects = Array.from({ length: 1_000 }, (_, i) => [`${i}`.repeat(1_000), server] as [string, ServiceError]);
    await route.run(["S-1", "answer"], ...subjects);
    expect(JSON.stringify(route.state).length).toBeLessThan(12_000);
  });

  it("is not blamed for a request whose turn did not come, but for one that was sent and is late", async () => {
    for (const isSent of [false, true]) {
      const clock = new FakeClock(NOW);
      const open = new OptionalRoutes({}, { clock, patienceMs: 1_000 });
      const asked = open.ask("analysis", "", ({ onSent }) => {
        if (isSent) onSent();
        return new Promise(() => undefined);
      });
      await clock.drain();
      expect(await asked).toEqual({ kind: "failed", why: isSent ? "late" : "unsent" });
      expect(Object.keys(open.toState())).toHaveLength(isSent ? 2 : 0);
    }
  });

  it("is not blamed for the refusal of another one that kept its request from being sent", async () => {
    const clock = new FakeClock(NOW);
    const open = new OptionalRoutes({}, { clock, patienceMs: 1_000 });
    for (const route of ["documents", "newest"] as const) await open.ask(route, "", () => Promise.reject(rateLimited));
    expect(Object.keys(open.toState())).toContain("documents");
    expect(Object.keys(open.toState())).not.toContain("newest");
  });

  it("is not blamed for a rate limit that ended the run", async () => {
    const ending = new RateLimitedError("wait", { whoActs: "service" });
    const soar = host({ description: ending });
    soar.tenant.findings["S-2 B"] = ending;
    const { result } = await soar.poll();
    expect([result.summary.ended, result.checkpoint["refused"]]).toEqual([ending, undefined]);
  });

  it("does not hide what would end the run whatever a request is for", async () => {
    const rejected = new UnauthenticatedError("wrong key", { whoActs: "administrator" });
    await expect(routes().run(["S-1", rejected])).rejects.toBe(rejected);
  });
});

describe("an alert without a description", () => {
  it("is delivered, and the message says why", async () => {
    const soar = host({ description: rateLimited });
    const first = await soar.poll();
    const { message, json } = outcomeOf(first.result);
    expect(message).toMatch(/^Could not load the description of A, B\. .* wait /);
    const failure = { what: "description of A, B", code: "rate_limited", message: expect.stringContaining("wait") };
    expect(json).toMatchObject({ descriptionsMissing: 2, failures: [failure] });
    soar.clock.advance(MINUTE_MS);
    soar.tenant.findings["S-1 A"] = made(1, 4);
    const second = await soar.poll();
    expect(second.ids).toEqual(["4"]);
    const paused = "An earlier request for a description failed. They are requested again after a pause.";
    expect(outcomeOf(second.result).message).toContain(paused);
    expect(outcomeOf(second.result).json).toMatchObject({ failures: [{ code: null, message: paused }] });
  });
});
