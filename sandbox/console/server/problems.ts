import { ParameterError } from "../../../src/runtime/errors.ts";
import { ServiceError } from "../../../src/service/errors/errors.ts";
import { explained, HostError, PackageRefused } from "../../soar/index.ts";
import type { Problem } from "../contract/index.ts";

type ProblemStatus = 400 | 401 | 403 | 404 | 409 | 411 | 413 | 415 | 500 | 502 | 507;

/** A request that is refused, and why, in a sentence for the person at the page. */
export class Refusal extends Error {
  override name = "Refusal";
  readonly status: ProblemStatus;
  readonly parameter: string | undefined;

  constructor(status: ProblemStatus, message: string, parameter?: string) {
    super(message);
    this.status = status;
    this.parameter = parameter;
  }
}

/** The value, or the refusal that there is none: 404. */
export function found<T>(value: T | null | undefined, what: string): T {
  if (value === null || value === undefined)
    throw new Refusal(404, `${what} does not exist. It may have been removed.`);
  return value;
}

/** What the page may show about an error; null when only the host's log may hold it. */
export function problemOf(thrown: unknown): { status: ProblemStatus; problem: Problem } | null {
  const error = explained(thrown);
  if (error instanceof Refusal) {
    const { status, message, parameter } = error;
    return { status, problem: { message, ...(parameter !== undefined && { parameter }) } };
  }
  if (error instanceof ParameterError)
    return { status: 400, problem: { message: error.message, parameter: error.label } };
  if (error instanceof HostError) return { status: error.status, problem: { message: error.message } };
  if (error instanceof ServiceError) return { status: 502, problem: { message: error.message } };
  if (error instanceof PackageRefused) return { status: 400, problem: { message: error.message } };
  return null;
}
