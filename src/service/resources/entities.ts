import { validateAzureRelated, validateEntity } from "../../generated/validators.js";
import type { Api, Reply } from "../api.ts";
import type { AttackPathService } from "../attack-path-service.ts";
import type { Entity, EntityCounts } from "../records/entities.ts";
import { unwrapNullables } from "../records/nullables.ts";
import { path, type QueryPair } from "../target.ts";

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
      return { items: unwrapNullables(api.list(validateAzureRelated, reply)), total: reply.envelope.count };
    },
  };
}

/** What is neither properties nor description is a count; the service names them differently per kind. */
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

/** Groups of counts are one level deep; what a service nests deeper must not be the end of a run. */
function countsIn(fields: object, levels = 5): EntityCounts {
  const counts: EntityCounts = {};
  for (const [name, value] of Object.entries(fields) as [string, unknown][]) {
    if (typeof value === "number") counts[name] = value;
    else if (levels > 0 && typeof value === "object" && value !== null && !Array.isArray(value)) {
      counts[name] = countsIn(value, levels - 1);
    }
  }
  return counts;
}
