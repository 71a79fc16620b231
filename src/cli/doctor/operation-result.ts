import { MINUTE_MS } from "../../clock.ts";
import { durationText } from "../../text.ts";
import { quoted } from "../../service/errors/error-body.ts";
import { NotFoundError, type ServiceError } from "../../service/errors/errors.ts";
import { type CheckResult, failed, ok, skipped, warning } from "./check.ts";

/** How an operation went: of one environment, or as a whole. */
export interface Attempt {
  readonly environment: string | null;
  readonly error: ServiceError | null;
  /** Whether the answer, or some of it, can be used. */
  readonly works: boolean;
}

/** What a check needs to know about an operation to judge it. */
export interface JudgedOperation {
  /** Method and path, as the documentation of the service writes them. */
  readonly request: string;
  readonly usedBy: "the connector" | "the actions" | "the command line";
  /** Whether the connector cannot run without it. */
  readonly required?: boolean;
  /** What to say when the service answers 404 to all requests. */
  readonly missing?: Advice;
}

interface Advice {
  readonly cause: string;
  readonly fix: string;
}

const LATER = "Run this check again later. If it keeps failing, contact the support of the service.";

/** @param waitMs - how long the service wants to be left alone; null when it does not say */
export function exhausted(waitMs: number | null): Advice {
  return {
    cause: "The rate limit is exhausted: the service refuses further requests for now (status 429).",
    fix: `Wait ${durationText(Math.max(MINUTE_MS, waitMs ?? 0))} and try again. The limit counts all clients behind the same address: run other integrations less often, or at other times.`,
  };
}

/** @param untried - why there are no attempts */
export function resultOf(
  operation: JudgedOperation,
  attempts: readonly Attempt[],
  untried = "the service lists no finding type to try it on",
): CheckResult {
  const { usedBy, required = false } = operation;
  if (attempts.length === 0) return skipped(`Not tried: ${untried}.`);
  const problems = attempts.filter(({ error }) => error !== null);
  const [problem] = problems;
  const facts = { usedBy, tried: attempts.length, failed: problems.length };
  if (problem?.error == null) return ok(`Allowed. Used by ${usedBy}.`, facts);
  const { error } = problem;
  const all = { ...facts, code: error.code };
  const nothingWorks = !attempts.some(({ works }) => works);
  const { cause, fix } = explain(error, operation, nothingWorks && problems.length === attempts.length);
  if (!required && (error.code === "rate_limited" || isUnknownObject(error)))
    return skipped(`Not tried. ${cause}`, all);
  const names = problems.flatMap(({ environment }) => environment ?? []).slice(0, 5);
  const place = names.length === 0 || problems.length === attempts.length ? "" : `${names.join(", ")}: `;
  const tell = nothingWorks && (required || error.code === "not_found") ? failed : warning;
  return tell(`${place}${cause} Used by ${usedBy}.`, fix, all);
}

/** A 404 of the service itself. It may come before the permission is checked, and proves nothing about the operation. */
function isUnknownObject(error: ServiceError): boolean {
  return error instanceof NotFoundError && error.wrapped;
}

function explain(
  { code, message, messages, wrapped, status, whoActs, retryAfterMs }: ServiceError,
  { request, usedBy, required = false, missing }: JudgedOperation,
  always: boolean,
): Advice {
  switch (code) {
    case "forbidden":
      return { cause: message, fix: "Give the user of the token the role Auditor, or another that may read this." };
    case "not_found":
      if (always && missing !== undefined) return missing;
      if (!wrapped)
        return {
          cause: `The service, or a gateway in front of it, does not offer ${request} (status 404).`,
          fix: "Update the service, have the gateway let the request pass, or do without what needs this operation.",
        };
      return required
        ? { cause: `The service does not know what it has just listed (${request}, status 404).`, fix: LATER }
        : { cause: `The service does not know the object that ${request} was tried on (status 404).`, fix: LATER };
    case "bad_request":
      // Nobody entered the names and IDs of these requests, so advice to check them would mislead.
      return whoActs === "administrator"
        ? { cause: message, fix: "Correct this, and run this check again." }
        : {
            cause: `The service rejects the requests of ${usedBy}${quoted(messages)} (${request}, status ${status ?? "unknown"}).`,
            fix: LATER,
          };
    case "rate_limited":
      return exhausted(retryAfterMs);
    default:
      return { cause: message, fix: LATER };
  }
}
