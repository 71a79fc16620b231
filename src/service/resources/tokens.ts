import { isObject } from "../../json.ts";
import type { AttackPathService } from "../attack-path-service.ts";
import { isNotOffered } from "../errors/errors.ts";
import { path } from "../http/target.ts";
import { parseInstant } from "../instants.ts";
import { type Api, savingWork } from "../api.ts";
import { objectIn } from "../responses/response-body.ts";

/** It lists one token. */
const LARGEST_LIST_BYTES = 2 ** 20;

export function tokensOf(api: Api): AttackPathService["tokens"] {
  return {
    async createdAt(id) {
      const query = [["id", `eq:${id}`]] as const;
      try {
        const { body, endpoint } = await api.get(path`/api/v2/tokens`, query, savingWork({}, LARGEST_LIST_BYTES));
        const { tokens } = objectIn(body, endpoint);
        const listed: unknown[] = Array.isArray(tokens) ? tokens : [];
        const own = listed.filter(isObject).find((token) => token["id"] === id);
        const { created_at: createdAt } = own ?? {};
        return typeof createdAt === "string" && parseInstant(createdAt) !== null ? createdAt : null;
      } catch (error) {
        if (isNotOffered(error)) return null;
        throw error;
      }
    },
  };
}
