import type { Tenant } from "../../sandbox/tenant/index.ts";
import { TestHost, type Poll } from "../support/host.ts";
import { builtPackage } from "../support/package.ts";
import { builtProgram } from "../support/program.ts";
import { firstStream, withTenant } from "../support/tenant.ts";
import type { FaultRow, RowOutcome, Stage } from "./row.ts";
import { connections } from "./rows/connections.ts";
import { credentials } from "./rows/credentials.ts";
import { limits } from "./rows/limits.ts";
import { newFindings } from "./rows/new-findings.ts";
import { oddRecords } from "./rows/odd-records.ts";
import { serverErrors } from "./rows/server-errors.ts";
import { states } from "./rows/states.ts";
import { tenantChanges } from "./rows/tenant-changes.ts";
import { mapSome } from "./some.ts";

const ROWS: FaultRow[] = [
  ...limits,
  ...serverErrors,
  ...connections,
  ...credentials,
  ...newFindings,
  ...tenantChanges,
  ...oddRecords,
  ...states,
];
/** Rows wait for most of their time: for starts, stalls, retries. */
const AT_A_TIME = 4;
const dataset = { environments: 2, findingTypes: 3, findingsPerPair: 12 };

/** Its run under the fault, which fails, shows that a process says the same. */
const [byProcess] = serverErrors;

/**
 * Runs every row on the built plugin: on the program that it holds, in this process.
 *
 * @param asProcesses - starts `node plugin.mjs` for every run, as a host does; otherwise only for the run under the fault in one
 *   row, and for runs that differ in the environment of their process
 */
export async function runMatrix(asProcesses: boolean): Promise<RowOutcome[]> {
  const { plugin } = await builtPackage();
  const program = await builtProgram();
  return mapSome(ROWS, AT_A_TIME, (row) =>
    withTenant({ dataset, maxPageSize: 5, ...row.tenant }, (tenant) =>
      play(row, tenant, new TestHost(tenant, asProcesses ? { plugin } : { plugin, program })).catch(
        (error: unknown) => {
          throw new Error(`Row "${row.fault}" could not be run`, { cause: error });
        },
      ),
    ),
  );
}

/** The polls before the fault, the poll under it, and a clean one. */
async function play(row: FaultRow, tenant: Tenant, host: TestHost): Promise<RowOutcome> {
  const stage: Stage = { tenant, host, ...firstStream(tenant) };
  for (let polls = 0; polls < (row.before ?? 0); polls++) await host.poll(row.clean?.(stage));
  if (row.effect !== undefined) tenant.control.fault({ ...row.at?.(stage), effect: row.effect });
  await row.begin?.(stage);
  const under = await host.poll({ ...(row === byProcess && { asProcess: true }), ...row.under?.(stage) });
  const missingUnder = host.stored.missing(tenant);
  tenant.control.clearFaults();
  tenant.control.setRateLimit(null);
  tenant.control.skewClock(0);
  await row.end?.(stage);
  const clean = await host.poll(row.clean?.(stage));
  return {
    row,
    under,
    missing: { under: missingUnder, clean: host.stored.missing(tenant) },
    clean,
    repeated: host.stored.repeated.length,
    stateCharacters: JSON.stringify(host.state).length,
    told: told(under, tenant),
  };
}

/** Which streams have had their turn when the host accepts no more alerts is a matter of timing. */
const MANY_STREAMS = /(The next run continues with )(?:\S+ \/ \S+, )+\S+ \/ \S+\./g;

/** The message without what differs from run to run, and without the request in brackets. */
function told({ message }: Poll, tenant: Tenant): string {
  return message
    .replaceAll(tenant.url, "https://tenant.example")
    .replaceAll(/ \(GET [^)]*\)/g, "")
    .replaceAll(/(no sooner than )\d+ s/g, "$1… s")
    .replaceAll(MANY_STREAMS, "$1… (several streams).")
    .replaceAll(/\d+\.\d\d minutes/g, "… minutes")
    .replaceAll(/\d{4}-\d\d-\d\dT[0-9:.]+Z/g, "…");
}
