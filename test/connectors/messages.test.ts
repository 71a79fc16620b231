import { describe, expect, it } from "@jest/globals";
import type { TenantOptions } from "../../sandbox/tenant/index.ts";
import type { Json } from "../../src/runtime/protocol.ts";
import { movableClock } from "../support/fake-clock.ts";
import { TestHost } from "../support/host.ts";
import { firstStream, startTenant } from "../support/tenant.ts";

const HOUR = 3_600_000;

async function start(options: TenantOptions = {}) {
  const clock = movableClock();
  const dataset = { environments: 2, findingTypes: 2, findingsPerPair: 3, analysedAt: "2026-01-01T00:00:00Z" };
  const tenant = await startTenant({ dataset, clock, ...options });
  return {
    tenant,
    host: new TestHost(tenant, { clock }),
    clock,
    names: tenant.data.environments.map(({ name }) => name),
  };
}

describe("the message of a run that worked", () => {
  it("says what was delivered, and then that nothing is new", async () => {
    const { tenant, host } = await start();
    expect((await host.poll()).message).toBe("Delivered 12 new findings in 4 alerts from 2 environments.");
    expect((await host.poll()).message).toBe("Nothing new in 2 environments.");
    const { environmentId, findingType } = firstStream(tenant);
    tenant.control.analyse(environmentId, { findings: { [findingType]: 1 } });
    expect((await host.poll()).message).toMatch(/^Delivered 1 new finding in 1 alert from 1 environment/);
  });

  it("says which environments had no new analysis", async () => {
    const { host } = await start({ analysisStatus: true });
    for (let poll = 0; poll < 2; poll++) await host.poll();
    expect((await host.poll()).message).toBe("Nothing new in 2 environments (2 without a new analysis).");
  });

  it("counts values of an unexpected type that were left out", async () => {
    const { tenant, host } = await start();
    const { environmentId, findingType } = firstStream(tenant);
    tenant.control.addFindings(environmentId, findingType, [{ ImpactPercentage: "much" }]);
    const { status, message } = await host.poll();
    expect([status, message]).toEqual([
      "completed",
      expect.stringMatching(/1 value of an unexpected type was left out\.$/),
    ]);
  });

  it("names what is selected and does not exist, and what nothing was collected in", async () => {
    const { tenant, host, names } = await start();
    tenant.data.environments[1]!.collected = false;
    const fields = {
      "Selected Environments": [names[0], names[1], "NOWHERE"],
      "Selected Finding Types": ["T0Never", "All"],
    };
    const { status, message } = await host.poll({ fields });
    expect(status).toBe("completed");
    expect(message).toContain(
      `Selected Environments names NOWHERE, which the token cannot see. It sees: ${names.join(", ")}.`,
    );
    expect(message).toMatch(
      new RegExp(`Delivered .* Skipped because they have no collected data: ${names[1] ?? ""}\\.$`),
    );
  });

  it("names lists with entries without a usable id or name, and so do the figures", async () => {
    const { tenant, host, names } = await start();
    const list = (data: unknown[]) => ({ kind: "body", transform: () => JSON.stringify({ data }) }) as const;
    const { environmentId } = firstStream(tenant);
    tenant.control.fault({ path: `${environmentId}/available-types$`, effect: list(["", null]) });
    const { status, message, json } = await host.poll();
    expect(status).toBe("partial");
    expect(message).toContain(`Incomplete: ${names[0]}. The service listed finding types without a usable name.`);
    expect(message).not.toContain("currently lists no finding types");
    const incomplete = [{ environmentId, outcome: "unreadable" }];
    expect(json).toMatchObject({ incomplete, environmentsUnreadable: 0 });
    const environments = tenant.data.environments.map(({ id, name }) => ({ id, name, collected: true }));
    tenant.control.fault({ path: "/available-domains$", effect: list([...environments, { id: "" }]) });
    expect((await host.poll()).json).toMatchObject({ environmentsUnreadable: 1 });
  });

  it("names selected finding types that no environment offers", async () => {
    const { tenant, host } = await start();
    const { findingType } = firstStream(tenant);
    const { status, message } = await host.poll({ fields: { "Selected Finding Types": [findingType, "T0Never"] } });
    expect([status, message]).toEqual([
      "completed",
      expect.stringContaining(
        "Selected Finding Types names T0Never, which no selected environment has at the moment. Check the spelling and letter case.",
      ),
    ]);
  });

  it("fails when no selected finding type exists, run after run, and keeps the state", async () => {
    const { host } = await start({ analysisStatus: true });
    await host.poll();
    const before = host.state;
    for (let poll = 0; poll < 2; poll++) {
      const { status, message, json } = await host.poll({ fields: { "Selected Finding Types": ["T0Never", "t0x"] } });
      expect([status, message]).toEqual([
        "failed",
        "Selected Finding Types names T0Never, t0x, which no selected environment has at the moment. Check the spelling and letter case. Nothing was read.",
      ]);
      expect(json).toMatchObject({ alerts: 0, streams: 0, failures: [] });
    }
    expect(host.state).toEqual(before);
  });

  it("completes when the only selected finding type is no longer offered", async () => {
    const { tenant, host, clock } = await start();
    const { findingType } = firstStream(tenant);
    const fields = { "Selected Finding Types": [findingType] };
    await host.poll({ fields });
    for (const { id } of tenant.data.environments) tenant.control.removeFindingType(id, findingType);
    for (let day = 0; day < 9; day++) {
      clock.moveOn(24 * HOUR);
      const { status, message } = await host.poll({ fields });
      expect([status, message]).toEqual(["completed", expect.stringContaining("has at the moment")]);
    }
  });

  it("suggests a JSON array when the name of an environment was cut at its comma", async () => {
    const { tenant, host, names } = await start();
    tenant.data.environments[1]!.name = "TENANT, INC";
    const { status, message } = await host.poll({ fields: { "Selected Environments": "TENANT, INC" } });
    expect(status).toBe("failed");
    expect(message).toContain(
      `names TENANT, INC, which the token cannot see. It sees: ${names[0] ?? ""}, TENANT, INC. Write a JSON array, such as ["TENANT, INC"], when a name holds a comma.`,
    );
    const chosen = await host.poll({ fields: { "Selected Environments": '["TENANT, INC"]' } });
    expect(chosen.status).toBe("completed");
  });

  it("names environments that list no finding types", async () => {
    const { tenant, host, names } = await start();
    for (const type of tenant.data.findingTypes(firstStream(tenant).environmentId)) {
      tenant.control.removeFindingType(firstStream(tenant).environmentId, type);
    }
    const { message } = await host.poll();
    expect(message).toContain(`The service currently lists no finding types for ${names[0] ?? ""}.`);
  });
});

describe("the message of a run that is not complete", () => {
  it("begins with what failed and what the next run does about it", async () => {
    const { tenant, host } = await start();
    const { environmentId, findingType } = firstStream(tenant);
    const broken = { path: `${environmentId}/details$`, query: { finding: findingType } };
    tenant.control.fault({ ...broken, effect: { kind: "status", status: 500 } });
    const { status, message, log } = await host.poll();
    expect(status).toBe("partial");
    expect(message).toMatch(new RegExp(`^Incomplete: [^.]+\\.TEST / ${findingType}\\. The next run retries it\\. `));
    expect(message).toMatch(/Delivered 9 new findings in 3 alerts from 2 environments\.$/);
    // The host logs the result.
    expect(log).not.toContain(message);
  });

  it("names one sentence per kind of failure, with everything that it concerns", async () => {
    const { tenant, host, names } = await start();
    tenant.control.fault({ path: "available-types$", effect: { kind: "status", status: 500 } });
    const { message } = await host.poll();
    expect(message.split("Incomplete:")).toHaveLength(1);
    expect(message).toMatch(/^Nothing could be read\. /);
    tenant.control.clearFaults();
    await host.poll();
    tenant.control.fault({ path: "details$", effect: { kind: "status", status: 500 } });
    const next = await host.poll();
    expect(next.message.split("Incomplete:")).toHaveLength(next.status === "failed" ? 1 : 2);
    expect(names).toHaveLength(2);
  });

  it("says that a service did not respond in time, and where the next run continues", async () => {
    const { tenant, host, names } = await start();
    tenant.control.fault({ path: `${firstStream(tenant).environmentId}/available-types$`, effect: { kind: "stall" } });
    const { status, message } = await host.poll({ deadlineMs: 3_000 });
    expect(status).toBe("partial");
    expect(message).toContain(`Incomplete: ${names[0] ?? ""}. The service did not respond in time.`);
  });

  it("calls nothing new only in what was read", async () => {
    const { tenant, host } = await start();
    const details = `${firstStream(tenant).environmentId}/details$`;
    await host.poll();
    tenant.control.fault({ path: details, effect: { kind: "status", status: 500 } });
    expect((await host.poll()).message).toMatch(/^Incomplete: .* Nothing new in 1 environment\.$/);
  });

  it("says that the host accepts no more alerts, and what is left", async () => {
    const { host } = await start();
    const { status, message } = await host.poll({ run: { maxAlerts: 1 } });
    expect(status).toBe("partial");
    expect(message).toContain("The host accepts no more alerts in this run. The next run continues with ");
  });

  it("says which lists had entries that could not be used", async () => {
    const { tenant, host } = await start();
    const { environmentId } = firstStream(tenant);
    tenant.control.fault({ path: `${environmentId}/available-types$`, effect: { kind: "more-items", items: [5] } });
    tenant.control.fault({ path: "available-domains$", effect: { kind: "more-items", items: [{ name: "X" }] } });
    const { status, message, events } = await host.poll();
    expect([status, events.length]).toEqual(["partial", 12]);
    expect(message).toContain("The service listed finding types without a usable name. The next run retries them.");
    expect(message).toContain(
      "Incomplete: the service listed environments without a usable id. The next run retries them.",
    );
  });

  it("says once what a description met that ended the run", async () => {
    const { tenant, host } = await start();
    tenant.control.fault({ path: "assets/findings", effect: { kind: "status", status: 429, body: "text" } });
    const { status, message } = await host.poll();
    expect(status).not.toBe("completed");
    expect(message.split("status 429")).toHaveLength(2);
  });

  it("names the descriptions that could not be loaded", async () => {
    const { tenant, host } = await start();
    const { findingType } = firstStream(tenant);
    tenant.control.fault({ path: `${findingType}/title`, effect: { kind: "status", status: 500 } });
    const { status, message, events } = await host.poll();
    expect([status, events.length]).toEqual(["partial", 12]);
    expect(message).toContain(
      `Could not load the description of ${findingType}. Its alerts have no description, or only part of it.`,
    );
  });

  it("stays under 2,000 characters with 100 broken environments, and still says what was delivered", async () => {
    const { tenant, host } = await start({ dataset: { environments: 101, findingTypes: 1, findingsPerPair: 1 } });
    const [whole] = tenant.data.environments;
    for (const { id } of tenant.data.environments) tenant.control.renameEnvironment(id, `${id} ${"X".repeat(300)}`);
    tenant.control.fault({
      path: "/(available-types|details)$",
      when: ({ path }) => !path.includes(`${whole!.id}/`),
      effect: { kind: "status", status: 500 },
    });
    const { status, message, events } = await host.poll();
    expect([status, events.length]).toEqual(["partial", 1]);
    expect(message).toMatch(/^Incomplete: /);
    expect(message.length).toBeLessThan(2_000);
    expect(message).toContain("The next run retries them.");
    expect(message).toContain("Delivered 1 new finding in 1 alert");
  });
});

describe("the message of a test run", () => {
  it("says how much could be read before the host accepted no more alerts", async () => {
    const { host } = await start();
    const { status, message } = await host.poll({ run: { test: true, maxAlerts: 1 } });
    expect(status).toBe("completed");
    expect(message).toMatch(
      /^The connector works\. It can read 1 environment\. This test run delivered 1 sample alert /,
    );
  });

  it("begins with selected finding types that no environment offers", async () => {
    const { host } = await start();
    const fields = { "Selected Finding Types": ["T0Never"] };
    const { message, alerts } = await host.poll({ run: { test: true }, fields });
    expect([message, alerts]).toEqual([expect.stringMatching(/^Selected Finding Types names T0Never, which no /), []]);
  });

  it("begins with descriptions that could not be loaded", async () => {
    const { tenant, host } = await start();
    tenant.control.fault({ path: "assets/findings", effect: { kind: "status", status: 403 } });
    const { status, message, alerts } = await host.poll({ run: { test: true } });
    expect([status, alerts.length]).toEqual(["partial", 2]);
    expect(message).toMatch(/^Could not load the description of /);
  });
});

describe("a run that fails", () => {
  it("says why the key is not accepted, and keeps no state", async () => {
    const { tenant } = await start();
    const host = new TestHost({ url: tenant.url, tokenId: tenant.tokenId, tokenKey: "wrong" });
    const { status, value, message } = await host.poll();
    expect([status, value, message]).toEqual(["failed", null, expect.stringContaining("rejected the credentials")]);
    expect(host.state).toBeNull();
  });

  it("keeps the state that it had when the key is no longer accepted", async () => {
    const { tenant, host } = await start();
    await host.poll();
    const before = host.state;
    const { status } = await host.poll({ fields: { "Token Key": "wrong" } });
    expect([status, host.state]).toEqual(["failed", before]);
    expect(tenant.requests.length).toBeGreaterThan(0);
  });

  it("says that nothing is selected, and lists what there is", async () => {
    const { host, names } = await start();
    const { status, value, message } = await host.poll({ fields: { "Selected Environments": ["NOWHERE"] } });
    expect([status, value]).toEqual(["failed", null]);
    expect(message).toMatch(/^Selected Environments: no environment can be polled\./);
    for (const name of names) expect(message).toContain(name);
  });

  it("is rate limited at its first request", async () => {
    const { tenant, host } = await start();
    tenant.control.fault({ effect: { kind: "status", status: 429, body: "text" } });
    const { status, message } = await host.poll();
    expect([status, message]).toEqual(["failed", expect.stringContaining("status 429")]);
    tenant.control.clearFaults();
    expect((await host.poll()).status).toBe("completed");
  });

  it("does not touch a state of a newer version", async () => {
    const { tenant, host } = await start();
    host.state = { version: 99, tenant: "x" };
    const { status, value, message } = await host.poll();
    expect([status, value]).toEqual(["failed", null]);
    expect(message).toContain("newer version of this plugin (state version 99)");
    expect([host.state, tenant.requests.length]).toEqual([{ version: 99, tenant: "x" }, 0]);
  });
});

describe("a state that cannot be used", () => {
  it("is set aside when it is damaged, and the message says that findings may be repeated", async () => {
    const { tenant, host } = await start();
    await host.poll();
    host.state = { ...(host.state as object), environments: 5, leftover: true };
    const run = await host.poll();
    expect([run.status, run.recognised, run.delivered]).toEqual(["completed", 12, 0]);
    expect(run.message).toContain("The saved state is damaged (unexpected value at /environments).");
    expect(host.state).not.toHaveProperty("leftover");
    expect(host.stored.missing(tenant)).toBe(0);
    expect((await host.poll()).message).toMatch(/^Nothing new/);
  });

  it("is set aside when it belongs to another tenant", async () => {
    const { host } = await start();
    await host.poll();
    host.state = { ...(host.state as object), tenant: "https://other.test" };
    const { status, message, events } = await host.poll();
    expect([status, events.length]).toEqual(["completed", 12]);
    expect(message).toContain("The saved state belongs to https://other.test.");
  });

  it("stays with the host while nothing can be read of the other tenant, which may be a misspelt one", async () => {
    const { tenant, host } = await start();
    await host.poll();
    const other = { ...(host.state as object), tenant: "https://other.test" };
    host.state = other;
    tenant.control.fault({ path: "available-domains", effect: { kind: "status", status: 429, body: "text" } });
    expect(await host.poll()).toMatchObject({
      status: "failed",
      message: expect.stringContaining("belongs to https://other.test. It stays as it is."),
    });
    expect(host.state).toEqual(other);
  });

  it("is reported when the service's clock was set back further than it remembers", async () => {
    const { tenant, host, clock } = await start();
    const { environmentId, findingType } = firstStream(tenant);
    tenant.control.addFindings(environmentId, findingType, 1);
    await host.poll();
    // A state that had no room for more.
    const text = JSON.stringify(host.state);
    host.state = JSON.parse(
      text.replace('"0":{"ids"', `"0":{"forgottenBefore":${Math.floor(clock.now() / HOUR) - 48},"ids"`),
    ) as Json;
    clock.moveOn(-60 * HOUR);
    const { message } = await host.poll();
    expect(message).toContain(
      "The service's clock was set back by more than the connector remembers. 1 stream may repeat findings.",
    );
  });
});
