import { validateSamlProvider, validateUser } from "../../generated/validators-on-demand.js";
import type { AttackPathService } from "../attack-path-service.ts";
import { path } from "../http/target.ts";
import { type Api, LARGEST_LIST_BYTES, type Reply } from "./api.ts";
import { listIn, NO_DATA, objectIn } from "./response-body.ts";
import type { User } from "./sso.records.ts";
import { wholeList } from "./whole-list.ts";

export function ssoOf(api: Api): AttackPathService["sso"] {
  return {
    async listSamlProviders() {
      const { entries, endpoint, incomplete } = await wholeList(api, path`/api/v2/saml`, {
        listOf: providersIn,
        kind: { largestBody: LARGEST_LIST_BYTES },
      });
      if (incomplete !== null) throw incomplete;
      return api.records(validateSamlProvider, entries, endpoint);
    },

    async deleteSamlProvider(id) {
      api.log.warn(
        "DELETE /api/v2/saml/providers/{id} is deprecated and will be removed from the service. Use deleteSsoProvider (DELETE /api/v2/sso-providers/{id}) instead.",
      );
      return affectedUsers(api, await api.send({ method: "DELETE", path: path`/api/v2/saml/providers/${id}` }));
    },

    async deleteSsoProvider(id) {
      return affectedUsers(api, await api.send({ method: "DELETE", path: path`/api/v2/sso-providers/${id}` }));
    },
  };
}

/** The service writes null for an empty list. A response without the list says nothing about it. */
function providersIn({ body, endpoint }: Reply): unknown[] {
  if (body.data === null) return [];
  const { saml_providers: data } = objectIn(body, endpoint);
  return listIn({ data }, endpoint);
}

/** The service document writes `affected_user`; the server may use the plural. */
function affectedUsers(api: Api, reply: Reply): User[] {
  return api.list(validateUser, listUnder(reply, ["affected_user", "affected_users"]));
}

/** The list under the first of the keys that the data has; an empty one when there is none. */
function listUnder({ body, endpoint }: Reply, keys: readonly string[]): Reply {
  const data = body.data === null ? {} : objectIn(body, endpoint);
  const list = keys.map((key) => data[key]).find((value) => value !== undefined) ?? null;
  return { body: { ...NO_DATA, data: list }, endpoint };
}
