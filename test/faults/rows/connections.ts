import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { selfSignedCertificate, type FaultEffect, type TenantOptions } from "../../../sandbox/tenant/index.ts";
import type { PollOptions } from "../host.ts";
import { onePair, type FaultRow } from "../row.ts";

/** Long enough for everything but what stalls, on a busy machine too. */
const DEADLINE_MS = 6_000;

const missesNothing: FaultRow["expected"] = { status: "completed", delivered: 72, says: /Delivered 72 new findings/ };

function missesOnePair(says: RegExp): FaultRow["expected"] {
  return { status: "partial", delivered: 65, says };
}

/** A fault of the second page of the first pair. */
function onSecondPage(
  fault: string,
  effect: FaultEffect,
  expected: FaultRow["expected"],
  { times, deadlineMs }: { times?: number; deadlineMs?: number } = {},
): FaultRow {
  return {
    fault,
    begin: ({ tenant, environmentId, findingType }) => {
      tenant.control.fault({
        path: `${environmentId}/details`,
        query: { finding: findingType, skip: "4" },
        effect,
        ...(times !== undefined && { times }),
      });
    },
    ...(deadlineMs !== undefined && { under: () => ({ deadlineMs }) }),
    expected,
  };
}

/** A tenant whose certificate signed itself, and polls that trust it. */
function secured(folder: string, name: string): { tenant: TenantOptions; clean: () => PollOptions } {
  const tls = selfSignedCertificate();
  const file = join(folder, name);
  writeFileSync(file, tls.cert);
  return { tenant: { tls }, clean: () => ({ environment: { NODE_EXTRA_CA_CERTS: file } }) };
}

/** @param folder - for files that plugins read */
export function connections(folder: string): FaultRow[] {
  const another = secured(folder, "another.pem");
  return [
    {
      fault: "connection refused",
      begin: ({ tenant }) => tenant.control.goAway(),
      end: ({ tenant }) => tenant.control.comeBack(),
      expected: { status: "failed", delivered: 0, says: /refuses connections.*Check Server/ },
    },
    onSecondPage(
      "connection dropped before the answer, each time",
      { kind: "drop", at: "before" },
      missesOnePair(/connection was dropped before an answer came/),
    ),
    onSecondPage("connection dropped before the answer, once", { kind: "drop", at: "before" }, missesNothing, {
      times: 1,
    }),
    onSecondPage(
      "connection dropped in mid-body, each time",
      { kind: "drop", at: "mid-body" },
      missesOnePair(/broke off before its end/),
    ),
    onSecondPage("connection dropped in mid-body, once", { kind: "drop", at: "mid-body" }, missesNothing, { times: 1 }),
    onSecondPage("JSON cut off", { kind: "truncate" }, missesOnePair(/broken or cut-off JSON/)),
    onSecondPage("HTML with status 200 instead of a page", { kind: "html" }, missesOnePair(/web page answered/)),
    {
      fault: "HTML with status 200 instead of a document",
      begin: ({ tenant, findingType }) => {
        tenant.control.fault({ path: `${findingType}/title`, effect: { kind: "html" } });
      },
      expected: { status: "partial", delivered: 72, says: /Texts of \w+ could not be read/ },
    },
    {
      fault: "HTML with status 200 instead of everything (a sign-in page)",
      begin: ({ tenant }) => {
        tenant.control.fault({ effect: { kind: "html" } });
      },
      expected: { status: "failed", delivered: 0, says: /web page answered/ },
    },
    onSecondPage(
      "no answer until the run's deadline",
      { kind: "stall", at: "before" },
      missesOnePair(/run's time is over/),
      { deadlineMs: DEADLINE_MS },
    ),
    onSecondPage(
      "half an answer, then nothing until the run's deadline",
      { kind: "stall", at: "mid-body" },
      missesOnePair(/run's time is over/),
      { deadlineMs: DEADLINE_MS },
    ),
    onSecondPage(
      "redirect to another host",
      { kind: "redirect", location: "https://elsewhere.example/login?next=1" },
      missesOnePair(/pointed to https:\/\/elsewhere\.example\/login .*credentials are not sent/),
    ),
    {
      fault: "self-signed certificate",
      ...secured(folder, "self-signed.pem"),
      under: () => ({}),
      expected: { status: "failed", delivered: 0, says: /authority that this machine does not trust/ },
    },
    {
      fault: "certificate of another host",
      ...another,
      under: ({ tenant }) => ({ ...another.clean(), fields: { Server: `https://localhost:${tenant.port}` } }),
      expected: { status: "failed", delivered: 0, says: /belongs to another host name/ },
    },
    {
      fault: "the tenant goes away in the middle and stays away",
      tenant: onePair,
      begin: ({ tenant }) => {
        const effect: FaultEffect = { kind: "run", run: (control) => control.goAway() };
        tenant.control.fault({ path: "details", from: 3, effect });
      },
      under: () => ({ run: { maxEventsPerAlert: 5 } }),
      end: ({ tenant }) => tenant.control.comeBack(),
      expected: { status: "partial", delivered: 11, says: /Not fully read: .* refuses connections/ },
    },
    onSecondPage(
      "the tenant goes away in the middle and comes back",
      {
        kind: "run",
        run: async (control) => {
          await control.goAway();
          await control.comeBack();
        },
      },
      missesNothing,
      { times: 1 },
    ),
  ];
}
