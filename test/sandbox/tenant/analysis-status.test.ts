import { describe, expect, it } from "@jest/globals";
import { startControlServer } from "../../../sandbox/tenant/control-server.ts";
import type { Tenant, TenantOptions } from "../../../sandbox/tenant/index.ts";
import { startTenant } from "../../support/tenant.ts";
import { send, type Reply } from "./client.ts";

const TARGET = "/api/v2/datapipe/status";
const ANALYSED_AT = "2026-05-01T06:00:00.5Z";
const START = Date.parse("2026-05-04T10:30:00Z");

let now: number;
let tenant: Tenant;

async function start(options: TenantOptions = {}): Promise<string> {
  now = START;
  const dataset = { environments: 2, findingTypes: 1, findingsPerPair: 3, analysedAt: ANALYSED_AT };
  tenant = await startTenant({ dataset, clock: { now: () => now }, ...options });
  return tenant.data.environments[0]!.id;
}

/** A bearer token is the same in both dialects. */
function status(): Promise<Reply> {
  return send(tenant, TARGET, { headers: { Authorization: `Bearer ${tenant.control.issueJwt()}` } });
}

const complete = async (): Promise<unknown> => (await status()).json.data["last_complete_analysis_at"];

describe("the analysis status", () => {
  it("is what BloodHound Enterprise tenants offer, from the newest analysis of the data on", async () => {
    await start({ dialect: "bloodhound-enterprise" });
    expect((await status()).json).toEqual({
      data: {
        status: "idle",
        updated_at: ANALYSED_AT,
        last_complete_analysis_at: ANALYSED_AT,
        last_analysis_run_at: ANALYSED_AT,
        next_scheduled_analysis_at: "2026-05-05T00:00:00Z",
      },
    });
  });

  it("is a 404 in the standard dialect", async () => {
    await start();
    const reply = await status();
    expect(reply.status).toBe(404);
    expect(reply.json).toMatchObject({ http_status: 404, errors: [{ message: "resource not found" }] });
  });

  it.each(["standard", "bloodhound-enterprise"] as const)(
    "can be switched on and off in the %s dialect",
    async (dialect) => {
      await start({ dialect, analysisStatus: true });
      expect((await status()).status).toBe(200);
      tenant.control.setAnalysisStatus(false);
      expect((await status()).status).toBe(404);
      tenant.control.setAnalysisStatus(true);
      expect((await status()).status).toBe(200);
    },
  );

  it("has no schedule outside the Enterprise edition", async () => {
    await start({ analysisStatus: true });
    expect((await status()).json.data).not.toHaveProperty("next_scheduled_analysis_at");
  });

  it("needs authentication", async () => {
    await start({ analysisStatus: true });
    expect((await send(tenant, TARGET)).status).toBe(401);
  });

  it("moves with an analysis of any environment, also with one that leaves no sparkline point", async () => {
    const id = await start({ analysisStatus: true });
    tenant.control.analyse(id);
    expect(await complete()).toBe("2026-05-04T10:30:00.000123457Z");
    now += 60_000;
    tenant.control.analyse(tenant.data.environments[1]!.id, { sparkline: false, findings: 0 });
    expect(await complete()).toBe("2026-05-04T10:31:00.000123457Z");
  });

  it("moves with every analysis, even when the clock stands still", async () => {
    const id = await start({ analysisStatus: true });
    const seen = new Set([await complete()]);
    for (let analyses = 0; analyses < 3; analyses += 1) {
      tenant.control.analyse(id);
      seen.add(await complete());
    }
    expect(seen.size).toBe(4);
  });

  it("does not move when findings appear without an analysis", async () => {
    const id = await start({ analysisStatus: true });
    tenant.control.addFindings(id, "T0GenericAll", 2);
    expect(await complete()).toBe(ANALYSED_AT);
  });

  it("says that an analysis runs until it ends", async () => {
    const id = await start({ analysisStatus: true });
    tenant.control.beginAnalysis();
    const begun = "2026-05-04T10:30:00.000123457Z";
    const running = { status: "analyzing", updated_at: begun, last_analysis_run_at: begun };
    expect((await status()).json.data).toMatchObject({ ...running, last_complete_analysis_at: ANALYSED_AT });
    now += 60_000;
    tenant.control.addFindings(id, "T0GenericAll", 2);
    expect((await status()).json.data).toMatchObject(running);
    tenant.control.endAnalysis();
    const ended = "2026-05-04T10:31:00.000123457Z";
    expect((await status()).json.data).toMatchObject({
      status: "idle",
      updated_at: ended,
      last_complete_analysis_at: ended,
      last_analysis_run_at: begun,
    });
  });

  it("can be set through the control server", async () => {
    await start();
    const server = await startControlServer(tenant);
    const order = async (path: string, body?: unknown) => {
      const headers = { Authorization: `Bearer ${server.token}` };
      const sent = body === undefined ? {} : { body: JSON.stringify(body) };
      return (await fetch(`${server.url}${path}`, { method: "POST", headers, ...sent })).status;
    };
    expect(await order("/analysis-status", { offered: "yes" })).toBe(400);
    expect(await order("/analysis-status", { offered: true })).toBe(200);
    expect(await order("/begin-analysis")).toBe(200);
    expect((await status()).json.data).toMatchObject({ status: "analyzing" });
    expect(await order("/end-analysis")).toBe(200);
    expect((await status()).json.data).toMatchObject({ status: "idle" });
    await server.close();
  });
});
