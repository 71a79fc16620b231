import { AttackPathClient } from "../src/client/index.ts";
import type { JobAlert, JobFinding } from "../src/runtime/protocol.ts";
import type { TenantAddress } from "./tenant-messages.ts";

const FINDINGS_PER_ALERT = 30;

/** Open alerts about everything that the tenant lists. */
export async function openAlerts({ url, tokenId, tokenKey }: TenantAddress): Promise<JobAlert[]> {
  const client = new AttackPathClient({ server: url, credentials: { tokenId, tokenKey } });
  const alerts: JobAlert[] = [];
  try {
    const open = new Map<string, JobAlert & { findings: JobFinding[] }>();
    for await (const { record } of client.allFindings()) {
      const { DomainSID: environmentId = "", Finding: findingType = "", id = "", created_at: createdAt = "" } = record;
      const stream = `${environmentId}/${findingType}`;
      let alert = open.get(stream);
      if (alert === undefined || alert.findings.length === FINDINGS_PER_ALERT) {
        const common = { environmentId, findingType, status: "open", closedBy: null, closedAt: null } as const;
        alert = { ...common, alertId: `alert-${alerts.length}`, severity: "high", priority: 80, findings: [] };
        open.set(stream, alert);
        alerts.push(alert);
      }
      const { FromPrincipal: source = null, ToPrincipal, Principal = "" } = record;
      alert.findings.push({
        id: String(id),
        source,
        target: ToPrincipal ?? Principal,
        createdAt: Date.parse(createdAt),
      });
    }
  } finally {
    client.close();
  }
  return alerts;
}
