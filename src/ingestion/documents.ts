import { brotliCompressSync, brotliDecompressSync, constants } from "node:zlib";
import type { AttackPathService } from "../service/attack-path-service.ts";
import { documentKinds, type DocumentKind } from "../service/records/documents.ts";
import type { StoredDocument } from "./checkpoint.ts";
import { endsTheRun, ServiceError } from "../service/errors.ts";

/** What the service says of a finding type, for people. A text that does not exist is empty. */
export interface FindingTexts {
  title: string;
  shortDescription: string;
  shortRemediation: string;
  longRemediation: string;
}

const FRESH_MS = 24 * 3_600_000;
/** Characters of packed texts that a state may hold; what does not fit is asked for again when it is needed. */
const MOST_PACKED = 24_000;
/** Texts come from a state that may be damaged: unpacking must not run away. */
const MOST_UNPACKED = 4_000_000;

export interface DocumentFailure {
  findingType: string;
  kind: DocumentKind;
  error: ServiceError;
}

/** Reads each finding type's texts at most once a run, and once a day over runs. */
export class Documents {
  readonly failures: DocumentFailure[] = [];
  readonly #service: AttackPathService["documents"];
  readonly #stored: ReadonlyMap<string, StoredDocument>;
  readonly #now: number;
  readonly #read = new Map<string, Promise<FindingTexts>>();
  readonly #fresh = new Map<string, StoredDocument>();

  constructor(service: AttackPathService["documents"], stored: ReadonlyMap<string, StoredDocument>, now: number) {
    this.#service = service;
    this.#stored = stored;
    this.#now = now;
  }

  /**
   * A text that cannot be read is empty and stands in `failures`: it must not hold findings back. Errors that end the
   * whole run before its time are thrown.
   */
  read(findingType: string): Promise<FindingTexts> {
    const reading = this.#read.get(findingType) ?? this.#fromState(findingType) ?? this.#ask(findingType);
    this.#read.set(findingType, reading);
    return reading;
  }

  /** What was read in this run and belongs into the state. */
  toStore(findingType: string): StoredDocument | undefined {
    return this.#fresh.get(findingType);
  }

  #fromState(findingType: string): Promise<FindingTexts> | null {
    const [readAt, packed] = this.#stored.get(findingType) ?? [0, ""];
    const age = this.#now - readAt;
    const texts = age >= 0 && age < FRESH_MS ? unpack(packed) : null;
    return texts === null ? null : Promise.resolve(texts);
  }

  async #ask(findingType: string): Promise<FindingTexts> {
    const texts = await Promise.all(
      documentKinds.map((kind) =>
        this.#service.read(findingType, kind).catch((error: unknown) => {
          if (!(error instanceof ServiceError) || (endsTheRun(error) && !isOutOfTime(error))) throw error;
          this.failures.push({ findingType, kind, error });
          return null;
        }),
      ),
    );
    if (!texts.includes(null)) this.#fresh.set(findingType, [this.#now, pack(texts)]);
    return textsOf(texts);
  }
}

/** Findings that have been read must not wait for texts that a slow service never finishes in time. */
function isOutOfTime({ code }: ServiceError): boolean {
  return code === "deadline" || code === "aborted";
}

/** The newest texts, as many as a state may hold. */
export function boundedDocuments(documents: ReadonlyMap<string, StoredDocument>): Map<string, StoredDocument> {
  let room = MOST_PACKED;
  const kept = new Map<string, StoredDocument>();
  for (const [findingType, stored] of [...documents].sort(([, [a]], [, [b]]) => b - a)) {
    const size = findingType.length + stored[1].length;
    if (size > room) continue;
    room -= size;
    kept.set(findingType, stored);
  }
  return kept;
}

function textsOf(texts: readonly unknown[]): FindingTexts {
  const [title, shortDescription, shortRemediation, longRemediation] = texts.map((text) =>
    typeof text === "string" ? text : "",
  );
  return {
    title: title?.trim() ?? "",
    shortDescription: shortDescription ?? "",
    shortRemediation: shortRemediation ?? "",
    longRemediation: longRemediation ?? "",
  };
}

function pack(texts: readonly (string | null)[]): string {
  // The default quality takes fifty times as long for a few percent.
  const params = { [constants.BROTLI_PARAM_QUALITY]: 9 };
  return brotliCompressSync(JSON.stringify(texts), { params }).toString("base64");
}

function unpack(packed: string): FindingTexts | null {
  try {
    const raw = brotliDecompressSync(Buffer.from(packed, "base64"), { maxOutputLength: MOST_UNPACKED });
    const texts: unknown = JSON.parse(raw.toString());
    return Array.isArray(texts) && texts.length === documentKinds.length ? textsOf(texts) : null;
  } catch {
    return null;
  }
}
