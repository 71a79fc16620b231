import { tierZeroIn } from "../../findings/principal.ts";
import type { ActionResult } from "../../manifest/types.ts";
import type { AttackPathService } from "../../service/attack-path-service.ts";
import { NotFoundError, type ServiceError } from "../../service/errors/errors.ts";
import { azureTypes, directoryRoutes, type Entity } from "../../service/resources/entities.records.ts";
import { ambiguity, findObject, findObjectById } from "../objects/find-object.ts";
import type { Found } from "../objects/found-object.ts";
import { completeCounts } from "./promised-counts.ts";
import { type EntityRoute, readRelated, unreadLists } from "./related.ts";
import { clippedOrNull } from "../result/sentences.ts";
import { isObjectId } from "../objects/name-forms.ts";
import { inCapitals, named } from "../../text.ts";

export type Asset = ActionResult<"Fetch Assets">["assets"][number];

export interface AssetReaderOptions {
  /** Whether an object may be named by its name as well as by its object id. */
  names: boolean;
}

/** What was read of an object, and why the next run may read more of it; null when it would not. */
interface AssetRead {
  asset: Asset;
  late: ServiceError | null;
}

type EntityRoutes = readonly [EntityRoute, ...EntityRoute[]];

/** Reads what the service knows about objects. The search gives the kind, which decides where an object is read. */
export class AssetReader {
  readonly #service: AttackPathService;
  readonly #names: boolean;
  /** By object id, because a name and an object id may stand for the same object. */
  readonly #assets = new Map<string, Promise<AssetRead>>();
  /** Assets that lack lists which the next run may read, by the text that was asked for. */
  readonly #unfinished = new Map<string, Asset>();

  constructor(service: AttackPathService, { names }: AssetReaderOptions) {
    this.#service = service;
    this.#names = names;
  }

  /**
   * @throws ServiceError when the service could not answer; an object that it does not know is not an error. What it did answer
   * is then in `unfinished`
   */
  async read(text: string): Promise<Asset> {
    const find = this.#names ? findObject : findObjectById;
    const found = await find(this.#service.objects, text);
    if (found.status === "ambiguous" && this.#names) {
      return { ...unreadAsset(text, "failed"), name: text, error: ambiguity(`"${named(text)}"`, found.candidates) };
    }
    const object = found.status === "found" ? found : unlisted(text);
    if (object === null) return unreadAsset(text, "not_found");
    const { asset, late } = await this.#readOnce(object);
    if (found.status !== "found" && asset.status === "failed") return unreadAsset(text, "not_found");
    if (late === null) return asset;
    this.#unfinished.set(text, asset);
    throw late;
  }

  /** What was read of an asset although the run ended before all of its lists were. */
  unfinished(text: string): Asset | undefined {
    return this.#unfinished.get(text);
  }

  #readOnce(found: Found): Promise<AssetRead> {
    const { objectId } = found.object;
    const read = this.#assets.get(objectId) ?? readObject(this.#service, found);
    this.#assets.set(objectId, read);
    return read;
  }
}

/**
 * The search leaves some objects out, such as local groups (BloodHound, cmd/api/src/queries/graph.go). The general routes know whether
 * there is an object of that id.
 */
function unlisted(text: string): Found | null {
  if (!isObjectId(text)) return null;
  const object = { objectId: inCapitals(text), name: null, type: null };
  return { status: "found", object, tierZero: null, candidates: [] };
}

async function readObject(service: AttackPathService, { object, tierZero }: Found): Promise<AssetRead> {
  const { objectId, type: kind } = object;
  const routes = kind === null ? generalRoutesFor(objectId) : routesOf(kind);
  const read = await readEntity(service, routes, objectId);
  if (read instanceof NotFoundError) {
    const error = `The search lists this object, of kind ${named(kind ?? "unknown")}, but the service found no details about it. It may have been removed, or the service may keep none for its kind. Run the action again later. (GET ${read.path ?? ""}, status 404)`;
    return { asset: { ...unreadAsset(objectId, "failed"), kind, name: object.name, error }, late: null };
  }
  const { entity, route } = read;
  const { name } = entity.properties;
  const properties = propertiesOf(entity);
  // The general route knows less: what only the route of the kind gives is not known, instead of missing.
  const counts = completeCounts(routes[0].kind, completeCounts(route.kind, entity.counts));
  const { related, late } = await readRelated(service, route, objectId, counts);
  const asset: Asset = {
    objectId,
    status: "found",
    kind: kind ?? clippedOrNull(entity.kind ?? entity.kinds?.find(isOwnKind)),
    name: object.name ?? clippedOrNull(name),
    ...tierZeroOf(entity, tierZero),
    properties,
    counts,
    related: { ...unreadLists(routes[0], related), ...related },
  };
  return { asset, late };
}

/** The kind that objects of the zone have (BloodHound, graph nodes of a tenant with zones). */
const TIER_ZERO_KIND = "Tag_Tier_Zero";

/** Cloud objects have `isTierZero` beside their properties, not among them (Attack Path Analysis Service API, cloud entities). */
function propertiesOf({ properties, isTierZero }: Entity): Asset["properties"] {
  return isTierZero === undefined ? properties : { ...properties, isTierZero };
}

/**
 * Some services give the tags of an object in its properties, others in the search only, or as a kind.
 *
 * @param searched - what the search says; null when it says nothing
 */
function tierZeroOf(entity: Entity, searched: boolean | null): Pick<Asset, "tierZero"> {
  const own = entity.kinds?.includes(TIER_ZERO_KIND) === true || (tierZeroIn(propertiesOf(entity)) ?? null);
  const tierZero = own === true ? own : (searched ?? own);
  return tierZero === null ? {} : { tierZero };
}

/** An asset of which nothing could be read. */
export function unreadAsset(objectId: string, status: "not_found" | "failed"): Asset {
  return { objectId, status, kind: null, name: null, properties: {}, counts: {}, related: {} };
}

/** Whether a kind says more than that there is an object. */
function isOwnKind(kind: string): boolean {
  return (
    !generalRoutes.some((route) => route.kind === kind) && (isKeyOf(directoryRoutes, kind) || isKeyOf(azureTypes, kind))
  );
}

const generalRoutes: EntityRoutes = [
  { family: "directory", kind: "Base" },
  { family: "azure", kind: "AZBase" },
];

/** Only Active Directory has security identifiers. */
function generalRoutesFor(objectId: string): EntityRoutes {
  return /(^|-)S-1-/.test(objectId) ? [generalRoutes[0]] : generalRoutes;
}

/** Where an object is read: first the route of its kind, then the general one, which knows objects of all kinds. */
function routesOf(kind: string): EntityRoutes {
  const general: EntityRoute = kind.startsWith("AZ")
    ? { family: "azure", kind: "AZBase" }
    : { family: "directory", kind: "Base" };
  if (isKeyOf(directoryRoutes, kind) && kind !== "Base") return [{ family: "directory", kind }, general];
  if (isKeyOf(azureTypes, kind) && kind !== "AZBase") return [{ family: "azure", kind }, general];
  return [general];
}

/** Returns the last error when no route knows the object, although the search does. */
async function readEntity(
  service: AttackPathService,
  [route, ...others]: EntityRoutes,
  objectId: string,
): Promise<{ entity: Entity; route: EntityRoute } | NotFoundError> {
  try {
    return { entity: await readEntityAt(service, route, objectId), route };
  } catch (error) {
    if (!(error instanceof NotFoundError && error.wrapped)) throw error;
    const [next, ...rest] = others;
    return next === undefined ? error : readEntity(service, [next, ...rest], objectId);
  }
}

function readEntityAt({ entities }: AttackPathService, route: EntityRoute, objectId: string): Promise<Entity> {
  const options = { counts: true };
  if (route.family === "azure") return entities.azure(azureTypes[route.kind], objectId, options);
  return entities.directory(directoryRoutes[route.kind], objectId, options);
}

function isKeyOf<T extends object>(table: T, key: string): key is keyof T & string {
  return Object.hasOwn(table, key);
}
