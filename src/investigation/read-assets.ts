import type { Logger } from "../logger.ts";
import type { Json } from "../runtime/protocol.ts";
import type { AttackPathService } from "../service/attack-path-service.ts";
import type { ServiceError } from "../service/errors/errors.ts";
import { isFailed, settleEach, sharedCause } from "./each.ts";
import { type Asset, readAsset, unreadAsset } from "./read-asset.ts";

/** What a run has read of the assets that were asked for. */
export interface AssetsRead {
  /** In the order of the object ids; without those that remain. */
  assets: Asset[];
  /** Object ids that the run's time did not suffice for, while it sufficed for others. */
  remaining: string[];
  /** The fault that made every read of this run fail, if there was one. */
  cause: ServiceError | null;
}

/** The state does not belong to this request, so nothing is read. */
export class AssetStateError extends Error {
  override readonly name = "AssetStateError";
  readonly readable = true;

  constructor() {
    super("The saved state does not belong to these Object IDs. Run the action again without a state.");
  }
}

/** Reads the assets that earlier runs have not read, several at a time. A failed asset does not affect the others. */
export async function readAssets(
  service: AttackPathService,
  objectIds: readonly string[],
  done: readonly Asset[],
  log: Logger,
): Promise<AssetsRead> {
  const byId = new Map(done.map((asset) => [asset.objectId, asset]));
  const open = objectIds.filter((objectId) => !byId.has(objectId));
  const settled = await settleEach(open, (objectId) => readAsset(service, objectId), log);
  const remaining: string[] = [];
  for (const [index, objectId] of open.entries()) {
    const result = settled[index];
    if (result === undefined) continue;
    if (!isFailed(result)) byId.set(objectId, result.value);
    else if (outOfTime(result.error)) remaining.push(objectId);
    else byId.set(objectId, failed(objectId, result.error));
  }
  // Without progress in this run, the next one would make none either: report the failures instead.
  if (byId.size === done.length) {
    for (const objectId of remaining.splice(0)) {
      const result = settled[open.indexOf(objectId)];
      if (result !== undefined && isFailed(result)) byId.set(objectId, failed(objectId, result.error));
    }
  }
  const assets = objectIds.flatMap((objectId) => byId.get(objectId) ?? []);
  return { assets, remaining, cause: sharedCause(settled) };
}

function failed(objectId: string, { message }: ServiceError): Asset {
  return { ...unreadAsset(objectId, "failed"), error: message };
}

function outOfTime({ code }: ServiceError): boolean {
  return code === "deadline" || code === "aborted";
}

const STATE_VERSION = 1;

/** The state that an in_progress result passes to the next run. */
export function assetState(assets: readonly Asset[]): Json {
  return { version: STATE_VERSION, assets: assets as unknown as Json };
}

/**
 * The assets that earlier runs of the same request have read.
 *
 * @throws AssetStateError when the state was not made by `assetState` for these object ids
 */
export function readAssetState(state: Json, objectIds: readonly string[]): Asset[] {
  if (state === null) return [];
  const { version, assets } = isObject(state) ? state : {};
  if (version !== STATE_VERSION || !Array.isArray(assets)) throw new AssetStateError();
  if (!assets.every((asset) => isAsset(asset) && objectIds.includes(asset.objectId))) throw new AssetStateError();
  return assets as unknown as Asset[];
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

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
