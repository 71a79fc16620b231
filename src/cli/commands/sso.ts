import { type Cli, describeCommand } from "../command.ts";
import { deleteCommand } from "../delete-command.ts";

const sso = (cli: Cli) =>
  describeCommand("sso", "Delete single-sign-on providers of the tenant.", ["sso delete 11"]).addCommand(
    deleteCommand(cli, {
      description: "Delete a single-sign-on provider, and list the users who used it.",
      summary: "delete a single-sign-on provider",
      examples: ["sso delete 11", "sso delete 11 --yes --json"],
      idHelp: "id of the single-sign-on provider, which saml list shows",
      load: async () => (await import("../handlers/sso.ts")).deleteSsoProvider,
    }),
  );
export default sso;
