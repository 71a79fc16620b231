import { describe, expect, it } from "@jest/globals";
import { Deadline } from "../../src/deadline.ts";
import { outcomeOf } from "../../src/ingestion/report/report.ts";
import { HOUR_MS, MINUTE_MS } from "../../src/clock.ts";
import { silent } from "../../src/logger.ts";
import { connect } from "../../src/service/connect.ts";
import { Secret } from "../../src/service/credentials.ts";
import { BrokenBodyError, OversizedBodyError } from "../../src/service/errors/connection-errors.ts";
import { ProtocolError } from "../../src/service/errors/errors.ts";
import type { Transport } from "../../src/service/transport.ts";
import { instant, TENANT } from "../support/streams.ts";
import { type FakeHost, host, made, S1 } from "./support/fake-host.ts";

const cut = new ProtocolError("lists less than it counts", { whoActs: "service" });
const analysedAt = (completedAt: string) => ({ completedAt, idle: true });

/** A host of one environment that was read, and whose next run delivers one alert, no more, before a list arrives. */
async function beforeALateList(): Promise<FakeHost> {
  const soar = host({ environments: [S1], types: { "S-1": ["A"] }, findings: { "S-1 A": made(1, 1) } });
  soar.tenant.analysis = analysedAt("2030-01-31T09:00:00Z");
  await soar.poll();
  soar.clock.advance(61 * MINUTE_MS);
  soar.tenant.analysis = analysedAt("2030-01-31T10:30:00Z");
  soar.tenant.findings["S-1 A"] = { afterMs: 2_000, then: made(1, 2) };
  return soar;
}

const limits = { maxAlerts: 1 };

describe("a list that is late and cut short while the host accepts no more alerts", () => {
  it("of environments makes the run partial", async () => {
    const soar = await beforeALateList();
    soar.tenant.environments = { afterMs: 11_000, then: [S1] };
    soar.tenant.cutShort = { tenant: cut };
    expect(outcomeOf((await soar.poll({ limits })).result).status).toBe("partial");
  });

  it("of finding types makes the run partial, and the next one reads the environment", async () => {
    const soar = await beforeALateList();
    soar.tenant.types["S-1"] = { afterMs: 11_000, then: ["A"] };
    soar.tenant.cutShort = { "S-1": cut };
    expect(outcomeOf((await soar.poll({ limits })).result).status).toBe("partial");
    soar.clock.advance(MINUTE_MS);
    soar.tenant.types["S-1"] = ["A", "B"];
    soar.tenant.cutShort = {};
    soar.tenant.findings["S-1 B"] = made(100, 1);
    expect((await soar.poll()).ids).toEqual(["100"]);
  });
});

/** A service with one stream; whatever else is asked for, it does not offer. */
class OneStream {
  /** What the body of the list of environments fails with. */
  fault: Error | null = null;
  findings = 1;

  transport(soar: FakeHost): Transport {
    const headers = () => ({ "content-type": "application/json", date: new Date(soar.clock.now()).toUTCString() });
    return {
      send: async ({ target, onHead }) => {
        const { status, body } = this.#answerTo(new URL(target, TENANT));
        await Promise.resolve();
        onHead({ status, headers: headers() });
        if (this.fault !== null && target.includes("available-domains")) throw this.fault;
        return { status, headers: headers(), body: JSON.stringify(body) };
      },
      close: () => undefined,
    };
  }

  #answerTo({ pathname, searchParams }: URL): { status: number; body: unknown } {
    const listed = (data: readonly unknown[]) => ({ status: 200, body: { data, count: data.length } });
    if (pathname.endsWith("/available-domains")) return listed([{ id: "S-1", name: "CORP.TEST", collected: true }]);
    if (pathname.endsWith("/available-types")) return listed(["T0Owns"]);
    if (!pathname.endsWith("/details")) {
      const errors = [{ context: "", message: "resource not found" }];
      return { status: 404, body: { http_status: 404, timestamp: instant(0), request_id: "r", errors } };
    }
    const all = Array.from({ length: this.findings }, (_, i) => ({
      id: i + 1,
      created_at: instant(-1),
      Finding: "T0Owns",
    }));
    const skip = Number(searchParams.get("skip"));
    return { status: 200, body: { data: all.slice(skip), count: all.length, skip } };
  }
}

describe("a list of environments whose body cannot be read", () => {
  it.each<[string, Error]>([
    ["is cut off", new BrokenBodyError(Object.assign(new Error("aborted"), { code: "ECONNRESET" }))],
    ["is too large", new OversizedBodyError()],
    ["is compressed wrongly", new BrokenBodyError(Object.assign(new Error("inflate"), { code: "Z_DATA_ERROR" }))],
  ])("because it %s is no silence: the environments of the last run are read", async (_, fault) => {
    const soar = host();
    const tenant = new OneStream();
    const poll = () =>
      soar.poll({
        service: connect({
          server: TENANT,
          credentials: { kind: "token", id: "id", key: new Secret("canary-token-key-7c1d") },
          clock: soar.clock,
          random: () => 0.5,
          log: silent,
          transport: tenant.transport(soar),
          deadline: new Deadline({ clock: soar.clock, at: null }),
        }),
      });
    expect((await poll()).ids).toEqual(["1"]);
    soar.clock.advance(2 * HOUR_MS);
    tenant.fault = fault;
    tenant.findings = 2;
    const { ids, result } = await poll();
    expect([ids, outcomeOf(result).status]).toEqual([["2"], "partial"]);
  });
});
