import type { JsonObject } from "../../runtime/protocol.ts";
import { createRedactor } from "../../runtime/redaction.ts";
import { secretOf } from "../../service/credentials.ts";
import { ServiceError } from "../../service/errors/errors.ts";
import { type Check, type CheckResult, failed, skipped } from "./check.ts";
import { decoded } from "../../service/http/tunnel.ts";
import { networkChecks } from "./network-checks.ts";
import { permissionChecks } from "./permission-checks.ts";
import { Examination, type ExaminationOptions } from "./examination.ts";
import { Patience } from "./patience.ts";
import type { RecordedRequest } from "./recorder.ts";
import { serviceChecks } from "./service-checks.ts";

/** All checks, in the order in which they run: each comes after those that it needs. */
export const checks: readonly Check[] = [...networkChecks, ...serviceChecks, ...permissionChecks];

export type CheckReport = {
  readonly name: string;
  readonly title: string;
  readonly status: CheckResult["status"];
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
  /** Called before a check waits for the rate limit. */
  readonly waiting: (ms: number) => void;
}

/** Runs all checks, or as many as the deadline allows. Nothing that it returns holds the credentials, also when the service repeats them. */
export async function diagnose(options: DiagnoseOptions): Promise<Diagnosis> {
  const examination = new Examination(options);
  const patience = new Patience(examination, options);
  const reports: CheckReport[] = [];
  /** Checks that failed, or were not run because of one that failed, by name. */
  const unmet = new Map<string, CheckReport>();
  const redactor = createRedactor(secretsOf(options));
  try {
    for (const check of checks) {
      const blocking = check.needs.map((name) => unmet.get(name)).find((report) => report !== undefined);
      const result = blocking === undefined ? await patience.run(() => attempt(check, examination)) : notRun(blocking);
      // A check that was stopped has found out nothing.
      if (options.deadline.reached) break;
      const report = redactor.json(reportOf(check, result));
      if (blocking !== undefined || report.status === "failed") unmet.set(check.name, report);
      reports.push(report);
      await options.tell(report);
    }
  } finally {
    examination.close();
  }
  const exchanges = redactor.json(examination.exchanges);
  const canRun = reports.length === checks.length && ![...unmet.values()].some(({ required }) => required);
  return { canRun, checks: reports, exchanges };
}

function notRun(blocking: CheckReport): CheckResult {
  return skipped(`Not checked, because it needs: ${blocking.title}.`);
}

function reportOf({ name, title, required }: Check, result: CheckResult): CheckReport {
  const { status, summary, fix = null, facts = {} } = result;
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
  const texts = ["HTTPS_PROXY", "https_proxy", "ALL_PROXY", "all_proxy"].map((name) => process.env[name] ?? "");
  // The scheme may be missing: `proxyFor` takes http then.
  const proxies = texts.map((text) => (text.includes("://") ? text : `http://${text}`));
  const passwords = proxies.flatMap((text) => (URL.canParse(text) ? [new URL(text).password] : []));
  return [secretOf(credentials).reveal(), ...passwords.flatMap((password) => [password, decoded(password)])];
}
