import { Graph, type GraphNode } from "../graph/graph.ts";
import { formatInstant, parseInstant } from "../instants.ts";
import { type WireEnvironment, type WireFinding, type WireSparklinePoint, NOT_DELETED } from "../wire.ts";
import type { FindingDocuments } from "./catalogue.ts";
import { makeFinding, type Ground } from "./derive.ts";
import { FindingTable } from "./finding-table.ts";
import { seededRandom, type Random } from "./random.ts";
import { Reach } from "./reach.ts";

interface EnvironmentData {
  environment: WireEnvironment;
  tables: Map<string, FindingTable>;
  /** By finding type, oldest first. */
  points: Map<string, WireSparklinePoint[]>;
}

/** All that a tenant knows: environments, the graph, findings, analyses, documents. */
export class Dataset {
  readonly graph = new Graph();
  readonly documents = new Map<string, FindingDocuments>();
  readonly #environments = new Map<string, EnvironmentData>();
  readonly #nodes = new Map<string, GraphNode[]>();
  readonly #random: Random;
  #lastFindingId = 0;
  #lastPointId = 0;

  constructor(seed = 1) {
    this.#random = seededRandom(seed);
  }

  get environments(): WireEnvironment[] {
    return [...this.#environments.values()].map((data) => data.environment);
  }

  addEnvironment(environment: WireEnvironment): void {
    this.#environments.set(environment.id, { environment, tables: new Map(), points: new Map() });
  }

  environment(environmentId: string): WireEnvironment | undefined {
    return this.#environments.get(environmentId)?.environment;
  }

  renameEnvironment(environmentId: string, name: string): void {
    this.#require(environmentId).environment.name = name;
  }

  removeEnvironment(environmentId: string): void {
    this.#environments.delete(environmentId);
  }

  /** Objects of an environment, as of the first call. */
  nodesOf(environmentId: string): readonly GraphNode[] {
    if (this.#nodes.size === 0) {
      for (const node of this.graph.nodes) {
        const nodes = this.#nodes.get(node.environmentId);
        if (nodes === undefined) this.#nodes.set(node.environmentId, [node]);
        else nodes.push(node);
      }
    }
    return this.#nodes.get(environmentId) ?? [];
  }

  findingTypes(environmentId: string): string[] {
    return [...(this.#environments.get(environmentId)?.tables.keys() ?? [])].sort();
  }

  /** The findings of a pair; undefined when the environment does not have the finding type. */
  findings(environmentId: string, findingType: string): FindingTable | undefined {
    return this.#environments.get(environmentId)?.tables.get(findingType);
  }

  sparkline(environmentId: string, findingType: string): readonly WireSparklinePoint[] {
    return this.#environments.get(environmentId)?.points.get(findingType) ?? [];
  }

  /** The findings of a pair, made when missing. */
  table(environmentId: string, findingType: string): FindingTable {
    const { tables } = this.#require(environmentId);
    const table = tables.get(findingType) ?? new FindingTable();
    tables.set(findingType, table);
    return table;
  }

  removeFindingType(environmentId: string, findingType: string): void {
    this.#require(environmentId).tables.delete(findingType);
  }

  /** Finding ids are ascending int32 numbers; this takes the next ones and returns the first. */
  takeIds(count: number): number {
    const first = this.#lastFindingId + 1;
    this.#lastFindingId += count;
    return first;
  }

  /** The material that new findings of an environment are made of. */
  ground(environmentId: string): Ground {
    const nodes = this.nodesOf(environmentId);
    return { graph: this.graph, environmentId, nodes, reach: new Reach(this.graph, nodes) };
  }

  /** Adds findings that share their times, with overrides; a field that is overridden with undefined is left out. */
  addFindings(
    environmentId: string,
    findingType: string,
    overrides: readonly Record<string, unknown>[],
    createdAt: string,
  ): WireFinding[] {
    const table = this.table(environmentId, findingType);
    const ground = this.ground(environmentId);
    return overrides.map((override) => {
      const made = makeFinding(ground, findingType, this.#random);
      const stamped = { ...made, id: this.takeIds(1), created_at: createdAt, updated_at: createdAt };
      const finding = withOverrides(stamped, override);
      table.add(finding);
      return finding;
    });
  }

  /** Gives each finding type of the environment a sparkline point of this instant. */
  addSparklinePoints(environmentId: string, instant: string): void {
    const { tables, points } = this.#require(environmentId);
    for (const [findingType, table] of tables) {
      const series = points.get(findingType) ?? [];
      this.#lastPointId += 1;
      const { findings, assets, risk } = table.summary();
      series.push({
        id: this.#lastPointId,
        created_at: instant,
        updated_at: instant,
        deleted_at: NOT_DELETED,
        CompositeRisk: risk,
        FindingCount: findings,
        ImpactedAssetCount: assets,
        DomainSID: environmentId,
        Finding: findingType,
      });
      points.set(findingType, series);
    }
  }

  /** When the newest analysis was, by the sparklines; null without any. */
  get analysedAt(): string | null {
    const points = [...this.#environments.values()].flatMap((data) => [...data.points.values()].flat());
    const instants = points.map((point) => parseInstant(point.created_at) ?? 0n);
    return instants.length === 0 ? null : formatInstant(instants.reduce((a, b) => (a > b ? a : b)));
  }

  touch(environmentId: string, updatedAt: string): void {
    for (const table of this.#require(environmentId).tables.values()) table.touch(updatedAt);
  }

  renumber(environmentId: string): void {
    for (const table of this.#require(environmentId).tables.values()) {
      table.update((finding) => ({ ...finding, id: this.takeIds(1) }));
    }
  }

  #require(environmentId: string): EnvironmentData {
    const data = this.#environments.get(environmentId);
    if (data === undefined) throw new Error(`There is no environment ${environmentId}.`);
    return data;
  }
}

function withOverrides(finding: WireFinding, overrides: Record<string, unknown>): WireFinding {
  const merged: Record<string, unknown> = { ...finding, ...overrides };
  for (const [field, value] of Object.entries(overrides))
    if (value === undefined) Reflect.deleteProperty(merged, field);
  return merged as unknown as WireFinding;
}
