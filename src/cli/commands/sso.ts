import { type Cli, describeCommand } from "../command.ts";
import { deleteCommand } from "../delete-provider.ts";

const sso = (cli: Cli) =>
  describeCommand("sso", "Delete single-sign-on providers of the tenant.", ["sso delete 11"]).addCommand(
    deleteCommand(cli, {
      noun: "SSO provider",
      description: "Delete a single-sign-on provider, and list the users who used it.",
      summary: "delete a single-sign-on provider",
      examples: ["sso delete 11", "sso delete 11 --yes --json"],
      idHelp: "id of the single-sign-on provider, which saml list shows",
      idOf: ({ sso_provider_id }) => String(sso_provider_id),
      delete: (service, id) => service.sso.deleteSsoProvider(id),
    }),
  );
export default sso;
