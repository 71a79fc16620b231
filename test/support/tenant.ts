import { startTenant as start, type Tenant, type TenantOptions } from "../../sandbox/tenant/index.ts";
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
