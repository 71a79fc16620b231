import { createHmac } from "node:crypto";
import { setMaxListeners } from "node:events";
import type { PluginRun } from "../plugin.ts";
import { TOO_LARGE } from "../tenant/tenant.ts";

/** Why nothing more can be asked in a run. */
export class RunOver extends Error {}
/** One request that did not work. */
export class Failed extends Error {}
/** A request that the service does not take as it is. */
export class Refused extends Failed {}
/** An answer that takes too long, or more room than there is: a smaller one may come. */
export class TooLarge extends Failed {}

const TIMEOUT_MS = 35_000;
/** Requests leave one after the other, at this distance. */
const SPACING_MS = 25;

interface Connection {
  run: PluginRun;
  tokenId: string;
  tokenKey: string;
  signal: AbortSignal;
  /** Measures silence, and not how long an answer takes. */
  hasPatience: boolean;
}

/** The smallest client that does what the service asks for: signed requests, not too many, none after a refusal. */
export class FakeClient {
  scheme: string;
  readonly #connection: Connection;
  #next = 0;
  #over: string | null = null;
  /** Whether the service has answered anything at all. */
  #answered = false;

  constructor(connection: Connection, scheme: string) {
    this.#connection = connection;
    // Every request that waits listens for the end of the run.
    setMaxListeners(0, connection.signal);
    this.scheme = scheme;
  }

  async get(target: string): Promise<unknown> {
    for (let attempt = 0; ; attempt++) {
      const answer = await this.#attempt(target);
      if (answer.status === 200) return parse(answer.body);
      if (attempt < 2 && [0, 408, 502, 503, 504].includes(answer.status)) continue;
      if (answer.status === 0 && !this.#answered) this.#end("the server never answered");
      if (answer.status === 400 || answer.status === 404) throw new Refused(`status ${answer.status}`);
      if (answer.body.includes("request timed out")) throw new TooLarge("request timed out");
      throw new Failed(`status ${answer.status} at ${target.slice(0, 100)}`);
    }
  }

  async #attempt(target: string): Promise<{ status: number; body: string }> {
    const answer = await this.#send(target);
    if (answer.status !== 0) this.#answered = true;
    if (answer.status === 401 || answer.status === 429) this.#end(`status ${answer.status}`);
    if (answer.status !== 400 || !answer.body.includes("authorization scheme")) return answer;
    if (this.scheme !== "svcsignature") return answer;
    this.scheme = "bhesignature";
    return this.#send(target);
  }

  #stopIfOver(): void {
    if (this.#over !== null) throw new RunOver(this.#over);
    if (this.#connection.signal.aborted) throw new RunOver("the time is over");
  }

  #end(reason: string): never {
    this.#over ??= reason;
    throw new RunOver(reason);
  }

  async #send(target: string): Promise<{ status: number; body: string }> {
    const { run, signal } = this.#connection;
    const { clock } = run;
    const now = clock.monotonic();
    const at = Math.max(now, this.#next);
    this.#next = at + SPACING_MS;
    if (at > now) await clock.sleep(at - now, signal).catch(() => undefined);
    this.#stopIfOver();
    const timeout = new AbortController();
    let done = new AbortController();
    const abort = (): void => {
      timeout.abort();
    };
    signal.addEventListener("abort", abort);
    /** As long as something arrives, there is no reason to give up. */
    const wait = (): void => {
      if (done.signal.aborted) return;
      done.abort();
      done = new AbortController();
      clock.sleep(TIMEOUT_MS, done.signal).then(abort, () => undefined);
    };
    wait();
    const onBody = this.#connection.hasPatience ? wait : (): void => undefined;
    try {
      const headers = this.#headers(target, clock.now());
      const { signal: timedOut } = timeout;
      return await run.send({ method: "GET", target, headers, signal: timedOut, onHead: onBody, onBody });
    } catch (error) {
      this.#stopIfOver();
      if (hasCode(error, TOO_LARGE)) throw new TooLarge("too large");
      // A hanging request is not worth another try.
      if (timeout.signal.aborted && this.#answered) throw new TooLarge("timeout");
      if (timeout.signal.aborted) this.#end("the server never answered");
      return { status: 0, body: "" };
    } finally {
      done.abort();
      signal.removeEventListener("abort", abort);
    }
  }

  #headers(target: string, now: number): Record<string, string> {
    const { tokenId, tokenKey } = this.#connection;
    const date = new Date(now).toISOString();
    const digest = (key: string | Buffer, text: string): Buffer => createHmac("sha256", key).update(text).digest();
    const signature = digest(digest(digest(tokenKey, `GET${target}`), date.slice(0, 13)), "").toString("base64");
    return { Authorization: `${this.scheme} ${tokenId}`, RequestDate: date, Signature: signature };
  }
}

function hasCode(error: unknown, code: string): boolean {
  return error instanceof Error && "code" in error && error.code === code;
}

function parse(body: string): unknown {
  try {
    return JSON.parse(body.replace(/^\ufeff/, ""));
  } catch {
    throw new Failed("no JSON");
  }
}
