import { type Cli, describeCommand, serviceAction, whole } from "../command.ts";
import { deleteProvider } from "../delete-provider.ts";
import { type RowFormat, withFormat } from "../rows.ts";

const sso = (cli: Cli) => {
  const command = withFormat(
    describeCommand("delete", "Delete a single-sign-on provider, and list the users who used it.", [
      "sso delete 11",
      "sso delete 11 --yes --json",
    ]),
  )
    .argument("<id>", "id of the single-sign-on provider, which saml list shows", whole)
    .option("--yes", "do not ask before deleting");
  const remove = serviceAction(cli, command, async (service) => {
    const { yes = false, format } = command.opts<{ yes?: true; format: RowFormat }>();
    const [id = ""] = command.args;
    return deleteProvider(cli, service, {
      noun: "SSO provider",
      id,
      matches: (provider) => String(provider.sso_provider_id) === id,
      delete: () => service.sso.deleteSsoProvider(id),
      yes,
      format,
    });
  });
  return describeCommand("sso", "Delete single-sign-on providers of the tenant.", ["sso delete 11"]).addCommand(
    remove.summary("delete a single-sign-on provider"),
  );
};
export default sso;
