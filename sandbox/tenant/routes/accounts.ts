import { removeProvider, type SamlProvider } from "../accounts.ts";
import { dataAnswer, Refusal } from "../answer.ts";
import type { Exchange, Handler, Route } from "../exchange.ts";

const listSamlProviders: Handler = ({ accounts }) => dataAnswer({ saml_providers: accounts.samlProviders });

function removed(exchange: Exchange, parameter: string, idOf: (provider: SamlProvider) => number) {
  const raw = exchange.parameters[parameter] ?? "";
  if (!/^\d+$/.test(raw)) throw new Refusal(404, "resource not found");
  const affected = removeProvider(exchange.accounts, (provider) => idOf(provider) === Number(raw));
  if (affected === null) throw new Refusal(404, "resource not found");
  return affected;
}

const deleteSamlProvider: Handler = (exchange) =>
  dataAnswer({ affected_user: removed(exchange, "saml_provider_id", (provider) => provider.id) });

const deleteSsoProvider: Handler = (exchange) =>
  dataAnswer({ affected_users: removed(exchange, "sso_provider_id", (provider) => provider.sso_provider_id.int32) });

const self: Handler = ({ accounts }) => dataAnswer(accounts.self);

export const accountRoutes: Route[] = [
  { method: "GET", path: "/api/v2/saml", handle: listSamlProviders },
  { method: "DELETE", path: "/api/v2/saml/providers/:saml_provider_id", handle: deleteSamlProvider },
  { method: "DELETE", path: "/api/v2/sso-providers/:sso_provider_id", handle: deleteSsoProvider },
  { method: "GET", path: "/api/v2/self", handle: self },
];
