import { startTenant as start, type Tenant, type TenantOptions, type WireFinding } from "../../sandbox/tenant/index.ts";
import { afterSuite } from "./cleanup.ts";

/** Starts a simulated tenant, which is closed when the suite is over. */
export async function startTenant(options: TenantOptions = {}): Promise<Tenant> {
  const tenant = await start(options);
  afterSuite(() => tenant.close());
  return tenant;
}

/** Lends a tenant to suites that need many of them, one after the other. */
export async function withTenant<T>(options: TenantOptions, use: (tenant: Tenant) => Promise<T>): Promise<T> {
  const tenant = await start(options);
  try {
    return await use(tenant);
  } finally {
    await tenant.close();
  }
}

/** The first environment and finding type of a tenant: the place of whatever happens to one stream. */
export function firstStream({ data }: Tenant): { environmentId: string; findingType: string } {
  const environmentId = data.environments[0]?.id ?? "";
  return { environmentId, findingType: data.findingTypes(environmentId)[0] ?? "" };
}

/** Findings that the tenant serves for a stream, in the order of the column (or of their ids), without deleted ones. */
export function servedFindings(
  { data }: Tenant,
  environmentId: string,
  findingType: string,
  sort: readonly { column: string; descending: boolean }[] = [],
): WireFinding[] {
  const everything = { filters: [], sort, unsorted: "id" as const, skip: 0, limit: Number.MAX_SAFE_INTEGER };
  const { findings } = data.findings(environmentId, findingType)?.query(everything) ?? { findings: [] };
  return findings.filter(({ deleted_at }: Partial<WireFinding>) => deleted_at?.valid !== true);
}
