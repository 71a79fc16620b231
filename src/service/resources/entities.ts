import { validateAzureRelated, validateEntity } from "../../generated/validators.js";
import type { AttackPathService } from "../attack-path-service.ts";
import { path, type QueryPair } from "../http/target.ts";
import type { Api, Reply } from "./api.ts";
import type { Entity, EntityCounts } from "./entities.records.ts";
import { unwrapNullables } from "./nullables.ts";

export function entitiesOf(api: Api): AttackPathService["entities"] {
  return {
    async directory(route, objectId, { counts }) {
      return toEntity(api, await api.get(path`/api/v2/${route}/${objectId}`, [["counts", counts]]));
    },

    async azure(type, objectId, { counts }) {
      const query: QueryPair[] = [
        ["object_id", objectId],
        ["counts", counts],
      ];
      return toEntity(api, await api.get(path`/api/v2/azure/${type}`, query));
    },

    async azureRelated(type, objectId, related, { skip, limit } = {}) {
      const query: QueryPair[] = [
        ["object_id", objectId],
        ["related_entity_type", related],
        ["type", "list"],
      ];
      if (skip !== undefined) query.push(["skip", skip]);
      if (limit !== undefined) query.push(["limit", limit]);
      const reply = await api.get(path`/api/v2/azure/${type}`, query);
      return { items: unwrapNullables(api.list(validateAzureRelated, reply)), total: reply.body.count };
    },
  };
}

/** Every field besides properties and description is a count. Their names depend on the kind. */
function toEntity(api: Api, reply: Reply): Entity {
  const { props, properties, kind, kinds, isTierZero, isOwnedObject, ...rest } = unwrapNullables(
    api.record(validateEntity, reply),
    0,
  );
  const entity: Entity = { properties: properties ?? props ?? {}, counts: countsIn(rest) };
  if (kind !== undefined) entity.kind = kind;
  if (kinds !== undefined) entity.kinds = kinds;
  if (isTierZero !== undefined) entity.isTierZero = isTierZero;
  if (isOwnedObject !== undefined) entity.isOwnedObject = isOwnedObject;
  return entity;
}

/** Counts are nested one level deep. The limit keeps a response that is nested without end from ending the run. */
function countsIn(fields: object, levels = 5): EntityCounts {
  const entries = (Object.entries(fields) as [string, unknown][]).flatMap(
    ([name, value]): [string, number | EntityCounts][] => {
      if (typeof value === "number") return [[name, value]];
      const isGroup = levels > 0 && typeof value === "object" && value !== null && !Array.isArray(value);
      return isGroup ? [[name, countsIn(value, levels - 1)]] : [];
    },
  );
  return Object.fromEntries(entries);
}
