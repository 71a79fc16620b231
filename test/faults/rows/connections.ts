import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { selfSignedCertificate, type FaultEffect } from "../../../sandbox/tenant/index.ts";
import type { PollOptions } from "../../support/host.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";
import { document, incomplete, laterPages, noDescription, once, oneStream, unpaged, type FaultRow } from "../row.ts";

/** Long enough for everything but what stalls, on a busy machine too. */
const DEADLINE_MS = 6_000;
const certificates = temporaryFolder();

const missesNothing: FaultRow["expected"] = { status: "completed", delivered: 72, says: /Delivered 72 new findings/ };

const webPage = /The response is a web page, not data of the service\. It was discarded\. Check that Server is/;

function onLaterPages(fault: string, effect: FaultEffect, reason: RegExp): FaultRow {
  const expected = { status: "partial", delivered: 65, says: incomplete(reason) } as const;
  return { fault, at: laterPages, effect, expected };
}

/** A request that waits until the deadline ends the run, after everything else was read. */
function untilTheDeadline(fault: string, effect: FaultEffect): FaultRow {
  const says =
    /^The run reached its deadline before the service responded\. .*The next run continues with UNIFORM-0001\.TEST \/ \w+\. Delivered/;
  return {
    fault,
    at: laterPages,
    effect,
    under: () => ({ deadlineMs: DEADLINE_MS }),
    expected: { status: "partial", delivered: 65, says },
  };
}

/** What happens once is retried within the run. */
function onePage(fault: string, effect: FaultEffect): FaultRow {
  return { fault, at: once(laterPages), effect, expected: missesNothing };
}

/** A tenant whose certificate signed itself, and polls that trust it. */
function secured(name: string): Pick<FaultRow, "tenant"> & { clean: () => PollOptions } {
  const tls = selfSignedCertificate();
  const file = join(certificates, name);
  writeFileSync(file, tls.cert);
  return { tenant: { tls }, clean: () => ({ environment: { NODE_EXTRA_CA_CERTS: file } }) };
}

const another = secured("another.pem");

export const connections: FaultRow[] = [
  unpaged({
    fault: "connection refused",
    begin: ({ tenant }) => tenant.control.goAway(),
    end: ({ tenant }) => tenant.control.comeBack(),
    expected: {
      status: "failed",
      delivered: 0,
      says: /Nothing could be read\. The server refused the connection\. Check Server/,
    },
  }),
  onLaterPages(
    "connection dropped before the answer, each time",
    { kind: "drop", at: "before" },
    /The connection was closed before a response arrived\. Check Server/,
  ),
  onePage("connection dropped before the answer, once", { kind: "drop", at: "before" }),
  onLaterPages(
    "connection dropped in mid-body, each time",
    { kind: "drop", at: "mid-body" },
    /The connection was closed before the response was complete\. What had arrived was discarded\./,
  ),
  onePage("connection dropped in mid-body, once", { kind: "drop", at: "mid-body" }),
  onLaterPages(
    "JSON cut off",
    { kind: "truncate" },
    /The response from the service is not valid JSON, or was cut off\. It was discarded\./,
  ),
  onLaterPages("HTML with status 200 instead of a page", { kind: "html" }, webPage),
  {
    fault: "HTML with status 200 instead of a document",
    at: document("title"),
    effect: { kind: "html" },
    expected: { status: "partial", delivered: 72, says: noDescription(webPage) },
  },
  unpaged({
    fault: "HTML with status 200 instead of everything (a sign-in page)",
    effect: { kind: "html" },
    expected: { status: "failed", delivered: 0, says: webPage },
  }),
  untilTheDeadline("no answer until the run's deadline", { kind: "stall", at: "before" }),
  untilTheDeadline("half an answer, then nothing until the run's deadline", { kind: "stall", at: "mid-body" }),
  onLaterPages(
    "redirect to another host",
    { kind: "redirect", location: "https://elsewhere.example/login?next=1" },
    /The server redirects to https:\/\/elsewhere\.example\/login\. The redirect was not followed, so that the credentials stay/,
  ),
  unpaged({
    fault: "self-signed certificate",
    ...secured("self-signed.pem"),
    under: () => ({}),
    expected: {
      status: "failed",
      delivered: 0,
      says: /not issued by a certificate authority \(CA\) that this machine trusts\. Nothing was sent\. .*NODE_EXTRA_CA_CERTS/,
    },
  }),
  unpaged({
    fault: "certificate of another host",
    ...another,
    under: ({ tenant }) => ({ ...another.clean(), fields: { Server: `https://localhost:${tenant.port}` } }),
    expected: {
      status: "failed",
      delivered: 0,
      says: /certificate of the server is for another host name\. Nothing was sent\. Check Server/,
    },
  }),
  {
    fault: "the tenant goes away in the middle and stays away",
    tenant: oneStream,
    at: () => ({ path: "details", from: 3 }),
    effect: { kind: "run", run: (control) => control.goAway() },
    under: () => ({ run: { maxEventsPerAlert: 5 } }),
    end: ({ tenant }) => tenant.control.comeBack(),
    expected: { status: "partial", delivered: 11, says: incomplete(/The server refused the connection\./) },
  },
  {
    fault: "the tenant goes away in the middle and comes back",
    tenant: oneStream,
    at: () => ({ path: "details", from: 3, times: 1 }),
    effect: {
      kind: "run",
      run: async (control) => {
        await control.goAway();
        await control.comeBack();
      },
    },
    expected: { status: "completed", delivered: 30, says: /Delivered 30 new findings/ },
  },
];
