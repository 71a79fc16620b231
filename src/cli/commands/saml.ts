import { type Cli, describeCommand, handled, withConnectionOptions, withFormat } from "../command.ts";
import { deleteCommand } from "../delete-command.ts";

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
  return handled(
    cli,
    withConnectionOptions(command),
    async () => (await import("../handlers/saml.ts")).listSamlProviders,
  );
}

function remove(cli: Cli) {
  return deleteCommand(cli, {
    description: `Delete a SAML provider, and list the users who used it.\n\n${DEPRECATED}`,
    summary: "delete a SAML provider (deprecated)",
    examples: ["saml delete 1", "saml delete 1 --yes --json"],
    idHelp: "id of the SAML provider",
    load: async () => (await import("../handlers/saml.ts")).samlDeletion(DEPRECATED),
  });
}
