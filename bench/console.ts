import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { startConsole } from "../sandbox/console/server/index.ts";
import { openHost, type Host } from "../sandbox/soar/index.ts";
import { table } from "../sandbox/soar/tables.ts";
import { startTenant } from "../sandbox/tenant/index.ts";
import { buildPortable } from "../src/packaging/portable.ts";

/** What a page asks the server for, how long the server takes, and what it may take. */
export interface ConsoleFigure {
  what: string;
  /** Milliseconds from the request to the last byte of its answer. */
  medianMs: number;
  worstMs: number;
  bytes: number;
}

/** The first paint and each further page take at most so many milliseconds of the server. */
const CONSOLE_TARGET_MS = 200;
export const CONSOLE_EVENTS = 100_000;

const ROUNDS = 20;
const ENVIRONMENTS = 10;
const FINDING_TYPES = 20;
/** Pages of events that a person leafs through. */
const PAGES = 20;

/** Builds the package and measures the console on it. */
export async function benchConsole(events: number): Promise<ConsoleFigure[]> {
  const folder = await mkdtemp(join(tmpdir(), "bench-package-"));
  try {
    const rootDir = resolve(import.meta.dirname, "..");
    return await measureConsole((await buildPortable(rootDir, folder)).path, events);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** The figures as a table for a terminal. */
export function consoleTable(figures: readonly ConsoleFigure[]): string {
  const right = (title: string, width: number) => ({ title, width, align: "right" as const });
  const columns = [
    { title: "what a page asks for", width: 44 },
    right("median ms", 9),
    right("worst ms", 9),
    right("limit ms", 8),
    right("KB", 6),
  ];
  const rows = figures.map(({ what, medianMs, worstMs, bytes }) => [
    what,
    medianMs.toFixed(0),
    worstMs.toFixed(0),
    String(CONSOLE_TARGET_MS),
    (bytes / 1000).toFixed(0),
  ]);
  return table(columns, rows);
}

/**
 * Fills a host with so many events from a simulated tenant, through the built package, and measures over HTTP what the
 * pages ask for.
 * @param archive the built package
 */
export async function measureConsole(archive: string, events: number): Promise<ConsoleFigure[]> {
  const data = await mkdtemp(join(tmpdir(), "bench-console-"));
  const host = openHost({ data });
  const served = await startConsole({
    host,
    tourFile: join(data, "tour.json"),
    builds: data,
    page: { html: "", assets: [] },
  });
  try {
    await fill(host, archive, events);
    const get = async (path: string): Promise<{ text: string; ms: number }> => {
      const started = performance.now();
      const response = await fetch(`${served.origin}/api${path}`, {
        headers: { Authorization: `Bearer ${served.token}` },
      });
      const text = await response.text();
      if (!response.ok) throw new Error(`${path}: ${text}`);
      return { text, ms: performance.now() - started };
    };
    const figures: ConsoleFigure[] = [];
    for (const [what, path] of await questions(async (path) => JSON.parse((await get(path)).text) as Answer)) {
      const times: number[] = [];
      let bytes = 0;
      for (let round = 0; round < ROUNDS; round++) {
        const { text, ms } = await get(path);
        times.push(ms);
        bytes = Buffer.byteLength(text);
      }
      times.sort((a, b) => a - b);
      figures.push({ what, medianMs: times[ROUNDS / 2] ?? 0, worstMs: times.at(-1) ?? 0, bytes });
    }
    return figures;
  } finally {
    await served.close();
    await host.close();
    await rm(data, { recursive: true, force: true });
  }
}

async function fill(host: Host, archive: string, events: number): Promise<void> {
  const findingsPerPair = Math.ceil(events / ENVIRONMENTS / FINDING_TYPES);
  const dataset = { environments: ENVIRONMENTS, findingTypes: FINDING_TYPES, findingsPerPair };
  const tenant = await startTenant({ dataset });
  try {
    const { id, manifest } = await host.install(archive);
    const instance = { Server: tenant.url, "Token ID": tenant.tokenId, "Token Key": tenant.tokenKey };
    for (const { name } of manifest.connectors) {
      const connector = host.configureConnector(id, name, instance);
      const { message } = await host.runConnector(connector.id, { timeoutMs: null });
      if (host.cases.counts().events < events) throw new Error(`The poll brought too few events: ${message}`);
    }
  } finally {
    await tenant.close();
  }
}

interface Answer {
  rows: { id: number | string; title?: string }[];
  next: string | null;
}

/** The requests of the first paint and of paging, by what a person does. */
async function questions(get: (path: string) => Promise<Answer>): Promise<[what: string, path: string][]> {
  const cases = await get("/cases?limit=5");
  const runs = await get("/runs");
  const { id = 0 } = cases.rows[0] ?? {};
  const run = runs.rows[0]?.id ?? "";
  const events = `/cases/${id}/events?limit=200`;
  let late = events;
  for (let page = 1; page <= PAGES; page++) late = behind(events, (await get(late)).next);
  return [
    ["case list", "/cases"],
    ["case list, next page", behind("/cases?limit=5", cases.next)],
    ["case list, a word that is in every event", "/cases?text=test"],
    ["filters of the case list", "/cases/facets"],
    ["case", `/cases/${id}`],
    ["events of a case", `/cases/${id}/events`],
    [`events of a case, page ${PAGES + 1}`, late],
    ["events of a case, a word", `/cases/${id}/events?text=test`],
    ["run list", "/runs"],
    ["run with its requests and alerts", `/runs/${run}`],
    ["log of the run", `/runs/${run}/log`],
    ["home", "/overview"],
  ];
}

function behind(path: string, cursor: string | null): string {
  return cursor === null ? path : `${path}&cursor=${cursor}`;
}
