import { describe, expect, it } from "@jest/globals";
import fc from "fast-check";
import { checkpointJson, emptyCheckpoint, loadCheckpoint } from "../../src/ingestion/checkpoint.ts";
import { Documents } from "../../src/ingestion/documents.ts";
import { Ledger } from "../../src/ingestion/ledger.ts";
import { Outbox } from "../../src/ingestion/outbox.ts";
import { PairProgress, type PairState } from "../../src/ingestion/pair-progress.ts";
import type { PlannedPair } from "../../src/ingestion/plan.ts";
import { readPair, type ReadContext } from "../../src/ingestion/read-pair.ts";
import type { Alert, Json, JsonObject } from "../../src/runtime/protocol.ts";
import type { FindingsQuery } from "../../src/service/attack-path-service.ts";
import type { Finding } from "../../src/service/records/findings.ts";
import { applyMergePatch } from "../../sandbox/soar/merge-patch.ts";

const TENANT = "https://tenant.test";
const NOW = Date.parse("2026-02-01T00:00:00Z");
const EPOCH = Date.parse("2026-01-01T00:00:00Z");
const nothing = (): void => undefined;
const silent = { debug: nothing, info: nothing, warn: nothing, error: nothing };

function plannedPair(environmentId: string, findingType: string): PlannedPair {
  const environment = { id: environmentId, name: environmentId };
  return { environment, environmentId, findingType, progress: "waiting", delivered: false };
}

/** A service that has these findings and grants pages of this size. */
function serviceOf(findings: readonly Finding[], pageSize: number): ReadContext["service"] {
  return {
    async *pages({ resume }: FindingsQuery) {
      for (let skip = resume?.skip ?? 0; skip < findings.length; skip += pageSize) {
        // Records are taken apart by whoever gets them.
        const page = structuredClone(findings.slice(skip, skip + pageSize));
        yield await Promise.resolve({ findings: page, misfits: [], total: findings.length, skip });
      }
    },
    probe: () => Promise.resolve({ total: null, lastAdded: null }),
    types: () => Promise.resolve([]),
    sparkline: () => Promise.resolve([]),
  };
}

interface Reading {
  findings: readonly Finding[];
  pageSize: number;
  maxEventsPerAlert: number;
  alertsPerTurn: number;
}

/** Reads a pair turn by turn to its end, as runs under a budget do, each from the state of the one before. */
async function readToTheEnd({ findings, pageSize, maxEventsPerAlert, alertsPerTurn }: Reading): Promise<Alert[]> {
  const alerts: Alert[] = [];
  let state: Json = null;
  for (let complete = false; !complete;) {
    const loaded = loadCheckpoint(state, TENANT);
    if (loaded.kind === "newer") throw new Error("impossible");
    const ledger = new Ledger(state, loaded.checkpoint);
    complete = await readPair(
      plannedPair("S-1", "T0Owns"),
      {
        service: serviceOf(findings, pageSize),
        documents: new Documents({ read: () => Promise.resolve("") }, new Map(), NOW),
        ledger,
        now: NOW,
        sweep: true,
        maxEventsPerAlert,
        frame: {
          origin: TENANT,
          product: "P",
          vendor: "V",
          productField: "device_product",
          eventField: "finding_type",
        },
        outbox: new Outbox((alert, checkpoint) => {
          alerts.push(alert);
          state = applyMergePatch(state, JSON.parse(JSON.stringify(checkpoint)) as Json);
          return Promise.resolve();
        }),
        log: silent,
        tally: { findings: 0, alerts: 0, misfits: 0 },
      },
      { alerts: alertsPerTurn },
    );
  }
  return alerts;
}

const reading = fc.record({
  findings: fc
    .uniqueArray(fc.integer({ min: 1, max: 100_000 }), { maxLength: 60 })
    .chain((ids) =>
      fc
        .array(fc.nat(40), { minLength: ids.length, maxLength: ids.length })
        .map((hours) =>
          ids
            .map((id, index) => ({ id, created_at: new Date(EPOCH + (hours[index] ?? 0) * 1_800_000).toISOString() }))
            .sort((a, b) => (a.created_at < b.created_at ? -1 : a.created_at > b.created_at ? 1 : a.id - b.id)),
        ),
    ),
  pageSize: fc.integer({ min: 1, max: 25 }),
  maxEventsPerAlert: fc.integer({ min: 1, max: 12 }),
  alertsPerTurn: fc.integer({ min: 1, max: 4 }),
});

describe("splitting findings into alerts", () => {
  const idsIn = (alerts: Alert[]) => alerts.flatMap(({ events }) => events.map((event) => event["finding_id"]));

  it("puts every finding into exactly one alert, in order and within the limit, whatever the pages and budgets", async () => {
    await fc.assert(
      fc.asyncProperty(reading, async (given) => {
        const alerts = await readToTheEnd(given);
        expect(idsIn(alerts)).toEqual(given.findings.map(({ id }) => String(id)));
        for (const { events } of alerts) expect(events.length).toBeLessThanOrEqual(given.maxEventsPerAlert);
        expect(new Set(alerts.map(({ id }) => id)).size).toBe(alerts.length);
      }),
    );
  });

  it("gives the same alerts the same ids, whatever the pages and budgets", async () => {
    await fc.assert(
      fc.asyncProperty(reading, fc.integer({ min: 1, max: 25 }), async (given, pageSize) => {
        const ids = (alerts: Alert[]) => alerts.map(({ id }) => id);
        const again = { ...given, pageSize, alertsPerTurn: 100 };
        expect(ids(await readToTheEnd(again))).toEqual(ids(await readToTheEnd(given)));
      }),
      { numRuns: 50 },
    );
  });
});

/** What pairs go through in one run: states as `PairProgress` gives them, each newer than the one before. */
const history = fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 4 }).map((steps) => {
  const progress = new PairProgress(null, NOW);
  let position = 0;
  return steps.map((count): PairState => {
    for (let i = 0; i < count; i++, position++) {
      const createdAt = new Date(EPOCH + position * 60_000).toISOString();
      progress.consider(String(position + 1), createdAt, position);
    }
    return progress.interrupted();
  });
});

const histories = fc.dictionary(fc.constantFrom("S-1 A", "S-1 B", "S-2 A", "S-2 C", "S-3 B"), history, { minKeys: 1 });

describe("pairs that are read at the same time", () => {
  it("leave one state behind, at the plugin and at the host, in whatever order their alerts are stored", () => {
    const orders = histories.chain((pairs) => {
      const turns = Object.entries(pairs).flatMap(([name, states]) => states.map(() => name));
      const order = fc.shuffledSubarray(turns, { minLength: turns.length });
      return fc.tuple(fc.constant(pairs), order, order);
    });
    fc.assert(
      fc.property(orders, ([pairs, ...both]) => {
        const [first, second] = both.map((order) => storeInOrder(pairs, order));
        expect(first?.host).toEqual(first?.plugin);
        expect(second).toEqual(first);
      }),
    );
  });
});

function storeInOrder(pairs: Record<string, PairState[]>, order: readonly string[]): { host: Json; plugin: Json } {
  const ledger = new Ledger(null, emptyCheckpoint(TENANT));
  const queues = new Map(Object.entries(pairs).map(([name, states]) => [name, [...states]]));
  let host: Json = null;
  for (const name of order) {
    const [environmentId = "", findingType = ""] = name.split(" ");
    const state = queues.get(name)?.shift();
    if (state === undefined) continue;
    const patch = ledger.commit({ environmentId, findingType }, state, undefined);
    host = applyMergePatch(host, JSON.parse(JSON.stringify(patch)) as JsonObject);
  }
  return { host: settled(host), plugin: settled(ledger.finish().json) };
}

/** The state without the empty groups that merge patches leave behind. */
function settled(state: Json): Json {
  const loaded = loadCheckpoint(state, TENANT);
  return loaded.kind === "loaded" ? checkpointJson(loaded.checkpoint) : null;
}
