import type { Process } from "../clock.ts";
import { hashText, mix } from "../random.ts";
import type { Endpoint, Fault, Misbehaviour } from "../story.ts";
import { inSpan, type World } from "../world.ts";
import { type Answer, refusal, withContext } from "./answers.ts";
import { replacement, REPLACING } from "./replacements.ts";
import { type Call, readTarget, Routes } from "./routes.ts";
import { checkSignature } from "./signature.ts";

/** What the plugin's client hands to its network. */
export interface Request {
  readonly method: string;
  readonly target: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
  /** Called when status and headers have arrived, before the body. */
  readonly onHead: (head: Head) => void;
  /** Called when a part of the body has arrived, with its length. */
  readonly onBody: (bytes: number) => void;
}

export type Head = Omit<Answer, "body">;

export type Send = (request: Request) => Promise<Answer>;

/** One request as the tenant saw it. */
export interface LogEntry {
  readonly endpoint: Endpoint | null;
  readonly environment: string | undefined;
  readonly type: string | undefined;
  /** How many records it leaves out. */
  readonly skip: number;
  /** How many records it asks for; null for as many as the service likes. */
  readonly limit: number | null;
  /** When it left the plugin, and when it arrived; null when it never did. */
  readonly sent: number;
  arrived: number | null;
  /** When the plugin had the whole answer or the error. */
  answered: number | null;
  /** Status, or what happened instead of an answer. */
  outcome: number | string;
  /** The answer is what the service should have said. */
  sound: boolean;
  /** A fault of the story changed the answer, or when it came. */
  struck: boolean;
}

/** The model of a tenant, made from the service document and not from the plugin. */
export class Tenant {
  readonly log: LogEntry[] = [];
  readonly #world: World;
  readonly #routes: Routes;
  readonly #struck = new Map<Fault, number>();

  constructor(world: World) {
    this.#world = world;
    this.#routes = new Routes(world);
  }

  /** The network of one process. */
  connect(process: Process, now: () => number): Send {
    return (request) => this.#exchange(request, process, now);
  }

  #exchange(request: Request, process: Process, now: () => number): Promise<Answer> {
    const call = readTarget(request.target);
    const entry: LogEntry = {
      endpoint: call?.endpoint ?? null,
      environment: call?.environment,
      type: call?.type,
      skip: Number(call?.query.get("skip") ?? 0),
      limit: call?.query.has("limit") === true ? Number(call.query.get("limit")) : null,
      sent: now(),
      arrived: null,
      answered: null,
      outcome: "abandoned",
      sound: false,
      struck: false,
    };
    this.log.push(entry);
    return new Promise((resolve, reject) => {
      let cancel: (() => void) | null = null;
      const finish = (outcome: number | string, act: () => void): void => {
        request.signal.removeEventListener("abort", abort);
        entry.answered = now();
        entry.outcome = outcome;
        act();
      };
      const abort = (): void => {
        cancel?.();
        finish("aborted", () => {
          reject(socketError("ERR_CANCELED"));
        });
      };
      if (request.signal.aborted) {
        abort();
        return;
      }
      request.signal.addEventListener("abort", abort, { once: true });
      const there = this.#latency(request.target, now(), 1);
      const back = this.#latency(request.target, now(), 2);
      cancel = process.after(there, () => {
        entry.arrived = now();
        const faults = this.#faultsFor(call, now());
        const { reply, work } = this.#givenUp(request, now(), faults) ?? {
          reply: this.#reply(request, call, now(), faults),
          work: slowness(faults),
        };
        entry.sound = reply.sound;
        entry.struck = faults.length > 0;
        cancel = process.after(back + work, () => {
          const { answer } = reply;
          if (reply.head) request.onHead(reply.head);
          if (answer !== null) {
            const pieces = piecesOf(answer, faults);
            const next = (): void => {
              const piece = pieces.shift();
              if (piece === undefined) {
                finish(answer.status, () => {
                  resolve(answer);
                });
                return;
              }
              request.onBody(piece.bytes);
              if (piece.pauseMs === 0) next();
              else cancel = process.after(piece.pauseMs, next);
            };
            next();
          } else if (reply.code !== null) {
            const { code } = reply;
            finish(code, () => {
              reject(socketError(code));
            });
          }
          // Else nothing comes any more: the request hangs until it is aborted.
        });
      });
    });
  }

  /** Depends on this request alone: a smaller story has the latencies of the larger one. */
  #latency(target: string, moment: number, way: number): number {
    const { seed, tenant } = this.#world.story;
    const [least, most] = tenant.latency;
    return (least + (mix(seed, moment, hashText(target), way) % (most - least + 1))) >> 1;
  }

  #faultsFor(call: Call | null, moment: number): Misbehaviour[] {
    if (moment >= this.#world.quietFrom) return [];
    const found: Misbehaviour[] = [];
    let replaced = false;
    for (const fault of this.#world.story.faults) {
      if (!applies(fault, call, moment)) continue;
      const struck = this.#struck.get(fault) ?? 0;
      if (struck >= (fault.times ?? Infinity)) continue;
      if (REPLACING.has(fault.what.kind)) {
        if (replaced) continue;
        replaced = true;
      }
      this.#struck.set(fault, struck + 1);
      found.push(fault.what);
    }
    return found;
  }

  #reply(request: Request, call: Call | null, moment: number, faults: readonly Misbehaviour[]): Reply {
    const replacing = faults.find(({ kind }) => REPLACING.has(kind));
    if (replacing?.kind === "drop") return { answer: null, code: replacing.code, head: null, sound: false };
    const now = this.#world.serviceClock(moment);
    const instead = replacing === undefined ? null : replacement(replacing, now);
    const plain = instead ?? this.#truth(request, call, moment, faults);
    const answer = this.#world.story.tenant.namesContexts === true ? withContext(plain) : plain;
    if (replacing?.kind === "truncated") answer.body = answer.body.slice(0, Math.floor(answer.body.length * 0.7));
    this.#addHeaders(answer, moment, faults);
    const head: Head = { status: answer.status, headers: answer.headers };
    if (replacing?.kind === "hang")
      return { answer: null, code: null, head: replacing.head ? head : null, sound: false };
    if (replacing?.kind === "broken body") return { answer: null, code: "ECONNRESET", head, sound: false };
    const harmless = faults.every(({ kind }) => HARMLESS.has(kind));
    return { answer, code: null, head, sound: harmless && answer.status < 300 };
  }

  #truth(request: Request, call: Call | null, moment: number, faults: readonly Misbehaviour[]): Answer {
    const { tenant } = this.#world.story;
    const now = this.#world.serviceClock(moment);
    const refused = checkSignature(request, tenant, now);
    if (refused !== null) return refusal(refused.status, refused.message, now, refused.status === 401 ? "login" : "");
    if (call === null || request.method !== "GET") return refusal(404, "resource not found", now);
    return this.#routes.answer(call, moment, faults);
  }

  /** The error and after how many milliseconds, when the service gives up a request itself; null when it does not. */
  #givenUp(
    { headers }: Request,
    moment: number,
    faults: readonly Misbehaviour[],
  ): { reply: Reply; work: number } | null {
    const { endsLateRequests = false } = this.#world.story.tenant;
    const wait = Number(/^wait=(\d+)$/.exec(headers["Prefer"] ?? "wait=30")?.[1] ?? Infinity) * 1_000;
    const hangs = faults.some((fault) => fault.kind === "hang" && !fault.head);
    if (!endsLateRequests || (hangs ? Infinity : slowness(faults)) <= wait) return null;
    const answer = refusal(500, "request timed out", this.#world.serviceClock(moment + wait));
    this.#addHeaders(answer, moment + wait, faults);
    return { reply: { answer, code: null, head: answer, sound: false }, work: wait };
  }

  #addHeaders(answer: Answer, moment: number, faults: readonly Misbehaviour[]): void {
    const wrong = faults.find((fault) => fault.kind === "wrong date header");
    const { dateHeader, announcedLimit } = this.#world.story.tenant;
    if (announcedLimit !== undefined) answer.headers["x-ratelimit-limit"] = String(announcedLimit);
    if (wrong !== undefined) {
      if (wrong.value !== null) answer.headers["date"] = wrong.value;
    } else if (dateHeader !== "absent") {
      const now = this.#world.serviceClock(moment);
      answer.headers["date"] = dateHeader === "exact" ? new Date(now).toUTCString() : "just now";
    }
  }
}

interface Reply {
  answer: Answer | null;
  /** Of the socket's failure; null when nothing comes. */
  code: string | null;
  /** Null when not even status and headers come. */
  head: Head | null;
  sound: boolean;
}

/** How a body arrives: at once, or little by little. */
function piecesOf({ body }: Answer, faults: readonly Misbehaviour[]): { bytes: number; pauseMs: number }[] {
  const slow = faults.find((fault) => fault.kind === "slow body");
  if (slow === undefined) return [{ bytes: body.length, pauseMs: 0 }];
  const { ms, pieces } = slow;
  return Array.from({ length: pieces }, () => ({ bytes: body.length / pieces, pauseMs: Math.ceil(ms / pieces) }));
}

/** Milliseconds that the service takes longer than others. */
function slowness(faults: readonly Misbehaviour[]): number {
  return faults.find((fault) => fault.kind === "slow")?.ms ?? 0;
}

const HARMLESS = new Set<Misbehaviour["kind"]>(["slow", "slow body", "page cap", "odd entries", "wrong date header"]);

function applies({ span, place }: Fault, call: Call | null, moment: number): boolean {
  if (!inSpan(moment, span)) return false;
  if (place.endpoint !== undefined && place.endpoint !== call?.endpoint) return false;
  if (place.environment !== undefined && place.environment !== call?.environment) return false;
  return place.type === undefined || place.type === call?.type;
}

function socketError(code: string): Error {
  return Object.assign(new Error(`simulated ${code}`), { code });
}
