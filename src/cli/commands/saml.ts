import { type Cli, describeCommand, serviceAction } from "../command.ts";
import { deleteProvider } from "../delete-provider.ts";
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
    .addCommand(remove(cli).summary("delete a SAML provider (deprecated)"));
export default saml;

function list(cli: Cli) {
  const command = withFormat(
    describeCommand("list", "List the SAML providers of the tenant.", ["saml list", "saml list --json"]),
  );
  return serviceAction(cli, command, async (service) => {
    const { format } = command.opts<{ format: RowFormat }>();
    const providers = await service.sso.listSamlProviders();
    await writeRows(cli.output, { format, columns }, providers);
    return endOfList(cli.output, { count: providers.length, empty: "The tenant has no SAML providers." });
  });
}

function remove(cli: Cli) {
  const command = withFormat(
    describeCommand("delete", `Delete a SAML provider, and list the users who used it.\n\n${DEPRECATED}`, [
      "saml delete 1",
      "saml delete 1 --yes --json",
    ]),
  )
    .argument("<id>", "id of the SAML provider")
    .option("--yes", "do not ask before deleting", false);
  return serviceAction(cli, command, async (service) => {
    const { yes, format } = command.opts<{ yes: boolean; format: RowFormat }>();
    const [id = ""] = command.args;
    cli.output.note(`Warning: ${DEPRECATED}`);
    return deleteProvider(cli, service, {
      noun: "SAML provider",
      id,
      matches: (provider) => String(provider.id) === id,
      delete: () => service.sso.deleteSamlProvider(id),
      yes,
      format,
    });
  });
}
