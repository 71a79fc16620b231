import type { Clock } from "../clock.ts";
import { manifest } from "../generated/manifest.ts";
import { Descriptions } from "../ingestion/descriptions.ts";
import { alertOf } from "../ingestion/mapping/alert.ts";
import { OptionalRoutes } from "../ingestion/optional-routes.ts";
import { findingLines } from "../output/finding-lines.ts";
import type { FindingLine } from "../output/formats.ts";
import type { AttackPathService } from "../service/attack-path-service.ts";
import type { Sortable } from "./arranged.ts";
import type { FindingMapper } from "./finding-rows.ts";

/** A finding as a line in a format of findings. */
export interface SortableLine extends Sortable {
  /** Without its line feed. */
  readonly line: string;
}

/** How long findings wait for the texts about their type. */
const PATIENCE_MS = 10_000;

/** Makes events of findings, such as those of OCSF: the same as `poll` makes, but for the activity, because a list does not know what its reader has seen. */
export class FindingEvents {
  readonly #descriptions: Descriptions;
  readonly #service: AttackPathService;
  readonly #clock: Clock;
  readonly #lineOf: FindingLine;

  constructor(service: AttackPathService, clock: Clock, lineOf: FindingLine) {
    const routes = new OptionalRoutes({}, { clock, patienceMs: PATIENCE_MS });
    this.#descriptions = new Descriptions(service.documents, {}, { clock, routes });
    this.#service = service;
    this.#clock = clock;
    this.#lineOf = lineOf;
  }

  /** How many finding types have a text that could not be loaded. */
  get undescribed(): number {
    return this.#descriptions.failures.size;
  }

  readonly map: FindingMapper<SortableLine> = async (stream) => {
    const description = await this.#descriptions.of(stream.findingType);
    const { product, vendor } = manifest;
    const labels = { product, vendor, productField: "device_product", eventField: "finding_type" };
    return (finding, { severity, impact, exposure, createdAt, start, end }) => {
      const batch = { stream, findings: [finding] };
      const alert = alertOf(batch, description, { ...labels, origin: this.#service.origin }, this.#clock.now());
      return {
        severity,
        impact_percentage: impact ?? null,
        exposure_percentage: exposure ?? null,
        created_at: createdAt ?? null,
        line: findingLines(alert, end > start ? "updated" : "created", this.#lineOf).trimEnd(),
      };
    };
  };
}
