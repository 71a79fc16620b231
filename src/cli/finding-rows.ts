import { eventOf } from "../ingestion/mapping/event.ts";
import { newFinding } from "../ingestion/new-finding.ts";
import { environmentName, type Stream, streamName } from "../ingestion/scope.ts";
import type { Selection } from "../ingestion/selection.ts";
import { timeOf } from "../ingestion/time.ts";
import { type FindingRecord, findingRecord } from "../records/finding-record.ts";
import type { Severity } from "../runtime/protocol.ts";
import type { AttackPathService, FindingTypeList } from "../service/attack-path-service.ts";
import type { Environment } from "../service/resources/environments.records.ts";
import type { Finding } from "../service/resources/findings.records.ts";
import { ServiceError } from "../service/errors/errors.ts";
import { oneLine } from "../text.ts";
import { isEmpty } from "../service/resources/findings.ts";
import { NOT_REQUESTED } from "../service/resources/requested-findings.ts";
import { instantText } from "./instant-option.ts";
import { ListOfParts, WITHOUT_NAME } from "./list-end.ts";
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

/** Reads findings one stream after the other. Only the page in work is held, and the ids of its stream. */
export class FindingRows {
  readonly #service: AttackPathService;
  readonly #filter: FindingFilter;
  readonly #now: number;
  readonly #progress: (text: string) => void;
  readonly #types = new Map<string, Promise<FindingTypeList>>();
  /** An environment is a part, and each of its streams. */
  readonly parts = new ListOfParts();

  /** @param progress - receives a text for people that says what is being read */
  constructor(service: AttackPathService, filter: FindingFilter, now: number, progress: (text: string) => void) {
    this.#service = service;
    this.#filter = filter;
    this.#now = now;
    this.#progress = progress;
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

  async *rows(): AsyncGenerator<FindingRecord> {
    for (const environment of this.#filter.environments) {
      for await (const stream of this.parts.read(environmentName(environment), this.#streams(environment))) {
        yield* this.parts.read(streamName(stream), this.#rowsOf(stream));
      }
    }
  }

  async *#streams(environment: Environment): AsyncGenerator<Stream> {
    const { types, unreadable, incomplete } = await this.#typesOf(environment.id);
    this.parts.ignore(unreadable, WITHOUT_NAME);
    for (const findingType of this.#filter.selection.types(types)) yield { environment, findingType };
    if (incomplete !== undefined) throw incomplete;
  }

  #typesOf(environmentId: string): Promise<FindingTypeList> {
    const list = this.#types.get(environmentId) ?? this.#service.findings.types(environmentId);
    this.#types.set(environmentId, list);
    return list;
  }

  async *#rowsOf({ environment, findingType }: Stream): AsyncGenerator<FindingRecord> {
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
        const record = this.#recordOf(finding, { environment, findingType });
        if (this.#fits(finding, record.severity)) yield record;
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

  #recordOf(finding: Finding, stream: Stream): FindingRecord {
    const context = {
      environmentName: environmentName(stream.environment),
      origin: this.#service.origin,
      now: this.#now,
    };
    return findingRecord(eventOf(newFinding(finding), context), stream);
  }
}
