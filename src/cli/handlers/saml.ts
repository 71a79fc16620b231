import type { SamlProvider } from "../../service/resources/sso.records.ts";
import type { Handler } from "../command.ts";
import { deletionHandler } from "../delete-provider.ts";
import { endOfList } from "../list-end.ts";
import { type RowFormat, writeRows } from "../rows.ts";
import { serviceHandler } from "../session.ts";

const columns = [
  { key: "id", title: "Id", align: "right" },
  { key: "name", title: "Name" },
  { key: "idp_issuer_uri", title: "Issuer" },
  { key: "sso_provider_id", title: "SSO provider", align: "right" },
] as const;

export const listSamlProviders = serviceHandler(async ({ output }, service, command) => {
  const { format } = command.opts<{ format: RowFormat }>();
  const providers = await service.sso.listSamlProviders();
  await writeRows(output, { format, columns, fields: Object.keys(rowOf({})) }, providers.map(rowOf));
  return endOfList(output, { count: providers.length, empty: "The tenant has no SAML providers." });
});

/** @param warning - is said before anything else */
export function samlDeletion(warning: string): Handler {
  return deletionHandler({
    noun: "SAML provider",
    warning,
    idOf: ({ id }) => String(id),
    delete: (service, id) => service.sso.deleteSamlProvider(id),
  });
}

/** Every row has the same fields, whatever the service leaves out or adds. */
function rowOf(provider: SamlProvider) {
  return {
    id: provider.id ?? null,
    name: provider.name ?? null,
    display_name: provider.display_name ?? null,
    idp_issuer_uri: provider.idp_issuer_uri ?? null,
    idp_sso_uri: provider.idp_sso_uri ?? null,
    principal_attribute_mappings: provider.principal_attribute_mappings ?? [],
    sp_issuer_uri: provider.sp_issuer_uri ?? null,
    sp_sso_uri: provider.sp_sso_uri ?? null,
    sp_metadata_uri: provider.sp_metadata_uri ?? null,
    sp_acs_uri: provider.sp_acs_uri ?? null,
    sso_provider_id: provider.sso_provider_id ?? null,
    created_at: provider.created_at ?? null,
    updated_at: provider.updated_at ?? null,
  };
}
