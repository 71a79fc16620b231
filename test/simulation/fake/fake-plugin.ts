import type { Plugin, PluginRun } from "../plugin.ts";
import { countIn, isRecord, listIn } from "./answers.ts";
import { Failed, Refused, RunOver, TooLarge, FakeClient } from "./client.ts";
import { eventOf, severityOf, type Row } from "./events.ts";
import type { Flaw } from "./flaws.ts";
import { Pages } from "./pages.ts";

/**
 * A plugin that anybody can check by reading: it reads everything in every run, without filters, and remembers every
 * finding for ever. It is far too slow and its state far too large, but it loses nothing and repeats nothing, so it shows
 * that the invariants can be kept. With a flaw it shows that they are needed.
 */
export function fakePlugin(flaw: Flaw | null = null): Plugin {
  return (run) => new Fake(run, flaw).run();
}

interface State {
  scheme: string;
  /** Identities of everything that was delivered, by stream. */
  seen: Record<string, Record<string, 1>>;
  /** How often findings of a stream were gone. */
  gone: Record<string, number>;
}

interface Request {
  run: { deadline: string | null; maxAlerts?: number; maxEventsPerAlert?: number };
  parameters: Record<string, string | string[]>;
  state: unknown;
}

class Fake {
  readonly #run: PluginRun;
  readonly #flaw: Flaw | null;
  readonly #request: Request;
  readonly #state: State;
  /** What the host holds once it has stored everything up to now. */
  #hostState: unknown;
  readonly #over = new AbortController();
  readonly #client: FakeClient;
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
    this.#state = isGood ? state : { scheme: "svcsignature", seen: {}, gone: {} };
    if (!isGood && state !== null) this.#failures.push("the state was damaged");
    const [tokenId, tokenKey] = [String(parameters["Token ID"]), String(parameters["Token Key"])];
    const hasPatience = flaw !== "takes long answers for silence";
    this.#client = new FakeClient(
      { run, tokenId, tokenKey, signal: this.#over.signal, hasPatience },
      this.#state.scheme,
    );
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
      if (this.#flaw === "ends a run where an optional route refuses") {
        await this.#client.get("/api/v2/datapipe/status");
      }
      const listed = (await this.#list("/api/v2/available-domains", "environments")).filter(isEnvironment);
      this.#state.scheme = this.#client.scheme;
      const distinct = [...new Map(listed.map((environment) => [environment.id, environment])).values()];
      return distinct.filter(({ collected }) => collected === true).filter((each) => this.#isSelected(each));
    } catch (error) {
      this.#failures.push(messageOf(error));
      return null;
    }
  }

  /** All pages of a list. */
  async #list(target: string, name: string): Promise<unknown[]> {
    const listed: unknown[] = [];
    for (;;) {
      const answer = await this.#client.get(listed.length === 0 ? target : `${target}?skip=${listed.length}`);
      const page = listIn(answer);
      const isNew = page.some((entry) => !listed.some((known) => JSON.stringify(known) === JSON.stringify(entry)));
      const count = countIn(answer) ?? 0;
      if (isNew) listed.push(...page);
      if (listed.length >= count || this.#flaw === "believes a list that is cut") return listed;
      if (isNew) continue;
      this.#failures.push(`the list of ${name} is cut`);
      return listed;
    }
  }

  #isSelected({ id, name }: Environment): boolean {
    const selected = [this.#request.parameters["Selected Environments"] ?? []].flat().map(fold);
    return selected.some((wanted) => wanted === "all" || wanted === fold(id) || wanted === fold(name));
  }

  async #readEnvironment(environment: Environment): Promise<void> {
    try {
      const path = `/api/v2/domains/${encodeURIComponent(environment.id)}`;
      const listed = await this.#list(`${path}/available-types`, `finding types of ${environment.id}`);
      const wanted = [this.#request.parameters["Selected Finding Types"] ?? []].flat();
      const types = new Set(listed.filter((type): type is string => typeof type === "string" && type !== ""));
      for (const type of new Set([...types, ...this.#knownTypes(environment)])) {
        if (!wanted.includes("All") && !wanted.includes(type)) continue;
        await this.#readStream(environment, type, `${path}/details?finding=${encodeURIComponent(type)}`).catch(
          (error: unknown) => {
            if (error instanceof Refused && !types.has(type)) return;
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

  /** A list may lack finding types of which there are findings. */
  #knownTypes({ id }: Environment): string[] {
    if (this.#flaw === "believes a list that is short") return [];
    const known = Object.keys(this.#state.seen).filter((stream) => stream.startsWith(`${id}\n`));
    return known.map((stream) => stream.slice(id.length + 1));
  }

  async #readStream(environment: Environment, type: string, target: string): Promise<void> {
    const begun = Object.keys(ownOf(this.#state.seen, `${environment.id}\n${type}`)).length > 0;
    if (begun && this.#flaw === "takes what it began for complete") return;
    const pages = new Pages(environment.id, type, this.#flaw);
    let failure: unknown = null;
    try {
      while (!pages.ended) pages.take(await this.#page(target, pages.skip));
    } catch (error) {
      failure = error instanceof Refused && pages.endsWithRefusal() ? null : error;
    }
    // What was read before a failure need not wait.
    const complete = await this.#deliver(environment, type, pages.read);
    if (failure !== null) throw failure as Error;
    if (this.#flaw !== "never forgets what is gone") this.#forget(`${environment.id}\n${type}`, pages.found);
    if (!complete) throw new Failed("the host accepts no more alerts");
  }

  /** In order and in large pages, if the service takes that. */
  async #page(target: string, skip: number): Promise<unknown> {
    const limits = this.#flaw === "keeps asking for large pages" ? [1_000] : [1_000, 100, 10, 1];
    for (const limit of limits) {
      for (const query of [`&sort_by=created_at&sort_by=id&limit=${limit}`, `&limit=${limit}`]) {
        try {
          return await this.#client.get(`${target}${query}&skip=${skip}`);
        } catch (error) {
          if (error instanceof TooLarge) break;
          if (!(error instanceof Refused)) throw error;
        }
      }
    }
    return this.#client.get(`${target}&skip=${skip}`);
  }

  /** What is gone may come back, and is new then. */
  #forget(stream: string, found: ReadonlySet<string>): void {
    const before = Object.keys(ownOf(this.#state.seen, stream)).length;
    const seen = Object.entries(ownOf(this.#state.seen, stream)).filter(([identity]) => found.has(identity));
    this.#state.seen = Object.fromEntries([
      ...Object.entries(this.#state.seen).filter(([key]) => key !== stream),
      [stream, Object.fromEntries(seen)],
    ]);
    if (seen.length < before) this.#state.gone = { ...this.#state.gone, [stream]: this.#timesGone(stream) + 1 };
  }

  #timesGone(stream: string): number {
    return new Map(Object.entries(this.#state.gone)).get(stream) ?? 0;
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
    const occurrence =
      this.#flaw === "gives what returns its old alert" ? 0 : this.#timesGone(`${environment.id}\n${type}`);
    return {
      id: JSON.stringify([environment.id, type, batch.map(([identity]) => identity).sort(), occurrence]),
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

interface Environment {
  id: string;
  name?: unknown;
  collected?: unknown;
}

function isState(value: unknown): value is State {
  if (!isRecord(value) || typeof value["scheme"] !== "string" || !isRecord(value["seen"])) return false;
  if (!isRecord(value["gone"]) || !Object.values(value["gone"]).every(Number.isInteger)) return false;
  return Object.values(value["seen"]).every((ids) => isRecord(ids) && Object.values(ids).every((id) => id === 1));
}

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

function fold(text: unknown): string {
  return typeof text === "string" ? text.trim().toLowerCase() : "\n";
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : "unknown";
}
