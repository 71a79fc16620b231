import type { JsonObject } from "../../runtime/protocol.ts";
import type { Examination } from "./examination.ts";

export interface CheckResult {
  /** Skipped: there is nothing to try it on, or no need to. */
  readonly status: "ok" | "warning" | "failed" | "skipped";
  /** What was found; of a problem, its cause. One or more sentences. */
  readonly summary: string;
  /** What to do about it; absent when there is nothing to do. */
  readonly fix?: string;
  readonly facts?: JsonObject;
}

/** One question about the way to the service. */
export interface Check {
  readonly name: string;
  readonly title: string;
  /** Names of the checks without which this one means nothing; it is not run when one of them failed or was not run. */
  readonly needs: readonly string[];
  /** Whether the connector cannot run when this check fails. */
  readonly required: boolean;
  run(examination: Examination): CheckResult | Promise<CheckResult>;
}

export function ok(summary: string, facts?: JsonObject): CheckResult {
  return { status: "ok", summary, ...(facts && { facts }) };
}

/** Nothing was tried, so nothing is known to work. */
export function skipped(summary: string, facts?: JsonObject): CheckResult {
  return { status: "skipped", summary, ...(facts && { facts }) };
}

export function warning(summary: string, fix: string, facts?: JsonObject): CheckResult {
  return { status: "warning", summary, fix, ...(facts && { facts }) };
}

export function failed(summary: string, fix: string, facts?: JsonObject): CheckResult {
  return { status: "failed", summary, fix, ...(facts && { facts }) };
}
