import type { Environment } from "../../service/resources/environments.records.ts";
import { DAY_HOURS } from "../time.ts";
import { type EnvironmentFields, initialMemory } from "./memory-table.ts";
import type { StreamMemory } from "./state.ts";
import { forgottenUpTo } from "./stream-memory.ts";
import { gone, laterThan, offered, unselected } from "./transitions.ts";

/** How long environments and finding types that are gone are remembered, so that a selection that changes back repeats nothing. */
const GONE_HOURS = 7 * DAY_HOURS;
const LONGEST_NAME = 200;

/** What is remembered of an environment even while it is gone. */
export function storedFields({ name, type, collected }: Omit<Environment, "id">): EnvironmentFields {
  return {
    ...(name === undefined ? {} : { name: storableText(name) }),
    ...(type === undefined ? {} : { type: storableText(type) }),
    ...(collected === false ? { collected } : {}),
  };
}

/** A host may keep the state as UTF-8, which has no half of a pair. */
function storableText(text: string): string {
  return text.slice(0, LONGEST_NAME).toWellFormed();
}

/** Whether something has been gone for so long that it is forgotten. */
export function isLongGone(since: number | undefined, hour: number): since is number {
  return since !== undefined && hour - since > GONE_HOURS;
}

/** What is remembered of an environment once the environments of a run are listed. */
export function afterListing(
  memory: EnvironmentFields,
  { isSelected, listed }: { isSelected: boolean; listed: Environment | undefined },
  hour: number,
): EnvironmentFields {
  const { goneSince, isListed: wasListed, collected, ...fields } = memory;
  // Anything may have happened while the environment was gone, so it is read in full.
  if (isSelected)
    return goneSince === undefined ? memory : { ...storedFields(fields), ...initialMemory(fields), due: "returned" };
  // Under another name, the selection may mean it again, or not any more.
  if (listed !== undefined) return { ...fields, ...storedFields(listed), goneSince: goneSince ?? hour, isListed: true };
  // The week begins when it is not listed any more.
  return { ...fields, goneSince: wasListed === true ? hour : (goneSince ?? hour) };
}

/** The finding types of an environment, as a run found them. */
export interface ListedTypes {
  readonly offered: readonly string[];
  /** Those that are read, offered or not. */
  readonly selected: readonly string[];
}

/**
 * What is remembered of streams once the finding types of their environment are listed; null when one is forgotten.
 *
 * @param memoryOf - what is known of a type, or what its memory begins with
 */
export function afterTypeListing(
  known: readonly string[],
  { offered: listed, selected }: ListedTypes,
  memoryOf: (type: string) => StreamMemory,
  hour: number,
): [type: string, memory: StreamMemory | null][] {
  const [isSelected, isListed] = [new Set(selected), new Set(listed)];
  const read = [...isSelected].filter((type) => isListed.has(type));
  const others = known.filter((type) => !isSelected.has(type));
  const afterOther = (type: string): StreamMemory | null => {
    const memory = memoryOf(type);
    if (isListed.has(type)) return unselected(memory, hour);
    return isLongGone(memory.goneSince, hour) ? null : gone(memory, hour);
  };
  return [
    ...read.map((type): [string, StreamMemory] => [type, offered(memoryOf(type))]),
    ...others.map((type): [string, StreamMemory | null] => [type, afterOther(type)]),
  ];
}

/**
 * What an environment remembers once some of its streams are forgotten.
 *
 * @param since - the hour since which they have been gone
 */
export function forgetting(
  { forgotAt }: EnvironmentFields,
  streams: readonly StreamMemory[],
  since: number,
): Pick<EnvironmentFields, "forgotAt"> {
  if (streams.length === 0 && forgotAt !== undefined && forgotAt >= since) return { forgotAt };
  const known = [forgotAt, ...streams.map((each) => each.forgotAt)].filter((hour) => hour !== undefined);
  const latest = streams.reduce((hour, each) => Math.max(hour, forgottenUpTo(each, since)), since);
  return { forgotAt: laterThan(known.length === 0 ? undefined : Math.max(...known), latest) };
}
