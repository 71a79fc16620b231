import { environmentName } from "../ingestion/scope.ts";
import { Selection } from "../ingestion/selection.ts";
import type { AttackPathService } from "../service/attack-path-service.ts";
import type { ServiceError } from "../service/errors/errors.ts";
import type { Environment } from "../service/resources/environments.records.ts";
import { UsageError } from "./failures.ts";
import { isSameText, listed } from "../text.ts";

interface ChosenEnvironments {
  readonly environments: readonly Environment[];
  /** Names of chosen environments that have no collected data: that nothing is found in them is no good news. */
  readonly uncollected: readonly string[];
  /** Listed entries without a usable id, which would belong to a choice of all. */
  readonly unreadable: number;
  /** Why others are missing that would belong to a choice of all, or may have the name that was chosen. */
  readonly incomplete?: ServiceError;
}

/**
 * The environments with these names or ids, letter case ignored; without any, all that have data.
 *
 * @throws UsageError that lists the known ones when one is unknown, and when none has data: an empty result would look
 * like good news
 * @throws ServiceError when the list is not complete and one is unknown
 */
export async function chooseEnvironments(
  service: AttackPathService,
  selection: readonly string[],
): Promise<ChosenEnvironments> {
  const { environments, unreadable, incomplete } = await service.environments.list();
  const chosen = new Selection({ "Selected Environments": selection });
  const { selected, unknown, uncollected, visible } = chosen.scope(environments, unreadable);
  if (unknown.length > 0) {
    if (incomplete !== undefined) throw incomplete;
    const known = visible.length === 0 ? "none" : listed(visible.map(environmentName));
    throw new UsageError(`No environment is named ${listed(unknown)}. The credentials can see: ${known}.`);
  }
  if (selection.length === 0) {
    if (selected.length === 0 && unreadable === 0 && incomplete === undefined) throw new UsageError(nothingIn(visible));
    return { environments: selected, uncollected: [], unreadable, ...(incomplete && { incomplete }) };
  }
  const isNamed = ({ id, name }: Environment): boolean =>
    selection.some((text) => isSameText(id, text) || isSameText(name ?? "", text));
  const found = {
    environments: [...selected, ...uncollected],
    uncollected: uncollected.filter(isNamed).map(environmentName),
    unreadable: 0,
  };
  const isById = selection.every((text) => environments.some(({ id }) => isSameText(id, text)));
  return incomplete === undefined || isById ? found : { ...found, incomplete };
}

function nothingIn(visible: readonly Environment[]): string {
  const which =
    visible.length === 0
      ? "The credentials can see no environment."
      : `No environment that the credentials can see has collected data: ${listed(visible.map(environmentName))}.`;
  return `${which} Check which environments the token's user may see, and whether their data is collected.`;
}

/**
 * The one environment with this name or id.
 *
 * @throws UsageError when several have the name
 * @throws ServiceError when the list is not complete, and another one may have the name
 */
export async function chooseEnvironment(service: AttackPathService, name: string): Promise<Environment> {
  const { environments, incomplete } = await chooseEnvironments(service, [name]);
  if (incomplete !== undefined) throw incomplete;
  const [environment, ...others] = environments;
  if (environment === undefined) throw new UsageError(`No environment is named ${name}.`);
  if (others.length > 0) {
    const ids = [environment, ...others].map(({ id }) => id);
    throw new UsageError(`Several environments are named ${name}. Enter one of their ids: ${listed(ids)}.`);
  }
  return environment;
}
