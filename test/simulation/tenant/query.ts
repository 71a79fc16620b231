import type { FindingPlan, TenantPlan } from "../scenario.ts";
import { hashText } from "../random.ts";
import type { World } from "../world.ts";
import { compareInstants, type Instant, readInstant } from "./instants.ts";
import { createdInstant, idOf, updatedInstant } from "./records.ts";

/** A query that the service does not take. */
export class BadQuery extends Error {}

const PREDICATES = ["eq", "neq", "gt", "gte", "lt", "lte"] as const;
type Predicate = (typeof PREDICATES)[number];

const holds: Record<Predicate, (order: number) => boolean> = {
  eq: (order) => order === 0,
  neq: (order) => order !== 0,
  gt: (order) => order > 0,
  gte: (order) => order >= 0,
  lt: (order) => order < 0,
  lte: (order) => order <= 0,
};

type Row = FindingPlan;

/** Parameters of `details` that this tenant knows and does not act on. */
const IGNORED = new Set(["finding", "skip", "limit", "sort_by", "asset_group_tag_id", "counts"]);

/** Rows of one environment and finding type, filtered and sorted as the query asks. */
export class Rows {
  readonly #world: World;
  readonly #plan: TenantPlan;
  readonly #moment: number;

  constructor(world: World, moment: number) {
    this.#world = world;
    this.#plan = world.scenario.tenant;
    this.#moment = moment;
  }

  /** @throws BadQuery for a filter or a sort order that the service refuses */
  select(environment: string, type: string, query: URLSearchParams): Row[] {
    const present = this.#world
      .findingsOf(environment, type)
      .filter((finding) => this.#world.isPresent(finding, this.#moment));
    if (this.#plan.refusesFilters && [...query.keys()].some((name) => !IGNORED.has(name))) {
      throw new BadQuery("there are errors in the query parameter filters specified");
    }
    const filters = [...query].filter(([name]) => !IGNORED.has(name)).map(([name, value]) => this.#filter(name, value));
    const kept = this.#plan.ignoresFilters ? present : present.filter((row) => filters.every((passes) => passes(row)));
    return this.#sorted(kept, query.getAll("sort_by"));
  }

  #filter(name: string, value: string): (row: Row) => boolean {
    if (name !== "created_at" && name !== "updated_at" && name !== "id") {
      throw new BadQuery("there are errors in the query parameter filters specified");
    }
    const colon = value.indexOf(":");
    const predicate = PREDICATES.find((known) => known === value.slice(0, Math.max(colon, 0)));
    if (predicate === undefined) throw new BadQuery(`unknown query parameter filter predicate: ${value}`);
    const operand = value.slice(colon + 1);
    const compare = name === "id" ? comparesId(operand) : this.#comparesInstant(name, operand);
    return (row) => {
      const order = compare(row);
      // An empty column fits no filter, as in SQL.
      return order !== null && holds[predicate](order);
    };
  }

  #comparesInstant(column: "created_at" | "updated_at", text: string): (row: Row) => number | null {
    const bound = readInstant(text);
    if (bound === null) throw new BadQuery("there are errors in the query parameter filters specified");
    return (row) => {
      const value = this.#instant(row, column);
      return value === null ? null : compareInstants(value, bound);
    };
  }

  #instant(row: Row, column: "created_at" | "updated_at"): Instant | null {
    return column === "created_at"
      ? createdInstant(this.#world, row, this.#moment)
      : updatedInstant(this.#world, row, this.#moment);
  }

  #sorted(rows: Row[], columns: readonly string[]): Row[] {
    const { refusesSorting, ignoresSorting } = this.#plan;
    if (columns.some((column) => refusesSorting.includes(column))) {
      throw new BadQuery("column format does not support sorting");
    }
    const orders = columns.map((column) => this.#order(column));
    const places = new Map(rows.map((row) => [row, hashText(row.key)]));
    // Without an order of its own the service gives rows as it finds them.
    const natural = (a: Row, b: Row): number => places.get(a)! - places.get(b)!;
    if (ignoresSorting) return rows.sort(natural);
    return rows.sort((a, b) => {
      for (const order of orders) {
        const decided = order(a, b);
        if (decided !== 0) return decided;
      }
      return natural(a, b);
    });
  }

  #order(text: string): (a: Row, b: Row) => number {
    const descending = text.startsWith("-");
    const column = descending ? text.slice(1) : text;
    const sign = descending ? -1 : 1;
    if (column === "id") return (a, b) => sign * compareIds(idOf(a), idOf(b));
    if (column !== "created_at" && column !== "updated_at")
      throw new BadQuery("column format does not support sorting");
    return (a, b) => sign * this.#compareInstants(this.#instant(a, column), this.#instant(b, column));
  }

  /** Empty columns come last, as in SQL. */
  #compareInstants(a: Instant | null, b: Instant | null): number {
    if (a === null || b === null) return Number(a === null) - Number(b === null);
    return compareInstants(a, b);
  }
}

function comparesId(operand: string): (row: Row) => number | null {
  if (!/^-?\d+$/.test(operand)) throw new BadQuery("there are errors in the query parameter filters specified");
  return (row) => {
    const id = idOf(row);
    return typeof id === "number" ? id - Number(operand) : null;
  };
}

function compareIds(a: Row["id"], b: Row["id"]): number {
  if (a === null || b === null) return Number(a === null) - Number(b === null);
  if (typeof a === "number" && typeof b === "number") return a - b;
  return String(a) < String(b) ? -1 : String(a) > String(b) ? 1 : 0;
}

/** A whole number of at least 0, or null when the parameter is absent. */
export function wholeNumber(query: URLSearchParams, name: string): number | null {
  const text = query.get(name);
  if (text === null) return null;
  if (!/^\d+$/.test(text)) throw new BadQuery(`query parameter "${name}" is malformed: ${text}`);
  return Number(text);
}
