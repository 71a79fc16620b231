import type { Plugin, PluginRun } from "../plugin.ts";
import { Failed, Refused, RunOver, ToyClient } from "./client.ts";
import { eventOf, identityOf, isDeleted, severityOf, type Row } from "./events.ts";

/**
 * A plugin that anybody can check by reading: it reads everything in every run, without filters, and remembers every
 * finding for ever. It is far too slow and its state far too large, but it loses nothing and repeats nothing, so it shows
 * that the laws can be kept. With a flaw it shows that they are needed.
 */
export function toyPlugin(flaw: Flaw | null = null): Plugin {
  return (run) => new Toy(run, flaw).run();
}

/** What a toy may do wrong, on purpose. */
export type Flaw =
  | "loses the last finding of a page"
  | "forgets what it delivered"
  | "stops after the first page"
  | "delivers deleted findings"
  | "waits forever"
  | "writes the token key"
  | "goes on after a refusal"
  | "names no failures"
  | "writes the whole state with each alert"
  | "sends no patches"
  | "takes what it began for complete";

interface State {
  scheme: string;
  /** Identities of everything that was delivered, by stream. */
  seen: Record<string, Record<string, 1>>;
}

interface Request {
  run: { deadline: string | null; maxAlerts?: number; maxEventsPerAlert?: number };
  parameters: Record<string, string | string[]>;
  state: unknown;
}

class Toy {
  readonly #run: PluginRun;
  readonly #flaw: Flaw | null;
  readonly #request: Request;
  readonly #state: State;
  /** What the host holds once it has stored everything up to now. */
  #hostState: unknown;
  readonly #over = new AbortController();
  readonly #client: ToyClient;
  readonly #failures: string[] = [];
  #budget: number;
  #delivered = 0;

  constructor(run: PluginRun, flaw: Flaw | null) {
    this.#run = run;
    this.#flaw = flaw;
    this.#request = JSON.parse(run.request) as Request;
    const { parameters, state } = this.#request;
    const isGood = isState(state);
    this.#hostState = structuredClone(state);
    this.#state = isGood ? state : { scheme: "svcsignature", seen: {} };
    if (!isGood && state !== null) this.#failures.push("the state was damaged");
    const [tokenId, tokenKey] = [String(parameters["Token ID"]), String(parameters["Token Key"])];
    this.#client = new ToyClient({ run, tokenId, tokenKey, signal: this.#over.signal }, this.#state.scheme);
    this.#budget = this.#request.run.maxAlerts ?? Infinity;
  }

  async run(): Promise<number> {
    const { clock, stop } = this.#run;
    const { deadline } = this.#request.run;
    const released = new AbortController();
    const end = (): void => {
      this.#over.abort();
    };
    stop.addEventListener("abort", end);
    if (stop.aborted) end();
    if (deadline !== null) {
      clock.sleep((Date.parse(deadline) - clock.now()) * 0.9, released.signal).then(end, () => undefined);
    }
    const environments = await this.#environments();
    if (this.#flaw === "waits forever") await new Promise(() => undefined);
    if (environments !== null) await Promise.all(environments.map((environment) => this.#readEnvironment(environment)));
    released.abort();
    await this.#finish(environments === null || environments.length === 0);
    return 0;
  }

  async #finish(failed: boolean): Promise<void> {
    const status = failed ? "failed" : this.#failures.length === 0 ? "completed" : "partial";
    const named = this.#flaw === "names no failures" ? [] : this.#failures;
    const secret = this.#flaw === "writes the token key" ? String(this.#request.parameters["Token Key"]) : "";
    await this.#write({
      type: "result",
      status,
      message: `${this.#delivered} findings. ${secret}${named.join("; ")}`.slice(0, 1_900),
      value: !failed,
      json: { failures: named },
      checkpoint: this.#state,
    });
  }

  async #environments(): Promise<Environment[] | null> {
    try {
      const listed = listIn(await this.#client.get("/api/v2/available-domains")).filter(isEnvironment);
      this.#state.scheme = this.#client.scheme;
      const distinct = [...new Map(listed.map((environment) => [environment.id, environment])).values()];
      return distinct.filter(({ collected }) => collected === true).filter((each) => this.#isSelected(each));
    } catch (error) {
      this.#failures.push(messageOf(error));
      return null;
    }
  }

  #isSelected({ id, name }: Environment): boolean {
    const selected = [this.#request.parameters["Selected Environments"] ?? []].flat().map(fold);
    return selected.some((wanted) => wanted === "all" || wanted === fold(id) || wanted === fold(name));
  }

  async #readEnvironment(environment: Environment): Promise<void> {
    try {
      const path = `/api/v2/domains/${encodeURIComponent(environment.id)}`;
      const listed = listIn(await this.#client.get(`${path}/available-types`));
      const wanted = [this.#request.parameters["Selected Finding Types"] ?? []].flat();
      const types = new Set(listed.filter((type): type is string => typeof type === "string" && type !== ""));
      for (const type of types) {
        if (!wanted.includes("All") && !wanted.includes(type)) continue;
        await this.#readStream(environment, type, `${path}/details?finding=${encodeURIComponent(type)}`).catch(
          (error: unknown) => {
            this.#failures.push(`${environment.id} / ${type}: ${messageOf(error)}`);
          },
        );
      }
    } catch (error) {
      this.#failures.push(`${environment.id}: ${messageOf(error)}`);
      if (error instanceof RunOver && this.#flaw === "goes on after a refusal") {
        await this.#run.clock.sleep(1);
        await this.#run.send({
          method: "GET",
          target: "/",
          headers: {},
          signal: this.#over.signal,
          onHead: () => undefined,
          onBody: () => undefined,
        });
      }
    }
  }

  async #readStream(environment: Environment, type: string, target: string): Promise<void> {
    const begun = Object.keys(ownOf(this.#state.seen, `${environment.id}\n${type}`)).length > 0;
    if (begun && this.#flaw === "takes what it began for complete") return;
    const pages = new Pages(this.#flaw);
    let failure: unknown = null;
    try {
      while (!pages.ended) pages.take(await this.#page(target, pages.skip));
    } catch (error) {
      failure = error;
    }
    // What was read before a failure need not wait.
    const complete = await this.#deliver(environment, type, pages.read);
    if (failure !== null) throw failure as Error;
    if (!complete) throw new Failed("the host accepts no more alerts");
  }

  /** In order and in large pages, if the service takes that. */
  async #page(target: string, skip: number): Promise<unknown> {
    for (const query of ["&sort_by=created_at&sort_by=id&limit=1000", "&limit=1000"]) {
      try {
        return await this.#client.get(`${target}${query}&skip=${skip}`);
      } catch (error) {
        if (!(error instanceof Refused)) throw error;
      }
    }
    return this.#client.get(`${target}&skip=${skip}`);
  }

  async #deliver(environment: Environment, type: string, read: ReadonlyMap<string, Row>): Promise<boolean> {
    const stream = `${environment.id}\n${type}`;
    const seen = new Set(Object.keys(ownOf(this.#state.seen, stream)));
    const fresh = [...read].filter(([identity]) => !seen.has(identity) || this.#flaw === "forgets what it delivered");
    const most = this.#request.run.maxEventsPerAlert ?? 500;
    for (let from = 0; from < fresh.length; from += most) {
      if (this.#budget < 1 || this.#run.stop.aborted) return false;
      this.#budget--;
      const batch = fresh.slice(from, from + most);
      const added = Object.fromEntries(batch.map(([identity]) => [identity, 1 as const]));
      this.#state.seen = Object.fromEntries([
        ...Object.entries(this.#state.seen).filter(([key]) => key !== stream),
        [stream, { ...ownOf(this.#state.seen, stream), ...added }],
      ]);
      await this.#write({ type: "alert", alert: this.#alert(environment, type, batch), ...this.#patch() });
      this.#delivered += batch.length;
    }
    return true;
  }

  #patch(): { checkpoint?: unknown } {
    if (this.#flaw === "sends no patches") return {};
    const before = this.#hostState;
    this.#hostState = structuredClone(this.#state);
    return {
      checkpoint: this.#flaw === "writes the whole state with each alert" ? this.#hostState : diff(before, this.#state),
    };
  }

  #alert(environment: Environment, type: string, batch: readonly (readonly [string, Row])[]): object {
    const events = batch.map(([identity, row]) => eventOf(identity, row, this.#run.clock.now()));
    return {
      id: JSON.stringify([environment.id, type, batch.map(([identity]) => identity).sort()]),
      name: type,
      severity: severityOf(events),
      environmentId: environment.id,
      findingType: type,
      startTime: Math.min(...events.map(({ start_time }) => start_time)),
      endTime: Math.max(...events.map(({ end_time }) => end_time)),
      events,
    };
  }

  async #write(message: object): Promise<void> {
    await this.#run.onLine(JSON.stringify(message));
  }
}

/** Reads page by page until a page brings nothing new; then the findings must be as many as the service says. */
class Pages {
  /** Findings to deliver, by identity. */
  readonly read = new Map<string, Row>();
  skip = 0;
  ended = false;
  #found = new Set<string>();
  #count: number | null = null;
  #restarts = 0;
  readonly #flaw: Flaw | null;

  constructor(flaw: Flaw | null) {
    this.#flaw = flaw;
  }

  take(answer: unknown): void {
    const rows = listIn(answer).filter(isRow);
    const changed = this.skip > 0 && countIn(answer) !== this.#count;
    this.#count = countIn(answer);
    if (changed) {
      this.#startOver();
      return;
    }
    const before = this.#found.size;
    for (const row of this.#flaw === "loses the last finding of a page" ? rows.slice(0, -1) : rows) {
      this.#found.add(identityOf(row));
      if (!isDeleted(row) || this.#flaw === "delivers deleted findings") this.read.set(identityOf(row), row);
    }
    const isFirst = this.skip === 0;
    this.skip += rows.length;
    this.ended = this.#found.size === before || this.#flaw === "stops after the first page";
    if (this.ended && !LOSING.has(this.#flaw)) this.#check(countIn(answer), isFirst || rows.length === 0);
  }

  /** The list has changed under the reader: what was removed moved the rest up. */
  #startOver(): void {
    if (++this.#restarts > MOST_RESTARTS) throw new Failed("the list keeps changing");
    this.skip = 0;
    this.#found = new Set();
  }

  #check(count: number | null, isEnd: boolean): void {
    // A service that does not count and repeats itself may hold anything back.
    if (count === null && !isEnd) throw new Failed("repeated page");
    if (count !== null && count > this.#found.size) throw new Failed(`${this.#found.size} of ${count} findings`);
  }
}

const MOST_RESTARTS = 5;
const LOSING: ReadonlySet<Flaw | null> = new Set(["loses the last finding of a page", "stops after the first page"]);

interface Environment {
  id: string;
  name?: unknown;
  collected?: unknown;
}

function isState(value: unknown): value is State {
  if (typeof value !== "object" || value === null || !("seen" in value) || !("scheme" in value)) return false;
  if (typeof value.scheme !== "string" || !isRecord(value.seen)) return false;
  return Object.values(value.seen).every((ids) => isRecord(ids) && Object.values(ids).every((id) => id === 1));
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The merge patch that makes the one value the other. */
function diff(before: unknown, after: unknown): unknown {
  if (!isRecord(before) || !isRecord(after)) return after;
  const removed = Object.keys(before).filter((name) => !Object.hasOwn(after, name));
  const changed = Object.entries(after).filter(
    ([name, value]) => JSON.stringify(before[name]) !== JSON.stringify(value),
  );
  return Object.fromEntries([
    ...removed.map((name) => [name, null] as const),
    ...changed.map(
      ([name, value]) => [name, diff(Object.hasOwn(before, name) ? before[name] : undefined, value)] as const,
    ),
  ]);
}

function ownOf(seen: State["seen"], stream: string): Record<string, 1> {
  return Object.hasOwn(seen, stream) ? (seen[stream] ?? {}) : {};
}

function isEnvironment(value: unknown): value is Environment {
  return isRecord(value) && typeof value["id"] === "string" && value["id"] !== "";
}

function isRow(value: unknown): value is Row {
  return isRecord(value);
}

function listIn(answer: unknown): unknown[] {
  if (!isRecord(answer) || !("data" in answer)) throw new Failed("no data");
  const { data } = answer;
  if (data === null) return [];
  if (!Array.isArray(data)) throw new Failed("no list");
  return data as unknown[];
}

function countIn(answer: unknown): number | null {
  const count = isRecord(answer) ? answer["count"] : null;
  return typeof count === "number" && count >= 0 ? count : null;
}

function fold(text: unknown): string {
  return typeof text === "string" ? text.trim().toLowerCase() : "\n";
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : "unknown";
}
