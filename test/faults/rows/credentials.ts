import { incomplete, oneStream, unpaged, type FaultRow } from "../row.ts";

const HOUR_MS = 3_600_000;

function wrongField(fault: string, fields: Record<string, unknown>, says: RegExp): FaultRow {
  return { fault, under: () => ({ fields }), expected: { status: "failed", delivered: 0, says } };
}

function clockApart(fault: string, milliseconds: number, says: RegExp): FaultRow {
  return {
    fault,
    begin: ({ tenant }) => {
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

const rows: FaultRow[] = [
  wrongField(
    "wrong key",
    { "Token Key": "another-key" },
    /The service rejected the credentials: .*Token Key does not match Token ID/,
  ),
  wrongField(
    "unknown token id",
    { "Token ID": "00000000-0000-4000-8000-000000000002" },
    /The service rejected the credentials: .*The service does not know this Token ID\. Check Token ID/,
  ),
  wrongField(
    "token id that is not a UUID",
    { "Token ID": "my-token" },
    /Token ID must be the UUID of an API token\. Check Token ID/,
  ),
  {
    fault: "API keys disabled on the tenant",
    effect: { kind: "status", status: 401, message: "use of API keys has been disabled by an administrator" },
    expected: {
      status: "failed",
      delivered: 0,
      says: /API tokens are disabled on this tenant\. Ask the administrator/,
    },
  },
  {
    fault: "the key is revoked in the middle",
    tenant: oneStream,
    at: () => ({ path: "details", from: 3 }),
    effect: {
      kind: "status",
      status: 401,
      message: "unable to validate request signature for client: resource not found",
    },
    under: () => ({ run: { maxEventsPerAlert: 5 } }),
    expected: {
      status: "partial",
      delivered: 11,
      says: /^The service rejected the credentials: .*The next run continues with UNIFORM-0001\.TEST \/ T0GenericAll\./,
    },
  },
  clockApart(
    "the tenant's clock three hours ahead",
    3 * HOUR_MS,
    /The clock of this machine is 3 h behind the service's\. .*Set the clock/,
  ),
  clockApart(
    "the tenant's clock three hours behind",
    -3 * HOUR_MS,
    /The clock of this machine is 3 h ahead of the service's\. .*Set the clock/,
  ),
  {
    fault: "one environment forbidden",
    begin: ({ tenant, environmentId }) => {
      tenant.control.forbid(environmentId);
    },
    end: ({ tenant, environmentId }) => {
      tenant.control.allow(environmentId);
    },
    expected: {
      status: "partial",
      delivered: 36,
      says: incomplete(/Permission denied: .*their user may not read this\./, /UNIFORM-0001\.TEST/),
    },
  },
  timeZone("Pacific/Kiritimati"),
  timeZone("America/St_Johns"),
];

export const credentials = rows.map(unpaged);
