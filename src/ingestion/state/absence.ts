import { DAY_HOURS } from "../time.ts";
import type { EnvironmentFields } from "./memory-table.ts";

/** How long environments and finding types that are gone are remembered, so that a selection that changes back repeats nothing. */
const GONE_HOURS = 7 * DAY_HOURS;
const LONGEST_NAME = 200;

/** What is remembered of an environment even while it is gone. */
export function describe({ name, type }: Pick<EnvironmentFields, "name" | "type">): EnvironmentFields {
  return {
    ...(name === undefined ? {} : { name: storableText(name) }),
    ...(type === undefined ? {} : { type: storableText(type) }),
  };
}

/** A host may keep the state as UTF-8, which has no half of a pair. */
function storableText(text: string): string {
  return text.slice(0, LONGEST_NAME).toWellFormed();
}

/** Whether something has been gone for so long that it is forgotten. */
export function isLongGone(since: number | undefined, hour: number): boolean {
  return since !== undefined && hour - since > GONE_HOURS;
}
