import type { Environment } from "../../service/resources/environments.records.ts";
import { DAY_HOURS } from "../time.ts";
import type { EnvironmentFields } from "./memory-table.ts";

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
export function isLongGone(since: number | undefined, hour: number): boolean {
  return since !== undefined && hour - since > GONE_HOURS;
}

/** What is remembered of an environment once the environments of a run are listed; null when it is forgotten. */
export function afterListing(
  memory: EnvironmentFields,
  { isSelected, listed }: { isSelected: boolean; listed: Environment | undefined },
  hour: number,
): EnvironmentFields | null {
  const { goneSince, isListed: wasListed, collected, ...fields } = memory;
  // Anything may have happened while the environment was gone, so it is read in full.
  if (isSelected) return goneSince === undefined ? memory : { ...storedFields(fields), due: "returned" };
  // Under another name, the selection may mean it again, or not any more.
  if (listed !== undefined) return { ...fields, ...storedFields(listed), goneSince: goneSince ?? hour, isListed: true };
  // The week begins when it is not listed any more.
  const since = wasListed === true ? hour : (goneSince ?? hour);
  return isLongGone(since, hour) ? null : { ...fields, goneSince: since };
}
