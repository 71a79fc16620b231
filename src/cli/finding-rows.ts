import { eventOf } from "../ingestion/mapping/event.ts";
import { newFinding } from "../ingestion/new-finding.ts";
import { environmentName, type Stream, streamName } from "../ingestion/scope.ts";
import type { Selection } from "../ingestion/selection.ts";
import { timeOf } from "../ingestion/time.ts";
import type { Severity } from "../runtime/protocol.ts";
import type { AttackPathService } from "../service/attack-path-service.ts";
import type { Environment } from "../service/resources/environments.records.ts";
import type { Finding } from "../service/resources/findings.records.ts";
import { oneLine } from "../text.ts";
import { isEmpty } from "../service/resources/findings.ts";
import { NOT_REQUESTED } from "../service/resources/requested-findings.ts";
import { instantText } from "./instant-option.ts";
import { ListOfParts, WITHOUT_NAME } from "./list-end.ts";
import type { Row } from "./rows.ts";

export interface FindingFilter {
  readonly environments: readonly Environment[];
  /** Narrows the finding types. */
  readonly selection: Selection;
  /** Severities; empty for all. */
  readonly severities: readonly string[];
  /** Epoch milliseconds: findings that were created at that time or later. */
  readonly since: number | undefined;
  readonly accepted: boolean | undefined;
}

/** Reads findings one stream after the other. Only the page in work is held, and the ids of its stream. */
export class FindingRows {
  readonly #service: AttackPathService;
  readonly #filter: FindingFilter;
  readonly #now: number;
  readonly #progress: (text: string) => void;
  /** An environment is a part, and each of its streams. */
  readonly parts = new ListOfParts();

  /** @param progress - receives a text for people that says what is being read */
  constructor(service: AttackPathService, filter: FindingFilter, now: number, progress: (text: string) => void) {
    this.#service = service;
    this.#filter = filter;
    this.#now = now;
    this.#progress = progress;
  }

  async *rows(): AsyncGenerator<Row> {
    for (const environment of this.#filter.environments) {
      for await (const stream of this.parts.read(environmentName(environment), this.#streams(environment))) {
        yield* this.parts.read(streamName(stream), this.#rowsOf(stream));
      }
    }
  }

  async *#streams(environment: Environment): AsyncGenerator<Stream> {
    const { types, unreadable, incomplete } = await this.#service.findings.types(environment.id);
    this.parts.ignore(unreadable, WITHOUT_NAME);
    for (const findingType of this.#filter.selection.types(types)) yield { environment, findingType };
    if (incomplete !== undefined) throw incomplete;
  }

  async *#rowsOf({ environment, findingType }: Stream): AsyncGenerator<Row> {
    const { since } = this.#filter;
    const pages = this.#service.findings.pages({
      environmentId: environment.id,
      findingType,
      once: true,
      ...(since !== undefined && { createdFrom: instantText(since) }),
    });
    const name = oneLine(streamName({ environment, findingType }));
    for await (const { findings, skip, total } of pages) {
      this.#progress(`Reading ${name}: ${skip + findings.length}${total === null ? "" : ` of ${total}`}`);
      for (const finding of findings) {
        if (isEmpty(finding)) this.parts.ignore(1, NOT_REQUESTED);
        if (isEmpty(finding) || finding.deleted_at != null) continue;
        const row = this.#rowOf(finding, { environment, findingType });
        if (this.#fits(finding, row.severity)) yield row;
      }
    }
  }

  #fits(finding: Finding, severity: Severity): boolean {
    const { severities, since, accepted } = this.#filter;
    const created = timeOf(finding.created_at);
    return (
      (severities.length === 0 || severities.includes(severity)) &&
      // A service that rejects the filter is read without it.
      (since === undefined || created === null || created >= since) &&
      (accepted === undefined || accepted === (finding.Accepted === true))
    );
  }

  /** The columns have the names that the events of an alert have. */
  #rowOf(finding: Finding, { environment, findingType }: Stream) {
    const name = environmentName(environment);
    const context = { environmentName: name, origin: this.#service.origin, now: this.#now };
    const event = eventOf(newFinding(finding), context);
    const { id, severity, source, target, impact, exposure } = event;
    return {
      finding_id: id,
      environment_id: environment.id,
      environment_name: name,
      finding_type: findingType,
      severity,
      source_principal_name: source.name ?? null,
      source_principal_kind: source.kind ?? null,
      source_object_id: source.objectId ?? null,
      target_principal_name: target.name ?? null,
      target_principal_kind: target.kind ?? null,
      target_object_id: target.objectId ?? null,
      impact_percentage: impact ?? null,
      exposure_percentage: exposure ?? null,
      created_at: event.createdAt ?? null,
      updated_at: event.updatedAt ?? null,
      accepted: event.accepted,
      accepted_until: event.acceptedUntil ?? null,
      finding_url: event.url ?? null,
    };
  }
}
