import { brotliCompressSync, brotliDecompressSync, constants } from "node:zlib";
import { type Clock, withinPatience } from "../clock.ts";
import type { AttackPathService } from "../service/attack-path-service.ts";
import { documentKinds, type DocumentKind } from "../service/resources/documents.records.ts";
import { ServiceError } from "../service/errors/errors.ts";
import type { StoredDescription } from "./state/state.ts";

/** The service's texts about a finding type. A text that does not exist is empty. */
export type Description = Readonly<Record<DocumentKind, string>>;

/** A description that findings had to do without: it could not be loaded, or not in time (`error` is null then). */
export interface DescriptionFailure {
  readonly findingType: string;
  readonly error: ServiceError | null;
}

const FRESH_SECONDS = 24 * 3600;
/** Characters of compressed texts that a state may hold; what does not fit is loaded again when it is needed. */
const MOST_STORED = 24_000;
/** A damaged state must not exhaust memory when it is unpacked. */
const MOST_UNPACKED = 4_000_000;
const NO_DESCRIPTION: Description = { title: "", short_description: "", short_remediation: "", long_remediation: "" };

export interface DescriptionOptions {
  readonly clock: Clock;
  /** How long findings wait for their description at most, in milliseconds. */
  readonly patienceMs: number;
}

/** Loads each finding type's texts at most once per run and once per day. */
export class Descriptions {
  readonly failures = new Map<string, DescriptionFailure>();
  readonly #service: AttackPathService["documents"];
  readonly #stored: Map<string, StoredDescription>;
  readonly #options: DescriptionOptions;
  readonly #loading = new Map<string, Promise<Description>>();
  readonly #errors = new Map<string, ServiceError>();
  readonly #unstored = new Set<string>();
  /** Characters that this run may still add to the host's state before `bounded` replaces them. */
  #room = MOST_STORED;

  constructor(
    service: AttackPathService["documents"],
    stored: Readonly<Record<string, StoredDescription>>,
    options: DescriptionOptions,
  ) {
    this.#service = service;
    this.#stored = new Map(Object.entries(stored));
    this.#options = options;
  }

  /**
   * The description of a finding type; texts that cannot be loaded in time are empty and count as a failure, because
   * findings must not wait for them. Never rejects.
   */
  async of(findingType: string): Promise<Description> {
    const { clock, patienceMs } = this.#options;
    const loaded = await withinPatience(this.load(findingType), patienceMs, clock);
    const error = loaded === "late" ? null : this.#errors.get(findingType);
    if (error !== undefined) this.failures.set(findingType, { findingType, error });
    return loaded === "late" ? NO_DESCRIPTION : loaded;
  }

  /** Starts loading, so that the texts arrive while findings are read. Never rejects. */
  load(findingType: string): Promise<Description> {
    const loading = this.#loading.get(findingType) ?? this.#fromState(findingType) ?? this.#fromService(findingType);
    this.#loading.set(findingType, loading);
    return loading;
  }

  /** What was loaded in this run and is not in the host's state yet, as long as there is room. Returned only once. */
  toStore(findingType: string): StoredDescription | undefined {
    const stored = this.#unstored.delete(findingType) ? this.#stored.get(findingType) : undefined;
    if (stored === undefined || stored.packed.length > this.#room) return undefined;
    this.#room -= stored.packed.length;
    return stored;
  }

  /** The newest descriptions, as many as a state may hold. */
  bounded(): Record<string, StoredDescription> {
    let room = MOST_STORED;
    const newestFirst = [...this.#stored].sort(([, a], [, b]) => b.readAt - a.readAt);
    const kept = newestFirst.filter(([findingType, { packed }]) => {
      const size = findingType.length + packed.length;
      if (size <= room) room -= size;
      else return false;
      return true;
    });
    return Object.fromEntries(kept);
  }

  #fromState(findingType: string): Promise<Description> | null {
    const stored = this.#stored.get(findingType);
    if (stored === undefined) return null;
    const age = this.#now() - stored.readAt;
    const description = age >= 0 && age < FRESH_SECONDS ? unpack(stored.packed) : null;
    return description === null ? null : Promise.resolve(description);
  }

  async #fromService(findingType: string): Promise<Description> {
    const texts = await Promise.all(documentKinds.map((kind) => this.#loadText(findingType, kind)));
    const description = descriptionOf(texts);
    const packed = texts.includes(null) ? null : pack(description);
    if (packed !== null && packed.length <= MOST_STORED / 2) {
      this.#stored.set(findingType, { readAt: this.#now(), packed });
      this.#unstored.add(findingType);
    }
    return description;
  }

  async #loadText(findingType: string, kind: DocumentKind): Promise<string | null> {
    try {
      return (await this.#service.read(findingType, kind)).toWellFormed();
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      this.#errors.set(findingType, error);
      return null;
    }
  }

  #now(): number {
    return Math.max(0, Math.floor(this.#options.clock.now() / 1000));
  }
}

/** @param texts - in the order of `documentKinds` */
function descriptionOf(texts: readonly unknown[]): Description {
  const entries = documentKinds.map((kind, index) => [kind, typeof texts[index] === "string" ? texts[index] : ""]);
  return { ...NO_DESCRIPTION, ...(Object.fromEntries(entries) as Partial<Description>) };
}

function pack(description: Description): string {
  // The default quality takes fifty times as long for a few percent.
  const params = { [constants.BROTLI_PARAM_QUALITY]: 9 };
  const texts = documentKinds.map((kind) => description[kind]);
  return brotliCompressSync(JSON.stringify(texts), { params }).toString("base64");
}

function unpack(packed: string): Description | null {
  try {
    const raw = brotliDecompressSync(Buffer.from(packed, "base64"), { maxOutputLength: MOST_UNPACKED });
    const texts: unknown = JSON.parse(raw.toString());
    if (!Array.isArray(texts) || texts.length !== documentKinds.length) return null;
    return descriptionOf(texts);
  } catch {
    return null;
  }
}
