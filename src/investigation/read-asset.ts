import type { ActionResult } from "../manifest/types.ts";
import type { AttackPathService } from "../service/attack-path-service.ts";
import { NotFoundError } from "../service/errors/errors.ts";
import {
  type AzureKind,
  azureTypes,
  type DirectoryKind,
  directoryRoutes,
  type Entity,
} from "../service/resources/entities.records.ts";
import { ambiguity, findObject, type ObjectReference } from "./find-object.ts";
import { completeCounts } from "./promised-counts.ts";
import { named } from "./sentences.ts";

export type Asset = ActionResult<"Fetch Assets">["assets"][number];

export interface AssetReaderOptions {
  /** Whether an object may be named by its name as well as by its object id. */
  names: boolean;
}

/** Reads what the service knows about objects: the search tells the kind, the kind tells where to read. */
export class AssetReader {
  readonly #service: AttackPathService;
  readonly #names: boolean;
  /** By object id, because a name and an object id may stand for the same object. */
  readonly #assets = new Map<string, Promise<Asset>>();

  constructor(service: AttackPathService, { names }: AssetReaderOptions) {
    this.#service = service;
    this.#names = names;
  }

  /** @throws ServiceError when the service could not answer; an object that it does not know is no error */
  async read(text: string): Promise<Asset> {
    const found = await findObject(this.#service.objects, text);
    if (found.status === "ambiguous" && this.#names) {
      return { ...unreadAsset(text, "failed"), name: text, error: ambiguity(`"${named(text)}"`, found.candidates) };
    }
    if (found.status !== "found") return unreadAsset(text, "not_found");
    const { object } = found;
    if (this.#names) return this.#readOnce(object);
    // The asset is found again under the object id as it was entered.
    return isSameId(object.objectId, text)
      ? { ...(await this.#readOnce(object)), objectId: text }
      : unreadAsset(text, "not_found");
  }

  #readOnce(object: ObjectReference): Promise<Asset> {
    const asset = this.#assets.get(object.objectId) ?? readObject(this.#service, object);
    this.#assets.set(object.objectId, asset);
    return asset;
  }
}

async function readObject(service: AttackPathService, object: ObjectReference): Promise<Asset> {
  const { objectId } = object;
  const route = routeOf(object.type ?? "Base");
  try {
    const entity = await readEntity(service, route, objectId);
    const { name } = entity.properties;
    return {
      objectId,
      status: "found",
      kind: object.type ?? entity.kind ?? null,
      name: object.name ?? (typeof name === "string" ? name : null),
      properties: entity.properties,
      counts: completeCounts(route.kind, entity.counts),
    };
  } catch (error) {
    if (!(error instanceof NotFoundError && error.wrapped)) throw error;
    if (route.exact) return unreadAsset(objectId, "not_found");
    const reason = `The service has no details about objects of kind ${named(object.type ?? "unknown")}.`;
    return { ...unreadAsset(objectId, "failed"), kind: object.type, name: object.name, error: reason };
  }
}

/** An asset of which nothing could be read. */
export function unreadAsset(objectId: string, status: "not_found" | "failed"): Asset {
  return { objectId, status, kind: null, name: null, properties: {}, counts: {} };
}

/** Where an object is read. Not `exact`: its kind has no route of its own, it is read as a directory or cloud object. */
type Route =
  { family: "directory"; kind: DirectoryKind; exact: boolean } | { family: "azure"; kind: AzureKind; exact: boolean };

function routeOf(kind: string): Route {
  if (isKeyOf(directoryRoutes, kind)) return { family: "directory", kind, exact: true };
  if (isKeyOf(azureTypes, kind)) return { family: "azure", kind, exact: true };
  if (kind.startsWith("AZ")) return { family: "azure", kind: "AZBase", exact: false };
  return { family: "directory", kind: "Base", exact: false };
}

function readEntity({ entities }: AttackPathService, route: Route, objectId: string): Promise<Entity> {
  const options = { counts: true };
  if (route.family === "azure") return entities.azure(azureTypes[route.kind], objectId, options);
  return entities.directory(directoryRoutes[route.kind], objectId, options);
}

function isKeyOf<T extends object>(table: T, key: string): key is keyof T & string {
  return Object.hasOwn(table, key);
}

function isSameId(a: string, b: string): boolean {
  return a.toUpperCase() === b.toUpperCase();
}
