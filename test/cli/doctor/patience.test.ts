import { join } from "node:path";
import { describe, expect, it } from "@jest/globals";
import type { FaultEffect, Tenant } from "../../../sandbox/tenant/index.ts";
import { ProfileStore } from "../../../src/cli/profiles/store.ts";
import { type Clock, systemClock } from "../../../src/clock.ts";
import { askHere, commandLineHere } from "../../support/command-line.ts";
import { Secret } from "../../../src/service/credentials.ts";
import { skippingClock } from "../../support/fake-clock.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";
import { startTenant } from "../../support/tenant.ts";
import { problemsOf, type Report } from "../report.ts";

const dataset = { environments: 2, findingTypes: 2, findingsPerPair: 30 };

/** Skips pauses, and not the time that a connection may take. */
function impatientClock() {
  const clock = skippingClock();
  const sleep: Clock["sleep"] = (ms, signal) => (ms < 10_000 ? clock : systemClock).sleep(ms, signal);
  return { ...clock, sleep };
}

async function examine(tenant: Tenant) {
  const clock = impatientClock();
  const { code, out, error } = await askHere(tenant, ["doctor", "--json"], { clock });
  return { code, error, report: JSON.parse(out) as Report, pauses: clock.sleeps };
}

function refusal(retryAfter?: string): FaultEffect {
  const headers: Record<string, string> = retryAfter === undefined ? {} : { "retry-after": retryAfter };
  return { kind: "status", status: 429, headers };
}

describe("doctor and the rate limit", () => {
  it.each([
    ["its first request", "/available-domains$", "service"],
    ["the lists of finding types", "/available-types$", "permission:available-types"],
    ["a list of findings", "/details$", "permission:details"],
    ["a search", "/search$", "permission:search"],
  ])("waits when the service refuses %s for a moment, and says so", async (_, path, check) => {
    const tenant = await startTenant({ dataset });
    tenant.control.fault({ path, times: 1, effect: refusal("3") });
    const { code, error, report, pauses } = await examine(tenant);
    expect({ code, canRun: report.canRun, problems: problemsOf(report) }).toEqual({
      code: 0,
      canRun: true,
      problems: [],
    });
    expect(error).toBe("The rate limit is reached. Doctor goes on in 3 s.\n");
    expect(pauses).toContain(3_000);
    expect(report.checks.find(({ name }) => name === check)).toMatchObject({
      status: "ok",
      summary: expect.stringMatching(/The rate limit was reached \(status 429\), so doctor waited 3 s\.$/) as unknown,
      facts: { waitedMs: 3_000 },
    });
  });

  it("says with --all, too, that it waits", async () => {
    const tenant = await startTenant({ dataset });
    tenant.control.fault({ path: "/search$", times: 1, effect: refusal("3") });
    const defaultProfile = join(temporaryFolder(), "profile.json");
    const { url: server, tokenId: id, tokenKey } = tenant;
    await new ProfileStore(defaultProfile).add("acme", {
      server,
      credentials: { kind: "token", id, key: new Secret(tokenKey) },
    });
    const call = { clock: impatientClock(), defaultProfile };
    const { code, error } = await commandLineHere(["doctor", "--all", "--json"], call);
    expect({ code, error }).toEqual({ code: 0, error: "The rate limit is reached. Doctor goes on in 3 s.\n" });
  });

  it("gives up when waiting does not help, or would take too long", async () => {
    for (const [retryAfter, wait] of [
      [undefined, "Wait 1 min and"],
      ["600", "Wait 10 min and"],
    ] as const) {
      const tenant = await startTenant({ dataset });
      tenant.control.fault({ effect: refusal(retryAfter) });
      const { code, report } = await examine(tenant);
      const [found] = report.checks.filter(({ status }) => status === "failed");
      expect([code, report.canRun]).toEqual([1, false]);
      expect(found).toMatchObject({
        name: "rate-limit",
        summary: expect.stringMatching(/^The rate limit is exhausted/) as unknown,
        fix: expect.stringContaining(wait) as unknown,
      });
    }
  });

  it("is what to look at, and not the permission that could not be checked because of it", async () => {
    const tenant = await startTenant({ dataset });
    tenant.control.fault({ path: "/available-types$", effect: refusal("600") });
    const { code, out } = await askHere(tenant, ["doctor"], { clock: impatientClock() });
    expect(code).toBe(1);
    expect(out).toContain("The connector cannot run. Fix first: Rate limit.\n");
    const other = await startTenant({ dataset });
    other.control.fault({ path: "/search$", effect: refusal("600") });
    const { report } = await examine(other);
    expect(report.canRun).toBe(true);
    expect(report.checks.find(({ name }) => name === "permission:search")).toMatchObject({ status: "skipped" });
  });
});
