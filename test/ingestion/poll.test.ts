import { describe, expect, it } from "@jest/globals";
import { outcomeOf } from "../../src/ingestion/report/report.ts";
import { Selection } from "../../src/ingestion/selection.ts";
import { HOUR_MS, MINUTE_MS } from "../../src/clock.ts";
import type { Alert } from "../../src/runtime/protocol.ts";
import {
  DeadlineError,
  ForbiddenError,
  NotFoundError,
  RateLimitedError,
  ServerError,
  UnauthenticatedError,
} from "../../src/service/errors/errors.ts";
import { type FakeHost, host, made, reportOf, S1, S2 } from "./support/fake-host.ts";
import type { FakeTenant } from "./support/fake-service.ts";

const server = new ServerError("down", { whoActs: "service" });
const rateLimited = new RateLimitedError("wait", { whoActs: "service" });
const forbidden = new ForbiddenError("no", { whoActs: "administrator" });

describe("a poll", () => {
  it("delivers everything once, and then nothing", async () => {
    const soar = host();
    const first = await soar.poll();
    expect([first.alerts.length, first.ids.length]).toEqual([4, 12]);
    expect(first.result.summary).toMatchObject({ findings: 12, alerts: 4, ended: null, tenantError: null, memory: [] });
    expect((await soar.poll()).alerts).toEqual([]);
  });

  it("remembers that a read has come to its end, also where nothing was new any more", async () => {
    const soar = host({ environments: [S1], types: { "S-1": ["A"] } });
    await soar.poll({ limits: { maxAlerts: 1, maxEventsPerAlert: 2 } });
    expect(JSON.stringify(soar.state)).toContain("unfinished");
    soar.tenant.findings["S-1 A"] = made(1, 2);
    await soar.poll();
    expect(JSON.stringify(soar.state)).not.toContain("unfinished");
  });

  it("splits the same findings into the same alerts at any time, so that a repeated run gives the same alert ids", async () => {
    const split = async (minutes: number): Promise<string[]> => {
      const soar = host({ environments: [S1], types: { "S-1": ["A"] }, findings: { "S-1 A": made(1, 12) } });
      soar.clock.advance(minutes * MINUTE_MS);
      const { alerts } = await soar.poll({ limits: { maxEventsPerAlert: 5 } });
      expect(alerts.map(({ events }) => events.length)).toEqual([5, 5, 2]);
      return alerts.map(({ id }) => id);
    };
    const first = await split(0);
    for (const minutes of [1, 2, 3]) expect(await split(minutes)).toEqual(first);
  });

  it("gives each alert the description of its finding type", async () => {
    const { alerts } = await host({ description: "words" }).poll();
    expect(alerts.map(({ title, extensions }) => [title, extensions["long_remediation"]])).toEqual(
      Array.from({ length: 4 }, () => ["words", "words"]),
    );
  });

  it("reads only what is selected", async () => {
    const selection = new Selection({
      "Selected Environments": ["corp.test"],
      "Selected Finding Types": ["B", "Never"],
    });
    const { ids, result } = await host().poll({ selection });
    expect(ids).toEqual(["11", "12", "13"]);
    expect(result.summary.unofferedTypes).toEqual(["Never"]);
  });

  it.each<[string, Partial<FakeTenant>]>([
    ["that were not listed", { types: { "S-1": ["A"], "S-2": server } }],
    ["whose list was cut short", { types: { "S-1": ["A"], "S-2": ["A"] }, cutShort: { "S-2": server } }],
    [
      "that a list which was cut short lacks",
      { environments: [S1], types: { "S-1": ["A"] }, cutShort: { tenant: server } },
    ],
  ])("calls no selected finding type unoffered that environments may have %s", async (_, changed) => {
    const selection = new Selection({ "Selected Finding Types": ["B"] });
    const { summary } = (await host(changed).poll({ selection })).result;
    expect([summary.unofferedTypes, summary.noTypeKnown]).toEqual([[], false]);
  });
});

describe("the list of environments", () => {
  it("that is late does not keep the environments of the last run waiting", async () => {
    const soar = host();
    await soar.poll();
    soar.tenant.environments = { afterMs: 15_000, then: [S1, S2, { id: "S-3" }] };
    soar.tenant.types["S-3"] = ["A"];
    soar.tenant.findings = { ...soar.tenant.findings, "S-1 A": made(1, 4), "S-3 A": made(91, 1) };
    let known = Infinity;
    const started = soar.clock.now();
    const { ids, asked, result } = await soar.poll({
      deliver: ({ environmentId }) => {
        if (environmentId === "S-1") known = soar.clock.now() - started;
        return Promise.resolve();
      },
    });
    expect(ids).toEqual([]);
    expect(known).toBeLessThan(15_000);
    const read = asked.filter((question) => /^(?:types|newest|pages) /.test(question));
    expect(read).toEqual([...new Set(read)]);
    expect(result.summary).toMatchObject({ alerts: 2, tenantError: null });
    expect(result.summary.scope?.selected).toHaveLength(3);
  });

  it("that fails is named, and the environments of the last run are read all the same", async () => {
    const soar = host();
    await soar.poll();
    soar.tenant.environments = server;
    soar.tenant.findings["S-2 B"] = made(31, 4);
    const { ids, result } = await soar.poll();
    expect([ids, result.summary.tenantError, result.summary.scope]).toEqual([["34"], server, null]);
  });

  it("is replaced by what the selection means of the environments of the last run, whatever that had selected", async () => {
    const soar = host();
    await soar.poll();
    soar.tenant.environments = server;
    soar.tenant.findings = { ...soar.tenant.findings, "S-1 A": made(1, 4), "S-2 B": made(31, 4) };
    const selection = new Selection({ "Selected Environments": ["S-1"] });
    const { result, ids } = await soar.poll({ selection });
    expect([ids, result.summary.tenantError]).toEqual([["4"], server]);
  });

  it("is replaced also by environments that the last run had not selected", async () => {
    const soar = host();
    await soar.poll();
    await soar.poll({ selection: new Selection({ "Selected Environments": ["S-1"] }) });
    soar.tenant.environments = server;
    soar.tenant.findings["S-2 B"] = made(31, 4);
    const { result, ids } = await soar.poll();
    expect([ids, result.summary.tenantError]).toEqual([["34"], server]);
  });

  it("is not replaced by environments that a selection leaves out, also when the run before could not ask for the list", async () => {
    const soar = host();
    await soar.poll();
    const selection = new Selection({ "Selected Environments": ["S-2"] });
    soar.tenant.environments = rateLimited;
    await soar.poll({ selection });
    soar.tenant.environments = server;
    soar.tenant.findings["S-1 A"] = made(1, 4);
    expect((await soar.poll({ selection })).ids).toEqual([]);
  });

  it("that is late and then empty leaves the host with the memory of what was delivered meanwhile", async () => {
    const soar = host();
    await soar.poll();
    soar.tenant.environments = { afterMs: 15_000, then: [] };
    soar.tenant.findings["S-1 A"] = made(1, 4);
    const { ids, result } = await soar.poll();
    expect(ids).toEqual(["4"]);
    const outcome = outcomeOf(result);
    expect(outcome).toMatchObject({ status: "partial", checkpoint: result.checkpoint, json: { alerts: 1 } });
    expect(outcome.message).toMatch(
      /^The token sees no environments, so none can be polled\. .* Delivered 1 new finding /,
    );
  });

  it("that is late when the host takes no more alerts is still to be read, and the message says so", async () => {
    const soar = host();
    await soar.poll();
    soar.tenant.environments = { afterMs: 60_000, then: [S1, S2] };
    soar.tenant.findings["S-1 A"] = made(1, 4);
    const { result } = await soar.poll({ limits: { maxAlerts: 1 } });
    expect(outcomeOf(result).message).toMatch(
      /^Incomplete: the service had not listed the environments .* accepts no more/,
    );
  });

  it("ends the run when it is refused for good", async () => {
    const soar = host();
    await soar.poll();
    const refused = new UnauthenticatedError("wrong key", { whoActs: "administrator" });
    soar.tenant.environments = refused;
    const { result, asked } = await soar.poll();
    expect(result.summary.ended).toBe(refused);
    expect(asked.filter((question) => question !== "analysis")).toEqual(["environments"]);
  });
});

describe("the list of finding types", () => {
  it("that is late does not keep the types of the last run waiting, and adds the new ones", async () => {
    const soar = host();
    await soar.poll();
    soar.tenant.types["S-1"] = { afterMs: 15_000, then: ["A", "B", "C"] };
    soar.tenant.findings = { ...soar.tenant.findings, "S-1 A": made(1, 4), "S-1 C": made(91, 1) };
    const { ids, asked } = await soar.poll();
    expect(ids).toEqual(["4", "91"]);
    expect(asked).toEqual([...new Set(asked)]);
  });

  it("that fails is named, and the types of the last run are read all the same", async () => {
    const soar = host();
    await soar.poll();
    soar.tenant.types["S-1"] = forbidden;
    soar.tenant.findings["S-1 A"] = made(1, 4);
    const { ids, result } = await soar.poll();
    expect(ids).toEqual(["4"]);
    expect(reportOf(result, "S-1")).toMatchObject({ outcome: "failed", error: forbidden });
  });

  it("that is suddenly empty may be a fault: what was known is read once more", async () => {
    const soar = host();
    await soar.poll();
    soar.tenant.types["S-1"] = [];
    soar.tenant.findings["S-1 A"] = made(1, 4);
    expect((await soar.poll()).ids).toEqual(["4"]);
  });

  it("that is suddenly empty leaves what was known to the next run where it failed", async () => {
    const soar = host({ environments: [S1] });
    await soar.poll();
    soar.tenant.types["S-1"] = [];
    soar.tenant.findings["S-1 A"] = server;
    await soar.poll();
    soar.tenant.findings["S-1 A"] = made(1, 4);
    expect((await soar.poll()).ids).toEqual(["4"]);
  });

  it("that is suddenly empty leaves what was known to the next run where the host takes no more alerts", async () => {
    const soar = host({ types: { "S-1": ["A"], "S-2": ["A"] } });
    await soar.poll();
    soar.tenant.types["S-2"] = [];
    soar.tenant.findings = { "S-1 A": made(1, 4), "S-2 A": made(21, 4) };
    const { ids, result } = await soar.poll({ limits: { maxAlerts: 1 } });
    expect([ids, outcomeOf(result).status]).toEqual([["4"], "partial"]);
    expect((await soar.poll()).ids).toEqual(["24"]);
  });

  it("that is empty from now on, of an environment that does not know its former types, leaves nothing to read", async () => {
    const soar = host({ environments: [S1], types: { "S-1": ["A"] } });
    await soar.poll();
    soar.tenant.types["S-1"] = [];
    soar.tenant.findings["S-1 A"] = new NotFoundError("unknown", { whoActs: "service", wrapped: true });
    const { result } = await soar.poll();
    expect(reportOf(result, "S-1")).toMatchObject({ outcome: "read", error: null });
    expect((await soar.poll()).asked).not.toContain("pages S-1 A");
  });

  it("that is empty from now on stays incomplete where something else than the service says that it knows no former type", async () => {
    const soar = host({ environments: [S1], types: { "S-1": ["A"] } });
    await soar.poll();
    soar.tenant.types["S-1"] = [];
    soar.tenant.findings["S-1 A"] = new NotFoundError("no route", { whoActs: "administrator" });
    const { result } = await soar.poll();
    expect(outcomeOf(result)).toMatchObject({ status: "failed", message: "Nothing could be read. no route" });
    soar.tenant.findings["S-1 A"] = made(1, 4);
    expect((await soar.poll()).ids).toEqual(["4"]);
  });

  it("that offers a type again brings its findings without a usable time, too", async () => {
    const soar = host({ environments: [S1], types: { "S-1": ["A", "B"] } });
    await soar.poll();
    soar.tenant.types["S-1"] = ["B"];
    soar.tenant.findings["S-1 A"] = [];
    await soar.poll();
    soar.tenant.types["S-1"] = ["A", "B"];
    soar.tenant.findings["S-1 A"] = [{ id: 77 }, ...made(1, 3)];
    expect((await soar.poll()).ids).toEqual(["77"]);
  });

  it("that offers a type again brings those also when that takes two runs, the first in a window left by an earlier one", async () => {
    const soar = host({ environments: [S1] });
    const limits = { maxAlerts: 1, maxEventsPerAlert: 2 };
    await soar.poll();
    soar.tenant.findings["S-1 A"] = made(1, 9);
    await soar.poll({ limits });
    await soar.poll({ selection: new Selection({ "Selected Finding Types": ["B"] }) });
    soar.tenant.findings["S-1 A"] = [{ id: 77 }, ...made(1, 9)];
    expect((await soar.poll({ limits })).ids).toEqual(["6", "7"]);
    expect((await soar.poll()).ids).toEqual(["77", "8", "9"]);
  });
});

describe("where a run begins", () => {
  it.each([
    ["finding type", ["S-1 A", "S-1 B"]],
    ["environment", ["S-1 A", "S-2 A"]],
  ])("moves on, so that no %s is always the last", async (_, streams) => {
    const soar = host({ types: { "S-1": streams.includes("S-1 B") ? ["A", "B"] : ["A"], "S-2": ["A"] } });
    if (streams.includes("S-1 B")) soar.tenant.environments = [S1];
    await soar.poll();
    const turns: string[] = [];
    for (let run = 1; run <= 4; run++) {
      soar.clock.advance(2 * HOUR_MS);
      streams.forEach((stream, index) => {
        soar.tenant.findings[stream] = made(1_000 * index + 100, run);
      });
      const { alerts } = await soar.poll({ limits: { maxAlerts: 1 } });
      turns.push(...alerts.map(({ environmentId, findingType }) => `${environmentId} ${findingType}`));
    }
    expect(new Set(turns)).toEqual(new Set(streams));
  });
});

describe("a run that begins in the middle of the finding types", () => {
  it("begins there although the last run did not know it", async () => {
    const soar = host({ environments: [S1], types: { "S-1": ["A"] } });
    await soar.poll();
    soar.clock.advance(2 * HOUR_MS);
    soar.tenant.types["S-1"] = ["A", "B"];
    for (const stream of ["S-1 A", "S-1 B"]) soar.tenant.findings[stream] = made(100, 1);
    soar.state = { ...(soar.state as object), next: { environmentId: "S-1", findingType: "B" } };
    const { alerts } = await soar.poll({ limits: { maxAlerts: 1 } });
    expect(alerts.map(({ findingType }) => findingType)).toEqual(["B"]);
  });
});

describe("the place where the next run begins", () => {
  const limits = { maxAlerts: 1 };
  const turnsOf = ({ alerts }: { alerts: Alert[] }): string[] =>
    alerts.map(({ environmentId, findingType }) => `${environmentId} ${findingType}`);
  const news = (soar: FakeHost, count: number): void => {
    soar.clock.advance(2 * HOUR_MS);
    ["S-1 A", "S-1 B", "S-2 A", "S-2 B"].forEach((stream, index) => {
      soar.tenant.findings[stream] = made(1_000 * index + 100, count);
    });
  };

  it.each([
    ["list the environments", { environments: rateLimited }],
    ["list finding types", { types: { "S-1": rateLimited, "S-2": rateLimited } }],
  ])("outlasts a run that cannot %s", async (_, fault: Partial<FakeTenant>) => {
    const soar = host();
    await soar.poll();
    const turns: string[] = [];
    for (let run = 1; run <= 4; run++) {
      news(soar, run);
      turns.push(...turnsOf(await soar.poll({ limits })));
      const whole = { environments: soar.tenant.environments, types: soar.tenant.types };
      Object.assign(soar.tenant, fault);
      turns.push(...turnsOf(await soar.poll({ limits })));
      Object.assign(soar.tenant, whole);
    }
    expect(new Set(turns).size).toBe(4);
  });

  it("moves on although the list of finding types is always late", async () => {
    const soar = host({ environments: [S1] });
    await soar.poll();
    soar.tenant.types["S-1"] = { afterMs: 60_000, then: ["A", "B"] };
    const turns: string[] = [];
    for (let run = 1; run <= 2; run++) {
      news(soar, run);
      turns.push(...turnsOf(await soar.poll({ limits })));
    }
    expect(turns.sort()).toEqual(["S-1 A", "S-1 B"]);
  });
});

describe("a failure", () => {
  it("of one stream is its own: the others are delivered, it is read again", async () => {
    const soar = host();
    soar.tenant.findings["S-1 A"] = server;
    const { ids, result } = await soar.poll();
    expect(ids).toHaveLength(9);
    expect(reportOf(result, "S-1")?.streams.get("A")).toMatchObject({ outcome: "failed", error: server });
    soar.tenant.findings["S-1 A"] = made(1, 3);
    expect((await soar.poll()).ids).toEqual(["1", "2", "3"]);
  });

  it("to deliver ends the run, and nothing more is delivered", async () => {
    const soar = host();
    const delivered: Alert[] = [];
    const running = soar.poll({
      deliver: (alert) => {
        delivered.push(alert);
        return Promise.reject(new Error("the host is gone"));
      },
    });
    await expect(running).rejects.toThrow("the host is gone");
    expect(delivered).toHaveLength(1);
  });

  it("of a server that never responded ends the run", async () => {
    const soar = host();
    await soar.poll();
    soar.tenant.responded = false;
    soar.tenant.environments = { afterMs: 60_000, then: server };
    soar.tenant.types = { "S-1": server, "S-2": server };
    const { result, tookMs } = await soar.poll();
    expect(result.summary.ended).toBe(server);
    expect(tookMs).toBeLessThan(30_000);
  });

  it("to list what was counted is one: an empty list is not believed then", async () => {
    const soar = host({ environments: [S1], types: { "S-1": ["A"] } });
    await soar.poll();
    soar.tenant.counted["S-1 A"] = 5;
    soar.tenant.findings["S-1 A"] = [];
    const { result } = await soar.poll();
    expect(reportOf(result, "S-1")?.streams.get("A")).toMatchObject({ outcome: "failed" });
  });

  it("of the plugin itself is not hidden", async () => {
    const soar = host();
    soar.tenant.findings["S-1 A"] = new TypeError("fault");
    await expect(soar.poll()).rejects.toThrow("fault");
  });

  it("that ends the run says what is left", async () => {
    const soar = host();
    soar.tenant.findings["S-1 A"] = rateLimited;
    const { result } = await soar.poll();
    expect(result.summary.ended).toBe(rateLimited);
    expect(result.checkpoint["next"]).toBeDefined();
    soar.tenant.findings["S-1 A"] = made(1, 3);
    await soar.poll();
    expect((await soar.poll()).ids).toEqual([]);
  });

  it("that ends the run is reported before those that do not", async () => {
    const soar = host();
    soar.tenant.findings["S-1 A"] = new ServerError("down", { whoActs: "service" });
    soar.tenant.findings["S-2 B"] = new UnauthenticatedError("wrong key", { whoActs: "administrator" });
    const { result } = await soar.poll();
    expect(outcomeOf(result).message).toMatch(/^wrong key Incomplete: CORP.TEST \/ A\. /);
  });

  it("by the deadline names the environment that did not answer", async () => {
    const soar = host();
    const over = new DeadlineError("The run's time is over.", { whoActs: "administrator" });
    soar.tenant.types["S-1"] = { afterMs: 30_000, then: over };
    const { result, ids } = await soar.poll({ deadlineMs: 30_000 });
    expect(ids).toHaveLength(6);
    expect(result.summary.environments.map(({ environment, outcome }) => [environment.id, outcome]).sort()).toEqual([
      ["S-1", "unanswered"],
      ["S-2", "read"],
    ]);
  });

  it("by the deadline before anything was read does not mean that nothing is new", async () => {
    const over = new DeadlineError("The run's time is over.", { whoActs: "administrator" });
    const { result } = await host({ types: { "S-1": over, "S-2": over } }).poll();
    expect(outcomeOf(result).message).toBe("The run's time is over. The next run continues with CORP.TEST, LAB.TEST.");
  });

  it("to load a description holds no finding back", async () => {
    const soar = host({ description: { afterMs: 60_000, then: "late" } });
    const { ids, result } = await soar.poll();
    expect(ids).toHaveLength(12);
    expect(result.summary.descriptions.map(({ findingType }) => findingType).sort()).toEqual(["A", "B"]);
  });
});
