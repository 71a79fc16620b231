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
  /** Hops to the nearest object of Tier Zero that was found. */
  tierZeroHops?: number | null;
  /** The same in words, such as `2 hops from Tier Zero`. */
  tierZeroDistance?: string | null;
}

/** What an action found out about objects, by any text that names one of them; letter case makes no difference. */
export class EntityFacts {
  readonly #properties = new Map<string, Properties>();

  add(names: readonly (string | null)[], { counts = {}, ...facts }: ObjectFacts): void {
    const known = Object.entries({ ...flatCounts(counts), ...facts }).filter(([, value]) => value !== null);
    const properties = Object.fromEntries(known) as Properties;
    for (const name of names) if (name !== null) this.#properties.set(inCapitals(name), properties);
  }

  /** The part of a result that enriches the entities of the case; nothing when none of them is known. */
  about(entities: readonly CaseEntity[]): { entities?: EntityUpdate[] } {
    const updates = entities.flatMap(({ identifier }) => {
      const properties = this.#properties.get(inCapitals(identifier));
      return properties === undefined ? [] : [{ identifier, properties }];
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
