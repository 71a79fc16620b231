import { brotliCompressSync, brotliDecompressSync, constants } from "node:zlib";
import type { Clock } from "../clock.ts";
import type { AttackPathService } from "../service/attack-path-service.ts";
import { documentKinds, type DocumentKind } from "../service/resources/documents.records.ts";
import { ServiceError } from "../service/errors/errors.ts";
import type { NoAnswer, OptionalRoutes } from "./optional-routes.ts";
import type { StoredDescription } from "./state/state.ts";
import { secondsOf } from "./time.ts";

/** The service's texts about a finding type. A text that does not exist is empty. */
export type Description = Readonly<Record<DocumentKind, string>>;

/** A description that alerts had to do without, or without a part of it. */
export interface DescriptionFailure {
  readonly findingType: string;
  readonly why: NoAnswer;
}

/** In the order of `documentKinds`; null for a text that is not loaded. */
type Texts = readonly (string | null)[];

const FRESH_SECONDS = 24 * 3600;
/** Characters of compressed texts that a state may hold; what does not fit is loaded again when it is needed. */
const MOST_STORED = 24_000;
/** A damaged state must not exhaust memory when it is unpacked. */
const MOST_UNPACKED = 4_000_000;

export interface DescriptionOptions {
  readonly clock: Clock;
  readonly routes: OptionalRoutes;
}

/** Loads each finding type's texts at most once per run and once per day. Texts that arrived are kept where others did not. */
export class Descriptions {
  readonly failures = new Map<string, DescriptionFailure>();
  readonly #service: AttackPathService["documents"];
  readonly #stored: Map<string, StoredDescription>;
  readonly #options: DescriptionOptions;
  readonly #loading = new Map<string, Promise<Description>>();
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
   * The description of a finding type; texts that cannot be loaded in time are those of an earlier day, or else empty, which
   * counts as a failure: findings must not wait for them. Never rejects with a ServiceError.
   */
  of(findingType: string): Promise<Description> {
    const description = this.#loading.get(findingType) ?? this.#load(findingType);
    this.#loading.set(findingType, description);
    return description;
  }

  /** What was loaded in this run and is not in the host's state yet, as long as there is room. Returned only once. */
  toStore(findingType: string): StoredDescription | undefined {
    const stored = this.#unstored.delete(findingType) ? this.#stored.get(findingType) : undefined;
    const size = sizeOf(findingType, stored);
    if (stored === undefined || size > this.#room) return undefined;
    this.#room -= size;
    return stored;
  }

  /** The newest descriptions, as many as a state may hold. */
  bounded(): Record<string, StoredDescription> {
    let room = MOST_STORED;
    const newestFirst = [...this.#stored].sort(([, a], [, b]) => b.readAt - a.readAt);
    const kept = newestFirst.filter(([findingType, stored]) => {
      const size = sizeOf(findingType, stored);
      if (size <= room) room -= size;
      else return false;
      return true;
    });
    return Object.fromEntries(kept);
  }

  async #load(findingType: string): Promise<Description> {
    const stored = this.#stored.get(findingType);
    const earlier = (stored === undefined ? null : unpack(stored.packed)) ?? NO_TEXTS;
    const age = stored === undefined ? Infinity : this.#now() - stored.readAt;
    const fresh = age >= 0 && age < FRESH_SECONDS ? earlier : NO_TEXTS;
    const loaded = await Promise.all(documentKinds.map((kind, i) => this.#text(findingType, kind, fresh[i] ?? null)));
    const today = loaded.map((text) => (typeof text === "string" ? text : null));
    // What is stored is of one day. An older text that is all there is must not make room for those that arrived.
    const isLess = today.some((text, i) => text === null && (earlier[i] ?? null) !== null);
    if (!isLess && today.some((text, i) => text !== fresh[i])) this.#store(findingType, today);
    const texts = today.map((text, i) => text ?? earlier[i] ?? null);
    const failed = loaded.find((text) => typeof text !== "string");
    if (failed !== undefined && texts.includes(null)) this.failures.set(findingType, { findingType, why: failed.why });
    return descriptionOf(texts);
  }

  async #text(findingType: string, kind: DocumentKind, stored: string | null): Promise<string | { why: NoAnswer }> {
    if (stored !== null) return stored;
    const subject = `${findingType}/${kind}`;
    try {
      const outcome = await this.#options.routes.ask("documents", subject, (options) =>
        this.#service.read(findingType, kind, options),
      );
      return outcome.kind === "answer" ? outcome.value.toWellFormed() : outcome;
    } catch (error) {
      // The next request for findings meets the same problem, and decides what it means.
      if (error instanceof ServiceError) return { why: error };
      throw error;
    }
  }

  #store(findingType: string, texts: Texts): void {
    const packed = pack(texts);
    if (packed.length > MOST_STORED / 2) return;
    this.#stored.set(findingType, { readAt: this.#now(), packed });
    this.#unstored.add(findingType);
  }

  #now(): number {
    return secondsOf(this.#options.clock.now());
  }
}

function sizeOf(findingType: string, stored: StoredDescription | undefined): number {
  return findingType.length + (stored?.packed.length ?? 0);
}

const NO_TEXTS: Texts = documentKinds.map(() => null);

function descriptionOf([title, short_description, short_remediation, long_remediation]: Texts): Description {
  return {
    title: title ?? "",
    short_description: short_description ?? "",
    short_remediation: short_remediation ?? "",
    long_remediation: long_remediation ?? "",
  };
}

function pack(texts: Texts): string {
  // The default quality takes fifty times as long for a few percent.
  const params = { [constants.BROTLI_PARAM_QUALITY]: 9 };
  return brotliCompressSync(JSON.stringify(texts), { params }).toString("base64");
}

function unpack(packed: string): Texts | null {
  try {
    const raw = brotliDecompressSync(Buffer.from(packed, "base64"), { maxOutputLength: MOST_UNPACKED });
    const texts: unknown = JSON.parse(raw.toString());
    if (!Array.isArray(texts) || texts.length !== documentKinds.length) return null;
    return texts.map((text: unknown) => (typeof text === "string" ? text : null));
  } catch {
    return null;
  }
}
