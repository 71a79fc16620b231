import { randomUUID } from "node:crypto";
import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import { setTimeout as delay } from "node:timers/promises";
import type { Accounts } from "./accounts.ts";
import { errorAnswer, Refusal, type Answer } from "./answer.ts";
import { authenticate, schemeOf } from "./auth.ts";
import type { TenantClock, TenantControl, TenantJwt, TenantToken } from "./contract.ts";
import type { Datapipe } from "./datapipe.ts";
import type { Dataset } from "./dataset/dataset.ts";
import { deliver, type Delivery } from "./delivery.ts";
import type { Settings } from "./exchange.ts";
import { changed, replacement, type FaultBook } from "./fault-book.ts";
import type { FaultEffect, FaultRequest } from "./faults.ts";
import type { Listener } from "./listener.ts";
import { preferenceApplied, preferredWait } from "./prefer.ts";
import type { RateLimiter } from "./rate-limit.ts";
import type { RequestRecord } from "./records.ts";
import { pathSegments, route } from "./router.ts";

export interface ServerParts {
  data: Dataset;
  accounts: Accounts;
  datapipe: Datapipe;
  settings: Settings;
  tokens: readonly TenantToken[];
  jwts: readonly TenantJwt[];
  apiKeysDisabled: boolean;
  pathPrefix: string;
  dateHeader: boolean;
  limiter: RateLimiter;
  faults: FaultBook;
  requests: RequestRecord[];
  clock: TenantClock;
  tuning: { latencyMs: number; clockSkewMs: number; passedMs: number };
}

const MOST_BODY_BYTES = 10 * 1024 * 1024;

/** Answers requests: records them, limits them, lets faults happen, and leaves the rest to the routes. */
export function requestListener(parts: ServerParts, listener: Listener, control: TenantControl): RequestListener {
  const startedAt = performance.now();
  let inFlight = 0;
  return (request, response) => {
    inFlight += 1;
    const { method = "GET", url: target = "/" } = request;
    const [path = "/"] = target.split("?", 1);
    const connection = listener.numberOf(request.socket);
    const at = performance.now() - startedAt;
    const record: RequestRecord = { method, target, path, status: 0, bytes: 0, connection, at, inFlight };
    parts.requests.push(record);
    response.once("close", () => (inFlight -= 1));
    new Conversation(parts, control, request, response, record).run().catch((error: unknown) => {
      response.destroy(error instanceof Error ? error : undefined);
    });
  };
}

class Conversation {
  readonly #parts: ServerParts;
  readonly #control: TenantControl;
  readonly #request: IncomingMessage;
  readonly #response: ServerResponse;
  readonly #record: RequestRecord;
  readonly #requestId = randomUUID();

  constructor(
    parts: ServerParts,
    control: TenantControl,
    request: IncomingMessage,
    response: ServerResponse,
    record: RequestRecord,
  ) {
    this.#parts = parts;
    this.#control = control;
    this.#request = request;
    this.#response = response;
    this.#record = record;
  }

  async run(): Promise<void> {
    const body = await readBody(this.#request);
    const limited = this.#rateLimited();
    if (limited !== null) {
      await this.#send(limited, "whole");
      return;
    }
    const looked = this.#faultRequest();
    const effects = this.#parts.faults.due(looked);
    for (const effect of effects) if (effect.kind === "run") await effect.run(this.#control, looked);
    const effect = effects.find((candidate) => candidate.kind !== "run");
    if (this.#silent(effect)) return;
    const answer = (effect && replacement(effect, this.#now)) ?? (await this.#trueAnswer(body, effect));
    await this.#send(effect === undefined ? answer : changed(answer, effect, looked), deliveryOf(effect));
  }

  get #now(): number {
    return this.#clientNow + this.#parts.tuning.passedMs;
  }

  /** Of clients that have seen the time pass, and of others. */
  get #signingTime(): number {
    const date = Date.parse(this.#header("requestdate") ?? "");
    return Math.abs(date - this.#now) < Math.abs(date - this.#clientNow) ? this.#now : this.#clientNow;
  }

  /** What a client takes for the time that has not seen it pass. */
  get #clientNow(): number {
    return this.#parts.clock.now() + this.#parts.tuning.clockSkewMs;
  }

  #header = (name: string): string | undefined => {
    const value = this.#request.headers[name];
    return Array.isArray(value) ? value.join(", ") : value;
  };

  #rateLimited(): Answer | null {
    return this.#parts.limiter.refuse(this.#request.socket.remoteAddress ?? "", performance.now(), this.#now);
  }

  #faultRequest(): FaultRequest {
    const { method, path, target } = this.#record;
    const query = new URLSearchParams(target.slice(path.length + 1));
    return { method, path: decoded(this.#withoutPrefix(path)), query, headers: this.#request.headers };
  }

  #withoutPrefix(path: string): string {
    const { pathPrefix } = this.#parts;
    return path.startsWith(`${pathPrefix}/`) ? path.slice(pathPrefix.length) : path;
  }

  /** Faults that send nothing at all. */
  #silent(effect: FaultEffect | undefined): boolean {
    if (effect === undefined || (effect.kind !== "drop" && effect.kind !== "stall")) return false;
    if (effect.at === "mid-body") return false;
    if (effect.kind === "drop") this.#response.destroy();
    return true;
  }

  async #trueAnswer(body: Buffer, effect: FaultEffect | undefined): Promise<Answer> {
    try {
      const wait = preferredWait(this.#header("prefer"));
      this.#response.setHeader("Preference-Applied", preferenceApplied(wait));
      if (effect?.kind === "slow") await this.#beSlow(effect.milliseconds, wait);
      return this.#routed(body, effect);
    } catch (error) {
      return errorAnswer(asRefusal(error), this.#now, this.#requestId);
    }
  }

  async #beSlow(milliseconds: number, waitSeconds: number): Promise<void> {
    const most = waitSeconds < 0 ? Infinity : waitSeconds * 1000;
    await this.#sleep(Math.min(milliseconds, most));
    if (milliseconds > most) throw new Refusal(500, "request timed out");
  }

  #sleep(milliseconds: number): Promise<void> {
    return this.#parts.clock.sleep?.(milliseconds) ?? delay(milliseconds);
  }

  #routed(body: Buffer, effect: FaultEffect | undefined): Answer {
    const { settings, tokens, jwts, apiKeysDisabled, data, accounts, datapipe, pathPrefix } = this.#parts;
    const { method, target, path } = this.#record;
    const now = this.#now;
    const keyring = { scheme: schemeOf(settings.dialect), tokens, jwts, apiKeysDisabled };
    if (pathPrefix !== "" && !path.startsWith(`${pathPrefix}/`)) throw new Refusal(404, "resource not found");
    const token = authenticate({ method, rawTarget: target, header: this.#header, body }, keyring, this.#signingTime);
    const query = new URLSearchParams(target.slice(path.length + 1));
    if (effect?.kind === "wrong-page") query.set("skip", String(effect.skip));
    const exchange = { method, query, token, data, accounts, datapipe, settings, now };
    return route(pathSegments(this.#withoutPrefix(path)), exchange);
  }

  async #send(answer: Answer, how: Delivery): Promise<void> {
    if (this.#parts.tuning.latencyMs > 0) await this.#sleep(this.#parts.tuning.latencyMs);
    if (!this.#response.destroyed) this.#setHeaders();
    deliver(this.#response, answer, how, this.#record);
  }

  /** The Date header of Node would tell the time of this machine, not that of the tenant. */
  #setHeaders(): void {
    this.#response.setHeader("Request-ID", this.#requestId);
    this.#response.sendDate = false;
    if (this.#parts.dateHeader) this.#response.setHeader("Date", new Date(this.#now).toUTCString());
  }
}

function deliveryOf(effect: FaultEffect | undefined): Delivery {
  if (effect?.kind === "drop") return "drop-mid-body";
  return effect?.kind === "stall" ? "stall-mid-body" : "whole";
}

function asRefusal(error: unknown): Refusal {
  if (error instanceof Refusal) return error;
  return new Refusal(500, `an internal error has occurred: ${error instanceof Error ? error.message : String(error)}`);
}

function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}

async function readBody(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    length += chunk.length;
    if (length > MOST_BODY_BYTES) throw new Error("The request's body is too large.");
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
