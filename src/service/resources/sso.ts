import { validateSamlProvider, validateUser } from "../../generated/validators-on-demand.js";
import type { AttackPathService } from "../attack-path-service.ts";
import { path } from "../http/target.ts";
import type { Api, Reply } from "./api.ts";
import { objectIn } from "./response-body.ts";
import type { User } from "./sso.records.ts";

export function ssoOf(api: Api): AttackPathService["sso"] {
  return {
    async listSamlProviders() {
      const reply = await api.get(path`/api/v2/saml`);
      const providers = listUnder(reply, ["saml_providers"]);
      return api.list(validateSamlProvider, providers);
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

/** The service document writes `affected_user`; the server may use the plural. */
function affectedUsers(api: Api, reply: Reply): User[] {
  return api.list(validateUser, listUnder(reply, ["affected_user", "affected_users"]));
}

/** The list under the first of the keys that the data has; an empty one when there is none. */
function listUnder({ body, endpoint }: Reply, keys: readonly string[]): Reply {
  const data = body.data === null ? {} : objectIn(body, endpoint);
  const list = keys.map((key) => data[key]).find((value) => value !== undefined) ?? null;
  return { body: { data: list, count: null }, endpoint };
}
