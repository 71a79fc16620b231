import { eventOf, type FindingEvent } from "../ingestion/mapping/event.ts";
import { type NewFinding, newFinding } from "../ingestion/new-finding.ts";
import { environmentName, type Stream, streamName } from "../ingestion/scope.ts";
import type { Selection } from "../ingestion/selection.ts";
import { wasCreatedSince } from "../ingestion/time.ts";
import { type FindingRecord, findingRecord } from "../records/finding-record.ts";
import type { Severity } from "../runtime/protocol.ts";
import type { AttackPathService, FindingTypeList } from "../service/attack-path-service.ts";
import type { Environment } from "../service/resources/environments.records.ts";
import type { Finding } from "../service/resources/findings.records.ts";
import { ServiceError } from "../service/errors/errors.ts";
import { isEmpty } from "../service/resources/findings.ts";
import { NOT_REQUESTED } from "../service/resources/requested-findings.ts";
import { instantText } from "./instant-option.ts";
import { type ListOfParts, WITHOUT_NAME } from "./list-end.ts";
import { refuseUnknownTypes } from "./choose-types.ts";

export interface FindingFilter {
  readonly environments: readonly Environment[];
  /** Finding types as they were entered; empty for all. */
  readonly types: readonly string[];
  /** Narrows the finding types to these. */
  readonly selection: Selection;
  /** Severities; empty for all. */
  readonly severities: readonly string[];
  /** Epoch milliseconds: findings that were created at that time or later. */
  readonly since: number | undefined;
  readonly accepted: boolean | undefined;
}

/** Makes of the findings of a stream what a list shows of each. */
export type FindingMapper<T> = (stream: Stream) => Promise<(finding: NewFinding, event: FindingEvent) => T>;

export interface ReadOptions<T> {
  /** Epoch milliseconds. */
  readonly now: number;
  readonly map: FindingMapper<T>;
  /** Receives a text for people that says what is being read. */
  readonly progress: (text: string) => void;
}

/** Reads findings one stream after the other. Only the page in work is held, and the ids of its stream. */
export class FindingRows<T> {
  readonly #service: AttackPathService;
  readonly #filter: FindingFilter;
  readonly #options: ReadOptions<T>;
  readonly #types = new Map<string, Promise<FindingTypeList>>();
  readonly #parts: ListOfParts;

  /** @param parts - an environment is a part, and each of its streams */
  constructor(service: AttackPathService, filter: FindingFilter, parts: ListOfParts, options: ReadOptions<T>) {
    this.#service = service;
    this.#filter = filter;
    this.#parts = parts;
    this.#options = options;
  }

  /**
   * Lists the finding types of all environments, when only some types are to be read.
   *
   * @throws UsageError when one of these does not exist
   */
  async checkTypes(): Promise<void> {
    const { types, selection, environments } = this.#filter;
    if (types.length === 0) return;
    const offered = new Set<string>();
    for (const { id } of environments) {
      try {
        const list = await this.#typesOf(id);
        for (const type of list.types) offered.add(type);
        // Any type may be among those that are missing.
        if (list.incomplete !== undefined || list.unreadable > 0) return;
      } catch (error) {
        if (!(error instanceof ServiceError)) throw error;
        return;
      }
    }
    // "All" is no type, and selects every type.
    if (selection.types([...offered]).some((type) => !types.includes(type))) return;
    await refuseUnknownTypes(this.#service, types, offered);
  }

  async *rows(): AsyncGenerator<T> {
    for (const environment of this.#filter.environments) {
      for await (const stream of this.#parts.read(environmentName(environment), this.#streams(environment))) {
        yield* this.#parts.read(streamName(stream), this.#rowsOf(stream));
      }
    }
  }

  async *#streams(environment: Environment): AsyncGenerator<Stream> {
    const { types, unreadable, incomplete } = await this.#typesOf(environment.id);
    this.#parts.ignore(unreadable, WITHOUT_NAME);
    for (const findingType of this.#filter.selection.types(types)) yield { environment, findingType };
    if (incomplete !== undefined) throw incomplete;
  }

  #typesOf(environmentId: string): Promise<FindingTypeList> {
    const list = this.#types.get(environmentId) ?? this.#service.findings.types(environmentId);
    this.#types.set(environmentId, list);
    return list;
  }

  async *#rowsOf(stream: Stream): AsyncGenerator<T> {
    const { environment, findingType } = stream;
    const { since } = this.#filter;
    const pages = this.#service.findings.pages({
      environmentId: environment.id,
      findingType,
      once: true,
      ...(since !== undefined && { createdFrom: instantText(since) }),
    });
    const name = streamName(stream);
    const { now, map, progress } = this.#options;
    const context = { environmentName: environmentName(environment), origin: this.#service.origin, now };
    const mapped = await map(stream);
    for await (const { findings, skip, total } of pages) {
      progress(`Reading ${name}: ${skip + findings.length}${total === null ? "" : ` of ${total}`}`);
      for (const finding of findings) {
        if (isEmpty(finding)) this.#parts.ignore(1, NOT_REQUESTED);
        if (isEmpty(finding) || finding.deleted_at != null) continue;
        const found = newFinding(finding);
        const event = eventOf(found, context);
        if (this.#fits(finding, event.severity)) yield mapped(found, event);
      }
    }
  }

  #fits(finding: Finding, severity: Severity): boolean {
    const { severities, since, accepted } = this.#filter;
    return (
      (severities.length === 0 || severities.includes(severity)) &&
      wasCreatedSince(finding, since) &&
      (accepted === undefined || accepted === (finding.Accepted === true))
    );
  }
}

export const rowOf: FindingMapper<FindingRecord> = (stream) =>
  Promise.resolve((_, event) => findingRecord(event, stream));
