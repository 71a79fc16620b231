import { listed, named } from "../text.ts";
import type { AttackPathService } from "../service/attack-path-service.ts";
import { endsTheRun, ServiceError } from "../service/errors/errors.ts";
import { UsageError } from "./failures.ts";

/** More than any service has; a hostile list must not fill the screen. */
const MOST_LISTED = 200;

/**
 * Refuses a finding type that does not exist, because a list that is empty for a misspelt name looks like good news. One that no
 * environment offers exists if the service has a title for it: there are just no findings of it.
 *
 * @param offered - finding types of the environments
 * @throws UsageError that lists the finding types that exist
 */
export async function refuseUnknownTypes(
  service: AttackPathService,
  selected: readonly string[],
  offered: ReadonlySet<string>,
): Promise<void> {
  for (const type of selected) {
    if (offered.has(type) || (await hasTitle(service, type))) continue;
    const similar = [...offered].find((each) => each.toLowerCase() === type.toLowerCase());
    const hint = similar === undefined ? "" : ` Did you mean ${named(similar)}?`;
    throw new UsageError(
      `No finding type is named ${named(type)}.${hint} There are findings of: ${offered.size === 0 ? "no type at all" : listed([...offered].sort(), MOST_LISTED, offered.size, Infinity)}.`,
    );
  }
}

async function hasTitle({ documents }: AttackPathService, type: string): Promise<boolean> {
  try {
    return (await documents.read(type, "title", { required: true })) !== "";
  } catch (error) {
    if (!(error instanceof ServiceError) || endsTheRun(error)) throw error;
    return false;
  }
}
