import type { SamlProvider } from "../../service/resources/sso.records.ts";
import { type Cli, describeCommand, serviceAction } from "../command.ts";
import { deleteCommand } from "../delete-provider.ts";
import { endOfList } from "../list-end.ts";
import { type RowFormat, withFormat, writeRows } from "../rows.ts";

const columns = [
  { key: "id", title: "Id", align: "right" },
  { key: "name", title: "Name" },
  { key: "idp_issuer_uri", title: "Issuer" },
  { key: "sso_provider_id", title: "SSO provider", align: "right" },
] as const;

const DEPRECATED =
  "saml delete is deprecated: the service will remove this operation. Use sso delete with the id in the column SSO provider.";

const saml = (cli: Cli) =>
  describeCommand("saml", "List and delete the SAML providers of the tenant.", ["saml list", "saml delete 1"])
    .addCommand(list(cli).summary("list the SAML providers"))
    .addCommand(remove(cli));
export default saml;

function list(cli: Cli) {
  const command = withFormat(
    describeCommand("list", "List the SAML providers of the tenant.", ["saml list", "saml list --json"]),
  );
  return serviceAction(cli, command, async (service) => {
    const { format } = command.opts<{ format: RowFormat }>();
    const providers = await service.sso.listSamlProviders();
    await writeRows(cli.output, { format, columns }, providers.map(rowOf));
    return endOfList(cli.output, { count: providers.length, empty: "The tenant has no SAML providers." });
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

function remove(cli: Cli) {
  return deleteCommand(cli, {
    noun: "SAML provider",
    description: `Delete a SAML provider, and list the users who used it.\n\n${DEPRECATED}`,
    summary: "delete a SAML provider (deprecated)",
    examples: ["saml delete 1", "saml delete 1 --yes --json"],
    idHelp: "id of the SAML provider",
    warning: DEPRECATED,
    idOf: ({ id }) => String(id),
    delete: (service, id) => service.sso.deleteSamlProvider(id),
  });
}
