import { DateTime } from "luxon";
import { systemCode, UsageError } from "../failures.ts";
import { replaceDurably } from "../output/files.ts";
import type { Diagnosis } from "./doctor.ts";

/** Environment variables that change how Node connects; the report says which are set, and not to what. */
const VARIABLES = [
  "ALL_PROXY",
  "HTTPS_PROXY",
  "HTTP_PROXY",
  "NODE_EXTRA_CA_CERTS",
  "NODE_OPTIONS",
  "NODE_TLS_REJECT_UNAUTHORIZED",
  "NO_PROXY",
  "SSL_CERT_FILE",
];

/**
 * Writes what a support case needs, as JSON that only its owner may read: the checks, and of each request method, path, status
 * and a few headers.
 *
 * @throws UsageError when the file cannot be written, or is a link, a device, or anything else that is no file
 */
export async function writeBundle(file: string, diagnosis: Diagnosis, now: number): Promise<void> {
  const isSet = (name: string): boolean => (process.env[name] ?? process.env[name.toLowerCase()] ?? "") !== "";
  const report = {
    createdAt: DateTime.fromMillis(now, { zone: "utc" }).toISO(),
    ...diagnosis,
    environmentVariables: VARIABLES.filter(isSet),
  };
  try {
    await replaceDurably(file, `${JSON.stringify(report, null, 2)}\n`);
  } catch (error) {
    throw new UsageError(`The report cannot be written to ${file} (${systemCode(error)}). Choose another file.`);
  }
}
