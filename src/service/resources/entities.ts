import { isFilledText, isObject } from "../../json.ts";
import { validateEntity, validateRelated } from "../../generated/validators.js";
import type { AttackPathService, PageQuery } from "../attack-path-service.ts";
import { path, type QueryPair } from "../http/target.ts";
import type { Api, Reply } from "../api.ts";
import { everyPage } from "../lists/every-page.ts";
import type { Entity, EntityCounts, RelatedObject, RelatedPage, WireRelated } from "./entities.records.ts";
import { malformed } from "../responses/response-body.ts";

export function entitiesOf(api: Api): AttackPathService["entities"] {
  return {
    async directory(route, objectId, { counts }) {
      return toEntity(api, await api.get(path`/api/v2/${route}/${objectId}`, [["counts", counts]]), objectId);
    },

    async azure(type, objectId, { counts }) {
      const query: QueryPair[] = [
        ["object_id", objectId],
        ["counts", counts],
      ];
      return toEntity(api, await api.get(path`/api/v2/azure/${type}`, query), objectId);
    },

    async directoryRelated(route, objectId, list, page) {
      const query: QueryPair[] = [["type", "list"], ...pageQuery(page)];
      return toPage(api, await api.get(path`/api/v2/${route}/${objectId}/${list}`, query));
    },

    async azureRelated(type, objectId, related, page) {
      const query: QueryPair[] = [
        ["object_id", objectId],
        ["related_entity_type", related],
        ["type", "list"],
        ...pageQuery(page),
      ];
      return toPage(api, await api.get(path`/api/v2/azure/${type}`, query));
    },
  };
}

function pageQuery({ skip, limit }: Partial<PageQuery> = {}): QueryPair[] {
  return [
    ...(skip === undefined ? [] : [["skip", skip] satisfies QueryPair]),
    ...(limit === undefined ? [] : [["limit", limit] satisfies QueryPair]),
  ];
}

function toPage(api: Api, reply: Reply): RelatedPage {
  return { items: api.list(validateRelated, reply).map(toRelated), total: reply.body.count };
}

/** Whether an entry of a list of related objects says which object it is. */
export function isNamed({ objectId, name }: RelatedObject): boolean {
  return objectId !== null || name !== null;
}

/**
 * A list of related objects, each once. Entries that are not named are in it, too.
 *
 * @param ask - requests a page
 * @throws ProtocolError when the list cannot be read to its end, after everything that arrived
 */
export async function* relatedPages(
  ask: (page: PageQuery) => Promise<RelatedPage>,
  pageSize?: number,
): AsyncGenerator<RelatedPage, void, undefined> {
  const pages = everyPage(
    async (page) => {
      const { items: records, total } = await ask(page);
      return { records, total };
    },
    ({ objectId, name, kind }) => objectId ?? JSON.stringify([name, kind]),
    pageSize,
  );
  for await (const { records: items, total } of pages) yield { items, total };
}

function toRelated({ objectID, name, label, kind, properties, props }: WireRelated): RelatedObject {
  const known = properties ?? props ?? {};
  const first = (...values: unknown[]): string | null => values.find(isFilledText) ?? null;
  return {
    objectId: first(objectID, known["objectid"], known["id"]),
    name: first(name, known["name"], known["displayname"]),
    kind: first(label, kind),
  };
}

/**
 * Every field besides properties and description is a count. Their names depend on the kind.
 *
 * @throws ProtocolError when the properties are those of another object, or there is nothing about any
 */
function toEntity(api: Api, reply: Reply, objectId: string): Entity {
  const { props, properties, kind, kinds, isTierZero, isOwnedObject, ...rest } = api.record(validateEntity, reply, 0);
  const said = (properties ?? props)?.["objectid"];
  if (isFilledText(said) && said.toUpperCase() !== objectId.toUpperCase())
    throw malformed("is about another object", reply.endpoint);
  const entity: Entity = { properties: properties ?? props ?? {}, counts: countsIn(rest) };
  if (Object.keys(entity.properties).length + Object.keys(entity.counts).length === 0)
    throw malformed("says nothing about the object", reply.endpoint);
  if (kind !== undefined) entity.kind = kind;
  if (kinds !== undefined) entity.kinds = kinds;
  if (isTierZero !== undefined) entity.isTierZero = isTierZero;
  if (isOwnedObject !== undefined) entity.isOwnedObject = isOwnedObject;
  return entity;
}

/** Not every field of an entity is a count, but each one in a group of counts is. */
function countsIn(fields: object): EntityCounts {
  const entries = Object.entries(fields).flatMap(([name, value]: [string, unknown]) =>
    typeof value === "number" || isObject(value) ? [[name, countIn(value)] as const] : [],
  );
  return Object.fromEntries(entries);
}

/** Counts are nested one level deep. The limit keeps a response that is nested without end from ending the run. */
function countIn(value: unknown, levels = 5): number | null | EntityCounts {
  if (typeof value === "number") return value;
  if (levels === 0 || !isObject(value)) return null;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, countIn(inner, levels - 1)]));
}
