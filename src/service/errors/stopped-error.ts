import type { Deadline } from "../../deadline.ts";
import type { SilentProxy } from "./connection-errors.ts";
import { AbortedError, DeadlineError, type Endpoint, ServiceError } from "./errors.ts";

/** How far an operation had come when it was stopped, as the end of a sentence, and what to do if it was the deadline. */
export interface StoppedWhere {
  readonly before: string;
  readonly advice: string;
}

const MORE_TIME = "Allow runs more time if this keeps happening.";
const SENT: StoppedWhere = { before: "before the service responded", advice: MORE_TIME };

export function whileWaiting({
  slowed,
  perSecond,
}: {
  readonly slowed: boolean;
  readonly perSecond: number;
}): StoppedWhere {
  const reason = slowed ? `: the service allows only ${rateText(perSecond)}` : "";
  return { before: `while requests waited for their turn${reason}`, advice: MORE_TIME };
}

export function whileConnecting({ advice }: SilentProxy): StoppedWhere {
  return {
    before: "before the proxy connected to the server",
    advice: `The request did not reach the service. ${advice}`,
  };
}

/**
 * Why an operation was not carried out.
 *
 * @param refusal - why the service refuses requests of its kind, if it does
 */
export function stoppedError(
  { method, path }: Endpoint,
  deadline: Deadline,
  refusal: unknown,
  { before, advice }: StoppedWhere = SENT,
): ServiceError {
  const endpoint = { method, path };
  if (deadline.expired) {
    const message = `The run reached its deadline ${before}. ${advice}`;
    return new DeadlineError(message, { whoActs: "service", endpoint });
  }
  if (deadline.reached) {
    const message = `The run was stopped ${before}. Start it again.`;
    return new AbortedError(message, { whoActs: "analyst", endpoint });
  }
  if (refusal instanceof ServiceError) return refusal;
  const message = "The request was cancelled, because its response is no longer needed.";
  return new AbortedError(message, { whoActs: "service", endpoint: { ...endpoint, optional: true } });
}

function rateText(perSecond: number): string {
  return perSecond < 1 ? `one in ${Math.round(1 / perSecond)} seconds` : `${perSecond} a second`;
}
