import { validateSamlProvider, validateUser } from "../../generated/validators.js";
import type { Api, Reply } from "../api.ts";
import type { AttackPathService } from "../attack-path-service.ts";
import { objectIn } from "../envelope.ts";
import { unwrapNullables } from "../records/nullables.ts";
import type { User } from "../records/users.ts";
import { path } from "../target.ts";

export function ssoOf(api: Api): AttackPathService["sso"] {
  return {
    async listSamlProviders() {
      const reply = await api.get(path`/api/v2/saml`);
      const providers = listUnder(reply, ["saml_providers"]);
      return unwrapNullables(api.list(validateSamlProvider, providers));
    },

    async deleteSamlProvider(id) {
      api.log.warn(
        "DELETE /api/v2/saml/providers/{id} is deprecated and will be removed from the service: use deleteSsoProvider (DELETE /api/v2/sso-providers/{id})",
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
  return unwrapNullables(api.list(validateUser, listUnder(reply, ["affected_user", "affected_users"])));
}

/** The list that stands under a key of the data; null and a missing key are an empty one. */
function listUnder({ envelope, exchange }: Reply, keys: readonly string[]): Reply {
  const data = envelope.data === null ? {} : objectIn(envelope, exchange);
  const list = keys.map((key) => data[key]).find((value) => value !== undefined) ?? null;
  return { envelope: { data: list, count: null }, exchange };
}
