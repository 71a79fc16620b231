import { deletionHandler } from "../delete-provider.ts";

export const deleteSsoProvider = deletionHandler({
  noun: "SSO provider",
  idOf: ({ sso_provider_id }) => String(sso_provider_id),
  delete: (service, id) => service.sso.deleteSsoProvider(id),
});
