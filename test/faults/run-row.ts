import { startTenant, type Tenant } from "../../sandbox/tenant/index.ts";
import { ProcessHost, type Poll } from "./host.ts";
import type { FaultRow, RowOutcome, Stage } from "./row.ts";

const dataset = { environments: 2, findingTypes: 3, findingsPerPair: 12 };

/** Runs one row: the polls before, the poll under the fault, the clean poll. */
export async function runRow(row: FaultRow, plugin: string): Promise<RowOutcome> {
  const tenant = await startTenant({ dataset, maxPageSize: 5, ...row.tenant });
  try {
    return await play(row, tenant, new ProcessHost(plugin, tenant));
  } catch (error) {
    throw new Error(`Row "${row.fault}" could not be run`, { cause: error });
  } finally {
    await tenant.close();
  }
}

async function play(row: FaultRow, tenant: Tenant, host: ProcessHost): Promise<RowOutcome> {
  const environmentId = tenant.data.environments[0]?.id ?? "";
  const stage: Stage = { tenant, host, environmentId, findingType: tenant.data.findingTypes(environmentId)[0] ?? "" };
  for (let polls = 0; polls < (row.before ?? 0); polls++) await host.poll(row.clean?.(stage));
  await row.begin?.(stage);
  const under = await host.poll(row.under?.(stage));
  const missingUnder = host.book.missing(tenant);
  tenant.control.clearFaults();
  tenant.control.setRateLimit(null);
  tenant.control.skewClock(0);
  await row.end?.(stage);
  const clean = await host.poll(row.clean?.(stage));
  return {
    row,
    under,
    missing: { under: missingUnder, clean: host.book.missing(tenant) },
    clean,
    repeated: host.book.repeated,
    stateCharacters: JSON.stringify(host.state).length,
    told: told(under, tenant),
  };
}

/** The message without what differs from run to run, and without the request in brackets. */
function told({ message }: Poll, tenant: Tenant): string {
  return message
    .replaceAll(tenant.url, "https://tenant.example")
    .replaceAll(/ \(GET [^)]*\)/g, "")
    .replaceAll(/(at the earliest in )\d+ s/g, "$1… s")
    .replaceAll(/\d{4}-\d\d-\d\dT[0-9:.]+Z/g, "…");
}
