import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { join } from "node:path";
import type { ConnectorView, RunView } from "../../../sandbox/console/contract/index.ts";
import { openHost, type Host } from "../../../sandbox/soar/index.ts";
import type { Tenant } from "../../../sandbox/tenant/index.ts";
import { builtPackage } from "../../support/package.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";
import { startTenant } from "../../support/tenant.ts";

const integration = "attack_path_analysis";
let host: Host;
let tenant: Tenant;
let connector: ConnectorView;
let parameters: { Server: string; "Token ID": string; "Token Key": string };
let first: RunView;
beforeAll(async () => {
  tenant = await startTenant();
  host = openHost({ data: join(temporaryFolder(), "host") });
  await host.install((await builtPackage()).zip);
  parameters = { Server: tenant.url, "Token ID": tenant.tokenId, "Token Key": tenant.tokenKey };
  connector = host.connectors.add({ integration, name: "Findings", parameters });
  first = host.runView((await host.runConnector(connector.id)).runId);
});
afterAll(() => host.close());

describe("the built package in the host", () => {
  it("tells every request that the tenant had, from the queue to the last byte", () => {
    expect(first.requests).toHaveLength(tenant.requests.length);
    for (const { queuedAt, sentAt, endedAt, status, bytes } of first.requests) {
      expect(queuedAt).toBeGreaterThanOrEqual(0);
      expect(sentAt).toBeGreaterThanOrEqual(queuedAt);
      expect(endedAt).toBeGreaterThanOrEqual(sentAt);
      expect(endedAt).toBeLessThanOrEqual(first.endedAt! - first.startedAt);
      expect([status, bytes]).toEqual([200, expect.any(Number)]);
    }
    expect(first.requests.map(({ query }) => query)).toContainEqual(expect.stringMatching(/finding=.*created_at/));
    expect(first.logLevels.debug).toBe(first.requests.length);
    expect(JSON.stringify(first)).not.toContain(tenant.tokenKey);
  });

  it("tells requests without an answer, and why there was none", async () => {
    const wrong = { ...parameters, Server: "http://127.0.0.1:9" };
    const { id } = host.instances.add({ integration, name: "Nobody", parameters: wrong });
    const { ok, message, runId } = await host.testInstance(id);
    expect(ok).toBe(false);
    const [request] = host.runView(runId).requests;
    expect(request).toMatchObject({ method: "GET", status: null, bytes: null, error: expect.any(String) as unknown });
    expect(message).toMatch(/Server/);
  });

  it("has a state that is shown stream by stream, with what the last run did with it and why", async () => {
    const before = host.connectors.state(connector.id);
    expect(before).toMatchObject({ tenant: tenant.url, dialect: "standard" });
    expect(before.characters).toBeGreaterThan(1_000);
    expect(before.streams).toHaveLength(64);
    expect(before.streams.filter(({ status }) => status !== "read")).toEqual([]);
    expect(new Set(before.streams.map(({ decision }) => decision))).toEqual(
      new Set(["Read: it was never read before."]),
    );
    expect(before.streams.reduce((sum, { rememberedIds }) => sum + rememberedIds, 0)).toBeGreaterThan(100);
    await host.runConnector(connector.id);
    await host.runConnector(connector.id);
    const { streams } = host.connectors.state(connector.id);
    expect(new Set(streams.map(({ decision }) => decision))).toEqual(
      new Set(["Skipped: the service has reported nothing new since the last read."]),
    );
  });

  it("brings a playbook that runs on its alerts to the end", async () => {
    host.instances.add({ integration, name: "Tenant", parameters });
    const event = host.events.list(first.alertList[0]!.caseId).rows.find(({ source }) => source !== null)!;
    const { id } = await host.playbooks.start("Attack Path Triage", event.alertKey);
    await host.playbooks.idle();
    const { status, steps } = host.playbookRuns.view(id);
    expect({ status, failed: steps.filter((step) => step.status === "failed") }).toEqual({
      status: "done",
      failed: [],
    });
    expect(steps.filter((step) => step.runId !== null).length).toBeGreaterThan(1);
  });

  it("describes itself: contents, release notes and licences", async () => {
    const [view] = await host.integrations.list();
    expect(view!.contents).toMatchObject({
      actions: { length: 4 },
      playbooks: ["Attack Path Triage", "Tier Zero Distance"],
    });
    expect(view!.releaseNotes).toMatch(/^## \[/);
    expect(view!.licences).toContainEqual({ name: "attack-path-analysis", version: "1.0.0", licence: "Apache-2.0" });
  });
});
