import { subscribe } from "node:diagnostics_channel";
import { startTenant, type Tenant } from "../sandbox/tenant/index.ts";
import type { Lap, NamedObject, TenantAddress, TenantCommand, TenantSettings } from "./tenant-messages.ts";

/** The simulated tenant in a process of its own, so that its work does not count as the plugin's. */

const arrivals: number[] = [];
subscribe("http.server.request.start", () => arrivals.push(performance.timeOrigin + performance.now()));

const {
  sparkline = true,
  textIds = false,
  ownPrincipals = false,
  ...options
} = JSON.parse(process.argv[2] ?? "{}") as TenantSettings;
const tenant = await startTenant(options);
if (!sparkline) tenant.control.fault({ path: "/sparkline$", effect: { kind: "status", status: 404 } });
if (textIds) tenant.control.fault({ path: "/details$", effect: { kind: "body", transform: withTextIds } });
if (ownPrincipals) tenant.control.fault({ path: "/details$", effect: { kind: "body", transform: withOwnPrincipals } });
let before = { requests: 0, connections: 0, sent: 0 };

process.on("message", (command: TenantCommand) => {
  if (command === "lap") process.send?.(lap());
  else process.disconnect();
});
process.on("disconnect", () => void tenant.close());
process.send?.(address(tenant));

function address({ url, tokenId, tokenKey, data }: Tenant): TenantAddress {
  const { id = "" } = data.environments[0] ?? {};
  const named = (kind: string): NamedObject[] =>
    data
      .nodesOf(id)
      .filter((node) => node.kind === kind)
      .map(({ objectId, name }) => ({ objectId, name }));
  const [group = { objectId: "", name: "" }] = named("Group");
  return { url, tokenId, tokenKey, users: named("User").slice(0, 10), group };
}

function lap(): Lap {
  const requests = tenant.requests.slice(before.requests);
  const { connections, traffic } = tenant;
  const seen: Lap = {
    requests: requests.length,
    connections: connections - before.connections,
    receivedBytes: traffic.sent - before.sent,
    refused: requests.filter(({ status }) => status === 429).length,
    firstRequestAt: arrivals[before.requests] ?? null,
    paths: requests.map(({ path }) => path),
  };
  before = { requests: tenant.requests.length, connections, sent: traffic.sent };
  return seen;
}

function withTextIds(body: string): string {
  return body.replace(/"id":(\d+)/g, (_, id: string) => `"id":"6f1d2c3b-0000-4000-8000-${id.padStart(12, "0")}"`);
}

/** Otherwise the principals repeat, and a finding is recognised by them. */
function withOwnPrincipals(body: string): string {
  const { data, ...rest } = JSON.parse(body) as { data: Record<string, unknown>[] };
  const own = data.map((finding) => {
    const field = "FromPrincipal" in finding ? "FromPrincipal" : "Principal";
    return { ...finding, [field]: `${String(finding["DomainSID"])}-${String(finding["id"])}` };
  });
  return JSON.stringify({ ...rest, data: own });
}
