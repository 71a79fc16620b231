import type { Logger } from "../logger.ts";
import type { Json } from "../runtime/protocol.ts";
import type { AttackPathService } from "../service/attack-path-service.ts";
import type { ServiceError } from "../service/errors/errors.ts";
import { type Asset, readAsset, unreadAsset } from "./read-asset.ts";
import { continueWork, isObject, readState, stateOf } from "./resume.ts";

/** What all runs so far have read of the assets that were asked for. */
export interface AssetsRead {
  /** In the order of the object ids; without those that remain. */
  assets: Asset[];
  /** Object ids that the run's time did not suffice for, while it sufficed for others. */
  remaining: number;
  /** The fault that made every read of this run fail, if there was one. */
  cause: ServiceError | null;
  state: Json;
}

/**
 * Reads the assets that earlier runs have not read yet, several at a time; a fault at one leaves the others alone.
 *
 * @throws InputError when the state was not made for these object ids
 */
export async function readAssets(
  service: AttackPathService,
  objectIds: readonly string[],
  state: Json,
  log: Logger,
): Promise<AssetsRead> {
  const items = new Map(objectIds.map((objectId) => [objectId, objectId]));
  const done = readState("Fetch Assets", state, items, isAsset);
  const { answers, remaining, cause } = await continueWork(
    { items, done, answer: (objectId) => readAsset(service, objectId), failed: failedAsset },
    log,
  );
  const assets = objectIds.flatMap((objectId) => answers.get(objectId) ?? []);
  return { assets, remaining, cause, state: remaining === 0 ? null : stateOf(answers) };
}

function failedAsset(objectId: string, { message }: ServiceError): Asset {
  return { ...unreadAsset(objectId, "failed"), error: message };
}

function isAsset(value: unknown): value is Asset {
  if (!isObject(value)) return false;
  const { objectId, status, kind, name, error, properties, counts } = value;
  const texts = [kind, name].every((text) => text === null || typeof text === "string");
  return (
    typeof objectId === "string" &&
    (status === "found" || status === "not_found" || status === "failed") &&
    (error === undefined || typeof error === "string") &&
    [properties, counts].every(isObject) &&
    texts
  );
}
