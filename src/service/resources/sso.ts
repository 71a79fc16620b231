import { validateSamlProvider, validateUser } from "../../generated/validators-on-demand.js";
import type { AttackPathService } from "../attack-path-service.ts";
import { path } from "../http/target.ts";
import { type Api, LARGEST_LIST_BYTES, type Reply } from "../api.ts";
import { listIn, NO_DATA, objectIn } from "../responses/response-body.ts";
import type { User } from "./sso.records.ts";
import { wholeList } from "../lists/whole-list.ts";

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

/** The service document writes `affected_user`; the server may use the plural. Null when the response has neither. */
function affectedUsers(api: Api, { body, endpoint }: Reply): User[] | null {
  if (body.data === null) return null;
  const { affected_user: one, affected_users: data = one } = objectIn(body, endpoint);
  return data === undefined ? null : api.list(validateUser, { body: { ...NO_DATA, data }, endpoint });
}
