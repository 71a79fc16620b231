import { randomUUID } from "node:crypto";
import type { WireError } from "./wire.ts";

export interface Answer {
  status: number;
  headers: Record<string, string>;
  body: string | Buffer;
}

/** A request that the service refuses; it becomes the error wrapper (service API, section Errors). */
export class Refusal extends Error {
  readonly status: number;
  readonly context: string;

  constructor(status: number, message: string, context = contextOf(status)) {
    super(message);
    this.status = status;
    this.context = context;
  }
}

function contextOf(status: number): string {
  if (status === 401) return "login";
  return status === 429 ? "middleware" : "clients";
}

export function jsonAnswer(value: unknown, status = 200): Answer {
  return { status, headers: { "Content-Type": "application/json" }, body: JSON.stringify(value) };
}

export function textAnswer(text: string, contentType: string, status = 200): Answer {
  return { status, headers: { "Content-Type": contentType }, body: text };
}

/** The service's success shape. */
export function dataAnswer(data: unknown): Answer {
  return jsonAnswer({ data });
}

export function errorAnswer(refusal: Refusal, now: number, requestId: string = randomUUID()): Answer {
  const wrapper: WireError = {
    http_status: refusal.status,
    timestamp: new Date(now).toISOString(),
    request_id: requestId,
    errors: [{ context: refusal.context, message: refusal.message }],
  };
  return jsonAnswer(wrapper, refusal.status);
}
