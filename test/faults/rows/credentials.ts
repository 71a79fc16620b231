import type { TenantOptions } from "../../../sandbox/tenant/index.ts";
import { onePair, type FaultRow, type Stage } from "../row.ts";

const HOUR_MS = 3_600_000;

function refused(fault: string, says: RegExp, fields: Record<string, unknown>, tenant?: TenantOptions): FaultRow {
  return {
    fault,
    ...(tenant && { tenant }),
    under: () => ({ fields }),
    expected: { status: "failed", delivered: 0, says },
  };
}

function clockApart(fault: string, milliseconds: number, says: RegExp): FaultRow {
  return {
    fault,
    begin: ({ tenant }: Stage) => {
      tenant.control.skewClock(milliseconds);
    },
    expected: { status: "failed", delivered: 0, says },
  };
}

/** The hour of the signature and the window of a poll are UTC, whatever the machine shows. */
function timeZone(zone: string): FaultRow {
  return {
    fault: `the plugin's machine in the time zone ${zone}`,
    before: 1,
    begin: ({ tenant, environmentId }) => {
      tenant.control.analyse(environmentId, { findings: 2 });
    },
    under: () => ({ environment: { TZ: zone } }),
    expected: { status: "completed", delivered: 6, says: /6 new findings/ },
  };
}

export const credentials: FaultRow[] = [
  refused("wrong key", /did not accept the credentials.*Token Key does not belong/, { "Token Key": "another-key" }),
  refused("unknown token id", /does not know this Token ID/, { "Token ID": "00000000-0000-4000-8000-000000000002" }),
  refused("token id that is none", /must be the UUID of an API token/, { "Token ID": "my-token" }),
  {
    fault: "API keys disabled on the tenant",
    begin: ({ tenant }) => {
      const message = "use of API keys has been disabled by an administrator";
      tenant.control.fault({ effect: { kind: "status", status: 401, message } });
    },
    expected: { status: "failed", delivered: 0, says: /does not allow API tokens/ },
  },
  {
    fault: "the key is revoked in the middle",
    tenant: onePair,
    begin: ({ tenant }) => {
      const message = "unable to validate request signature for client: resource not found";
      tenant.control.fault({ path: "details", from: 3, effect: { kind: "status", status: 401, message } });
    },
    under: () => ({ run: { maxEventsPerAlert: 5 } }),
    expected: { status: "partial", delivered: 11, says: /did not accept the credentials/ },
  },
  clockApart("the tenant's clock three hours ahead", 3 * HOUR_MS, /3 h behind the service's.*Set the clock/),
  clockApart("the tenant's clock three hours behind", -3 * HOUR_MS, /3 h ahead of the service's.*Set the clock/),
  {
    fault: "one environment forbidden",
    begin: ({ tenant, environmentId }) => {
      tenant.control.forbid(environmentId);
    },
    end: ({ tenant, environmentId }) => {
      tenant.control.allow(environmentId);
    },
    expected: { status: "partial", delivered: 36, says: /Not fully read: UNIFORM-0001\.TEST\. .*may not read this/ },
  },
  timeZone("Pacific/Kiritimati"),
  timeZone("America/St_Johns"),
];
