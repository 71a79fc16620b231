import type { LogLine, RequestDetails, RequestTrace } from "../../console/contract/index.ts";
import type { Clock } from "../../../src/clock.ts";
import { isObject } from "../../../src/json.ts";
import type { JobRequest, Json, JsonObject, LogMessage, Request } from "../../../src/runtime/protocol.ts";
import { createRedactor } from "../../../src/runtime/redaction.ts";
import { REDACTED } from "../../../src/secrets.ts";
import { counted } from "../../../src/text.ts";
import type { LiveEvents } from "../live.ts";
import type { RunLog } from "./run-log.ts";

const MOST_LINES = 10_000;
const MOST_REQUESTS = 5_000;
/** Lines are stored in one transaction for this many, or after this time: a page shows what is stored, and a host that is killed keeps no more. */
const BATCH = 200;
const PAUSE_MS = 300;
const LARGEST_PART = 20_000;

/** Takes what one run writes to its log, and finds the requests to the service in it. */
export class RunRecorder {
  /** Requests beyond those that are kept. */
  requestsLeft = 0;
  private readonly log: RunLog;
  private readonly live: LiveEvents;
  private readonly clock: Clock;
  private readonly runId: string;
  private readonly startedAt: number;
  private pause: AbortController | null = null;
  private readonly stored = { lines: 0, traces: 0 };
  private lines: LogLine[] = [];
  private traces: (RequestTrace & RequestDetails)[] = [];

  constructor(
    { log, live, clock }: { log: RunLog; live: LiveEvents; clock: Clock },
    run: { id: string; startedAt: number },
  ) {
    this.log = log;
    this.live = live;
    this.clock = clock;
    this.runId = run.id;
    this.startedAt = run.startedAt;
  }

  take({ level, message, fields: given }: LogMessage): void {
    const now = this.clock.now();
    // The log belongs to one run; each line need not say to which.
    const fields = Object.fromEntries(Object.entries(given).filter(([name]) => name !== "run"));
    const line = { at: now, level, message, fields: withoutSides(fields) };
    const lines = this.stored.lines + this.lines.length;
    if (lines < MOST_LINES) this.lines.push(line);
    else if (lines === MOST_LINES) {
      const message = "The rest of the log was not kept. It is too long.";
      this.lines.push({ at: now, level: "warn", message, fields: {} });
    }
    const trace = traceOf(fields, this.startedAt);
    if (trace !== null) {
      if (this.stored.traces + this.traces.length < MOST_REQUESTS) this.traces.push(trace);
      else this.requestsLeft += 1;
    }
    if (this.lines.length + this.traces.length >= BATCH) this.flush();
    else void this.flushSoon();
  }

  /** Stores what has been taken and not stored yet. */
  flush(): void {
    this.pause?.abort();
    this.pause = null;
    const { lines, traces } = this;
    if (lines.length + traces.length === 0) return;
    this.log.append(this.runId, lines, traces, this.stored);
    this.stored.lines += lines.length;
    this.stored.traces += traces.length;
    this.lines = [];
    this.traces = [];
    for (const line of lines) this.live.emit({ type: "log", runId: this.runId, line });
  }

  /** The same for a run that has failed, maybe because nothing can be stored: its end says so. */
  flushIfPossible(): void {
    try {
      this.flush();
    } catch {
      this.lines = [];
      this.traces = [];
    }
  }

  private async flushSoon(): Promise<void> {
    if (this.pause !== null) return;
    this.pause = new AbortController();
    try {
      await this.clock.sleep(PAUSE_MS, this.pause.signal);
      this.flush();
    } catch {
      // It has been stored before, or cannot be stored: the next message and the end of the run try again, and say why.
    }
  }
}

/** Both sides of a request stand in the list of requests; a line of the log names it. */
function withoutSides(fields: JsonObject): JsonObject {
  const { request } = fields;
  if (!isObject(request)) return fields;
  const { sent, received, ...rest } = request;
  return { ...fields, request: rest };
}

/** A request as the plugin logs it, under `request`; null for any other message. Source: docs/host-contract.md. */
function traceOf(fields: JsonObject, startedAt: number): (RequestTrace & RequestDetails) | null {
  const { request } = fields;
  if (!isObject(request)) return null;
  const { method, path, query, queuedAt, sentAt, endedAt, status = null, bytes = null, error = null } = request;
  const texts = [method, path, query];
  if (!texts.every((value) => typeof value === "string")) return null;
  const times = [queuedAt, sentAt, endedAt].map((value) => Number(value) - startedAt);
  if (!times.every(Number.isFinite)) return null;
  const [sent, received] = [sideOf(request["sent"]), sideOf(request["received"])];
  return {
    ...{ method, path, query, status, bytes, error },
    ...{ queuedAt: times[0], sentAt: times[1], endedAt: times[2] },
    sent: sent && { headers: sent.headers },
    received,
  } as RequestTrace & RequestDetails;
}

const MOST_HEADERS = 100;
const LONGEST_BODY = 4_000;
const LONGEST_HEADER = 1_000;

/** One side of a request, bounded whatever a plugin writes; null when it is not recorded. */
function sideOf(side: Json | undefined): { headers: Record<string, string>; body: string } | null {
  if (!isObject(side)) return null;
  const headers = isObject(side["headers"]) ? Object.entries(side["headers"]).slice(0, MOST_HEADERS) : [];
  const texts = headers.map(([name, value]) => [
    name.slice(0, LONGEST_HEADER),
    (typeof value === "string" ? value : JSON.stringify(value)).slice(0, LONGEST_HEADER),
  ]);
  const { body } = side;
  return {
    headers: Object.fromEntries(texts) as Record<string, string>,
    body: typeof body === "string" ? body.slice(0, LONGEST_BODY) : "",
  };
}

/** A request as people may see it: every secret replaced, and a large state and many alerts left out. */
export function shownRequest(request: Request, secrets: readonly string[]): JsonObject {
  const { state, alerts = [] } = request as Request & Partial<Pick<JobRequest, "alerts">>;
  const large = {
    ...sizeIfLarge("state", state, (characters) => counted(characters, "character")),
    ...sizeIfLarge("alerts", alerts, () => counted(alerts.length, "alert")),
  };
  const shown = createRedactor(secrets).json({ ...request, ...large } as unknown as JsonObject);
  // A secret that is too short for the redactor still stands alone in its parameter.
  const hidden = new Set(secrets);
  const bag = (name: "instance" | "parameters"): JsonObject =>
    Object.fromEntries(
      Object.entries((shown[name] ?? {}) as JsonObject).map(([label, value]) => [
        label,
        typeof value === "string" && hidden.has(value) ? REDACTED : value,
      ]),
    );
  return {
    ...shown,
    ...(shown["instance"] !== undefined && { instance: bag("instance") }),
    parameters: bag("parameters"),
  };
}

function sizeIfLarge(part: string, value: unknown, described: (characters: number) => string): Record<string, string> {
  const { length } = JSON.stringify(value);
  return length > LARGEST_PART ? { [part]: `${described(length)}, not shown here` } : {};
}
