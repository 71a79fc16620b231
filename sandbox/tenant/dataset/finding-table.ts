import { parseInstant, type Nanoseconds } from "../instants.ts";
import type { WireFinding } from "../wire.ts";
import { columnValue, compareValues, passes, type ColumnValue, type Filter, type SortKey } from "./columns.ts";
import { stableHash } from "./random.ts";

/** Findings of one analysis that are computed when asked for: their ids follow each other, their times are the same. */
export interface Batch {
  firstId: number;
  count: number;
  createdAt: string;
  updatedAt: string;
  /** Distinct exposed objects, and the highest risk in percent, among the findings. */
  assets: number;
  risk: number;
  make(index: number): WireFinding;
}

export interface TableQuery {
  filters: readonly Filter[];
  sort: readonly SortKey[];
  /** Order without sort keys. */
  unsorted: "id" | "scattered";
  skip: number;
  limit: number;
}

export interface TablePage {
  count: number;
  findings: WireFinding[];
}

/** Consecutive findings of a batch, or one record, that are the same for filters and sort orders. */
interface Run {
  length: number;
  at(index: number): WireFinding;
  value(column: string): ColumnValue;
}

/** Columns on which a batch is one run. */
const RUN_COLUMNS = new Set(["id", "created_at", "updated_at"]);

/**
 * The findings of one environment and finding type. Findings of a batch are never held: counting, ordering by id or
 * time, filtering by them, and paging cost as much as there are batches, records and findings on the page.
 */
export class FindingTable {
  #batches: Batch[] = [];
  #records: WireFinding[] = [];

  get size(): number {
    return this.#batches.reduce((sum, batch) => sum + batch.count, this.#records.length);
  }

  addBatch(batch: Batch): void {
    this.#batches.push(batch);
  }

  add(record: WireFinding): void {
    if (this.#batches.some((batch) => record.id >= batch.firstId && record.id < batch.firstId + batch.count))
      this.#unfold();
    this.#records.push(record);
  }

  clear(): void {
    this.#batches = [];
    this.#records = [];
  }

  /** Takes a finding out and returns it; undefined when there is none. */
  remove(id: number): WireFinding | undefined {
    this.#unfold();
    const index = this.#records.findIndex((record) => record.id === id);
    return index < 0 ? undefined : this.#records.splice(index, 1)[0];
  }

  /** Changes fields of one finding; says whether there was such a finding. */
  change(id: number, changes: Partial<WireFinding>): boolean {
    this.#unfold();
    const index = this.#records.findIndex((record) => record.id === id);
    const record = this.#records[index];
    if (record === undefined) return false;
    this.#records[index] = { ...record, ...changes };
    return true;
  }

  /** Changes every finding; the table must be small enough to hold them. */
  update(change: (record: WireFinding) => WireFinding): void {
    this.#unfold();
    this.#records = this.#records.map(change);
  }

  touch(updatedAt: string): void {
    this.#batches.forEach((batch) => (batch.updatedAt = updatedAt));
    this.#records = this.#records.map((record) => ({ ...record, updated_at: updatedAt }));
  }

  /** What a sparkline point says about the findings; the risk is the highest exposure (or impact) in percent. */
  summary(): { findings: number; assets: number; risk: number } {
    const assets = new Set(
      this.#records.map((record) => ("ToPrincipal" in record ? record.ToPrincipal : record.Principal)),
    );
    const risks = this.#records.map((record) =>
      "ToPrincipal" in record ? record.ExposurePercentage : record.ImpactPercentage,
    );
    return {
      findings: this.size,
      assets: this.#batches.reduce((most, batch) => Math.max(most, batch.assets), assets.size),
      risk: this.#batches.reduce((most, batch) => Math.max(most, batch.risk), Math.max(0, ...risks) * 100),
    };
  }

  query(query: TableQuery): TablePage {
    const scattered = query.sort.length === 0 && query.unsorted === "scattered";
    const columns = [...query.filters, ...query.sort].map((use) => use.column);
    const wide = !scattered && columns.every((column) => RUN_COLUMNS.has(column));
    const runs = wide ? this.#wideRuns(query) : this.#singleRuns();
    const kept = runs.filter((run) => query.filters.every((wanted) => passes(run.value(wanted.column), wanted)));
    return page(kept.sort(scattered ? byHash : byKeys(query.sort)), query);
  }

  #unfold(): void {
    for (const batch of this.#batches) {
      for (let index = 0; index < batch.count; index += 1) this.#records.push(made(batch, index));
    }
    this.#batches = [];
  }

  #singleRuns(): Run[] {
    const batches = this.#batches.flatMap((batch) => runsOf(batch, [], true));
    return [...batches, ...this.#records.map(recordRun)];
  }

  #wideRuns(query: TableQuery): Run[] {
    const idFilters = query.filters.filter((wanted) => wanted.column === "id");
    const descending = query.sort.find((key) => key.column === "id")?.descending === true;
    const batches = this.#batches.flatMap((batch) => runsOf(batch, idFilters, false, descending));
    return [...batches, ...this.#records.map(recordRun)];
  }
}

function made(batch: Batch, index: number): WireFinding {
  const { createdAt, updatedAt, firstId } = batch;
  return { ...batch.make(index), id: firstId + index, created_at: createdAt, updated_at: updatedAt };
}

function recordRun(record: WireFinding): Run {
  const values = new Map<string, ColumnValue>();
  const value = (column: string): ColumnValue => {
    const known = values.get(column);
    if (known !== undefined) return known;
    const read = columnValue(record, column);
    values.set(column, read);
    return read;
  };
  return { length: 1, at: () => record, value };
}

/** The findings of a batch as runs: one for each range of ids on whose ends the id filters do not disagree. */
function runsOf(batch: Batch, idFilters: readonly Filter[], single: boolean, descending = false): Run[] {
  if (single) return Array.from({ length: batch.count }, (_, index) => recordRun(made(batch, index)));
  const end = batch.firstId + batch.count;
  const cuts = idFilters.flatMap(({ value }) => {
    const id = Number(value);
    return [Math.ceil(id), Math.floor(id) + 1];
  });
  const inside = cuts.filter((cut) => cut > batch.firstId && cut < end);
  const ends = [...new Set([batch.firstId, ...inside, end])].sort((a, b) => a - b);
  const times: Record<string, Nanoseconds | null> = {
    created_at: parseInstant(batch.createdAt),
    updated_at: parseInstant(batch.updatedAt),
  };
  return ends.slice(0, -1).map((first, position) => {
    const length = (ends[position + 1] ?? end) - first;
    const start = first - batch.firstId;
    return {
      length,
      at: (index) => made(batch, descending ? start + length - 1 - index : start + index),
      value: (column) => (column === "id" ? first : (times[column] ?? null)),
    };
  });
}

const byId = (a: Run, b: Run): number => compareValues(a.value("id"), b.value("id"));

function byKeys(sort: readonly SortKey[]): (a: Run, b: Run) => number {
  return (a, b) => {
    for (const key of sort) {
      const order = compareValues(a.value(key.column), b.value(key.column));
      if (order !== 0) return key.descending ? -order : order;
    }
    return byId(a, b);
  };
}

const byHash = (a: Run, b: Run): number =>
  stableHash(String(a.value("id"))) - stableHash(String(b.value("id"))) || byId(a, b);

function page(runs: readonly Run[], { skip, limit }: TableQuery): TablePage {
  const count = runs.reduce((sum, run) => sum + run.length, 0);
  const findings: WireFinding[] = [];
  let before = 0;
  for (const run of runs) {
    for (let index = Math.max(0, skip - before); index < run.length && findings.length < limit; index += 1) {
      findings.push(run.at(index));
    }
    before += run.length;
    if (findings.length >= limit) break;
  }
  return { count, findings };
}
