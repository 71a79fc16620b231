import type { Process } from "../clock.ts";
import { TRAITS } from "../misbehaviours.ts";
import { hashText, mix } from "../random.ts";
import type { Fault, Misbehaviour } from "../scenario.ts";
import { inSpan, type World } from "../world.ts";
import { type Answer, refusal, withContext } from "./answers.ts";
import { piecesOf, slowness } from "./bodies.ts";
import { misread } from "./encodings.ts";
import { Line } from "./line.ts";
import type { LogEntry } from "./log.ts";
import { isProbe, refusalOf } from "./refusals.ts";
import { isReplacing, replacement } from "./replacements.ts";
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

/** Code of the error for a body that is larger than the network takes. */
export const TOO_LARGE = "ERR_BAD_RESPONSE";

export type Head = Omit<Answer, "body">;

export type Send = (request: Request) => Promise<Answer>;

/** The model of a tenant, made from the service document and not from the plugin. */
export class Tenant {
  readonly #world: World;
  readonly #routes: Routes;
  readonly #struck = new Map<Fault, number>();
  /** Requests that have arrived, for replicas that take turns. */
  #arrivals = 0;

  constructor(world: World) {
    this.#world = world;
    this.#routes = new Routes(world);
  }

  /** The network of one process, which leaves an entry for each request. */
  connect(process: Process, now: () => number, log: LogEntry[] = []): Send {
    const { bytesPerSecond } = this.#world.scenario.tenant.wire ?? {};
    const line = bytesPerSecond === undefined ? null : new Line(process, now, bytesPerSecond);
    return (request) => this.#exchange(request, { process, now, line, log });
  }

  #exchange(request: Request, { process, now, line, log }: Connection): Promise<Answer> {
    const call = readTarget(request.target);
    const entry: LogEntry = {
      endpoint: call?.endpoint ?? null,
      target: request.target,
      isProbe: isProbe(call),
      environment: call?.environment,
      type: call?.type,
      skip: Number(call?.query.get("skip") ?? 0),
      limit: call?.query.has("limit") === true ? Number(call.query.get("limit")) : null,
      sent: now(),
      arrived: null,
      answered: null,
      heard: null,
      bytes: 0,
      bodyHeard: null,
      outcome: "abandoned",
      sound: false,
      struck: false,
      refused: false,
      flaw: null,
    };
    log.push(entry);
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
        const refused = refusalOf(call, this.#world.scenario.tenant);
        const faults = refused === null ? this.#faultsFor(call, now()) : [refused];
        const { reply, work } = this.#worked(request, call, now(), faults);
        entry.sound = reply.sound;
        entry.struck = faults.length > 0;
        entry.refused = refused !== null;
        entry.flaw = reply.answer?.flaw ?? null;
        const onBody = (bytes: number): void => {
          entry.heard = entry.bodyHeard = now();
          entry.bytes += bytes;
          request.onBody(bytes);
        };
        cancel = process.after(back + work, () => {
          const { answer } = reply;
          if (reply.head) {
            entry.heard = now();
            request.onHead(reply.head);
          }
          if (answer !== null) {
            const { status, headers, body } = answer;
            const end = (): void => {
              finish(status, () => {
                resolve({ status, headers, body });
              });
            };
            const { weight = 1 } = this.#world.scenario.tenant.wire ?? {};
            const pieces = piecesOf(body.length * weight, faults);
            const next = (): void => {
              const piece = pieces.shift();
              if (piece === undefined) {
                end();
                return;
              }
              onBody(piece.bytes);
              if (piece.pauseMs === 0) next();
              else cancel = process.after(piece.pauseMs, next);
            };
            if (line !== null && pieces.length === 1) cancel = line.carry(body.length * weight, onBody, end);
            else next();
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

  /** Depends on this request alone: a smaller scenario has the latencies of the larger one. */
  #latency(target: string, moment: number, way: number): number {
    const { seed, tenant } = this.#world.scenario;
    const [least, most] = tenant.latency;
    return (least + (mix(seed, moment, hashText(target), way) % (most - least + 1))) >> 1;
  }

  #faultsFor(call: Call | null, moment: number): Misbehaviour[] {
    if (moment >= this.#world.quietFrom) return [];
    const found: Misbehaviour[] = [];
    let replaced = false;
    for (const fault of this.#world.scenario.faults) {
      if (!applies(fault, call, moment)) continue;
      const struck = this.#struck.get(fault) ?? 0;
      if (struck >= (fault.times ?? Infinity)) continue;
      if (isReplacing(fault.what)) {
        if (replaced) continue;
        replaced = true;
      }
      this.#struck.set(fault, struck + 1);
      found.push(fault.what);
    }
    return found;
  }

  #reply(request: Request, call: Call | null, moment: number, faults: readonly Misbehaviour[]): Reply {
    const replacing = faults.find(isReplacing);
    if (replacing?.kind === "drop") return { answer: null, code: replacing.code, head: null, sound: false };
    const now = this.#world.serviceClock(moment);
    const instead = replacing === undefined ? null : replacement(replacing, now);
    const plain = instead ?? this.#truth(request, call, moment, faults);
    const answer = this.#world.scenario.tenant.namesContexts === true ? withContext(plain) : plain;
    answer.body = misread(answer.body, faults);
    this.#addHeaders(answer, moment, faults);
    const head: Head = { status: answer.status, headers: answer.headers };
    if (replacing?.kind === "hang")
      return { answer: null, code: null, head: replacing.head ? head : null, sound: false };
    if (replacing?.kind === "broken body") return { answer: null, code: "ECONNRESET", head, sound: false };
    if (this.#exceeds("too large", answer)) return { answer: null, code: TOO_LARGE, head, sound: false };
    const harmless = faults.every((fault) => isHarmless(fault, answer));
    return { answer, code: null, head, sound: harmless && answer.status < 300 };
  }

  #truth(request: Request, call: Call | null, moment: number, faults: readonly Misbehaviour[]): Answer {
    const { tenant } = this.#world.scenario;
    const now = this.#world.serviceClock(moment);
    const refused = checkSignature(request, tenant, now);
    if (refused !== null) return refusal(refused.status, refused.message, now, refused.status === 401 ? "login" : "");
    if (call === null || request.method !== "GET") return refusal(404, "resource not found", now);
    return this.#routes.answer(call, this.#seenAt(moment), faults);
  }

  /** The moment whose truth the next replica shows. */
  #seenAt(moment: number): number {
    const { replicas = [] } = this.#world.scenario.tenant;
    const behind = replicas[this.#arrivals++ % Math.max(1, replicas.length)] ?? 0;
    return moment >= this.#world.quietFrom ? moment : moment - behind;
  }

  /** Whether a page has more records than the tenant takes well. */
  #exceeds(how: "too large" | "request timed out", { records = 0 }: Answer): boolean {
    const { largestPage } = this.#world.scenario.tenant.wire ?? {};
    return largestPage?.how === how && records > largestPage.records;
  }

  /** The answer and after how many milliseconds it leaves. The service may give a request up itself. */
  #worked(
    request: Request,
    call: Call | null,
    moment: number,
    faults: readonly Misbehaviour[],
  ): { reply: Reply; work: number } {
    const { endsLateRequests = false, wire = {} } = this.#world.scenario.tenant;
    const wait = Number(/^wait=(\d+)$/.exec(request.headers["Prefer"] ?? "wait=30")?.[1] ?? Infinity) * 1_000;
    const hangs = faults.some((fault) => fault.kind === "hang" && !fault.head);
    const reply = this.#reply(request, call, moment, faults);
    const { answer } = reply;
    const work = slowness(faults) + (answer?.records ?? 0) * (wire.workPerRecordMs ?? 0);
    const isLate = endsLateRequests && (hangs || work > wait);
    if (!isLate && (answer === null || !this.#exceeds("request timed out", answer))) return { reply, work };
    const timedOut = refusal(500, "request timed out", this.#world.serviceClock(moment + wait));
    this.#addHeaders(timedOut, moment + wait, faults);
    return { reply: { answer: timedOut, code: null, head: timedOut, sound: false }, work: wait };
  }

  #addHeaders(answer: Answer, moment: number, faults: readonly Misbehaviour[]): void {
    const wrong = faults.find((fault) => fault.kind === "wrong date header");
    const { dateHeader, announcedLimit } = this.#world.scenario.tenant;
    if (announcedLimit !== undefined) answer.headers["x-ratelimit-limit"] = String(announcedLimit);
    if (wrong !== undefined) {
      if (wrong.value !== null) answer.headers["date"] = wrong.value;
    } else if (dateHeader !== "absent") {
      const now = this.#world.serviceClock(moment);
      answer.headers["date"] = dateHeader === "exact" ? new Date(now).toUTCString() : "just now";
    }
  }
}

interface Connection {
  process: Process;
  now: () => number;
  /** Null for a line on which everything arrives at once. */
  line: Line | null;
  log: LogEntry[];
}

interface Reply {
  answer: Answer | null;
  /** Of the socket's failure; null when nothing comes. */
  code: string | null;
  /** Null when not even status and headers come. */
  head: Head | null;
  sound: boolean;
}

/** Whether the answer is true in spite of the fault. */
function isHarmless(fault: Misbehaviour, { flaw }: Answer): boolean {
  const { answer } = TRAITS[fault.kind];
  if (answer === "true") return true;
  if (answer === "flawed") return flaw === undefined;
  return fault.kind === "encoding" && fault.how === "byte order mark";
}

function applies({ span, place }: Fault, call: Call | null, moment: number): boolean {
  if (!inSpan(moment, span)) return false;
  if (place.probe === true && !isProbe(call)) return false;
  if (place.endpoint !== undefined && place.endpoint !== call?.endpoint) return false;
  if (place.environment !== undefined && place.environment !== call?.environment) return false;
  return place.type === undefined || place.type === call?.type;
}

function socketError(code: string): Error {
  return Object.assign(new Error(`simulated ${code}`), { code });
}
