import type { JsonObject } from "../../runtime/protocol.ts";
import { createRedactor } from "../../runtime/redaction.ts";
import { secretOf } from "../../service/credentials.ts";
import { ServiceError } from "../../service/errors/errors.ts";
import { type Check, type CheckResult, failed } from "./check.ts";
import { decoded } from "./network.ts";
import { networkChecks } from "./network-checks.ts";
import { permissionChecks } from "./permission-checks.ts";
import { Examination, type ExaminationOptions } from "./examination.ts";
import type { RecordedRequest } from "./recorder.ts";
import { serviceChecks } from "./service-checks.ts";

/** All checks, in the order in which they run: each comes after those that it needs. */
export const checks: readonly Check[] = [...networkChecks, ...serviceChecks, ...permissionChecks];

export type CheckReport = {
  readonly name: string;
  readonly title: string;
  readonly status: CheckResult["status"] | "skipped";
  /** Whether the connector cannot run without it. */
  readonly required: boolean;
  /** What was found; of a problem, its cause. */
  readonly summary: string;
  /** What to do; null when there is nothing to do. */
  readonly fix: string | null;
  readonly facts: JsonObject;
};

export interface Diagnosis {
  /** Whether the connector can run. */
  readonly canRun: boolean;
  readonly checks: readonly CheckReport[];
  /** Requests that were sent to the service. */
  readonly exchanges: readonly RecordedRequest[];
}

export interface DiagnoseOptions extends ExaminationOptions {
  /** Called after each check. */
  tell(report: CheckReport): Promise<void>;
}

/** Runs all checks, or as many as the deadline allows. Nothing that it returns holds the credentials, also when the service repeats them. */
export async function diagnose(options: DiagnoseOptions): Promise<Diagnosis> {
  const examination = new Examination(options);
  const reports = new Map<string, CheckReport>();
  const redactor = createRedactor(secretsOf(options));
  try {
    for (const check of checks) {
      if (options.deadline.reached) break;
      const blocking = check.needs.map((name) => reports.get(name)).find((report) => report && !isPassed(report));
      const report = redactor.json(await reportOf(check, blocking, examination));
      reports.set(check.name, report);
      await options.tell(report);
    }
  } finally {
    examination.close();
  }
  const all = [...reports.values()];
  const exchanges = redactor.json(examination.exchanges);
  const canRun = all.length === checks.length && all.every((report) => !report.required || isPassed(report));
  return { canRun, checks: all, exchanges };
}

function isPassed({ status }: CheckReport): boolean {
  return status === "ok" || status === "warning";
}

async function reportOf(
  check: Check,
  blocking: CheckReport | undefined,
  examination: Examination,
): Promise<CheckReport> {
  const { name, title, required } = check;
  if (blocking !== undefined) {
    const summary = `Not checked, because it needs: ${blocking.title}.`;
    return { name, title, status: "skipped", required, summary, fix: null, facts: {} };
  }
  const { status, summary, fix = null, facts = {} } = await attempt(check, examination);
  return { name, title, status, required, summary, fix, facts };
}

async function attempt(check: Check, examination: Examination): Promise<CheckResult> {
  try {
    return await check.run(examination);
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    return failed(error.message, "Run doctor again. If it keeps failing, contact the support of the service.", {
      code: error.code,
    });
  }
}

/** The credentials of the service, and those of the proxy. */
function secretsOf({ credentials }: ExaminationOptions): string[] {
  const proxies = ["HTTPS_PROXY", "https_proxy", "ALL_PROXY", "all_proxy"].map((name) => process.env[name] ?? "");
  const passwords = proxies.flatMap((text) => (URL.canParse(text) ? [new URL(text).password] : []));
  return [secretOf(credentials).reveal(), ...passwords.flatMap((password) => [password, decoded(password)])];
}
