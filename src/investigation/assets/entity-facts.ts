import type { EntityUpdate } from "../../runtime/protocol.ts";
import type { CaseEntity } from "../case-context.ts";
import type { Counts } from "./promised-counts.ts";
import { inCapitals } from "../../text.ts";

type Properties = EntityUpdate["properties"];

/** What is known of an object; null where it is not known. */
interface ObjectFacts {
  objectId: string;
  kind: string | null;
  tierZero: boolean | null;
  counts?: Counts;
  /** Hops to the nearest object of Tier Zero that was found, or `none`. */
  tierZeroHops?: number | string | null;
  /** The same in words, such as `2 hops from Tier Zero`. */
  tierZeroDistance?: string | null;
}

/**
 * What an action found out about objects, by their object ids and by any text that names only one of them, in any letter case.
 */
export class EntityFacts {
  readonly #byId = new Map<string, Properties>();
  /** Null for a name of several objects, and for a text that was not found. */
  readonly #byName = new Map<string, { objectId: string; properties: Properties } | null>();

  add(names: readonly (string | null)[], { counts = {}, ...facts }: ObjectFacts): void {
    const properties: Properties = { ...flatCounts(counts), ...facts };
    const { objectId } = facts;
    this.#byId.set(objectId, properties);
    for (const name of [objectId, ...names]) {
      if (name === null) continue;
      const former = this.#byName.get(inCapitals(name));
      const isOnly = former === undefined || former?.objectId === objectId;
      this.#byName.set(inCapitals(name), isOnly ? { objectId, properties } : null);
    }
  }

  /** The text stands for no object that is known, so it names none of the others either. */
  addUnclear(text: string): void {
    this.#byName.set(inCapitals(text), null);
  }

  /** The part of a result that enriches the entities of the case; nothing when none of them is known. */
  about(entities: readonly CaseEntity[]): { entities?: EntityUpdate[] } {
    const updates = entities.flatMap(({ identifier, type }) => {
      const properties = this.#byId.get(identifier) ?? this.#byName.get(inCapitals(identifier))?.properties;
      return properties === undefined ? [] : [{ identifier, type, properties }];
    });
    return updates.length === 0 ? {} : { entities: updates };
  }
}

/** Counts inside counts are named by all their keys, such as `Readers.KeyReaders`. */
export function flatCounts(counts: Counts, above = ""): Record<string, number | null> {
  const entries = Object.entries(counts).flatMap(([name, count]): [string, number | null][] => {
    const path = `${above}${name}`;
    return typeof count === "object" && count !== null
      ? Object.entries(flatCounts(count, `${path}.`))
      : [[path, count]];
  });
  return Object.fromEntries(entries);
}
