import { Refusal, errorAnswer, textAnswer, type Answer } from "./answer.ts";
import type { Fault, FaultEffect, FaultRequest } from "./faults.ts";

interface Entry {
  fault: Fault;
  path: RegExp | null;
  seen: number;
}

/** The faults that are set, each with the number of requests it has matched. */
export class FaultBook {
  #entries: Entry[] = [];

  add(fault: Fault): void {
    const path = fault.path === undefined ? null : new RegExp(fault.path);
    this.#entries.push({ fault, path, seen: 0 });
  }

  clear(): void {
    this.#entries = [];
  }

  /** The effects that are due for this request, in the order in which they were set. */
  due(request: FaultRequest): FaultEffect[] {
    const due: FaultEffect[] = [];
    for (const entry of this.#entries.filter((candidate) => matches(candidate, request))) {
      const { from = 1, times = Infinity, effect } = entry.fault;
      entry.seen += 1;
      if (entry.seen >= from && entry.seen < from + times) due.push(effect);
    }
    return due;
  }
}

function matches({ fault, path }: Entry, request: FaultRequest): boolean {
  if (path !== null && !path.test(request.path)) return false;
  if (fault.method !== undefined && fault.method !== request.method) return false;
  for (const [name, wanted] of Object.entries(fault.query ?? {})) {
    const value = request.query.get(name);
    if (value === null || (typeof wanted === "string" ? value !== wanted : !wanted.test(value))) return false;
  }
  return fault.when === undefined || fault.when(request);
}

const GATEWAY_PAGE = "<!DOCTYPE html><html><head><title>Gateway</title></head><body><h1>Gateway</h1></body></html>";

/** The answer of a fault that replaces the true one; null for a fault that needs the true answer, or sends none. */
export function replacement(effect: FaultEffect, now: number): Answer | null {
  switch (effect.kind) {
    case "status": {
      const answer = statusAnswer(effect.status, effect.body ?? "json", effect.message, now);
      return { ...answer, headers: { ...answer.headers, ...effect.headers } };
    }
    case "redirect":
      return { status: effect.status ?? 302, headers: { Location: effect.location }, body: "" };
    case "html":
      return textAnswer(GATEWAY_PAGE, "text/html; charset=utf-8");
    default:
      return null;
  }
}

function statusAnswer(status: number, body: string, message: string | undefined, now: number): Answer {
  const text = message ?? "an internal error has occurred that is preventing the service from servicing this request";
  if (body === "html") return textAnswer(GATEWAY_PAGE, "text/html; charset=utf-8", status);
  if (body === "text") return textAnswer(text, "text/plain; charset=utf-8", status);
  if (body === "empty") return { status, headers: {}, body: "" };
  return errorAnswer(new Refusal(status, text), now);
}

/** The true answer as a fault changes it. */
export function changed(answer: Answer, effect: FaultEffect, request: FaultRequest): Answer {
  switch (effect.kind) {
    case "truncate": {
      const body = Buffer.from(answer.body);
      return { ...answer, body: body.subarray(0, Math.floor(body.length / 2)) };
    }
    case "null-data":
      return edited(answer, (body) => ({ ...body, data: null }));
    case "empty-page":
      return edited(answer, (body) => ({ ...body, data: [] }));
    case "more-items":
      return edited(answer, (body) => ({ ...body, data: [...(body.data as unknown[]), ...effect.items] }));
    case "wrong-count":
      return edited(answer, ({ count, ...body }) =>
        effect.by === null ? body : { ...body, count: Number(count) + effect.by },
      );
    case "paged":
      return edited(answer, (body) => pageOf(body, effect.size, request.query));
    case "cut-list":
      return edited(answer, (body) => pageOf(body, effect.size, new URLSearchParams()));
    case "wrong-page":
      return edited(answer, (body) => ({ ...body, skip: Number(request.query.get("skip") ?? 0) }));
    case "body":
      return {
        ...answer,
        status: effect.status ?? answer.status,
        body: effect.transform(answer.body.toString(), request),
      };
    default:
      return answer;
  }
}

function pageOf(body: Record<string, unknown>, size: number, query: URLSearchParams): object {
  const list = Array.isArray(body["data"]) ? body["data"] : [];
  const skip = Number(query.get("skip") ?? 0);
  const limit = Math.min(size, Number(query.get("limit") ?? size));
  return { ...body, count: list.length, skip, limit, data: list.slice(skip, skip + limit) };
}

/** A refusal stays as it is: there is no list to change. */
function edited(answer: Answer, edit: (body: Record<string, unknown>) => object): Answer {
  if (answer.status !== 200) return answer;
  return { ...answer, body: JSON.stringify(edit(JSON.parse(answer.body.toString()) as Record<string, unknown>)) };
}
